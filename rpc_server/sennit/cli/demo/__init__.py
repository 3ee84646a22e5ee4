"""The demonstration: the real server, real programs, a real repository, and a proof at the end."""
