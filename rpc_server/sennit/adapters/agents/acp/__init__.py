"""Speaks the Agent Client Protocol with an agent that runs under its shim.

The official SDK keeps the connection: ids, answers, errors. It is imported when the first such
agent starts, because that takes most of a second. What agents send is read by `core.acp`, which
takes everything that real agents were seen to send; see docs/decisions/acp-client.md.
"""
