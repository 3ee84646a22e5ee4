"""One module for each method or for a few that belong together; ``table`` lists them all."""
