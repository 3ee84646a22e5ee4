"""A failure of the power, as far as it can be played: what nobody waited for is not on the disk."""

from __future__ import annotations

import os
from pathlib import Path

from attrs import define, field

Inode = tuple[int, int]
_WAIT = os.fsync


def inode(status: os.stat_result) -> Inode:
    return status.st_dev, status.st_ino


@define
class Power:
    """Notes what this process waits for; ``fails`` takes from the disk all that it did not."""

    waited_for: list[Inode] = field(factory=list)

    def fsync(self, handle: int) -> None:
        """In place of ``os.fsync``."""
        self.waited_for.append(inode(os.fstat(handle)))

    def fails(self, folder: Path) -> None:
        lose_unsynced(folder, frozenset(self.waited_for))


def note_into(notes: Path) -> None:
    """From now on this process notes in a file what it waits for."""
    handle = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC)

    def wait_and_note(descriptor: int) -> None:
        _WAIT(descriptor)
        os.write(handle, "{} {}\n".format(*inode(os.fstat(descriptor))).encode())

    # It is called with numbers alone.
    os.fsync = wait_and_note  # type: ignore[assignment]


def noted_in(notes: Path) -> frozenset[Inode]:
    """Read such notes, of any number of processes."""
    pairs = (line.split() for line in notes.read_text().splitlines())
    return frozenset((int(device), int(number)) for device, number in pairs)


def lose_unsynced(folder: Path, on_disk: frozenset[Inode]) -> None:
    """Empty each file, and each folder, that is not on the disk; what has two names is older."""
    for place, _, names in os.walk(folder, topdown=False):
        kept = inode(Path(place).stat()) in on_disk
        for name in names:
            file = Path(place, name)
            status = file.lstat()
            if status.st_nlink > 1:
                continue
            if not kept:
                file.unlink()
            elif inode(status) not in on_disk:
                file.chmod(0o600)
                file.write_bytes(b"")
