"""Reads files that may be anything: a device, a pipe, a folder, too large."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from attrs import frozen

MOST_BYTES = 16 * 1024 * 1024


@frozen
class Content:
    """The file's bytes, read once."""

    content: bytes


@frozen
class Missing:
    """There is no such file."""


@frozen
class Unreadable:
    """There is something, but it cannot be read: why, for a person."""

    reason: str


SmallFile = Content | Missing | Unreadable


_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


@contextmanager
def regular_file(path: Path) -> Iterator[BinaryIO | None]:
    """Open a file to read, through links; None where there is none that can be read.

    Who may put there what they like, such as an agent in what is kept of its run, must not have
    anybody wait for a pipe, or read a device without end.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError:
        # Nothing is there, or it is locked, or a link that leads in a circle.
        yield None
        return
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            yield None
            return
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            yield file
    finally:
        os.close(descriptor)


def read_small_file(path: bytes, most: int = MOST_BYTES) -> SmallFile:
    """Read a regular file of at most ``most`` bytes, through links; never waits for a pipe."""
    try:
        descriptor = os.open(path, _FLAGS)
    except (FileNotFoundError, NotADirectoryError):
        return Missing()
    except OSError as error:
        return Unreadable(error.strerror or str(error))
    try:
        # Looked at before it becomes a file object, which a folder cannot be.
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return Unreadable("is no regular file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(most + 1)
    except OSError as error:
        return Unreadable(error.strerror or str(error))
    finally:
        os.close(descriptor)
    return Content(content) if len(content) <= most else Unreadable(f"is over {most} bytes large")
