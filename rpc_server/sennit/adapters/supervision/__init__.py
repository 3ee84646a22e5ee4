"""The inside of the shim: the small process that owns one agent (started through `shim.py`).

Imports nothing but built-in parts of Python and `adapters.platform`: what is loaded here is
what every agent waits for.
"""
