"""Forces the names that a folder holds to the disk, where its file system can do that."""

from __future__ import annotations

import errno
import os

_NO_SUCH_REQUEST = frozenset({errno.EINVAL, errno.ENOTSUP})


def force_folder(folder: int) -> None:
    """Wait until what an open folder holds is on the disk. Raises OSError.

    Some file systems have no such request for folders (those that VirtualBox shares, older network
    ones): they have done their best.
    """
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in _NO_SUCH_REQUEST:
            raise
