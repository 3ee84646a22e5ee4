"""Whatever a call of git does while a workspace of some kind is made or captured, nothing is lost.

What conflicts are settled by is here too: like these it is built on what ``test_faults`` looks at.
"""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from attrs import frozen

from sennit.adapters.git.capture import Captured, capture
from sennit.adapters.git.delete import Deleted, delete_workspace
from sennit.adapters.git.discovery import Repository
from sennit.adapters.git.git import Git
from sennit.adapters.git.merges import merge_trees
from sennit.adapters.git.records import NOBODY
from sennit.adapters.git.resolving import Three, merge_resolved, side_held
from sennit.adapters.git.store import Store
from sennit.adapters.git.suggesting import suggested
from sennit.adapters.git.workspace import Workspace, find_workspace
from sennit.adapters.workspaces.making import make_workspace
from sennit.adapters.workspaces.pristine import NAME, prepare_pristine
from sennit.adapters.workspaces.rules import rules_of
from sennit.adapters.workspaces.spares import Room, Spared, release_workspace, spares_of
from sennit.core.objects import Conflicted, GitFailed, Merged, Snapshot
from sennit.core.resolutions import Resolution
from sennit.core.workspace_kinds import Plan, WorkspaceKind
from sennit_protocol.conflicts import Side, Take
from tests.adapters.git.bench import Bench, Tree, this_process, untouched_view
from tests.adapters.git.faulty_git import FaultyGit
from tests.adapters.git.scenarios.scenario import contents
from tests.adapters.git.test_faults import (
    ALL,
    assert_right_or_failed,
    faults_at,
    left_behind,
    messy,
    of_the_agent,
    of_the_user,
)
from tests.adapters.workspaces.mounted import where_there_are_layers

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.timeout(1_200),
    pytest.mark.skipif(not ALL, reason="takes minutes; SENNIT_FAULTS=1 runs it"),
]

AT = 1_900_000_000
NEW = Plan(spare=False, new=WorkspaceKind.CHECKOUT)
SPARE = Plan(spare=True, new=WorkspaceKind.CHECKOUT)
LAYER = Plan(spare=False, new=WorkspaceKind.OVERLAY)


@frozen
class World:
    """A repository with a submodule at two moments, and a git that can be made to fail."""

    bench: Bench
    repository: Repository
    store: Store
    base: Snapshot
    later: Snapshot
    other: Snapshot
    faulty: FaultyGit

    async def workspace(self, git: Git, name: str, plan: Plan) -> Workspace | GitFailed:
        """Make one of the later moment; the earlier one is of the first."""
        at = self.base if name == "earlier" else self.later
        folder = self.bench.tmp_path / "tasks" / name
        return await make_workspace(
            git, self.store, self.repository, at, folder, owner=this_process(), plan=plan
        )


@pytest.fixture
async def world(bench: Bench, tmp_path: Path, environment: dict[str, str]) -> World:
    messy(bench.tree)
    inner = Tree(tmp_path / "inner", environment)
    inner.folder.mkdir()
    inner.git("init", "-q")
    inner.write("file", "of the submodule\n")
    inner.commit("inner")
    locally = ("-c", "protocol.file.allow=always")
    bench.tree.git(*locally, "submodule", "--quiet", "add", str(inner.folder), "sub")
    bench.tree.commit("with a submodule")
    repository, store = await bench.repository(), await bench.store()
    base = await bench.snapshot()
    bench.tree.write("README", "of somebody else\n")
    other = await bench.snapshot()
    of_the_user(bench.tree)
    bench.tree.write("README", "the user's\n")
    later = await bench.snapshot()
    faulty = FaultyGit(tmp_path / "faulty", environment, shutil.which("git") or "git")
    return World(bench, repository, store, base, later, other, faulty)


Stage = Callable[[World, Git], Awaitable[object]]


async def made(world: World, git: Git, plan: Plan) -> object:
    """Make a workspace; what is proposed after some work in it is the answer, and it goes again."""
    workspace = await world.workspace(git, "faulty", plan)
    if isinstance(workspace, GitFailed):
        assert not (world.bench.tmp_path / "tasks" / "faulty").exists()
        return workspace
    workspace.folder.joinpath("made").write_text("new\n")
    taken = await capture(world.bench.git, world.store, workspace, date=AT)
    assert isinstance(taken, Captured), taken
    assert await delete_workspace(world.store, workspace.name, this_process()) == Deleted()
    return taken.tree


