"""Everything that talks to git: bases, workspaces, captures, differences and merges."""
