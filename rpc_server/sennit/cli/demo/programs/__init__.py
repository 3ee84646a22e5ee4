"""Small programs that the demonstration runs as tasks; each is started by its path."""
