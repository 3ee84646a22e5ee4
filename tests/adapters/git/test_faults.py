"""Whatever a call of git does, its failure is a value and nothing is lost or left behind."""

from __future__ import annotations

import os
import shutil
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from attrs import frozen

from sennit.adapters.git.base import take_snapshot
from sennit.adapters.git.capture import Captured, capture
from sennit.adapters.git.changes import changes_between
from sennit.adapters.git.delete import Deleted, delete_workspace
from sennit.adapters.git.discovery import Repository, Trust, discover
from sennit.adapters.git.disk_stage import Job, stage
from sennit.adapters.git.disk_write import commit, discard
from sennit.adapters.git.git import Git
from sennit.adapters.git.live import AcceptedRevision, fold_onto_live
from sennit.adapters.git.merges import merge_trees
from sennit.adapters.git.store import Store, open_store
from sennit.adapters.git.workspace import Workspace, make_checkout
from sennit.core.disk_application import Staged, TakenBack, Written
from sennit.core.objects import GitFailed, Merged, OpenDocument, Snapshot
from sennit.core.units import units_of
from tests.adapters.git.bench import Bench, Tree, this_process, untouched_view
from tests.adapters.git.faulty_git import Fault, FaultyGit
from tests.adapters.git.scenarios.scenario import contents
from tests.adapters.git.test_meddling import no_file_longer_than

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.timeout(600)]

AT = 1_900_000_000
ALL = "SENNIT_FAULTS" in os.environ
"""Every fault at every call; else two faults at each call, others at the next one."""


@frozen
class World:
    """A repository with something of everything, and each thing that the engine makes of it."""

    bench: Bench
    repository: Repository
    store: Store
    snapshot: Snapshot
    workspace: Workspace
    captured: Captured
    live: Snapshot
    faulty: FaultyGit


def messy(tree: Tree) -> None:
    tree.git("config", "filter.upper.clean", "tr a-z A-Z")
    tree.git("config", "filter.upper.smudge", "tr A-Z a-z")
    tree.write(".gitattributes", "*.up filter=upper\n*.wide working-tree-encoding=UTF-16LE-BOM\n")
    tree.write(".gitignore", "kept/\n")
    tree.write("one.up", "one\n")
    tree.write("long", "".join(f"line {number}\n" for number in range(30)))
    tree.write("flagged", "flagged\n")
    tree.write("dos", "one\r\ntwo\r\n")
    tree.commit()
    tree.git("update-index", "--assume-unchanged", "flagged")
    tree.write("flagged", "changed all the same\n")
    tree.write("kept/ignored", "ignored\n")
    tree.write("new file", "new\n")
    tree.write("staged", "staged\n")
    tree.git("add", "staged")
    tree.write("one.up", "two\n")


def of_the_agent(tree: Tree) -> None:
    tree.write("long", tree.path("long").read_text().replace("line 3\n", "three\n"))
    tree.write("one.up", "agent\n")
    tree.commit("the agent's own")
    tree.path("dos").unlink()
    tree.write("made/by agent", "x\n")


def of_the_user(tree: Tree) -> None:
    tree.write("long", tree.path("long").read_text().replace("line 25\n", "twenty-five\n"))
    tree.write("beside", "x\n")


DOCUMENT = OpenDocument(b"README", 3, "typed, not saved\n")


async def snapshot_of(git: Git, store: Store, repository: Repository) -> Snapshot | GitFailed:
    return await take_snapshot(git, store, repository, (DOCUMENT,))


@pytest.fixture
async def world(bench: Bench, tmp_path: Path, environment: dict[str, str]) -> World:
    messy(bench.tree)
    repository, store = await bench.repository(), await bench.store()
    snapshot = await snapshot_of(bench.git, store, repository)
    assert isinstance(snapshot, Snapshot), snapshot
    workspace = await bench.workspace(snapshot)
    of_the_agent(bench.inside(workspace))
    captured = await capture(bench.git, store, workspace, date=AT)
    assert isinstance(captured, Captured), captured
    of_the_user(bench.tree)
    live = await snapshot_of(bench.git, store, repository)
    assert isinstance(live, Snapshot), live
    faulty = FaultyGit(tmp_path / "faulty", environment, shutil.which("git") or "git")
    return World(bench, repository, store, snapshot, workspace, captured, live, faulty)


