"""A process that takes steps: ``python -m tests.runtime.writing DATABASE STEPS OWNER``."""

from __future__ import annotations

import sys
from pathlib import Path

import anyio

from tests.adapters.store.examples import Added
from tests.runtime import running as limits
from tests.runtime.running import running


async def main(path: Path, steps: int, owner: str) -> None:
    """Print what each step gave."""
    limits.WITHIN_S = 170
    async with running(path, owner=owner) as run:
        for _ in range(steps):
            sys.stdout.write(f"{await run.loop.submit(Added())}\n")


if __name__ == "__main__":
    anyio.run(main, Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
