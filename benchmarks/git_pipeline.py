"""Whole batches of tasks through the git engine and through the reference way.

A batch is: a snapshot, a workspace for each task, a capture of each, a merge of each onto those
before it, another look at the user's tree, and the clean-up. What agents do in between is not
counted, and neither is writing to the user's tree, which both ways leave out.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import anyio
from attrs import evolve, frozen

from benchmarks.git_trees import BenchTree, work
from benchmarks.our_way import Ours, at_once, open_ours
from benchmarks.reference_way import Reference


@frozen
class Batch:
    """How long a batch took, in seconds, each of its merges too, and the tree that it came to."""

    seconds: float
    tree: str
    merges: tuple[float, ...] = ()


def reference_batch(tree: BenchTree, place: Path, tasks: int) -> Batch:
    """One task after the other, as there."""
    place.mkdir(parents=True)
    reference, names = Reference(tree.folder, place), tree.files()
    began = time.perf_counter()
    base = reference.base()
    workers = [reference.workspace(f"w{task}", base.commit) for task in range(tasks)]
    spent = time.perf_counter() - began
    for task, worker in enumerate(workers):
        work(worker, tree, task, names)
    began = time.perf_counter()
    integrated = base
    for task, worker in enumerate(workers):
        _, patch = reference.capture(worker, base)
        reference.remove(worker)
        integrated = reference.merge(task, integrated, patch)
    reference.base("drift")
    reference.clear()
    return Batch(spent + time.perf_counter() - began, integrated.tree)


def our_batches(tree: BenchTree, place: Path, tasks: int, batches: int) -> list[Batch]:
    """Several batches in one store: the first builds what the later ones use again."""
    place.mkdir(parents=True)
    return anyio.run(batches_of, tree, place, tasks, batches)


async def batches_of(tree: BenchTree, place: Path, tasks: int, batches: int) -> list[Batch]:
    """As ``our_batches``, for who is in a loop already; the place is there."""
    began = time.perf_counter()
    ours = await open_ours(tree.folder, place)
    opening = time.perf_counter() - began
    done = []
    for batch in range(batches):
        one = await _batch(ours, tree, f"b{batch}", tasks)
        done.append(evolve(one, seconds=one.seconds + opening))
        opening = 0.0
    return done


async def _batch(ours: Ours, tree: BenchTree, name: str, tasks: int) -> Batch:
    names = tree.files()
    began = time.perf_counter()
    base = await ours.snapshot()
    making = (ours.workspace(f"{name}-{task}", base) for task in range(tasks))
    workspaces = await at_once(*making)
    spent = time.perf_counter() - began
    for task, workspace in enumerate(workspaces):
        work(workspace.folder, tree, task, names)
    began = time.perf_counter()
    taken = await at_once(*(ours.capture(workspace) for workspace in workspaces))
    integrated, merges = await merged_in_order(ours, base.tree, [one.tree for one in taken])
    await ours.snapshot()
    await at_once(*(ours.give_back(workspace) for workspace in workspaces))
    return Batch(spent + time.perf_counter() - began, integrated, merges)


async def merged_in_order(
    ours: Ours, base: str, proposals: Sequence[str]
) -> tuple[str, tuple[float, ...]]:
    """Merge each onto those before it; gives the tree, and how long each but the first took.

    Onto nothing but the base there is nothing to merge.
    """
    integrated, times = base, []
    for one in proposals:
        began = time.perf_counter()
        integrated = await ours.merge(base, integrated, one)
        times.append(time.perf_counter() - began)
    return integrated, tuple(times[1:])
