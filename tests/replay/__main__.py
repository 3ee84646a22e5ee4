"""Replays the differences between real releases: ``python -m tests.replay [ROUNDS [SEED]]``.

Each difference is cut at random into 2 to 16 proposals, by file and by hunk. Folded in any order
they must give exactly the next release, but for conflicts that git itself has about the same three
trees; over somebody else's edits no merge may differ from git's, be it clean or not. Archives come
from the package index and stay in ``.cache/replay``.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from random import Random

import anyio

from tests.adapters.git.made_trees import workbench
from tests.replay.folding import Figures, change_between, replay, replay_over_a_third_party
from tests.replay.releases import STEPS, files_of

ROUNDS = 5


async def main(rounds: int, seed: int) -> int:
    """Replay every step; gives 1 where anything came out wrong."""
    total, alone, files = Figures(), Figures(), 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        bench = await workbench(Path(folder))
        for step in STEPS:
            before, after = (files_of(step.package, one) for one in (step.before, step.after))
            change = await change_between(bench, before, after)
            files += change.files
            random, figures = Random(f"{seed} {step.name}"), Figures()
            for _ in range(rounds):
                await replay(bench, change, random, alone)
                await replay_over_a_third_party(bench, change, random, figures)
            print(f"{step.name}: {change.files} files, {len(change.units)} units")
            print(f"  over somebody's edits: {figures.of_merges}")
            total.merges += figures.merges
            total.clean += figures.clean
            total.conflicts += figures.conflicts
            total.uncertain += figures.uncertain
            total.differing += figures.differing
    print(f"{files} changed files, seed {seed}, {time.monotonic() - began:.0f} s")
    print(f"alone: {alone.of_folds}; {alone.of_merges}")
    print(f"over somebody's edits: {total.of_merges}")
    for paths in alone.in_conflict:
        print(f"git has the same conflict: {paths}")
    for wrong in (*alone.wrong, *alone.differing, *total.differing):
        print(f"WRONG {wrong}")
    return int(bool(alone.wrong or alone.differing or total.differing))


def _arguments() -> tuple[int, int]:
    given = [int(one) for one in sys.argv[1:3]]
    rounds, seed = [*given, *(ROUNDS, 1)[len(given) :]]
    return rounds, seed


if __name__ == "__main__":
    sys.exit(anyio.run(main, *_arguments()))
