"""The sandbox of the system for agents: whether there is one, and how a run is confined by it."""