async def in_a_spare(world: World, git: Git) -> object:
    """Bring a folder, in which an agent has worked, to another base."""
    if not spares_of(world.store):
        earlier = await world.workspace(world.bench.git, "earlier", NEW)
        assert isinstance(earlier, Workspace), earlier
        of_the_agent(world.bench.inside(earlier))
        room = Room(1, 1 << 30)
        kept = await release_workspace(world.store, earlier.name, this_process(), room)
        assert isinstance(kept, Spared), kept
    return await made(world, git, SPARE)


async def over_an_older_checkout(world: World, git: Git) -> object:
    """Write into a layer what the kept checkout has otherwise."""
    rules = await rules_of(world.bench.git, world.repository)
    assert isinstance(rules, str), rules
    assert await prepare_pristine(world.bench.git, world.store, world.base, rules) is None
    return await made(world, git, LAYER)


async def over_no_checkout(world: World, git: Git) -> object:
    """Make the kept checkout, and a layer over it."""
    await delete_workspace(world.store, NAME, NOBODY)
    return await made(world, git, LAYER)


async def capturing_a_layer(world: World, git: Git) -> object:
    """Capture what was done in a layer, its submodule included."""
    workspace = find_workspace(world.store, "layered")
    if workspace is None:
        made_now = await world.workspace(world.bench.git, "layered", LAYER)
        assert isinstance(made_now, Workspace), made_now
        workspace = made_now
        for name in ("one.up", "sub/file", "made"):
            workspace.folder.joinpath(name).write_text("agent\n")
    return await capture(git, world.store, workspace, date=AT)


async def settling(world: World, git: Git) -> object:
    """Settle a conflict by a side, and look for what else could settle it."""
    store = world.store
    trees = Three(world.base.tree, world.later.tree, world.other.tree)
    result = await merge_trees(git, store, trees.base, trees.ours, trees.theirs, AT)
    if isinstance(result, GitFailed):
        return result
    assert isinstance(result, Conflicted), result
    offered = await suggested(git, store, result.conflicts, AT)
    if isinstance(offered, GitFailed):
        return offered
    found = []
    for conflict in result.conflicts:
        held = await side_held(git, store, trees, conflict, Side.THEIRS)
        if isinstance(held, GitFailed):
            return held
        found.append(Resolution(conflict, Take.THEIRS, held))
    settled = await merge_resolved(git, store, trees, AT, found)
    if isinstance(settled, GitFailed):
        return settled
    assert isinstance(settled, Merged), settled
    return settled.tree, offered


STAGES: dict[str, Stage] = {
    "spare": in_a_spare,
    "layer": over_an_older_checkout,
    "first layer": over_no_checkout,
    "capture of a layer": capturing_a_layer,
    "resolution": settling,
}


@pytest.mark.parametrize("name", STAGES)
async def test_every_call_of_git_may_go_wrong(world: World, name: str) -> None:
    if "layer" in name:
        where_there_are_layers()
    run, tree = STAGES[name], world.bench.tree
    await run(world, world.bench.git)
    right = await run(world, world.faulty.counting())
    assert not isinstance(right, GitFailed), right
    calls = world.faulty.calls()
    git_dir, files = untouched_view(tree.path(".git")), contents(tree.folder)
    # Files that are locked at times stay.
    there = sorted(left_behind(world.store))
    for number, command in enumerate(calls, start=1):
        for fault in faults_at(number):
            where = f"{name}: call {number}, {command}, {fault}"
            answer = await run(world, world.faulty.at(number, fault))
            assert_right_or_failed(answer, right, where)
            assert untouched_view(tree.path(".git")) == git_dir, where
            assert contents(tree.folder) == files, where
            assert sorted(left_behind(world.store)) == there, where
    assert await run(world, world.bench.git) == right
    sound = tree.git(f"--git-dir={world.store.git_dir}", "fsck", "--strict", "--no-dangling")
    assert sound == b""
