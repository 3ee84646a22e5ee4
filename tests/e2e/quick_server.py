"""``sennit serve`` for an impatient editor: the same server, but clients get little time."""

from __future__ import annotations

import sys

import anyio

from sennit.server.app import serve
from sennit.server.handshake import begin
from sennit.server.services import ClientLimits

LIMITS = ClientLimits(answer_s=0.5, confirm_s=3.0, seen_s=0.6, quiet_s=0.1)


def run() -> int:
    """Serve one client over standard input and output; gives the exit code."""
    start = begin()
    return 2 if start is None else anyio.run(serve, start, LIMITS)


if __name__ == "__main__":
    sys.exit(run())
