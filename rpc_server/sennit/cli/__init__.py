"""The command line: a client of the same server that editors start."""

from __future__ import annotations

import gc
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command of the command line and give its exit code (`sennit.cli.exits`).

    ``arguments`` are those after the program's name; those of the process unless given. What a
    command needs is imported only here, so that `sennit serve` never pays for it.
    """
    # What is imported stays: to look through it for garbage while it grows takes a tenth of the
    # time. `sennit.cli.app` has it looked for when all is there.
    gc.disable()
    try:
        from sennit.cli.app import run_command_line  # noqa: PLC0415  see the docstring

        return run_command_line(arguments)
    finally:
        gc.enable()
