"""Workspaces that are a layer over a checkout, mounted where only the agent sees it.

What the launcher and the first process of a run load (`entering`, `renaming`, `moving`) imports
nothing but built-in parts of Python and `adapters.platform`.
"""
