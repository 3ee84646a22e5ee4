"""Pure readers of the lines that agents of kind `command` write, one for each format."""
