"""Advisory locks that the kernel gives back when their holder ends, however it ends."""

from __future__ import annotations

import errno
import fcntl


def lock_if_free(descriptor: int) -> bool:
    """Take the exclusive lock on an open file for as long as it stays open; False if it is held."""
    return _try(descriptor, fcntl.LOCK_EX)


def is_locked(descriptor: int) -> bool:
    """Whether somebody else holds the exclusive lock on an open file."""
    if not _try(descriptor, fcntl.LOCK_SH):
        return True
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False


def _try(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in {errno.EWOULDBLOCK, errno.EACCES}:
            return False
        raise
    return True
