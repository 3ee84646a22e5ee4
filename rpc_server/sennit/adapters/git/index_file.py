"""Git's index file (versions 2 and 3): what it names, and how parts of it are written.

The format is that of ``gitformat-index``: a header of 12 bytes, then for each entry ten numbers of
stat data, the object id, flags, a path that ends with NUL, and padding to a multiple of eight.
"""

from __future__ import annotations

import hashlib
import stat
import struct
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.core.objects import Entry

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

_HEADER = struct.Struct(">4sLL")
_STAT = struct.Struct(">10L")
_FLAGS = struct.Struct(">H")
_EXTENDED = 0x4000
_SKIP_WORKTREE = 0x4000
_STAGE = 0x3000
_VERSIONS = (2, 3)
_BLOCK = 4096
_MODIFIED, _MODE, _SIZE = 2, 6, 9
_NO_STAT = (0,) * 10
_LONGEST_COUNTED = 0xFFF
_SECOND = 1_000_000_000
_LOW = 0xFFFFFFFF
_EPOCH = (_LOW + 1) * _SECOND
_FILES = frozenset({stat.S_IFREG, stat.S_IFLNK})
_HASHES = {"sha1": hashlib.sha1, "sha256": hashlib.sha256}


class UnknownIndexError(Exception):
    """The file is no index of a version that is read here; git itself has to do the work."""


@frozen
class IndexEntry:
    """One path with its stat data (ten numbers, in the order of the file) and where that lies.

    ``absent``: the path is outside the sparse patterns, so that nothing lies there.
    """

    path: bytes
    numbers: tuple[int, ...]
    offset: int
    absent: bool

    @property
    def mode(self) -> int:
        """The mode as git has it."""
        return self.numbers[_MODE]

    @property
    def size(self) -> int:
        """The size of the file in bytes, below 4 GiB."""
        return self.numbers[_SIZE]

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return stat.S_IFMT(self.mode) == stat.S_IFLNK

    @property
    def is_submodule(self) -> bool:
        """Whether it is the commit of a submodule, which is a folder on the disk."""
        return stat.S_IFMT(self.mode) not in _FILES


def count_of(index: Path) -> int:
    """Tell how many paths an index names, of any version; 0 where there is none that can be read.

    Of a split index it is only what differs from its shared part.
    """
    try:
        with index.open("rb") as file:
            signature, _, count = _HEADER.unpack(file.read(_HEADER.size))
    except (OSError, struct.error):
        return 0
    return int(count) if signature == b"DIRC" else 0


def entries_of(index: bytes, object_format: str) -> Iterator[IndexEntry]:
    """Give the entries of an index in order. Raises `UnknownIndexError`."""
    for path, at, absent in _found_in(index, object_format):
        yield IndexEntry(path, _STAT.unpack_from(index, at), at, absent)


def stat_data_of(index: bytes, object_format: str) -> Iterator[tuple[bytes, bytes | None]]:
    """Give each path with its stat data as it is written, None where nothing lies there.

    Much quicker than ``entries_of`` for who only compares. Raises `UnknownIndexError`.
    """
    for path, at, absent in _found_in(index, object_format):
        yield path, None if absent else index[at : at + _STAT.size]


def written_index(
    entries: Mapping[bytes, Entry], object_format: str, absent: Collection[bytes] = ()
) -> bytes:
    """Write an index of these entries, whose files git takes for changed whatever they are.

    Those that are ``absent`` are marked as not in the work tree.
    """
    version = _VERSIONS[1] if absent else _VERSIONS[0]
    content = bytearray(_HEADER.pack(b"DIRC", version, len(entries)))
    for path, entry in sorted(entries.items()):
        numbers = (*_NO_STAT[:_MODE], entry.mode, *_NO_STAT[_MODE + 1 :])
        length = min(len(path), _LONGEST_COUNTED)
        flags = _FLAGS.pack(length)
        if path in absent:
            flags = _FLAGS.pack(length | _EXTENDED) + _FLAGS.pack(_SKIP_WORKTREE)
        record = _STAT.pack(*numbers) + bytes.fromhex(entry.id) + flags + path
        content += record + b"\0" * (8 - len(record) % 8)
    return bytes(content) + _HASHES[object_format](content).digest()


