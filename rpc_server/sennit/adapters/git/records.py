"""The records of workspaces: what we made, where, on which device and inode, and who uses it.

A record is the only licence to delete a folder. It lies in the store, where no agent works.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import field, frozen

from sennit.adapters.git.files import read_if_there, write_private

if TYPE_CHECKING:
    from sennit.adapters.git.store import Store

_START_TIME_FIELD = 19
_FORMAT = 1


@frozen
class Owner:
    """A process that uses a workspace; ``started`` (in clock ticks) tells it from a later one."""

    pid: int
    started: int


@frozen
class Record:
    """One workspace that we made. ``device`` and ``inode`` are those of its folder."""

    name: str
    folder: Path
    device: int
    inode: int
    base: str
    tree: str
    owner: Owner
    created: float = field(factory=time.time)


def owner_of(pid: int) -> Owner | None:
    """Give the identity of a process that runs, or None when there is none."""
    content = read_if_there(Path("/proc") / str(pid) / "stat")
    if not content:
        return None
    # The name of the program, in brackets, may hold spaces and brackets itself.
    fields = content.rpartition(b")")[2].split()
    return Owner(pid, int(fields[_START_TIME_FIELD]))


def is_alive(owner: Owner) -> bool:
    """Tell whether this very process still runs."""
    return owner_of(owner.pid) == owner


def write_record(store: Store, record: Record) -> None:
    """Write or replace the record of a workspace."""
    content = {
        "format": _FORMAT,
        "folder": os.fsdecode(record.folder),
        "device": record.device,
        "inode": record.inode,
        "base": record.base,
        "tree": record.tree,
        "pid": record.owner.pid,
        "started": record.owner.started,
        "created": record.created,
    }
    write_private(record_file(store, record.name), json.dumps(content).encode())


def read_record(store: Store, name: str) -> Record | None:
    """Read a record; None when there is none or when it is not one that we can read."""
    content = read_if_there(record_file(store, name))
    try:
        found = json.loads(content or b"")
        if found["format"] != _FORMAT:
            return None
        return Record(
            name,
            Path(found["folder"]),
            int(found["device"]),
            int(found["inode"]),
            str(found["base"]),
            str(found["tree"]),
            Owner(int(found["pid"]), int(found["started"])),
            float(found["created"]),
        )
    except (ValueError, KeyError, TypeError):
        # Without a record that says where it is, nothing is deleted.
        return None


def remove_record(store: Store, name: str) -> None:
    """Forget a workspace: its record and what was kept beside it."""
    for file in (index_file(store, name), refs_file(store, name), record_file(store, name)):
        file.unlink(missing_ok=True)


def record_file(store: Store, name: str) -> Path:
    """Name the file of a record."""
    return store.records / f"{name}.json"


def index_file(store: Store, name: str) -> Path:
    """Name the index as it was after the checkout, which no agent can reach."""
    return store.records / f"{name}.index"


def refs_file(store: Store, name: str) -> Path:
    """Name the list of refs that the workspace began with, as ``packed-refs``."""
    return store.records / f"{name}.refs"
