"""The clock that a disk takes the times of its files from, which no other is compared with.

It may go in steps of a second or two (ext4 with small inodes, FAT), or be that of another machine.
"""

from __future__ import annotations

import os
import time

_LONG_AGO = 1_000_000_000 << 30
"""Nanoseconds, of a whole even number of seconds in 2004."""
_PAUSE_S = 0.001
_LONGEST_STEP_S = 3.0
"""Longer than any step is; a disk whose times do not change by then does not keep any."""


def touched(folder: int) -> int:
    """Have the disk write down the time, as that of the last change of an open folder; give it."""
    # Of the last edit too: some disks (sshfs) know no other, and give it for the one of changes.
    os.utime(folder)
    return os.fstat(folder).st_ctime_ns


def tells_changes(folder: int) -> bool:
    """Tell whether changes have a time that no program sets, by an open folder of ours.

    Some disks (sshfs, FAT) give that of the last edit for it.
    """
    try:
        os.utime(folder, ns=(_LONG_AGO, _LONG_AGO))
    except PermissionError:
        # Who may write there without being its owner, by how it is mounted, sets no time at all.
        return True
    tells = os.fstat(folder).st_ctime_ns != _LONG_AGO
    os.utime(folder)
    return tells


def has_ticked(folder: int, since: int) -> bool:
    """Wait until what is changed from now on has another time than ``since``, of the same clock.

    False says that it never will.
    """
    deadline = time.monotonic() + _LONGEST_STEP_S
    # Another one, not a later one: the clock may be set back meanwhile.
    while touched(folder) == since:
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE_S)
    return True
