"""The records of workspaces: what we made, where, which folder it is, and who uses it.

A record is the only licence to delete a folder. It lies in the store, where no agent works.
"""

from __future__ import annotations

import errno
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import evolve, field, frozen

from sennit.adapters.git.files import PRIVATE_FILE, PRIVATE_FOLDER, read_if_there, write_private
from sennit.adapters.git.identity import UNBORN, Identity, identity_at
from sennit.adapters.platform.lives import Owner, may_live

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sennit.adapters.git.store import Store

MARKER = b".sennit-workspaces"
"""A file in each folder in which workspaces are made: nothing is deleted where it is not."""

_SAID = b"Sennit makes folders here and deletes them again.\n"
_FORMAT = 1


NOBODY = Owner(0, 0)
"""Owns folders that are kept to be used again."""
SPARE = "spare-"
"""How the names of folders of earlier tasks begin, those of whose owner died over one too."""


@frozen
class Record:
    """One workspace that we made. ``identity`` is that of its folder.

    ``rules`` tells under which configuration its files were written (empty: it is not known).
    ``lower``: the folder that it is a layer over; empty where it holds everything itself.
    ``size`` is what its files take on the disk, in bytes (0: it is not known).
    """

    name: str
    folder: Path
    identity: Identity
    base: str
    tree: str
    owner: Owner
    created: float = field(factory=time.time)
    rules: str = ""
    lower: str = ""
    size: int = 0


def is_alive(owner: Owner, store: Store) -> bool:
    """Tell whether a process that uses a part of a store still runs, or may do so."""
    return may_live(owner, store.lives)


def is_kept(record: Record) -> bool:
    """Tell whether a folder is kept to be used again, or was when its owner died."""
    return record.owner == NOBODY or record.name.startswith(SPARE)


def write_record(store: Store, record: Record) -> None:
    """Write or replace the record of a workspace, whose place is marked as one for workspaces."""
    _mark(record.folder.parent)
    write_inner_record(store, record)


def _mark(folder: Path) -> None:
    marker = folder / os.fsdecode(MARKER)
    if not marker.is_file():
        # It is one as soon as it is there: nothing beside it is left by who is killed here.
        handle = os.open(marker, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
        with os.fdopen(handle, "wb") as file:
            file.write(_SAID)


def make_recorded(store: Store, record: Record) -> Record:
    """Make the folder of a record, empty, and write the record with its identity.

    Raises OSError, FileExistsError where something lies there; then nothing of it stays.
    """
    folder = record.folder
    if os.path.lexists(folder):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(folder))
    # Without a record nothing may ever delete it, so that comes first.
    announce(store, record)
    try:
        folder.mkdir(mode=PRIVATE_FOLDER)
    except OSError:
        remove_record(store, record.name)
        raise
    made = evolve(record, identity=identity_at(folder))
    try:
        write_record(store, made)
    except OSError:
        folder.rmdir()
        remove_record(store, record.name)
        raise
    return made


def announce(store: Store, record: Record) -> None:
    """Write the record of a folder that is about to be made: it is not known which one it is."""
    _mark(record.folder.parent)
    content = _written(evolve(record, identity=UNBORN))
    write_private(record_file(store, record.name), content)


def write_inner_record(store: Store, record: Record) -> None:
    """Write the record of a submodule in a workspace, which goes with the workspace alone."""
    write_private(record_file(store, record.name), _written(record), to_the_disk=True)


def _written(record: Record) -> bytes:
    content = {
        "format": _FORMAT,
        "folder": os.fsdecode(record.folder),
        "device": record.identity.device,
        "inode": record.identity.inode,
        "birth": record.identity.birth,
        "base": record.base,
        "tree": record.tree,
        **written_owner(record.owner),
        "created": record.created,
        "rules": record.rules,
        "lower": record.lower,
        "size": record.size,
    }
    return json.dumps(content).encode()


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
            Identity(int(found["device"]), int(found["inode"]), str(found.get("birth", ""))),
            str(found["base"]),
            str(found["tree"]),
            read_owner(found),
            float(found["created"]),
            str(found.get("rules", "")),
            str(found.get("lower", "")),
            int(found.get("size", 0)),
        )
    except (ValueError, KeyError, TypeError):
        # Without a record that says where it is, nothing is deleted.
        return None


def written_owner(owner: Owner) -> dict[str, int | str]:
    """Spell an owner."""
    return {"pid": owner.pid, "started": owner.started, "realm": owner.realm}


def read_owner(found: Mapping[str, Any]) -> Owner:
    """Read an owner. Raises KeyError, ValueError and TypeError where there is none."""
    return Owner(int(found["pid"]), int(found["started"]), str(found.get("realm", "")))


def remove_record(store: Store, name: str) -> None:
    """Forget a workspace: its record, what was kept beside it, and the same of its submodules."""
    for inner in stores_of_submodules(store):
        remove_record(inner, name)
    beside = (index_file, refs_file, since_file, folders_file, begun_file, lease_file)
    index = index_file(store, name)
    # A git that was killed left it, and the next one would not write an index of that name.
    index.with_name(f"{index.name}.lock").unlink(missing_ok=True)
    for file in (*beside, record_file):
        file(store, name).unlink(missing_ok=True)


def modules_folder(root: Path) -> Path:
    """Name the folder of the stores of submodules, in the store of their repository."""
    return root / "modules"


def stores_of_submodules(store: Store) -> list[Store]:
    """Give the stores of the submodules of a repository that were ever filled in a workspace."""
    folder = modules_folder(store.root)
    # Nothing that a submodule configures is run, so nothing of it has to be left out.
    return [evolve(store, root=one) for one in sorted(folder.glob("*/")) if one.is_dir()]


def with_those_within(store: Store) -> Iterator[Store]:
    """Give a store, those of its submodules, and those within them."""
    yield store
    for inner in stores_of_submodules(store):
        yield from with_those_within(inner)


def record_file(store: Store, name: str) -> Path:
    """Name the file of a record."""
    return store.records / f"{name}.json"


def index_file(store: Store, name: str) -> Path:
    """Name the index as it was after the checkout, which no agent can reach."""
    return store.records / f"{name}.index"


def refs_file(store: Store, name: str) -> Path:
    """Name the list of refs that the workspace began with, as ``packed-refs``."""
    return store.records / f"{name}.refs"


def since_file(store: Store, name: str) -> Path:
    """Name the file that says when the workspace was complete; see `completion`."""
    return store.records / f"{name}.since"


def folders_file(store: Store, name: str) -> Path:
    """Name the list of the folders of one that was stripped, with change times; see `spares`."""
    return store.records / f"{name}.folders"


def begun_file(store: Store, name: str) -> Path:
    """Name the list of files that a layer began with, and the one below lacks or has otherwise.

    Paths that end with NUL. Of a file that is only in the upper layer nothing is left there when it
    is removed.
    """
    return store.records / f"{name}.begun"


def lease_file(store: Store, name: str) -> Path:
    """Name the file that says who relies on the lower layer of a workspace."""
    return store.records / f"{name}.lease"


def work_folder(record: Record) -> Path:
    """Name the folder that the kernel works in while a layered workspace is mounted."""
    return record.folder.parent / ".layers" / record.name
