"""Workspaces that are layers against the reference way: time, room on the disk, whole batches.

``python -m benchmarks.git_layers --linux`` measures on the large tree (see ``git_trees``), whole
batches of eight tasks in folders of earlier tasks too; ``--growth`` tells how batches in layers
grow. Needs what ``sennit doctor`` says about layers.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
from attrs import evolve
from rich.console import Console

from benchmarks.git_engine import SETTLED_S, Times
from benchmarks.git_pipeline import Batch, batches_of, merged_in_order, reference_batch
from benchmarks.git_trees import CACHE, BenchTree, linux_tree, made_tree, work
from benchmarks.our_way import Ours, at_once, open_ours
from benchmarks.ratio import Ratio, table_of
from benchmarks.reference_way import Reference
from sennit.adapters.git.delete import Deleted, delete_workspace
from sennit.adapters.git.records import read_record, work_folder
from sennit.adapters.git.workspace import Workspace
from sennit.adapters.overlay.layers import Layers
from sennit.adapters.workspaces.leases import lock_of_lower
from sennit.core.workspace_kinds import Plan, WorkspaceKind

SMALL, ROUNDS, TASKS = 5_000, 3, 8
SMALL_BATCH = 10
MIB, MS = 1 << 20, 1_000
MERGE_MS = 30
_TOP = Path(__file__).parent.parent
_WORK = (
    "import sys; from pathlib import Path; from benchmarks.git_trees import BenchTree, work; "
    "work(Path.cwd(), BenchTree('', Path(sys.argv[1]), sys.argv[2]), int(sys.argv[3]), "
    "sys.stdin.read().split(chr(0)))"
)


def measure() -> tuple[Ratio, ...]:
    """The small tree: a workspace, and a batch."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as name:
        return anyio.run(_small, Path(name))


async def _small(place: Path) -> tuple[Ratio, ...]:
    # So small a tree is written in no time by the reference too.
    return await compared(made_tree(place / "tree", SMALL), place, 1 / 8, 1 / 10)


async def compared(tree: BenchTree, place: Path, one: float, batch: float) -> tuple[Ratio, ...]:
    """Measure on a tree; ``one`` and ``batch`` are what is to be reached."""
    times = Times()
    tree.restore()
    tree.make_dirty()
    try:
        figures = await _stages(times, tree, place, one)
        return (*figures, *await _batches(times, tree, place, batch))
    finally:
        tree.restore()


async def stages(tree: BenchTree, place: Path, one: float) -> tuple[Ratio, ...]:
    """Measure a workspace by itself, without batches."""
    tree.restore()
    tree.make_dirty()
    try:
        return await _stages(Times(), tree, place, one)
    finally:
        tree.restore()


async def _stages(times: Times, tree: BenchTree, place: Path, one: float) -> tuple[Ratio, ...]:
    ours = await _layering(tree, place / "stages")
    # The first one fills the kept checkout.
    base = await ours.snapshot()
    await _remove(ours, await times.wait("first layer", ours.workspace("first", base)))
    size = await _workspaces(times, tree, ours, place)
    where = f" ({tree.name})"
    return (
        times.ratio("layer / reference workspace" + where, "layer", "reference", one),
        times.ratio("capture of a layer / reference" + where, "capture", "theirs", 1 / 20),
        Ratio("room of a layer" + where, size / MIB, 20, size / MIB / 20, 1, "MiB"),
    )


async def _batches(times: Times, tree: BenchTree, place: Path, batch: float) -> tuple[Ratio, ...]:
    theirs = reference_batch(tree, place / "batch", TASKS)
    times.took("batch", theirs.seconds)
    ours = await _layering(tree, place / "layers")
    for stage in ("first", "ours"):
        done = await _batch(ours, tree, stage, TASKS)
        times.took(stage, done.seconds)
        _same(done.tree, theirs.tree)
    await _in_earlier_folders(times, tree, place / "pool", theirs)
    where = f" ({tree.name})"
    pool = 1 / 30 if batch < 1 / SMALL_BATCH else 1 / SMALL_BATCH
    return (
        times.ratio(f"first batch of {TASKS} in layers / reference" + where, "first", "batch", 0.1),
        times.ratio(f"batch of {TASKS} in layers / reference" + where, "ours", "batch", batch),
        times.ratio(f"first batch of {TASKS}, checkouts" + where, "first pool", "batch", 0.1),
        times.ratio(f"batch of {TASKS} in earlier folders" + where, "pool", "batch", pool),
    )


async def _layering(tree: BenchTree, state: Path) -> Ours:
    plan = Plan(spare=False, new=WorkspaceKind.OVERLAY)
    return evolve(await open_ours(tree.folder, state), plan=plan)


async def _in_earlier_folders(times: Times, tree: BenchTree, place: Path, theirs: Batch) -> None:
    await anyio.Path(place).mkdir()
    first, later = await batches_of(tree, place, TASKS, 2)
    for stage, done in (("first pool", first), ("pool", later)):
        times.took(stage, done.seconds)
        _same(done.tree, theirs.tree)


