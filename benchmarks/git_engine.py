"""The git engine against ``git status`` and against the reference way, stage by stage.

Both work on the same repository with the same edits, in turns, and must come to the same trees.
``python -m benchmarks.git_engine --help`` tells of the large tree, of whole pipelines and of JSON.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import anyio
import attrs
from attrs import define, field
from rich.console import Console

from benchmarks.git_pipeline import our_batches, reference_batch
from benchmarks.git_trees import CACHE, BenchTree, get_linux, linux_tree, made_tree, work
from benchmarks.our_way import open_ours
from benchmarks.ratio import Ratio, table_of
from benchmarks.reference_way import Reference

Value = TypeVar("Value")
SMALL = 5_000
ROUNDS = 5
_MS = 1000
MERGE_MS = 10
SETTLED_S = 2.1
"""What agents and people take at least before they are done. Git reads each file whose times are of
the second in which its index was written, which would be all of a small tree."""


@define
class Times:
    """Seconds by stage; of each the median is told."""

    seconds: dict[str, list[float]] = field(factory=lambda: defaultdict(list))

    def of(self, stage: str, call: Callable[[], Value]) -> Value:
        """Time a call."""
        began = time.perf_counter()
        answer = call()
        self.took(stage, time.perf_counter() - began)
        return answer

    async def wait(self, stage: str, call: Awaitable[Value]) -> Value:
        """Time something that is waited for."""
        began = time.perf_counter()
        answer = await call
        self.took(stage, time.perf_counter() - began)
        return answer

    def took(self, stage: str, seconds: float) -> None:
        """Keep how long something took."""
        self.seconds[stage].append(seconds)
        print(f"  {stage}: {seconds:.3f} s", file=sys.stderr)

    def ms(self, stage: str) -> float:
        """The median of a stage, in milliseconds."""
        return statistics.median(self.seconds[stage]) * _MS

    def ratio(self, name: str, ours: str, reference: str, target: float) -> Ratio:
        """Compare two stages."""
        mine, theirs = self.ms(ours), self.ms(reference)
        return Ratio(name, mine, theirs, mine / theirs, target, "ms")


def measure() -> tuple[Ratio, ...]:
    """The stages on a small tree."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as name:
        tree = made_tree(Path(name) / "tree", SMALL)
        return anyio.run(stages, tree, Path(name), ROUNDS, 2.0)


async def stages(tree: BenchTree, place: Path, rounds: int, first: float) -> tuple[Ratio, ...]:
    """Each stage by itself; ``first`` is what a first snapshot may cost in runs of git status."""
    times, place = Times(), place / "stages"
    tree.restore()
    tree.make_dirty()
    await anyio.sleep(SETTLED_S)
    try:
        for number in range(rounds):
            await _snapshots(times, tree, place / f"s{number}")
        await _tasks(times, tree, place / "t", rounds)
    finally:
        tree.restore()
    where = f" ({tree.name})"
    return (
        times.ratio("first snapshot / git status" + where, "first", "status", first),
        times.ratio("snapshot / git status" + where, "kept", "status", 1.3),
        times.ratio("snapshot / reference" + where, "kept", "reference snapshot", 1 / 10),
        times.ratio("workspace / reference" + where, "workspace", "reference workspace", 1 / 8),
        times.ratio(
            "plain workspace / reference" + where, "plain workspace", "reference workspace", 1
        ),
        times.ratio("capture / reference" + where, "capture", "reference capture", 1 / 20),
        times.ratio("merge / reference" + where, "merge", "reference merge", 1 / 100),
        Ratio("merge" + where, times.ms("merge"), MERGE_MS, times.ms("merge") / MERGE_MS, 1, "ms"),
    )


async def _snapshots(times: Times, tree: BenchTree, place: Path) -> None:
    await anyio.Path(place).mkdir(parents=True)
    reference = Reference(tree.folder, place)
    ours = await times.wait("store", open_ours(tree.folder, place))
    times.of("status", lambda: tree.git("--no-optional-locks", "status", "--porcelain", "-z"))
    base = await times.wait("first", ours.snapshot())
    times.of("status", lambda: tree.git("--no-optional-locks", "status", "--porcelain", "-z"))
    await times.wait("kept", ours.snapshot())
    theirs = times.of("reference snapshot", reference.base)
    await times.wait("kept", ours.snapshot())
    reference.clear()
    _same("snapshot", base.tree, theirs.tree)


