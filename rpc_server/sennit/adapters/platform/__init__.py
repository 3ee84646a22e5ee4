"""What the operating system knows about processes; Linux only, see `support`.

The modules here import only built-in parts of Python: the shim loads them, and each
further import would delay the start of every agent.
"""