def objects_in(index: bytes, object_format: str) -> dict[bytes, Entry]:
    """Give mode and object id of each path of an index. Raises `UnknownIndexError`."""
    size = _HASHES[object_format]().digest_size
    return {
        path: Entry(
            mode_in(index[at : at + _STAT.size]),
            index[at + _STAT.size : at + _STAT.size + size].hex(),
        )
        for path, at, _ in _found_in(index, object_format)
    }


def _found_in(index: bytes, object_format: str) -> Iterator[tuple[bytes, int, bool]]:
    """Give path and offset of each entry, and whether it is outside the sparse patterns."""
    if len(index) < _HEADER.size:
        raise UnknownIndexError("it is too short")
    signature, version, count = _HEADER.unpack_from(index)
    if signature != b"DIRC" or version not in _VERSIONS:
        raise UnknownIndexError(f"its version is {version}")
    before_flags = _STAT.size + _HASHES[object_format]().digest_size
    at = _HEADER.size
    for _ in range(count):
        name = at + before_flags
        (flags,) = _FLAGS.unpack_from(index, name)
        name += _FLAGS.size
        absent = False
        if flags & _EXTENDED:
            (more,) = _FLAGS.unpack_from(index, name)
            absent = bool(more & _SKIP_WORKTREE)
            name += _FLAGS.size
        if flags & _STAGE:
            raise UnknownIndexError("it has unmerged entries")
        end = index.index(b"\0", name)
        yield index[name:end], at, absent
        at += (end - at + 8) & ~7


def mode_in(data: bytes) -> int:
    """Give the mode, as git has it, of stat data as it is written."""
    return int.from_bytes(data[4 * _MODE : 4 * _MODE + 4], "big")


def stat_data(status: os.stat_result, mode: int) -> bytes:
    """Write the stat data of a file as an index holds it, with a mode as git has it."""
    return _STAT.pack(*numbers_of(status, mode))


def edit_in(data: bytes) -> tuple[int, int]:
    """Give the time of the last edit, in nanoseconds, and the size, of stat data as written."""
    numbers = _STAT.unpack(data)
    return numbers[_MODIFIED] * _SECOND + numbers[_MODIFIED + 1], numbers[_SIZE]


def edit_of(status: os.stat_result) -> tuple[int, int]:
    """Give the same of a file, which a rename of it or of its folder leaves as it is."""
    return status.st_mtime_ns % _EPOCH, status.st_size & _LOW


def with_stats(index: bytes, stats: Mapping[int, os.stat_result], object_format: str) -> bytes:
    """Write stat data into entries (by their offsets), as git would after a checkout."""
    content = bytearray(index[: -_HASHES[object_format]().digest_size])
    for offset, status in stats.items():
        mode = _STAT.unpack_from(content, offset)[_MODE]
        _STAT.pack_into(content, offset, *numbers_of(status, mode))
    return bytes(content) + _HASHES[object_format](content).digest()


def disk_size(index: bytes, object_format: str) -> int:
    """Estimate what the files of an index take on a disk, in bytes: whole blocks of 4 KiB."""
    total = 0
    for _, data in stat_data_of(index, object_format):
        if data is not None and stat.S_IFMT(mode_in(data)) in _FILES:
            total += -(-int.from_bytes(data[4 * _SIZE :], "big") // _BLOCK)
    return total * _BLOCK


def disk_size_of(index: Path, object_format: str) -> int:
    """Estimate what the files of an index take, as ``disk_size``; 0 of one that cannot be read."""
    try:
        return disk_size(index.read_bytes(), object_format)
    except (OSError, UnknownIndexError):
        return 0


def numbers_of(status: os.stat_result, mode: int) -> tuple[int, ...]:
    """Give the stat data of a file as an index holds it, with a mode as git has it."""
    changed, modified = status.st_ctime_ns, status.st_mtime_ns
    return (
        (changed // _SECOND) & _LOW,
        changed % _SECOND,
        (modified // _SECOND) & _LOW,
        modified % _SECOND,
        status.st_dev & _LOW,
        status.st_ino & _LOW,
        mode,
        status.st_uid & _LOW,
        status.st_gid & _LOW,
        status.st_size & _LOW,
    )
