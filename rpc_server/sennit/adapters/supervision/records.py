"""Writes what the server reads back after any crash: JSON files that appear whole or not at all."""
# The shim loads this module, and importing pathlib would take 10 ms of each start.
# ruff: noqa: PTH104, PTH120

from __future__ import annotations

import os

from sennit.adapters.platform.forcing import force_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Value = int | str | None | Sequence[int]

PRIVATE = 0o600

RESERVED = 1 << 12
"""Bytes; enough for the numbers of a record and some hundred survivors."""


def to_json(record: Mapping[str, Value]) -> bytes:
    """JSON of a flat record of numbers, lists of numbers, nothing, and plain ASCII words."""
    fields = (f'"{key}": {_value(value)}' for key, value in record.items())
    return ("{" + ", ".join(fields) + "}\n").encode("ascii")


def write_whole(path: bytes, data: bytes) -> None:
    """Put a file in place atomically; it survives the end of every process, not a power loss."""
    os.close(_written(path, data))
    os.rename(path + b".new", path)


def reserve(path: bytes) -> None:
    """Make room for a record that has to be written even when the disk is full by then."""
    os.close(_written(path, b" " * RESERVED))


def write_reserved(path: bytes, data: bytes) -> None:
    """Put a file in place as `write_durably` does, in the room that was reserved for it."""
    file = os.open(path + b".new", os.O_WRONLY | os.O_CLOEXEC)
    os.write(file, data.ljust(RESERVED))
    _settle(path, file)


def write_durably(path: bytes, data: bytes) -> None:
    """Put a file in place atomically and wait until it survives a power loss too."""
    _settle(path, _written(path, data))


def _settle(path: bytes, file: int) -> None:
    os.fsync(file)
    os.close(file)
    os.rename(path + b".new", path)
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
    force_folder(folder)
    os.close(folder)


def _written(path: bytes, data: bytes) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    file = os.open(path + b".new", flags, PRIVATE)
    try:
        while data:
            data = data[os.write(file, data) :]
    except OSError:
        os.close(file)
        raise
    return file


def _value(value: Value) -> str:
    if value is None:
        return "null"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return f'"{value}"'
    return "[" + ", ".join(map(str, value)) + "]"
