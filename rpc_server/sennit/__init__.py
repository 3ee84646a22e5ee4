"""The server: dispatches tasks to coding agents and offers their work as reviewable edits."""
