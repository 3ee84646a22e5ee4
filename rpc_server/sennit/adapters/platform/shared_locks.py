"""An advisory lock that many hold together, and that tells whether one is alone."""

from __future__ import annotations

import errno
import fcntl


def take_alone(descriptor: int) -> bool:
    """Take the lock for this holder alone; False if anybody else holds it."""
    return _try(descriptor, fcntl.LOCK_EX)


def take_shared(descriptor: int) -> bool:
    """Hold the lock together with others (instead of alone); False if somebody has it alone."""
    return _try(descriptor, fcntl.LOCK_SH)


def _try(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in {errno.EWOULDBLOCK, errno.EACCES}:
            return False
        raise
    return True
