"""Small disks for tests of what happens when one is full."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SmallDisk = Callable[[Path], Path]
"""Puts a disk of 8 MiB at a path where nothing is, and gives the path."""


@contextmanager
def small_disks() -> Iterator[SmallDisk]:
    """Take them all away at the end."""
    mounted: list[Path] = []

    def put(folder: Path) -> Path:
        folder.mkdir(mode=0o700, parents=True)
        mount = ["mount", "-t", "tmpfs", "-o", "size=8m,mode=700", "none", str(folder)]
        done = subprocess.run(mount, capture_output=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"only root has a small disk here: {done.stderr.decode().strip()}")
        mounted.append(folder)
        return folder

    try:
        yield put
    finally:
        for folder in mounted:
            subprocess.run(["umount", str(folder)], check=True)
