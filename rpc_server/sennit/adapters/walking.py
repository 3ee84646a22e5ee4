"""Goes through all that lies in a folder which an agent may have filled, however deep it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def walked(top: bytes) -> Iterator[os.DirEntry[bytes]]:
    """Give what lies below a folder, folders before what they hold; links are not followed.

    What cannot be looked at is passed over: it goes away meanwhile, its folder is locked, or it
    lies deeper than a path can say. Unlike ``os.walk`` it goes down without recursion.
    """
    waiting = [top]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as scanned:
                entries = list(scanned)
        except OSError:
            continue
        for entry in entries:
            yield entry
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
