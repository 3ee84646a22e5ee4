"""Who relies on the kept checkout as a lower layer, so that it must stay as it is.

From the making of a workspace to its capture its server holds a lease, a file with its process.
While the workspace is mounted, the first process in it holds a lock besides, which the kernel drops
with it: agents may outlive a killed server by a moment.
"""

from __future__ import annotations

import fcntl
import json
import os
from typing import TYPE_CHECKING

from sennit.adapters.git.files import read_if_there, write_private
from sennit.adapters.git.records import is_alive, lease_file, read_owner, written_owner

if TYPE_CHECKING:
    from pathlib import Path

    from sennit.adapters.git.store import Store
    from sennit.adapters.platform.lives import Owner


def lock_of_lower(store: Store) -> Path:
    """Name the file that is locked, shared, for as long as the lower layer is mounted."""
    return store.root / "lower.lock"


def hold(store: Store, name: str, owner: Owner) -> None:
    """Have the kept checkout stay for the workspace ``name``, while ``owner`` lives."""
    lock_of_lower(store).touch(mode=0o600)
    content = json.dumps(written_owner(owner))
    write_private(lease_file(store, name), content.encode())


def let_go(store: Store, name: str) -> None:
    """Be done with it: nothing of the workspace runs any more."""
    lease_file(store, name).unlink(missing_ok=True)


def holds(store: Store, name: str) -> bool:
    """Tell whether the kept checkout still is as it was when the workspace was made."""
    return lease_file(store, name).exists()


def is_held(store: Store) -> bool:
    """Tell whether somebody relies on it; leases of those that are gone are cleared away."""
    held = False
    for file in store.records.glob("*.lease"):
        owner = _owner(file)
        if owner is not None and is_alive(owner, store):
            held = True
        elif not _is_mounted(store):
            file.unlink(missing_ok=True)
    return held or _is_mounted(store)


def _owner(file: Path) -> Owner | None:
    try:
        found = json.loads(read_if_there(file) or b"")
        return read_owner(found)
    except (ValueError, KeyError, TypeError):
        # Written by nobody that we know of: the lock tells whether it matters.
        return None


def _is_mounted(store: Store) -> bool:
    try:
        handle = os.open(lock_of_lower(store), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False
