"""The ladders of runs whose workspace is mounted in layers: the same claims as without."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from attrs import evolve, frozen

from sennit.adapters.overlay.layers import Layers
from sennit.adapters.processes import LocalExecutor
from sennit.adapters.runs.values import RunSpec, SpawnFailed, Started
from tests.adapters.runs import test_ending
from tests.adapters.runs.running import processes_of, shell
from tests.adapters.runs.test_ending import (
    test_a_background_child_that_holds_the_output_delays_nothing,
    test_a_chain_of_processes_that_replace_each_other_is_caught,
    test_a_polite_agent_ends_on_the_first_rung,
    test_an_agent_may_close_its_output_and_go_on,
    test_an_agent_that_ignores_everything_is_killed_in_its_time,
    test_nothing_is_left_after_a_stop,
    test_nothing_is_left_after_force,
    test_nothing_is_left_after_success,
    test_who_works_in_the_workspace_belongs_to_the_run,
)
from tests.adapters.workspaces.mounted import where_there_are_layers

pytestmark = pytest.mark.anyio

__all__ = [
    "test_a_background_child_that_holds_the_output_delays_nothing",
    "test_a_chain_of_processes_that_replace_each_other_is_caught",
    "test_a_polite_agent_ends_on_the_first_rung",
    "test_an_agent_may_close_its_output_and_go_on",
    "test_an_agent_that_ignores_everything_is_killed_in_its_time",
    "test_nothing_is_left_after_a_stop",
    "test_nothing_is_left_after_force",
    "test_nothing_is_left_after_success",
    "test_who_works_in_the_workspace_belongs_to_the_run",
]


@frozen
class LayeredExecutor(LocalExecutor):
    """Has the workspace of each run mounted over a folder beside it."""

    async def start(self, run_id: str, workspace: Path, spec: RunSpec) -> Started | SpawnFailed:
        beside = workspace.parent
        layers = Layers(beside / "lower", workspace, beside / "work", beside / "lock")
        return await super().start(run_id, workspace, evolve(spec, layers=layers))


@pytest.fixture(scope="module", autouse=True)
def _there_are_layers() -> None:
    where_there_are_layers()


@pytest.fixture
async def executor(tmp_path: Path) -> AsyncIterator[LocalExecutor]:
    for name in ("lower", "work"):
        (tmp_path / name).mkdir()
    (tmp_path / "lower" / "below").mkdir()
    (tmp_path / "lower" / "below" / "file").write_text("from below\n")
    (tmp_path / "lock").touch()
    local = LayeredExecutor(tmp_path / "runs", dict(os.environ))
    yield local
    await local.close()


@pytest.mark.parametrize("delay_ms", [0, 20, 50, 90])
async def test_a_shim_killed_at_any_instant_leaves_nothing(
    executor: LocalExecutor, workspace: Path, tmp_path: Path, delay_ms: int
) -> None:
    await test_ending.test_a_shim_killed_at_any_instant_leaves_nothing(
        executor, workspace, tmp_path, delay_ms
    )


async def test_a_first_process_that_is_killed_takes_the_agent_with_it(
    executor: LocalExecutor, workspace: Path, tmp_path: Path
) -> None:
    script = "sleep 1000 & setsid sleep 1000 & (setsid sleep 1000 &) ; kill -9 $PPID; wait"
    await test_ending.started(executor, workspace, shell(script))
    end = await test_ending.end_of(executor)
    assert (end.signal, end.survivors) == (9, ())
    assert processes_of(tmp_path) == []


async def test_an_agent_that_is_ended_while_it_renames_folders_leaves_every_file(
    executor: LocalExecutor, workspace: Path, tmp_path: Path
) -> None:
    for number in range(200):
        (tmp_path / "lower" / "below" / str(number)).write_text("from below\n")
    script = "while :; do mv below above; : > ready; mv above below; done"
    await test_ending.started(executor, workspace, shell(script))
    await test_ending.ready(workspace)
    await executor.stop("r-1", force=True)
    end = await test_ending.end_of(executor)
    assert end.survivors == ()
    count = "cat below/* above/* 2> /dev/null | wc -l"
    await executor.start("r-2", workspace, shell(count))
    assert (await executor.wait("r-2")).code == 0
    assert (executor.runs_folder / "r-2" / "stdout").read_text().strip() == "201"
