"""Answers the renames of an agent: what the kernel refuses of folders of the lower layer is done.

Whoever answers has no right that the agent has not: it is a thread of the first process of the run,
with the same user and no capabilities, in the same mounts.
"""
# Importing pathlib would take 10 ms of each start.
# ruff: noqa: PTH115, PTH116

from __future__ import annotations

import _thread
import errno
import os
import stat

from sennit.adapters.overlay.moving import EXCHANGE, NO_REPLACE, move
from sennit.adapters.platform import seccomp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from sennit.adapters.platform.seccomp import Rename

_KNOWN_FLAGS = NO_REPLACE | EXCHANGE
_SPECIAL_NAMES = (b"", b".", b"..")


def answer_renames() -> None:
    """Answer, until this process ends, the renames of all that this thread starts from now on.

    They are of interest where they are about the file system of the current folder. This thread
    itself must not rename any more. Raises OSError where the kernel cannot ask.
    """
    answering = Answering(os.stat(b".").st_dev)
    # A thread asks if its maker did when it was made, so the one that answers is made first.
    _thread.start_new_thread(answering.serve, ())
    answering.begin(seccomp.watch_renames())


class Answering:
    """Answers one after the other; folders that have to be moved wait for each other only."""

    def __init__(self, device: int) -> None:
        self._device: Final = device
        self._mounts: Final = os.readlink("/proc/self/ns/mnt")
        self._begun: Final = _thread.allocate_lock()
        self._begun.acquire()
        self._one_move: Final = _thread.allocate_lock()
        self._listener = -1

    def begin(self, listener: int) -> None:
        """Have `serve` listen."""
        self._listener = listener
        self._begun.release()

    def serve(self) -> None:
        """Answer for ever."""
        self._begun.acquire()
        while True:
            asked = seccomp.next_rename(self._listener)
            if asked is not None:
                self._answer(asked)

    def _answer(self, asked: Rename) -> None:
        try:
            places = self._places(asked)
        except OSError:
            # Nothing there, not to be read, or gone: the kernel knows the right error.
            places = None
        if places is None or not seccomp.still_waits(self._listener, asked):
            seccomp.let_go_on(self._listener, asked)
            return
        try:
            _thread.start_new_thread(self._do, (asked, *places))
        except RuntimeError:
            # No thread to be had: the kernel tells the program that it cannot be renamed.
            seccomp.let_go_on(self._listener, asked)

    def _places(self, asked: Rename) -> tuple[bytes, bytes] | None:
        """Where a folder of the workspace is to be renamed from and to; None for all else."""
        old = _trimmed(asked, asked.old_folder, asked.old)
        is_folder = stat.S_ISDIR(os.lstat(old).st_mode)
        exchanged = bool(asked.flags & EXCHANGE)
        if not is_folder and not exchanged:
            return None
        new = _trimmed(asked, asked.new_folder, asked.new)
        if not is_folder and not stat.S_ISDIR(os.lstat(new).st_mode):
            return None
        if {os.path.basename(old), os.path.basename(new)} & set(_SPECIAL_NAMES):  # noqa: PTH119
            return None
        if asked.flags & ~_KNOWN_FLAGS or not self._sees_the_same(asked):
            return None
        return (old, new) if self._are_here(old, new) else None

    def _are_here(self, *places: bytes) -> bool:
        return all(os.stat(place.rpartition(b"/")[0]).st_dev == self._device for place in places)

    def _sees_the_same(self, asked: Rename) -> bool:
        """Whether a path is the same for both; a program in a sandbox of its own is left alone."""
        return os.readlink(f"/proc/{asked.thread}/ns/mnt") == self._mounts

    def _do(self, asked: Rename, old: bytes, new: bytes) -> None:
        with self._one_move:
            number = _renamed(old, new, asked.flags)
        seccomp.answer(self._listener, asked, number)


def _renamed(old: bytes, new: bytes, flags: int) -> int:
    """Rename, by moving where the kernel does not; 0 or the number of the error."""
    held: list[int] = []
    try:
        # Held by descriptor: whoever asked may change its folder meanwhile.
        source, target = _held(old, held), _held(new, held)
        number = seccomp.rename(source, target, flags)
        if number == errno.EXDEV:
            move(source, target, flags)
            number = 0
    except OSError as error:
        number = error.errno or errno.EIO
    finally:
        for each in held:
            os.close(each)
    return number


def _held(place: bytes, held: list[int]) -> bytes:
    folder, _, name = place.rpartition(b"/")
    held.append(os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC))
    return b"/proc/self/fd/%d/%b" % (held[-1], name)


def _trimmed(asked: Rename, folder: int, address: int) -> bytes:
    return seccomp.place_of(asked, folder, seccomp.read_path(asked, address)).rstrip(b"/")
