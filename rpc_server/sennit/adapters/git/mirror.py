"""The user's object files in our store: by hard links, which outlive the user's own clean-ups.

Where hard links cannot be made (another file system, another owner) the store borrows the user's
objects instead, and what a snapshot needs is copied into the store by whoever takes it. Where the
user chose so, files are copied, and nothing in the store leads to those of the user.
"""

from __future__ import annotations

import errno
import os
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from attrs import evolve, field, frozen

from sennit.adapters.git.file_copies import FileCopy, NoRoom, copy_files
from sennit.adapters.git.files import make_private_folder, read_if_there, write_private
from sennit.adapters.git.mirror_memory import Memory, Mirroring, read_memory, write_memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FANOUT = re.compile(r"[0-9a-f]{2}\Z")
_LOOSE = re.compile(r"(?:[0-9a-f]{38}|[0-9a-f]{62})\Z")
_PACK = re.compile(r"(pack-[0-9a-f]+)\.(pack|idx|rev|mtimes|promisor)\Z")
_PACKS = "pack"
CANNOT_LINK = frozenset({
    errno.EXDEV, errno.EPERM, errno.EACCES, errno.EMLINK, errno.ENOTSUP, errno.ENOSYS,
})  # fmt: skip
"""Another file system, another owner (fs.protected_hardlinks), too many links, no links at all."""

_SETTLED_NS = 2_000_000_000
_ROUNDS = 5
_TOO_FAST = "its objects change faster than they can be followed"


@frozen
class Linking:
    """The store may share files with the user's repository."""


@frozen
class Copying:
    """The store shares no file; ``room`` is how many bytes new copies may take."""

    room: int


Sharing = Linking | Copying
LINKING = Linking()


@frozen
class _Seen:
    """Modification times of folders that were read whole, in nanoseconds, by path."""

    times: dict[str, int] = field(factory=dict)
    packs: set[str] = field(factory=set)


def refresh_mirror(
    user_objects: Path, ours: Path, memory: Path, sharing: Sharing = LINKING
) -> Mirroring | NoRoom:
    """Bring every object file of the user's repository into our folder of objects.

    Folders whose modification time is that of the last look are skipped. Loose objects come
    before packs, so that one which is packed meanwhile is found in either place; a file that goes
    away under our hands begins another round. Raises OSError.
    """
    make_private_folder(ours / "info")
    make_private_folder(ours / _PACKS)
    before = read_memory(memory)
    match sharing:
        case Linking():
            after = _linked(user_objects, ours, before)
            borrowed = list(_alternates(user_objects))
            if after.mirroring is Mirroring.BORROWED:
                borrowed.insert(0, user_objects)
        case Copying(room=room):
            copied = _copied(user_objects, ours, before, room)
            if isinstance(copied, NoRoom):
                return copied
            after, borrowed = copied, []
        case unknown:
            assert_never(unknown)
    _write_alternates(ours, borrowed)
    if after != before:
        write_memory(memory, after)
    return after.mirroring


def _linked(user_objects: Path, ours: Path, before: Memory | None) -> Memory:
    seen = _seen(before)
    after = Memory(Mirroring.LINKED, "", (user_objects,))
    for _ in range(_ROUNDS):
        try:
            _link_all(user_objects, ours, seen)
            break
        except FileNotFoundError:
            continue
        except OSError as error:
            if error.errno not in CANNOT_LINK:
                raise
            after = evolve(after, mirroring=Mirroring.BORROWED, why=error.strerror or "")
            break
    else:
        # Borrowing is always right.
        after = evolve(after, mirroring=Mirroring.BORROWED, why=_TOO_FAST)
    return evolve(after, packs=frozenset(seen.packs), times=seen.times)


def _copied(user_objects: Path, ours: Path, before: Memory | None, room: int) -> Memory | NoRoom:
    """Copy what is missing, from repositories that the user's borrows from too."""
    seen = _seen(before)
    known = before is not None and before.mirroring is Mirroring.COPIED
    for _ in range(_ROUNDS):
        sources = tuple(dict.fromkeys(_with_alternates(user_objects)))
        packs = seen.packs.intersection(map(_stem, _names(ours / _PACKS)))
        fresh = _Seen(dict(seen.times), packs)
        try:
            copies = [one for source in sources for one in _to_copy(source, ours, fresh)]
            shared = [] if known else list(still_shared(ours))
            missing = {one.target: one for one in (*shared, *copies)}
            refused = copy_files(tuple(missing.values()), room)
        except FileNotFoundError:
            continue
        if refused is not None:
            return refused
        return Memory(Mirroring.COPIED, "", sources, frozenset(fresh.packs), fresh.times)
    raise OSError(errno.EAGAIN, _TOO_FAST, str(user_objects))


