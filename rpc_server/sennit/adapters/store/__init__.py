"""The database of the user: rows, events and outbox in one SQLite file, shared by all servers."""
