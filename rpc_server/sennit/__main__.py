"""The command ``sennit``: serving takes a short way, the rest goes to the command line."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command of the arguments; gives the exit code."""
    if sys.argv[1:2] == ["serve"] and set(sys.argv[2:]) <= {"--stdio"}:
        # Imported here: an editor waits for the first answer.
        from sennit.server.handshake import serve_stdio  # noqa: PLC0415

        return serve_stdio()
    from sennit.cli import main as command_line  # noqa: PLC0415  not needed for serving

    return int(command_line())


if __name__ == "__main__":
    sys.exit(main())
