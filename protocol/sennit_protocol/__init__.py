"""The words shared by all sides."""
