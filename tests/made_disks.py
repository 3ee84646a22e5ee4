"""Disks of other file systems than that which tests run on, made in a file and mounted by root."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

import pytest

_SIZE = 6 << 30
"""Bytes, of which next to none are written: more is free than what is left to others."""


class DiskKind(StrEnum):
    """What a disk is formatted as."""

    XFS = "xfs"
    BTRFS = "btrfs"


@contextmanager
def made_disk(kind: DiskKind, folder: Path) -> Iterator[Path]:
    """Put such a disk at a folder where nothing is; skips where that cannot be done."""
    with _made(folder, kind.value) as disk:
        yield disk


@contextmanager
def disk_of_seconds(folder: Path) -> Iterator[Path]:
    """Put a disk there that keeps times in whole seconds: ext4 with small inodes, as of ext3."""
    with _made(folder, "ext4", "-I", "128") as disk:
        yield disk


@contextmanager
def small_disk_of_few_files(folder: Path) -> Iterator[Path]:
    """Put a disk there that can be filled to its last block, and to the last file, of 2,000."""
    with _made(folder, "ext4", "-m", "0", "-N", "2000", size=64 << 20) as disk:
        yield disk


@contextmanager
def _made(folder: Path, kind: str, *options: str, size: int = _SIZE) -> Iterator[Path]:
    image = folder.with_name(f"{folder.name}.image")
    folder.mkdir(mode=0o700, parents=True)
    with image.open("wb") as file:
        file.truncate(size)
    try:
        _done(kind, f"mkfs.{kind}", "-q", *options, str(image))
        _done(kind, "mount", "-o", "loop", str(image), str(folder))
        try:
            folder.chmod(0o700)
            yield folder
        finally:
            # Files of it may still be open in this process; it goes with them.
            subprocess.run(["umount", "--lazy", folder], check=True)
    finally:
        image.unlink()


def _done(kind: str, *argv: str) -> None:
    try:
        subprocess.run(argv, check=True, capture_output=True)
    except FileNotFoundError as error:
        why = f"{error.filename} is not installed"
    except subprocess.CalledProcessError as error:
        why = error.stderr.decode().strip()
    else:
        return
    pytest.skip(f"issue 5: runs where root can make and mount a disk of {kind}: {why}")
