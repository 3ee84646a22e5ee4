"""What a patch holds, in numbers."""

from __future__ import annotations

import re

from attrs import frozen

_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_FILE = b"diff --git "


@frozen
class PatchCounts:
    """Files and lines of a patch; binary files have no lines."""

    files: int
    added: int
    removed: int


def counts_of_patch(data: bytes) -> PatchCounts:
    """Count a patch of git; what looks like a header inside a hunk is a line of it."""
    files = added = removed = 0
    old = new = 0
    for line in data.split(b"\n"):
        if old > 0 or new > 0:
            minus, plus = line.startswith(b"-"), line.startswith(b"+")
            removed, added = removed + minus, added + plus
            in_text = not line.startswith(b"\\")
            old, new = old - (in_text and not plus), new - (in_text and not minus)
        elif found := _HUNK.match(line):
            old, new = (1 if each is None else int(each) for each in found.groups())
        elif line.startswith(_FILE):
            files += 1
    return PatchCounts(files, added, removed)
