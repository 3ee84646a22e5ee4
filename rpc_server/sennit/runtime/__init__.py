"""The loop that stores steps and carries out commands."""
