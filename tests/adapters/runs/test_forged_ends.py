"""What an agent writes or destroys of what is kept of its run does not keep it from being ended."""

import os
from pathlib import Path

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from sennit.adapters.processes import LocalExecutor
from sennit.adapters.runs.values import Cursor, EndCause, Ended
from tests.adapters.runs.running import PATIENCE_S, processes_of, shell
from tests.adapters.runs.test_ending import end_of, sleepers, started

pytestmark = pytest.mark.anyio


async def test_a_forged_end_is_believed_only_after_a_sweep(
    executor: LocalExecutor, workspace: Path, tmp_path: Path
) -> None:
    forged = '{"cause": "exited", "code": 0, "started_ms": 1, "ended_ms": 2}'
    script = f"sleep 1000 & kill -9 $PPID; echo '{forged}' > $SENNIT_RUN_DIR/../exit.json; wait"
    await started(executor, workspace, shell(script))
    await end_of(executor)
    assert processes_of(tmp_path) == []


@pytest.mark.parametrize("record", ["[]", "{}", '{"cause": "x"}', "{", '{"cause": 3, "code": []}'])
async def test_rubbish_in_place_of_an_end_is_no_end(
    executor: LocalExecutor, workspace: Path, record: str
) -> None:
    script = f"echo '{record}' > $SENNIT_RUN_DIR/../exit.json; setsid sleep 1000 & kill -9 $PPID"
    await started(executor, workspace, shell(script))
    assert (await end_of(executor)).cause is EndCause.LOST


DESTROY = {
    "spec": "rm $RUN/spec.json",
    "rubbish": "echo '{}' > $RUN/spec.json",
    "list": "echo '[' > $RUN/spec.json; echo '[]' > $RUN/started.json",
    "pipe": "rm $RUN/spec.json $RUN/started.json; mkfifo $RUN/spec.json $RUN/started.json",
    "folder": "rm -r $RUN",
    "output": "rm $RUN/stdout $RUN/stderr; mkfifo $RUN/stdout; ln -s /dev/zero $RUN/stderr",
}


@pytest.mark.parametrize("how", DESTROY)
@pytest.mark.parametrize("last", ["kill -9 $PPID; wait", "exit 3"])
async def test_an_agent_that_destroys_what_is_written_of_it_leaves_nothing(
    executor: LocalExecutor, workspace: Path, tmp_path: Path, how: str, last: str
) -> None:
    brood = "(cd /; setsid sleep 1000 &); sleep 1000 &"
    script = f"RUN=$SENNIT_RUN_DIR/..; RUN=$(realpath $RUN); {brood} {DESTROY[how]}; {last}"
    await started(executor, workspace, shell(script))
    end = await end_of(executor)
    assert end.cause in {EndCause.LOST, EndCause.EXITED}
    assert processes_of(tmp_path) == []
    await executor.record("r-1")
    with anyio.fail_after(PATIENCE_S):
        told = [event async for event in executor.events("r-1", Cursor())]
    assert told[-1] == Ended(end)
    assert await executor.sweep("r-1") == ()


async def test_a_run_of_the_same_name_elsewhere_is_left_alone(
    executor: LocalExecutor, workspace: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    other = LocalExecutor(tmp_path / "other runs", dict(os.environ))
    await other.start("r-1", elsewhere, shell("until [ -e go ]; do sleep .01; done; exit 3"))
    await started(executor, workspace, shell("exit 0"))
    await end_of(executor)
    (elsewhere / "go").touch()
    assert (await other.wait("r-1")).code == 3


async def test_a_stray_with_only_the_name_of_its_run_is_found(
    executor: LocalExecutor, workspace: Path, nap: str
) -> None:
    stray = f"env -u SENNIT_RUN_DIR setsid sh -c 'cd /; exec sleep {nap}' & sleep 0.2"
    await started(executor, workspace, shell(f"{stray}; kill -9 $PPID"))
    await end_of(executor)
    assert sleepers(nap) == []
