"""The kinds of workspace that the scenarios are run with."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable

from sennit.adapters.git.workspace import Workspace
from sennit.core.objects import Snapshot
from tests.adapters.git.bench import Bench

Maker = Callable[[Bench, Snapshot], Awaitable[Workspace]]


async def checkout(bench: Bench, snapshot: Snapshot) -> Workspace:
    """A plain checkout."""
    return await bench.workspace(snapshot)


KINDS: dict[str, Maker] = {"checkout": checkout}


def kinds_asked_for() -> tuple[str, ...]:
    """Those that ``SENNIT_KINDS`` names, separated by commas; a plain checkout unless it is set."""
    return tuple(filter(None, os.environ.get("SENNIT_KINDS", "checkout").split(",")))