Stage = Callable[[World, Git], Awaitable[object]]


async def discovering(world: World, git: Git) -> object:
    return await discover(git, world.bench.tree.folder, Trust.UNTRUSTED)


async def opening(world: World, git: Git) -> object:
    return await open_store(git, world.repository, world.bench.stores)


async def snapshotting(world: World, git: Git) -> object:
    taken = await snapshot_of(git, world.store, world.repository)
    return taken.tree if isinstance(taken, Snapshot) else taken


async def working(world: World, git: Git) -> object:
    """Make a workspace; what it holds is the answer, and it goes again."""
    folder = world.bench.tmp_path / "tasks" / "faulty"
    made = await make_checkout(
        git, world.store, world.repository, world.snapshot, folder,
        owner=this_process(), include=("kept/",),
    )  # fmt: skip
    if isinstance(made, GitFailed):
        assert not folder.exists()
        return made
    held = contents(folder)
    assert await delete_workspace(world.store, made.name, this_process()) == Deleted()
    return held


async def capturing(world: World, git: Git) -> object:
    taken = await capture(git, world.store, world.workspace, date=AT)
    if isinstance(taken, Captured) and taken.commits_failed is not None:
        return taken.commits_failed
    return taken


async def reconciling(world: World, git: Git) -> object:
    return await merge_trees(
        git, world.store, world.snapshot.tree, world.live.tree, world.captured.tree, AT
    )


async def folding(world: World, git: Git) -> object:
    changes = await changes_between(git, world.store, world.snapshot.tree, world.captured.tree)
    if isinstance(changes, GitFailed):
        return changes
    units = units_of("r", changes)
    accepted = AcceptedRevision(world.snapshot.tree, units, frozenset(unit.id for unit in units))
    return await fold_onto_live(git, world.store, world.live.tree, [accepted], AT)


async def applying(world: World, git: Git) -> object:
    """Write a merge into the work tree, and put the work tree back."""
    merged = await reconciling(world, world.bench.git)
    assert isinstance(merged, Merged)
    ready = await stage(
        git, world.store, world.repository, Job("a_1", world.live.tree, merged.tree)
    )
    if not isinstance(ready, Staged):
        return ready
    before = dict(contents(world.bench.tree.folder))
    outcome = await commit(ready)
    assert isinstance(outcome, Written), outcome
    await discard(ready.intention)
    after = contents(world.bench.tree.folder)
    put_back(world.bench.tree, before, after)
    return after


def put_back(
    tree: Tree,
    before: dict[bytes, tuple[str, bytes]],
    after: dict[bytes, tuple[str, bytes]],
) -> None:
    for path in after.keys() - before.keys():
        tree.path(path).unlink()
    for path, (_, content) in before.items():
        if after.get(path) != before[path]:
            tree.write(path, content)


STAGES: dict[str, Stage] = {
    "discovery": discovering,
    "store": opening,
    "base": snapshotting,
    "workspace": working,
    "capture": capturing,
    "reconciliation": reconciling,
    "folding": folding,
    "application": applying,
}


def faults_at(number: int) -> Iterator[Fault]:
    faults = list(Fault)
    if ALL:
        yield from faults
    else:
        yield faults[number % len(faults)]
        yield faults[(number + 2) % len(faults)]


