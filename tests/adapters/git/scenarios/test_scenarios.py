"""In every kind of repository base, workspace, proposal and merge are those of plain git."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sennit.adapters.git.capture import Captured, capture
from sennit.adapters.git.git import git_for
from sennit.adapters.git.merges import merge_trees
from sennit.adapters.git.trees import tree_entries
from sennit.adapters.git.workspace import Workspace, make_checkout
from sennit.core.objects import (
    MODE_SUBMODULE,
    Conflicted,
    GitFailed,
    Merged,
    MergeResult,
    Snapshot,
)
from tests.adapters.git.bench import Bench, Watch, this_process
from tests.adapters.git.installed import needs_git
from tests.adapters.git.scenarios import (
    converted,
    included,
    indexes,
    layouts,
    merging,
    nested,
    newer,
    under_way,
)
from tests.adapters.git.scenarios.kinds import KINDS, kinds_of, seen_by_agents
from tests.adapters.git.scenarios.plain_git import Witness, witness
from tests.adapters.git.scenarios.scenario import Room, Scenario, contents
from tests.adapters.git.snapshots import reasons

ALL = os.environ.get("SENNIT_SCENARIOS") == "all"
# Git takes its time over 10,000 files where others work too.
pytestmark = [pytest.mark.anyio, pytest.mark.timeout(600 if ALL else 180)]

NOBODY = 65_534
SCENARIOS: dict[str, Scenario] = {
    **converted.SCENARIOS,
    **included.SCENARIOS,
    **indexes.SCENARIOS,
    **layouts.SCENARIOS,
    **nested.SCENARIOS,
    **under_way.SCENARIOS,
    **merging.SCENARIOS,
    **newer.SCENARIOS,
}


@pytest.fixture
def room(scenario: Scenario, environment: dict[str, str], tmp_path: Path) -> Iterator[Room]:
    """A folder for the repositories of a scenario; some are no scenario for the superuser."""
    if not scenario.somebody or os.geteuid() != 0:
        yield Room(tmp_path / "room", environment)
        return
    folder = Path(tempfile.mkdtemp(prefix="sennit-"))
    shutil.copytree(environment["HOME"], folder / "home")
    for path in (folder, folder / "home", folder / "home/.gitconfig"):
        os.chown(path, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        home = {"HOME": str(folder / "home"), "XDG_CONFIG_HOME": str(folder / "home/xdg")}
        yield Room(folder / "room", {**environment, **home})
    finally:
        os.seteuid(0)
        shutil.rmtree(folder)


@pytest.mark.parametrize(
    ("name", "scenario", "kind"),
    [
        pytest.param(name, scenario, kind, id=f"{name}-{kind}")
        for number, (name, scenario) in enumerate(SCENARIOS.items())
        for kind in kinds_of(number)
    ],
)
async def test_base_workspace_proposal_and_merge_are_those_of_plain_git(
    name: str, scenario: Scenario, kind: str, room: Room, untouched: Watch
) -> None:
    needs_git(scenario.needs_git, name)
    if scenario.slow and not ALL:
        pytest.skip("10,000 files take long; runs with SENNIT_SCENARIOS=all")
    room.folder.mkdir()
    made = scenario.build(room)
    bench = Bench(made.tree, room.folder.parent, git_for("git", room.environment))
    untouched.begin(*made.git_dirs)
    snapshot = await bench.snapshot()
    assert reasons(snapshot) == scenario.left_out
    assert snapshot.manifest.in_progress == scenario.in_progress
    workspace = await KINDS[kind](bench, snapshot)
    submodules = await submodules_in(bench, snapshot)
    with seen_by_agents(await bench.store(), workspace):
        files = contents(workspace.folder, submodules)
        scenario.agent(bench.inside(workspace))
    proposal = await proposed(bench, workspace)
    untouched.check()
    seen = witness(scenario, made, room.folder, submodules)
    assert snapshot.tree == seen.base
    assert files == seen.files
    assert proposal == seen.proposal
    untouched.begin(*made.git_dirs)
    live = await bench.snapshot()
    assert live.tree == seen.live
    assert_merged(scenario, await merged(bench, snapshot, live, proposal), seen)


async def submodules_in(bench: Bench, snapshot: Snapshot) -> tuple[bytes, ...]:
    entries = await tree_entries(bench.git, await bench.store(), snapshot.tree)
    assert not isinstance(entries, GitFailed), entries
    return tuple(path for path, entry in entries.items() if entry.mode == MODE_SUBMODULE)


async def proposed(bench: Bench, workspace: Workspace) -> str:
    captured = await capture(bench.git, await bench.store(), workspace, date=1_900_000_000)
    assert isinstance(captured, Captured), captured
    assert captured.left_out == ()
    assert captured.commits_failed is None
    return captured.tree


async def merged(bench: Bench, base: Snapshot, live: Snapshot, proposal: str) -> MergeResult:
    store = await bench.store()
    return await merge_trees(bench.git, store, base.tree, live.tree, proposal, 1_900_000_000)


def assert_merged(scenario: Scenario, result: MergeResult, seen: Witness) -> None:
    match result:
        case Merged(tree=tree):
            assert not scenario.conflict
            assert tree == seen.merged
        case Conflicted():
            assert scenario.conflict, result
            assert seen.merged is None
        case _:
            pytest.fail(str(result))


async def test_a_workspace_that_needs_what_a_partial_clone_lacks_is_refused(
    environment: dict[str, str], tmp_path: Path, untouched: Watch
) -> None:
    made = layouts.partial(Room(tmp_path, environment))
    made.tree.git("config", "--worktree", "core.sparseCheckout", "false")
    bench = Bench(made.tree, tmp_path, git_for("git", environment))
    untouched.begin(*made.git_dirs)
    snapshot = await bench.snapshot()
    folder = tmp_path / "task"
    refused = await make_checkout(
        bench.git,
        await bench.store(),
        await bench.repository(),
        snapshot,
        folder,
        owner=this_process(),
    )
    assert isinstance(refused, GitFailed)
    assert "cannot read object" in refused.stderr
    assert "partial clone" in refused.advice
    assert not folder.exists()
