"""Standard streams without a reader, on a full disk, closed, or of a poor encoding.

What a command does is more than what it shows: where that cannot be written the work goes on, and
the end of the command tells of it.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Written:
    """Whether what was shown has arrived: ``problem`` is the first failure of a write."""

    def __init__(self) -> None:
        self.problem: OSError | None = None

    @property
    def is_told(self) -> bool:
        """Whether the failure is worth a word: a reader that went away knows why."""
        return self.problem is not None and not isinstance(self.problem, BrokenPipeError)


class Lenient:
    """A stream that keeps the first failure of a write, and drops what comes after it."""

    def __init__(self, stream: Any, written: Written) -> None:  # noqa: ANN401  of text or of bytes
        self._stream = stream
        self._written = written

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  whatever the stream has
        return getattr(self._stream, name)

    @property
    def buffer(self) -> Lenient:
        """The stream of bytes below."""
        return Lenient(self._stream.buffer, self._written)

    @property
    def lost(self) -> bool:
        """Whether nothing arrives any more."""
        return self._written.problem is not None

    def write(self, data: Any) -> int:  # noqa: ANN401  a text or bytes
        """Write, as long as that works."""
        if not self.lost:
            try:
                self._stream.write(data)
            except OSError as error:
                self._give_up(error)
        return len(data)

    def flush(self) -> None:
        """Flush, as long as that works."""
        if not self.lost:
            try:
                self._stream.flush()
            except OSError as error:
                self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self._written.problem = error
        # What is still in buffers is written at the end of the process, and has to go somewhere.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)


@contextmanager
def lenient_streams() -> Iterator[Written]:
    """Make standard output and error lenient while the block runs; tells what became of output."""
    out, err, written = sys.stdout, sys.stderr, Written()
    for stream in (out, err):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = Lenient(out, written), Lenient(err, Written())
    try:
        yield written
        sys.stdout.flush()
    finally:
        sys.stdout, sys.stderr = out, err


def nobody_reads() -> bool:
    """Whether what is written to standard output arrives nowhere any more."""
    return isinstance(sys.stdout, Lenient) and sys.stdout.lost