async def _tasks(times: Times, tree: BenchTree, place: Path, rounds: int) -> None:
    await anyio.Path(place).mkdir(parents=True)
    reference, ours = Reference(tree.folder, place), await open_ours(tree.folder, place)
    base, theirs = await ours.snapshot(), reference.base()
    merged, patches, workers, names = [base.tree], [], [], tree.files()
    # A folder of an earlier task, in which somebody was at work.
    earlier = await times.wait("plain workspace", ours.workspace("earlier", base))
    work(earlier.folder, tree, rounds, names)
    await anyio.sleep(SETTLED_S)
    await ours.give_back(earlier)
    for task in range(rounds):
        make = partial(reference.workspace, f"w{task}", theirs.commit)
        workers.append(times.of("reference workspace", make))
        mine = await times.wait("workspace", ours.workspace(f"o{task}", base))
        work(workers[-1], tree, task, names)
        work(mine.folder, tree, task, names)
        await anyio.sleep(SETTLED_S)
        take = partial(reference.capture, workers[-1], theirs)
        proposal, patch = times.of("reference capture", take)
        taken = await times.wait("capture", ours.capture(mine))
        _same("capture", taken.tree, proposal.tree)
        patches.append(patch)
        merge = ours.merge(base.tree, merged[-1], taken.tree)
        merged.append(await times.wait(_merge_of(task), merge))
        await times.wait("give back", ours.give_back(mine))
    # The reference removes a work tree with each merge. An ext4 without a journal, as virtual disks
    # often are, looks at each inode that was freed in the last minutes whenever it makes a file
    # (ext4/ialloc.c, recently_deleted): all that is measured after that would be slower.
    chain = theirs
    for task, patch in enumerate(patches):
        onto = partial(reference.merge, task, chain, patch)
        chain = times.of(f"reference {_merge_of(task)}", onto)
        _same("merge", merged[task + 1], chain.tree)
    for worker in workers:
        reference.remove(worker)
    reference.clear()


def _merge_of(task: int) -> str:
    """Onto nothing but the base there is nothing to merge."""
    return "merge" if task else "first merge"


def _same(what: str, ours: str, theirs: str) -> None:
    if ours != theirs:
        raise SystemExit(f"The trees of a {what} differ: {ours} is ours, {theirs} the reference's.")


def main() -> int:
    """Measure what is asked for, print, judge."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.git_engine", description=__doc__)
    parser.add_argument("--get", action="store_true", help="fetch the large tree if it is missing")
    parser.add_argument("--files", type=int, help="a made tree of so many files, not the large one")
    parser.add_argument("--rounds", type=int, default=3, help="how often each stage is measured")
    parser.add_argument("--batch", type=int, metavar="TASKS", help="whole batches, not stages")
    parser.add_argument("--at", type=Path, default=CACHE, metavar="FOLDER", help="the disk to use")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    chosen = parser.parse_args()
    chosen.at = chosen.at.resolve()
    chosen.at.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=chosen.at) as name:
        figures = _figures(chosen, Path(name))
    if chosen.json:
        print(json.dumps([{**attrs.asdict(each), "met": each.met} for each in figures], indent=2))
    else:
        Console().print(table_of(figures))
    return 0 if all(figure.met for figure in figures) else 1


def _figures(chosen: argparse.Namespace, place: Path) -> tuple[Ratio, ...]:
    tree = _tree(chosen, place)
    if chosen.batch:
        return batches(tree, place, chosen.batch)
    return anyio.run(stages, tree, place, max(chosen.rounds, 2), 2.0 if chosen.files else 1.6)


def _tree(chosen: argparse.Namespace, place: Path) -> BenchTree:
    if chosen.files:
        return made_tree(place / "tree", chosen.files)
    found = get_linux(chosen.at) if chosen.get else linux_tree(chosen.at)
    if found is None:
        raise SystemExit("The large tree is not here: --get fetches it, --files makes a small one.")
    return found


def batches(tree: BenchTree, place: Path, tasks: int) -> tuple[Ratio, ...]:
    """A first and later batches of so many tasks; all must come to the tree of the reference."""
    tree.restore()
    tree.make_dirty()
    try:
        first, *later = our_batches(tree, place / "ours", tasks, 3)
        reference = reference_batch(tree, place / "theirs", tasks)
    finally:
        tree.restore()
    for batch in (first, *later):
        _same("batch", batch.tree, reference.tree)
    theirs, quickest = reference.seconds * _MS, min(each.seconds for each in later) * _MS
    what = f"{tasks} tasks ({tree.name})"
    begun = first.seconds * _MS
    return (
        Ratio(f"first batch of {what}", begun, theirs, begun / theirs, 1 / 10, "ms"),
        Ratio(f"later batch of {what}", quickest, theirs, quickest / theirs, 1 / 30, "ms"),
    )


if __name__ == "__main__":
    sys.exit(main())
