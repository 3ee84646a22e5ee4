"""Kinds of agents: how the settings of one become a run, and which of them work here."""
