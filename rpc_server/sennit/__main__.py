"""The command ``sennit``: serving takes a short way, the rest goes to the command line."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the command of the arguments; gives the exit code."""
    if sys.argv[1:2] == ["serve"] and set(sys.argv[2:]) <= {"--stdio"}:
        # Imported here: an editor waits for the first answer.
        from sennit.server.handshake import serve_stdio  # noqa: PLC0415

        return serve_stdio()
    _open_what_is_closed()
    from sennit.cli import main as command_line  # noqa: PLC0415  not needed for serving

    return int(command_line())


def _open_what_is_closed() -> None:
    """Open streams that whoever started this has closed.

    The next file to be opened would have the number of one of them, a database too, and would be
    written to by whoever means standard output.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free, which is this one.
            os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, open(number, mode))  # noqa: PTH123, SIM115  a number; never closed


if __name__ == "__main__":
    sys.exit(main())
