"""Who brings a file to its new state: the editor, the server, or nobody and why."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from pathlib import Path

from attrs import frozen

from sennit.adapters.git.disk_abilities import tells_case_apart
from sennit.adapters.git.respelled import spelled
from sennit.core.edits import EditKind, FileEdit
from sennit.core.names import collisions
from sennit.core.units import parents
from sennit.core.uris import display
from sennit.server.applying.carrying import Carrier
from sennit.server.applying.values import Held, Rest
from sennit.server.open_documents import Buffer, is_open
from sennit_protocol.states import Target


class Server(Enum):
    """The server writes a file itself; for some it needs the user's consent."""

    WRITES = auto()
    WRITES_WITH_CONSENT = auto()


Share = FileEdit | Server | Held


@frozen
class Situation:
    """What decides about the shares of an edit set.

    ``elsewhere`` are paths that are unsaved in other editors; ``tangled`` and ``freed`` see
    ``tangled_paths`` and ``freed_paths``; ``off_disk`` are files that git has and that are not on
    the disk before the edit, or after it, which only the server can bring about.
    """

    top: bytes
    target: Target
    carrier: Carrier
    rest: Rest
    buffers: Mapping[bytes, Buffer]
    elsewhere: frozenset[bytes]
    tangled: frozenset[bytes]
    freed: frozenset[bytes]
    off_disk: frozenset[bytes] = frozenset()


def freed_paths(edits: Sequence[FileEdit]) -> frozenset[bytes]:
    """The paths that the edits free, so that others of them may take these."""
    gone = {edit.path for edit in edits if edit.kind is EditKind.DELETE}
    left = {edit.old_path for edit in edits if edit.kind is EditKind.RENAME}
    return frozenset(gone | left)


def tangled_paths(edits: Sequence[FileEdit]) -> frozenset[bytes]:
    """The paths of files that become folders, or of folders that become files.

    Editors do not agree on the order and on who removes the empty folder.
    """
    everything = {path for edit in edits for path in (edit.path, edit.old_path)}
    above = {folder for path in everything for folder in parents(path)}
    meeting = everything & above
    return frozenset(
        path for path in everything if path in meeting or any(f in meeting for f in parents(path))
    )


def respelled_paths(top: bytes, edits: Sequence[FileEdit]) -> frozenset[bytes]:
    """The paths that another one of the edits spells otherwise, where the disk takes both for one.

    Editors make the new file before they remove the old one, which is the same file there.
    """
    everything = {path for edit in edits for path in (edit.path, edit.old_path)}
    groups = collisions({name for path in everything for name in (path, *parents(path))})
    if not groups or tells_case_apart(top):
        return frozenset()
    spelled = {name for group in groups for name in group}
    return frozenset(path for path in everything if spelled.intersection((path, *parents(path))))


def share(situation: Situation, edit: FileEdit) -> Share:
    """Decide about one file."""
    reason = _nobody(situation, edit)
    if reason is not None:
        return Held(edit.path, reason)
    tangled = {edit.path, edit.old_path} & situation.tangled
    if {edit.path, edit.old_path} & situation.off_disk and not _is_open(situation, edit):
        return Server.WRITES
    nameable = _is_open(situation, edit) or _has_plain_name(edit)
    nameable = nameable and not _takes_the_place_of_a_folder(situation, edit)
    if not tangled and nameable and situation.carrier.carries(edit):
        return edit
    if edit.kind is not EditKind.MODE and _is_open(situation, edit):
        return Held(edit.path, _open_here(situation, edit))
    if situation.target is not Target.EDITOR or not edit.travels or tangled or not nameable:
        return Server.WRITES
    if situation.rest is Rest.LEAVE:
        return Held(
            edit.path,
            f"Your editor cannot {_deed(edit)} by itself, and you did not let the server do it."
            " Apply again and allow it, or use `sennit apply` in a terminal.",
        )
    return Server.WRITES_WITH_CONSENT


def _has_plain_name(edit: FileEdit) -> bool:
    """Whether every editor can name the file: some cannot spell a name that is not UTF-8."""
    try:
        (edit.path + edit.old_path).decode()
    except UnicodeDecodeError:
        return False
    return True


def _nobody(situation: Situation, edit: FileEdit) -> str | None:
    """The reason why nobody touches the file, whoever could."""
    paths = {edit.path, edit.old_path}
    twice = _open_twice(situation, edit)
    if twice is not None:
        return twice
    mine = _is_open(situation, edit)
    if paths & situation.elsewhere and (not mine or situation.target is Target.DISK):
        return (
            "It is open and unsaved in another editor and was left alone. Save or close it there,"
            " then apply again."
        )
    in_the_way = _in_the_way(situation, edit)
    if in_the_way is not None:
        return in_the_way
    if situation.target is Target.EDITOR and _is_read_only(situation.top + b"/" + edit.old_path):
        return "It is read-only. Make it writable, then apply again."
    return None


def _open_twice(situation: Situation, edit: FileEdit) -> str | None:
    for path in (edit.path, edit.old_path):
        buffer = situation.buffers.get(situation.top + b"/" + path)
        if buffer is not None and buffer.also:
            names = " and as ".join((*buffer.also, buffer.uri))
            return f"It is open twice in your editor, as {names}. Close one, then apply again."
    return None


def _in_the_way(situation: Situation, edit: FileEdit) -> str | None:
    if edit.kind not in {EditKind.CREATE, EditKind.RENAME} or edit.path in situation.freed:
        return None
    full = situation.top + b"/" + edit.path
    if edit.path in situation.tangled or not os.path.lexists(full) or _is_empty_folder(full):
        return None
    there = spelled(situation.top, edit.path)
    if there is not None and there != edit.path:
        return (
            f"It is the same name as {display(there)} on this disk, which is there. Move that away,"
            " then apply again."
        )
    return (
        "Something that the edit does not know of lies there: a file that git ignores, or a new"
        " one. Move it away, then apply again."
    )


def _takes_the_place_of_a_folder(situation: Situation, edit: FileEdit) -> bool:
    """Whether an empty folder lies there, as editors leave one: they cannot make a file of it."""
    makes = edit.kind in {EditKind.CREATE, EditKind.RENAME}
    return makes and _is_empty_folder(situation.top + b"/" + edit.path)


def _is_empty_folder(path: bytes) -> bool:
    try:
        return not os.path.islink(path) and not os.listdir(path)  # noqa: PTH114, PTH208  bytes paths
    except OSError:
        # Nothing lies there, or no folder, or one that cannot be read and is nobody's to remove.
        return False


def _is_read_only(path: bytes) -> bool:
    try:
        mode = Path(os.fsdecode(path)).lstat().st_mode
    except OSError:
        # What is not there cannot be read-only; whoever writes tells what stands in the way.
        return False
    return stat.S_ISREG(mode) and not mode & 0o222


def _is_open(situation: Situation, edit: FileEdit) -> bool:
    top = situation.top
    return any(is_open(situation.buffers, top + b"/" + path) for path in (edit.path, edit.old_path))


def _open_here(situation: Situation, edit: FileEdit) -> str:
    if situation.target is Target.DISK:
        return (
            f"{display(edit.path)} is open in your editor. Apply to the editor, or close it"
            " there and apply again."
        )
    return (
        f"{display(edit.path)} is open in your editor, which cannot carry this change"
        f" ({edit.kind.value}). Close it there, then apply again."
    )


def _deed(edit: FileEdit) -> str:
    names = {EditKind.CREATE: "create", EditKind.DELETE: "delete", EditKind.RENAME: "rename"}
    return f"{names.get(edit.kind, 'change')} {display(edit.path)}"
