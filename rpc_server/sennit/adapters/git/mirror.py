"""The user's object files in our store: by hard links, which outlive the user's own clean-ups.

Where hard links cannot be made (another file system, another owner) the store borrows the user's
objects instead, and what a snapshot needs is copied into the store by whoever takes it.
"""

from __future__ import annotations

import errno
import json
import os
import re
import time
from contextlib import suppress
from enum import StrEnum, auto
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.files import make_private_folder, read_if_there, write_private

if TYPE_CHECKING:
    from collections.abc import Iterable

_FANOUT = re.compile(r"[0-9a-f]{2}\Z")
_LOOSE = re.compile(r"(?:[0-9a-f]{38}|[0-9a-f]{62})\Z")
_PACK = re.compile(r"(pack-[0-9a-f]+)\.(pack|idx|rev|mtimes|promisor)\Z")
_CANNOT_LINK = frozenset({errno.EXDEV, errno.EPERM, errno.EACCES, errno.EMLINK, errno.ENOTSUP})
"""Another file system, another owner (fs.protected_hardlinks), too many links, no links at all."""

_SETTLED_NS = 2_000_000_000
_ROUNDS = 5


class Mirroring(StrEnum):
    """How the objects of the user's repository are reached from the store."""

    LINKED = auto()
    BORROWED = auto()


@frozen
class _Seen:
    """Modification times of folders that were read whole, in nanoseconds, by name."""

    times: dict[str, int]


def refresh_mirror(user_objects: Path, ours: Path, memory: Path) -> Mirroring:
    """Bring every object file of the user's repository into our folder of objects.

    Folders whose modification time is that of the last look are skipped. Loose objects come
    before packs, so that one which is packed meanwhile is found in either place; a file that goes
    away under our hands begins another round.
    """
    make_private_folder(ours / "info")
    make_private_folder(ours / "pack")
    seen = _Seen(_remembered(memory))
    before = dict(seen.times)
    mirroring = Mirroring.LINKED
    for _ in range(_ROUNDS):
        try:
            _link_all(user_objects, ours, seen)
            break
        except FileNotFoundError:
            continue
        except OSError as error:
            if error.errno not in _CANNOT_LINK:
                raise
            mirroring = Mirroring.BORROWED
            break
    else:
        # The user's objects change faster than we can follow; borrowing is always right.
        mirroring = Mirroring.BORROWED
    _write_alternates(user_objects, ours, mirroring)
    if seen.times != before:
        write_private(memory, json.dumps(seen.times).encode())
    return mirroring


def _link_all(user_objects: Path, ours: Path, seen: _Seen) -> None:
    for folder in _folders(user_objects, seen):
        target = ours / folder.name
        make_private_folder(target)
        missing = _names(folder) - _names(target)
        _link_missing(folder, target, filter(_LOOSE.match, missing))
    _link_packs(user_objects / "pack", ours / "pack", seen)


def _folders(user_objects: Path, seen: _Seen) -> Iterable[Path]:
    """Give the folders of loose objects that changed, remembering each once it was worked on."""
    for name in sorted(filter(_FANOUT.match, _names(user_objects))):
        folder = user_objects / name
        modified = folder.stat().st_mtime_ns
        if seen.times.get(name) != modified:
            yield folder
            _remember(seen, name, modified)


def _link_packs(packs: Path, target: Path, seen: _Seen) -> None:
    try:
        modified = packs.stat().st_mtime_ns
    except FileNotFoundError:
        return
    if seen.times.get("pack") == modified:
        return
    present = _names(packs)
    existing = _names(target)
    # The index comes last: a pack counts from the moment that git sees its index.
    names = sorted(present - existing, key=lambda name: name.endswith(".idx"))
    complete = [name for name in names if _complete(name, present)]
    _link_missing(packs, target, complete)
    _remember(seen, "pack", modified)


def _names(folder: Path) -> set[str]:
    with os.scandir(folder) as entries:
        return {entry.name for entry in entries}


def _complete(name: str, present: set[str]) -> bool:
    matched = _PACK.match(name)
    return matched is not None and {f"{matched[1]}.idx", f"{matched[1]}.pack"} <= present


def _link_missing(source: Path, target: Path, names: Iterable[str]) -> None:
    for name in names:
        with suppress(FileExistsError):
            os.link(source / name, target / name, follow_symlinks=False)


def _remember(seen: _Seen, name: str, modified: int) -> None:
    """Trust a time only once it is past: within one tick a folder can change unseen."""
    if time.time_ns() - modified > _SETTLED_NS:
        seen.times[name] = modified
    else:
        seen.times.pop(name, None)


def _remembered(memory: Path) -> dict[str, int]:
    content = read_if_there(memory)
    if content is None:
        return {}
    try:
        times = json.loads(content)
    except ValueError:
        # A torn or foreign file costs one full look and is written anew.
        return {}
    return times if isinstance(times, dict) else {}


def _write_alternates(user_objects: Path, ours: Path, mirroring: Mirroring) -> None:
    """Name the folders that the user's objects come from too, each by its absolute path."""
    borrowed = list(_alternates(user_objects))
    match mirroring:
        case Mirroring.BORROWED:
            borrowed.insert(0, user_objects)
        case Mirroring.LINKED:
            pass
    content = b"".join(alternate_line(path) for path in borrowed)
    file = ours / "info" / "alternates"
    if (read_if_there(file) or b"") != content:
        write_private(file, content)


def alternate_line(path: Path) -> bytes:
    """Write a path for ``info/alternates``, quoted where a plain line would mean something else."""
    raw = os.fsencode(path)
    if b"\n" not in raw and not raw.startswith((b'"', b"#")):
        return raw + b"\n"
    quoted = raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + quoted + b'"\n'


def _alternates(objects: Path) -> Iterable[Path]:
    for line in (read_if_there(objects / "info" / "alternates") or b"").splitlines():
        if not line or line.startswith(b"#"):
            continue
        raw = _unquoted(line) if line.startswith(b'"') else line
        yield Path(os.path.normpath(objects / os.fsdecode(raw)))


def _unquoted(line: bytes) -> bytes:
    return line[1:].removesuffix(b'"').decode("unicode_escape").encode("latin-1")
