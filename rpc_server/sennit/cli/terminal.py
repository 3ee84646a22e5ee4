"""Where output goes and questions come from: terminal, pipe or JSON."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import anyio
from rich.console import Console, Group, RenderableType
from rich.text import Text

from sennit.cli.error_json import write_json
from sennit.cli.prose import Prose
from sennit_protocol.wire import unstructure

PIPE_COLUMNS = 100_000
"""Columns where no terminal limits them: there a row of a table is a line, however long."""
_READ_SIZE = 4096
_RULE = "─"
_WORDS = {"yes": "y", "no": "n", "quit": "q"}


class Terminal:
    """The standard streams of one command.

    ``out`` is for results and ``err`` for progress, notices and errors. ``interactive``: a person
    can be asked.
    """

    def __init__(self, out: Console, err: Console, *, interactive: bool) -> None:
        """Write to ``out`` and ``err``."""
        self.out = out
        self.err = err
        self.interactive = interactive
        self._lines = _StdinLines()
        self._asking = anyio.Lock()
        self._asked: RenderableType | None = None

    def show(self, *parts: RenderableType) -> None:
        """Write a result for a person."""
        for part in parts:
            _print(self.out, part)

    def show_json(self, value: object) -> None:
        """Write a result for a program: one JSON value, its keys as the protocol spells them."""
        write_json(unstructure(value))

    def note(self, text: RenderableType) -> None:
        """Say something beside the result; a question that stands open is asked anew below it."""
        asked = self._asked
        if asked is not None:
            self.err.print()
        _print(self.err, text)
        if asked is not None:
            self.err.print(asked, end=" ")

    async def ask(self, question: RenderableType) -> str | None:
        """Ask a person for a line; ``None`` when the input has ended. Only if `interactive`."""
        async with self._asking:
            self.err.print(question, end=" ")
            self._asked = question
            try:
                line = await self._lines.next()
            except anyio.get_cancelled_exc_class():
                # What is said next begins a line of its own.
                self.err.print()
                raise
            finally:
                self._asked = None
            if line is None:
                self.err.print()
            return line

    async def choose(self, question: RenderableType, letters: Sequence[str]) -> str | None:
        """Ask until the answer is one of ``letters``; ``None`` at the end of input.

        A whole word counts only where it is `yes`, `no` or `quit`: anything longer was meant for
        somebody else, such as a command that was pasted here.
        """
        while (line := await self.ask(question)) is not None:
            said = line.strip().lower() or "?"
            letter = _WORDS.get(said, said)
            if letter in letters:
                return letter
            self.err.print(f"Please answer with one of: {', '.join(letters)}")
        return None


def _print(console: Console, part: RenderableType) -> None:
    if isinstance(part, Group):
        for each in part.renderables:
            _print(console, each)
        return
    if isinstance(part, Prose) and console.is_terminal:
        part = part.folded(console)
    if isinstance(part, Text | str):
        # Other lines are folded by the terminal itself, so that copying gives them whole.
        console.print(part, soft_wrap=True)
    elif console.is_terminal:
        console.print(part)
    else:
        _print_trimmed(console, part)


def _print_trimmed(console: Console, part: RenderableType) -> None:
    """Write a table without what makes each line as long as the longest: blanks, and the rule."""
    with console.capture() as captured:
        console.print(part)
    lines = (line.rstrip() for line in captured.get().splitlines() if line.strip(_RULE) or not line)
    console.print(*lines, sep="\n", soft_wrap=True)


class _StdinLines:
    """Lines of standard input, waited for without a thread, which could not be interrupted."""

    def __init__(self) -> None:
        self._read = b""
        self._ended = False

    async def next(self) -> str | None:
        while b"\n" not in self._read and not self._ended:
            descriptor = sys.stdin.fileno()
            await anyio.wait_readable(descriptor)
            data = os.read(descriptor, _READ_SIZE)
            self._read += data
            self._ended = not data
        line, newline, self._read = self._read.partition(b"\n")
        # Ctrl-D ends one answer; a terminal goes on after it, unlike a pipe.
        self._ended = self._ended and not sys.stdin.isatty()
        return line.decode(errors="replace") if newline or line else None


def standard_terminal() -> Terminal:
    """Make the terminal of this process from its standard streams."""
    interactive = sys.stdin.isatty() and sys.stderr.isatty()
    return Terminal(console_for(sys.stdout.isatty()), _error_console(), interactive=interactive)


def console_for(is_terminal: object) -> Console:
    """Make a console for standard output; text is never taken for markup."""
    return Console(
        markup=False, highlight=False, emoji=False, width=None if is_terminal else PIPE_COLUMNS
    )


def _error_console() -> Console:
    width = None if sys.stderr.isatty() else PIPE_COLUMNS
    return Console(stderr=True, markup=False, highlight=False, emoji=False, width=width)