async def _workspaces(times: Times, tree: BenchTree, ours: Ours, place: Path) -> int:
    reference, names = Reference(tree.folder, place), tree.files()
    base, theirs = await ours.snapshot(), reference.base()
    size, workers = 0, []
    for task in range(ROUNDS):
        worker = times.of("reference", partial(reference.workspace, f"w{task}", theirs.commit))
        layer = await times.wait("layer", ours.workspace(f"o{task}", base))
        work(worker, tree, task, names)
        await anyio.to_thread.run_sync(_work_inside, ours, tree, layer, task, names)
        await anyio.sleep(SETTLED_S)
        proposal, _ = times.of("theirs", partial(reference.capture, worker, theirs))
        taken = await times.wait("capture", ours.capture(layer))
        _same(taken.tree, proposal.tree)
        size = max(size, _size(layer.folder, "*") + _size(ours.store.records, f"{layer.name}.*"))
        workers.append(worker)
        await _remove(ours, layer)
    # Not in between: see `git_engine`.
    for worker in workers:
        reference.remove(worker)
    reference.clear()
    return size


async def _batch(ours: Ours, tree: BenchTree, name: str, tasks: int) -> Batch:
    names = tree.files()
    began = time.perf_counter()
    base = await ours.snapshot()
    layers = await at_once(*(ours.workspace(f"{name}-{task}", base) for task in range(tasks)))
    spent = time.perf_counter() - began
    for task, layer in enumerate(layers):
        await anyio.to_thread.run_sync(_work_inside, ours, tree, layer, task, names)
    began = time.perf_counter()
    taken = await at_once(*(ours.capture(layer) for layer in layers))
    integrated, merges = await merged_in_order(ours, base.tree, [one.tree for one in taken])
    await ours.snapshot()
    await at_once(*(_remove(ours, layer) for layer in layers))
    return Batch(spent + time.perf_counter() - began, integrated, merges)


async def growth(place: Path) -> tuple[Ratio, ...]:
    """A later batch of 1, 8 and 64 tasks on 1,000, 10,000 and 50,000 files, to that of one task."""
    figures = []
    for count in (1_000, 10_000, 50_000):
        tree = made_tree(place / f"tree-{count}", count)
        tree.make_dirty()
        ours = await _layering(tree, place / f"state-{count}")
        await _batch(ours, tree, "first", 1)
        alone = 0.0
        for tasks in (1, 8, 64):
            done = [await _batch(ours, tree, f"{tasks}-{number}", tasks) for number in range(2)]
            took = min(each.seconds for each in done) * MS
            alone = alone or took
            name = f"{tasks} tasks, {count:,} files"
            figures.append(Ratio(name, took, alone, took / alone, tasks, "ms"))
            if tasks > 1:
                figures.append(_one_merge(name, done))
            print(f"  {name}: {took:.0f} ms", file=sys.stderr)
    return tuple(figures)


def _one_merge(name: str, done: list[Batch]) -> Ratio:
    merge = min(statistics.median(each.merges) for each in done) * MS
    return Ratio(f"each merge of {name}", merge, MERGE_MS, merge / MERGE_MS, 1, "ms")


def _work_inside(
    ours: Ours, tree: BenchTree, layer: Workspace, task: int, names: list[str]
) -> None:
    """Do what an agent would where the layer is mounted."""
    record = read_record(ours.store, layer.name)
    if record is None or not record.lower:
        raise SystemExit("The workspace is no layer: see what `sennit doctor` says.")
    lock = lock_of_lower(ours.store)
    layers = Layers(Path(record.lower), record.folder, work_folder(record), lock)
    subprocess.run(
        (*layers.launcher(sandboxed=False), sys.executable, "-c", _WORK, str(tree.folder),
         tree.shared, str(task)),
        cwd=layer.folder, env={**os.environ, "PYTHONPATH": str(_TOP)}, check=True,
        input="\0".join(names).encode(),
    )  # fmt: skip


async def _remove(ours: Ours, layer: Workspace) -> None:
    gone = await delete_workspace(ours.store, layer.name, ours.owner)
    if not isinstance(gone, Deleted):
        raise SystemExit(f"The workspace could not be removed: {gone}")


def _size(folder: Path, names: str) -> int:
    return sum(each.lstat().st_blocks * 512 for each in folder.rglob(names))


def _same(ours: str, theirs: str) -> None:
    if ours != theirs:
        raise SystemExit(f"The trees differ: {ours} is ours, {theirs} the reference's.")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.git_layers", description=__doc__)
    parser.add_argument("--linux", action="store_true", help="measure on the large tree")
    parser.add_argument("--stages", action="store_true", help="no batches, which take long")
    parser.add_argument("--growth", action="store_true", help="how batches grow")
    parser.add_argument("--at", type=Path, default=CACHE, metavar="FOLDER", help="the disk to use")
    chosen = parser.parse_args()
    chosen.at = chosen.at.resolve()
    chosen.at.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=chosen.at) as name:
        Console().print(table_of(_figures(chosen, Path(name))))


def _figures(chosen: argparse.Namespace, place: Path) -> tuple[Ratio, ...]:
    if chosen.growth:
        return anyio.run(growth, place)
    if not chosen.linux:
        return anyio.run(_small, place)
    tree = linux_tree(chosen.at)
    if tree is None:
        raise SystemExit("Fetch the large tree first: python -m benchmarks.git_engine --get")
    if chosen.stages:
        return anyio.run(stages, tree, place, 1 / 40)
    return anyio.run(compared, tree, place, 1 / 40, 1 / 100)


if __name__ == "__main__":
    main()
