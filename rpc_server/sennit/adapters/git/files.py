"""Files of the store: private, written as a whole or not at all, handled off the event loop."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple

import anyio
import anyio.lowlevel
import anyio.to_thread

from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

Answer = TypeVar("Answer")
Arguments = TypeVarTuple("Arguments")
First = TypeVar("First")
Second = TypeVar("Second")

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600


async def in_thread(
    doing: str, work: Callable[[*Arguments], Answer], *arguments: *Arguments
) -> Answer | GitFailed:
    """Do blocking work on files in a thread; what the system refuses is a ``GitFailed``."""
    try:
        return await anyio.to_thread.run_sync(work, *arguments)
    except OSError as error:
        where = os.fsdecode(error.filename) if error.filename else "a file"
        advice = "Look at free space and permissions there, then try again."
        return GitFailed(doing, None, f"{where}: {error.strerror}", advice)


async def both(first: Awaitable[First], second: Awaitable[Second]) -> tuple[First, Second]:
    """Wait for two things at once."""
    answers: list[Second] = []

    async def wait_for_second() -> None:
        answers.append(await second)

    async with anyio.create_task_group() as group:
        group.start_soon(wait_for_second)
        answer = await first
    if not answers:
        # Who waits for both was told to stop in the moment when the first one was there.
        await anyio.lowlevel.checkpoint()
    return answer, answers[0]


def make_private_folder(path: Path) -> None:
    """Make a folder, and those above it, that only its owner may enter."""
    path.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)


def write_private(path: Path, content: bytes, *, to_the_disk: bool = False) -> None:
    """Replace a file as a whole; readers see the old or the new content.

    ``to_the_disk``: a power failure too leaves one or the other.
    """
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            if to_the_disk:
                file.flush()
                os.fsync(handle)
        beside.replace(path)
    except OSError as error:
        clear_away(beside)
        # What a write was refused says of which file only here.
        error.filename = error.filename or os.fspath(path)
        raise


def copy_with_times(source: Path, target: Path) -> None:
    """Copy bytes and times, as a file of our own.

    The time matters for indexes: git compares it with those of files to find edits that came
    within the same tick of the clock. The times are never later than the bytes.
    """
    status = source.stat()
    content = source.read_bytes()
    write_private(target, content)
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))


def remove_index(index: Path) -> None:
    """Remove an index of one call, and the lock that a git which was stopped left beside it."""
    clear_away(index)
    clear_away(index.with_name(index.name + ".lock"))


def clear_away(file: Path) -> None:
    """Remove a file that served one call, if it is there.

    On a disk that has become read-only or fails it stays and is collected some day: what the call
    itself came to says what is wrong.
    """
    with suppress(OSError):
        file.unlink()


def read_rules(path: Path) -> bytes | None:
    """Read a file of a user as `read_if_there` does; a pipe in its place is an OSError."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    with os.fdopen(handle, "rb") as file:
        if stat.S_ISFIFO(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "it is a pipe and no file", os.fspath(path))
        return file.read()


def read_if_there(path: Path) -> bytes | None:
    """Give the content of a file, or None where there is none."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
