"""The Agent Client Protocol, read: what agents send, as values. Unknown things are never failures.

Source: the schema of protocol version 1. Names of version 2's draft are taken where they are clear.
"""