@pytest.mark.parametrize("name", STAGES)
async def test_every_call_of_git_may_go_wrong(world: World, name: str) -> None:
    run = STAGES[name]
    tree, running = world.bench.tree, children()
    await run(world, world.bench.git)
    right = await run(world, world.faulty.counting())
    assert not isinstance(right, GitFailed), right
    calls = world.faulty.calls()
    git_dir, files = untouched_view(tree.path(".git")), contents(tree.folder)
    for number, command in enumerate(calls, start=1):
        for fault in faults_at(number):
            where = f"{name}: call {number}, {command}, {fault}"
            answer = await run(world, world.faulty.at(number, fault))
            assert_right_or_failed(answer, right, where)
            assert untouched_view(tree.path(".git")) == git_dir, where
            assert contents(tree.folder) == files, where
            assert left_behind(world.store) == [], where
    assert await run(world, world.bench.git) == right
    sound = tree.git(f"--git-dir={world.store.git_dir}", "fsck", "--strict", "--no-dangling")
    assert sound == b""
    assert children() <= running


SIZES = (0, 60, 130, 250, 600)
"""Beyond each of these something else that a stage writes finds no room."""


@pytest.mark.parametrize("name", ["store", "reconciliation", "folding"])
async def test_a_disk_without_room_fails_a_stage_and_loses_nothing(world: World, name: str) -> None:
    run = STAGES[name]
    git, tree = world.bench.git, world.bench.tree
    right = await run(world, git)
    git_dir, files = untouched_view(tree.path(".git")), contents(tree.folder)
    for size in SIZES:
        # What the last round made is not there to be found.
        tree.git(f"--git-dir={world.store.git_dir}", "prune", "--expire=now")
        with no_file_longer_than(size):
            answer = await run(world, git)
        assert_right_or_failed(answer, right, f"{name} {size}")
        assert untouched_view(tree.path(".git")) == git_dir
        assert contents(tree.folder) == files
        assert of_ours(left_behind(world.store)) == [], size
    assert await run(world, git) == right


async def test_a_disk_without_room_takes_an_application_back(world: World) -> None:
    tree = world.bench.tree
    merged = await reconciling(world, world.bench.git)
    assert isinstance(merged, Merged)
    job = Job("a_1", world.live.tree, merged.tree)
    before = contents(tree.folder)
    seen: set[type] = set()
    for size in SIZES:
        with no_file_longer_than(size):
            ready = await stage(world.bench.git, world.store, world.repository, job)
        seen.add(type(ready))
        assert contents(tree.folder) == before, size
        assert of_ours(left_behind(world.store)) == [], size
        if isinstance(ready, GitFailed):
            ready = await stage(world.bench.git, world.store, world.repository, job)
        assert isinstance(ready, Staged), ready
        with no_file_longer_than(size):
            outcome = await commit(ready)
        await discard(ready.intention)
        seen.add(type(outcome))
        if isinstance(outcome, Written):
            put_back(tree, before, contents(tree.folder))
        else:
            assert (outcome.later, outcome.stuck) == ((), ())
        assert contents(tree.folder) == before, size
    assert {GitFailed, TakenBack, Written} <= seen


def assert_right_or_failed(answer: object, right: object, where: str) -> None:
    if isinstance(answer, GitFailed):
        assert answer.doing, where
        assert answer.stderr, where
    else:
        assert answer == right, where


def left_behind(store: Store) -> list[Path]:
    """Temporary files of ours and of git's, and locks."""
    strays = [*store.scratch.iterdir(), *store.root.glob("*.lock"), *store.root.glob(".*")]
    strays += [
        path
        for path in store.git_dir.rglob("*")
        if path.name.startswith(("tmp_", ".")) or path.suffix == ".lock"
    ]
    return strays


def of_ours(files: list[Path]) -> list[Path]:
    """Leave out what git leaves of an object that finds no room; `sennit gc` takes it away."""
    return [file for file in files if not file.name.startswith("tmp_obj_")]


def children() -> set[int]:
    """Processes that this one started and that have not ended; other tests may have some."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                status = (entry / "stat").read_text()
            except OSError:
                continue
            if status.rpartition(")")[2].split()[1] == str(os.getpid()):
                found.add(int(entry.name))
    return found
