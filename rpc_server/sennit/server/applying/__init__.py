"""From accepted units to edits of the editor and writes to the disk, and back."""
