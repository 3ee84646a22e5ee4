"""A lock between processes on one store: a file that is held by flock while its work is done."""

from __future__ import annotations

import fcntl
import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from attrs import frozen

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

_FIRST_PAUSE = 0.002
_LONGEST_PAUSE = 0.1


@frozen
class Held:
    """The lock is ours until the ``async with`` block ends."""


@frozen
class Busy:
    """Somebody else held the lock for the whole time that we were ready to wait, in seconds.

    Or its file cannot be opened, ``why`` in words of the system.
    """

    waited: float
    why: str = ""


@asynccontextmanager
async def locked(path: Path, *, seconds: float = 60.0) -> AsyncIterator[Held | Busy]:
    """Hold the lock at ``path`` for a block; the block is told whether it got it.

    The kernel drops the lock with the process, so a killed server leaves none behind. The file
    stays: removing it would let two processes lock two files of one name.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        yield Busy(0.0, f"{path}: {error.strerror}")
        return
    try:
        yield Held() if await _obtained(handle, seconds) else Busy(seconds)
    finally:
        os.close(handle)


async def _obtained(handle: int, seconds: float) -> bool:
    pause = _FIRST_PAUSE
    with anyio.move_on_after(seconds):
        while not _tried(handle):
            await anyio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
        return True
    return False


def _tried(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