def still_shared(ours: Path) -> Iterator[FileCopy]:
    """Give the files of a folder that have other names elsewhere, each to be replaced by a copy."""
    for folder, _, names in os.walk(ours):
        for name in names:
            file = Path(folder) / name
            status = file.lstat()
            if status.st_nlink > 1:
                yield FileCopy(file, file, status.st_size, to_the_disk=file.parent.name == _PACKS)


def _to_copy(source: Path, ours: Path, seen: _Seen) -> Iterator[FileCopy]:
    for folder in _folders(source, seen):
        target = ours / folder.name
        make_private_folder(target)
        yield from _differing(folder, target, filter(_LOOSE.match, _names(folder)))
    packs = source / _PACKS
    # Looked at each time, since one that an agent wrote into would make every object of it useless.
    with suppress(FileNotFoundError):
        yield from _differing(packs, ours / _PACKS, _ordered(_names(packs), seen))


def _differing(source: Path, target: Path, names: Iterable[str]) -> Iterator[FileCopy]:
    """Give the files that are missing, or of another size than the one they were copied from."""
    for name in names:
        size = (source / name).stat().st_size
        try:
            if (target / name).lstat().st_size == size:
                continue
        except FileNotFoundError:
            pass
        yield FileCopy(source / name, target / name, size, to_the_disk=target.name == _PACKS)


def _link_all(user_objects: Path, ours: Path, seen: _Seen) -> None:
    for folder in _folders(user_objects, seen):
        target = ours / folder.name
        make_private_folder(target)
        missing = _names(folder) - _names(target)
        _link_missing(folder, target, filter(_LOOSE.match, missing))
    _link_packs(user_objects / _PACKS, ours / _PACKS, seen)


def _folders(user_objects: Path, seen: _Seen) -> Iterable[Path]:
    """Give the folders of loose objects that changed, remembering each once it was worked on."""
    top = os.fspath(user_objects)
    for name in sorted(filter(_FANOUT.match, _names(user_objects))):
        # There are 256 of them, and mostly nothing new: no path is made for a look.
        folder = os.path.join(top, name)  # noqa: PTH118  for the same reason
        modified = os.stat(folder).st_mtime_ns  # noqa: PTH116  for the same reason
        if seen.times.get(folder) != modified:
            yield Path(folder)
            _remember(seen, folder, modified)


def _link_packs(packs: Path, target: Path, seen: _Seen) -> None:
    try:
        modified = packs.stat().st_mtime_ns
    except FileNotFoundError:
        return
    if seen.times.get(str(packs)) == modified:
        return
    existing = _names(target)
    seen.packs.intersection_update(map(_stem, existing))
    names = _ordered(_names(packs), seen)
    _link_missing(packs, target, (name for name in names if name not in existing))
    _remember(seen, str(packs), modified)


def _ordered(present: set[str], seen: _Seen) -> list[str]:
    """Give the files of complete packs, indexes last: a pack counts once its index is seen."""
    names = [name for name in present if _complete(name, present)]
    seen.packs.update(map(_stem, names))
    return sorted(names, key=lambda name: name.endswith(".idx"))


def _names(folder: Path) -> set[str]:
    with os.scandir(folder) as entries:
        return {entry.name for entry in entries}


def _stem(name: str) -> str:
    return name.partition(".")[0]


def _complete(name: str, present: set[str]) -> bool:
    matched = _PACK.match(name)
    return matched is not None and {f"{matched[1]}.idx", f"{matched[1]}.pack"} <= present


def _link_missing(source: Path, target: Path, names: Iterable[str]) -> None:
    for name in names:
        with suppress(FileExistsError):
            os.link(source / name, target / name, follow_symlinks=False)


def _seen(before: Memory | None) -> _Seen:
    return _Seen() if before is None else _Seen(dict(before.times), set(before.packs))


def _remember(seen: _Seen, folder: str, modified: int) -> None:
    """Trust a time only once it is past: within one tick a folder can change unseen."""
    if time.time_ns() - modified > _SETTLED_NS:
        seen.times[folder] = modified
    else:
        seen.times.pop(folder, None)


def _write_alternates(ours: Path, borrowed: Iterable[Path]) -> None:
    """Name the folders that the user's objects come from too, each by its absolute path."""
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


def _with_alternates(objects: Path) -> Iterator[Path]:
    """Give a folder of objects and all that are there of those that it borrows from."""
    waiting, met = [objects], set()
    while waiting:
        folder = waiting.pop(0)
        if folder not in met and folder.is_dir():
            met.add(folder)
            yield folder
            waiting += _alternates(folder)


def _alternates(objects: Path) -> Iterable[Path]:
    for line in (read_if_there(objects / "info" / "alternates") or b"").splitlines():
        if not line or line.startswith(b"#"):
            continue
        raw = _unquoted(line) if line.startswith(b'"') else line
        yield Path(os.path.normpath(objects / os.fsdecode(raw)))


def _unquoted(line: bytes) -> bytes:
    return line[1:].removesuffix(b'"').decode("unicode_escape").encode("latin-1")
