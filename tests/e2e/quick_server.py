"""``sennit serve`` for editors of tests: the same server, which is told how patient to be."""

from __future__ import annotations

import anyio

from sennit.server.app import serve
from sennit.server.handshake import begin
from sennit.server.services import ClientLimits


def run(answer_s: float) -> int:
    """Serve one client over standard input and output; gives the exit code."""
    limits = ClientLimits(answer_s=answer_s, confirm_s=answer_s, seen_s=1.5, quiet_s=0.1)
    start = begin()
    return 2 if start is None else anyio.run(serve, start, limits)
