"""Workspaces that are layers against the reference way: time, room on the disk, whole batches.

``python -m benchmarks.git_layers --linux`` measures on the large tree (see ``git_trees``) and a
batch of eight tasks. Needs what ``sennit doctor`` says about layers.
"""

from __future__ import annotations

import argparse
import os
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

from benchmarks.git_engine import Times
from benchmarks.git_pipeline import reference_batch
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
MIB = 1 << 20
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
        tree = made_tree(Path(name) / "tree", SMALL)
        # So small a tree is written in no time by the reference too.
        return anyio.run(compared, tree, Path(name), 1 / 8, 1 / 10)


async def compared(tree: BenchTree, place: Path, one: float, batch: float) -> tuple[Ratio, ...]:
    """Measure on a tree; ``one`` and ``batch`` are what is to be reached."""
    times = Times()
    tree.restore()
    tree.make_dirty()
    try:
        ours = evolve(
            await open_ours(tree.folder, place / "layers"),
            plan=Plan(spare=False, new=WorkspaceKind.OVERLAY),
        )
        size = await _workspaces(times, tree, ours, place)
        await _batches(times, tree, ours, place)
    finally:
        tree.restore()
    where = f" ({tree.name})"
    return (
        times.ratio("layer / reference workspace" + where, "layer", "reference", one),
        times.ratio("capture of a layer / reference" + where, "capture", "theirs", 1 / 20),
        Ratio("room of a layer" + where, size / MIB, 20, size / MIB / 20, 1, "MiB"),
        times.ratio(f"batch of {TASKS} in layers / reference" + where, "ours", "batch", batch),
    )


async def _workspaces(times: Times, tree: BenchTree, ours: Ours, place: Path) -> int:
    reference, names = Reference(tree.folder, place), tree.files()
    base, theirs = await ours.snapshot(), reference.base()
    # The first one fills the kept checkout.
    await _remove(ours, await times.wait("first layer", ours.workspace("first", base)))
    size = 0
    for task in range(ROUNDS):
        worker = times.of("reference", partial(reference.workspace, f"w{task}", theirs.commit))
        layer = await times.wait("layer", ours.workspace(f"o{task}", base))
        work(worker, tree, task, names)
        await anyio.to_thread.run_sync(_work_inside, ours, tree, layer, task, names)
        proposal, _ = times.of("theirs", partial(reference.capture, worker, theirs))
        taken = await times.wait("capture", ours.capture(layer))
        _same(taken.tree, proposal.tree)
        size = max(size, _size(layer.folder) + _size(ours.store.records) // (task + 2))
        reference.remove(worker)
        await _remove(ours, layer)
    reference.clear()
    return size


async def _batches(times: Times, tree: BenchTree, ours: Ours, place: Path) -> None:
    theirs = reference_batch(tree, place / "batch", TASKS)
    times.seconds["batch"].append(theirs.seconds)
    for number in range(2):
        names = tree.files()
        began = time.perf_counter()
        base = await ours.snapshot()
        making = (ours.workspace(f"b{number}-{task}", base) for task in range(TASKS))
        layers = await at_once(*making)
        spent = time.perf_counter() - began
        for task, layer in enumerate(layers):
            await anyio.to_thread.run_sync(_work_inside, ours, tree, layer, task, names)
        began = time.perf_counter()
        taken = await at_once(*(ours.capture(layer) for layer in layers))
        integrated = base.tree
        for one in taken:
            integrated = await ours.merge(base.tree, integrated, one.tree)
        await ours.snapshot()
        await at_once(*(_remove(ours, layer) for layer in layers))
        times.seconds["ours"].append(spent + time.perf_counter() - began)
        _same(integrated, theirs.tree)


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


def _size(folder: Path) -> int:
    return sum(each.lstat().st_blocks * 512 for each in folder.rglob("*"))


def _same(ours: str, theirs: str) -> None:
    if ours != theirs:
        raise SystemExit(f"The trees differ: {ours} is ours, {theirs} the reference's.")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.git_layers", description=__doc__)
    parser.add_argument("--linux", action="store_true", help="measure on the large tree")
    figures: tuple[Ratio, ...]
    if parser.parse_args().linux:
        tree = linux_tree()
        if tree is None:
            raise SystemExit("Fetch the large tree first: python -m benchmarks.git_engine --get")
        with tempfile.TemporaryDirectory(dir=CACHE) as name:
            figures = anyio.run(compared, tree, Path(name), 1 / 40, 1 / 100)
    else:
        figures = measure()
    Console().print(table_of(figures))


if __name__ == "__main__":
    main()
