"""Carries one output stream of an agent into a file, up to a limit; never holds the agent up."""

from __future__ import annotations

import os

from sennit.adapters.supervision.records import PRIVATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_CHUNK = 1 << 16
_LAST_CHUNKS = 1 << 10


class Spool:
    """A pipe whose writing end the agent gets and whose content goes to `path`.

    `total`: bytes the agent wrote. `kept`: bytes in the file. What is over the limit, or does
    not fit on the disk (`failure`: the errno), is read and counted all the same.
    """

    __slots__ = ("_file", "_limit", "failure", "kept", "reader", "total", "writer")

    def __init__(self, path: bytes, limit: int) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        self._file: Final = os.open(path, flags, PRIVATE)
        self._limit: Final = limit
        self.reader, self.writer = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self.reader, False)
        self.total = 0
        self.kept = 0
        self.failure = 0

    @property
    def is_cut(self) -> bool:
        """Whether some of it was not kept: the limit was reached, or the disk is full."""
        return self.total > self.kept

    def hand_over(self) -> None:
        """Close the writing end here, once the agent has it."""
        os.close(self.writer)

    def pump(self) -> bool:
        """Take what is there, one chunk; False at end of file."""
        try:
            data = os.read(self.reader, _CHUNK)
        except BlockingIOError:
            return True
        self.total += len(data)
        self._keep(data[: max(0, self._limit - self.kept)])
        return bool(data)

    def drain(self) -> None:
        """Take what is there now, without waiting for more: whoever still writes is a survivor."""
        for _ in range(_LAST_CHUNKS):
            before = self.total
            self.pump()
            if self.total == before:
                return

    def _keep(self, data: bytes) -> None:
        try:
            while data and not self.failure:
                written = os.write(self._file, data)
                self.kept += written
                data = data[written:]
        except OSError as error:
            # A full disk must not stop the agent nor the shim; the record tells it.
            self.failure = error.errno or -1
