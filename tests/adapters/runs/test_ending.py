import json
import os
import signal
import sys
import time
from pathlib import Path

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from sennit.adapters.platform import processes
from sennit.adapters.processes import LocalExecutor
from sennit.adapters.runs.values import EndCause, Exited, RunSpec, Started
from sennit.core.agents import Polite
from tests.adapters.runs.running import PATIENCE_S, eventually, processes_of, shell, stranger_in

pytestmark = pytest.mark.anyio

BROOD = r"""
sleep NAP &
setsid sleep NAP &
(setsid sh -c 'sleep NAP & env -i setsid sleep NAP & cd / && sleep NAP' >/dev/null 2>&1 &) &
env -i setsid sh -c 'cd / ; sleep NAP & exec sleep NAP' &
while [ $(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' | grep -cxF NAP) -lt 7 ]; do :; done
echo ready > ready
"""
"""Children in the group, in other sessions, orphaned, without marker and outside the folder."""


async def started(executor: LocalExecutor, workspace: Path, spec: RunSpec) -> Started:
    start = await executor.start("r-1", workspace, spec)
    assert isinstance(start, Started), start
    return start


async def ready(workspace: Path) -> None:
    await anyio.to_thread.run_sync(eventually, (workspace / "ready").exists)


async def end_of(executor: LocalExecutor) -> Exited:
    with anyio.fail_after(PATIENCE_S):
        return await executor.wait("r-1")


def sleepers(nap: str) -> list[int]:
    return [
        each.pid
        for each in processes.processes()
        if not each.ended and nap.encode() in _command(each.pid).split(b"\0")
    ]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


async def test_nothing_is_left_after_success(
    executor: LocalExecutor, workspace: Path, nap: str
) -> None:
    await started(executor, workspace, shell(BROOD.replace("NAP", nap) + "exit 0"))
    end = await end_of(executor)
    assert (end.code, end.cause, end.survivors) == (0, EndCause.EXITED, ())
    assert end.swept >= 7
    assert sleepers(nap) == []


async def test_nothing_is_left_after_a_stop(
    executor: LocalExecutor, workspace: Path, nap: str
) -> None:
    await started(executor, workspace, shell(BROOD.replace("NAP", nap) + "wait"))
    await ready(workspace)
    await executor.stop("r-1", force=False)
    end = await end_of(executor)
    assert (end.cause, end.survivors) == (EndCause.STOPPED, ())
    assert sleepers(nap) == []


async def test_nothing_is_left_after_force(
    executor: LocalExecutor, workspace: Path, nap: str
) -> None:
    script = f"trap '' INT TERM; {BROOD.replace('NAP', nap)} wait"
    spec = shell(script, cancel_ms=60_000, term_ms=60_000)
    await started(executor, workspace, spec)
    await ready(workspace)
    await executor.stop("r-1", force=True)
    end = await end_of(executor)
    assert (end.signal, end.cause, end.survivors) == (9, EndCause.KILLED, ())
    assert sleepers(nap) == []


async def test_a_polite_agent_ends_on_the_first_rung(
    executor: LocalExecutor, workspace: Path
) -> None:
    script = "trap 'echo bye; exit 5' INT; echo > ready; while :; do sleep 0.01; done"
    await started(executor, workspace, shell(script, cancel_ms=20_000))
    await ready(workspace)
    await executor.stop("r-1", force=False)
    end = await end_of(executor)
    assert (end.code, end.cause) == (5, EndCause.STOPPED)


async def test_an_agent_that_is_not_asked_politely_gets_term_at_once(
    executor: LocalExecutor, workspace: Path
) -> None:
    script = "trap 'exit 5' INT; trap 'exit 6' TERM; echo > ready; while :; do sleep 0.01; done"
    await started(executor, workspace, shell(script, polite=Polite.NOTHING, cancel_ms=20_000))
    await ready(workspace)
    await executor.stop("r-1", force=False)
    assert (await end_of(executor)).code == 6


async def test_an_agent_that_ignores_everything_is_killed_in_its_time(
    executor: LocalExecutor, workspace: Path
) -> None:
    spec = shell("trap '' INT TERM HUP; echo > ready; while :; do sleep 0.01; done")
    await started(executor, workspace, spec)
    await ready(workspace)
    began = time.monotonic()
    await executor.stop("r-1", force=False)
    end = await end_of(executor)
    assert (end.signal, end.cause) == (9, EndCause.STOPPED)
    assert 0.4 <= time.monotonic() - began < 3


async def test_force_overtakes_a_ladder_on_its_way(
    executor: LocalExecutor, workspace: Path
) -> None:
    spec = shell("trap '' INT TERM; echo > ready; while :; do sleep 0.01; done", cancel_ms=60_000)
    await started(executor, workspace, spec)
    await ready(workspace)
    await executor.stop("r-1", force=False)
    await executor.stop("r-1", force=True)
    assert (await end_of(executor)).signal == 9


async def test_a_stopped_agent_and_a_stopped_shim_end_too(
    executor: LocalExecutor, workspace: Path
) -> None:
    script = "until [ -e go ]; do sleep 0.01; done; kill -STOP $PPID; kill -STOP $$"
    await started(executor, workspace, shell(script))
    (workspace / "go").touch()
    shim = json.loads((executor.runs_folder / "r-1" / "started.json").read_text())["shim_pid"]
    await anyio.to_thread.run_sync(eventually, lambda: _state(shim) == "T")
    await executor.stop("r-1", force=False)
    assert (await end_of(executor)).cause is EndCause.STOPPED


async def test_a_shim_that_is_stopped_before_its_word_is_woken(
    executor: LocalExecutor, workspace: Path
) -> None:
    async def stop_the_shim() -> None:
        while "r-1" not in executor._runs:
            await anyio.lowlevel.checkpoint()
        os.kill(executor._runs["r-1"].shim.pid, signal.SIGSTOP)

    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as group:
            group.start_soon(stop_the_shim)
            start = await executor.start("r-1", workspace, shell("exit 3"))
    assert isinstance(start, Started), start
    assert start.pid
    assert (await end_of(executor)).code == 3


@pytest.mark.parametrize("force", [False, True])
async def test_an_agent_that_stops_its_shim_again_and_again_ends_in_time(
    force: bool,  # noqa: FBT001  a column
    executor: LocalExecutor,
    workspace: Path,
    tmp_path: Path,
) -> None:
    script = "trap '' INT TERM; echo > ready; while :; do kill -STOP $PPID; done"
    await started(executor, workspace, shell(script))
    await ready(workspace)
    with anyio.fail_after(60):
        await executor.stop("r-1", force=force)
        assert (await executor.wait("r-1")).survivors == ()
    assert processes_of(tmp_path) == []


async def test_a_stop_after_the_end_changes_nothing(
    executor: LocalExecutor, workspace: Path
) -> None:
    await started(executor, workspace, shell("exit 3"))
    end = await end_of(executor)
    await executor.stop("r-1", force=False)
    await executor.stop("r-1", force=True)
    assert await end_of(executor) == end


async def test_an_agent_may_close_its_output_and_go_on(
    executor: LocalExecutor, workspace: Path
) -> None:
    script = "exec <&- >&- 2>&-; sleep 0.3; : > later; exit 4"
    await started(executor, workspace, shell(script))
    assert (await end_of(executor)).code == 4
    assert (workspace / "later").exists()


async def test_a_background_child_that_holds_the_output_delays_nothing(
    executor: LocalExecutor, workspace: Path
) -> None:
    await started(executor, workspace, shell("sleep 1000 & echo done; exit 0"))
    end = await end_of(executor)
    assert (end.code, end.output_bytes, end.swept) == (0, 5, 1)


async def test_a_flood_is_counted_and_not_kept(executor: LocalExecutor, workspace: Path) -> None:
    total = 50_000_000
    script = f"head -c {total} /dev/zero; head -c 10 /dev/zero >&2; echo > ready"
    await started(executor, workspace, shell(script, output_limit=1000))
    end = await end_of(executor)
    assert (end.code, end.output_bytes, end.truncated) == (0, total + 10, True)
    assert (executor.runs_folder / "r-1" / "stdout").stat().st_size == 1000
    assert (executor.runs_folder / "r-1" / "stderr").stat().st_size == 10


CHAIN = """
import os, sys
if len(sys.argv) > 1:
    os.kill(os.getppid(), 9)
while True:
    if os.fork():
        os._exit(0)
    os.setsid()
    beat = os.open("beat", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(beat, b".")
    os.close(beat)
"""
"""Each process forks the next and ends: at any instant one lives, and never where one was."""


@pytest.mark.parametrize("arguments", [(), ("kill the shim",)])
async def test_a_chain_of_processes_that_replace_each_other_is_caught(
    executor: LocalExecutor, workspace: Path, arguments: tuple[str, ...]
) -> None:
    spec = RunSpec((sys.executable, "-I", "-S", "-c", CHAIN, *arguments))
    await started(executor, workspace, spec)
    end = await end_of(executor)
    assert end.survivors == ()
    beats = _size(workspace / "beat")
    await anyio.sleep(0.3)
    assert _size(workspace / "beat") == beats


async def test_a_dead_shim_is_noticed_and_cleaned_up_after(
    executor: LocalExecutor, workspace: Path, tmp_path: Path
) -> None:
    script = "sleep 1000 & setsid sleep 1000 & (setsid sleep 1000 &) ; kill -9 $PPID; wait"
    await started(executor, workspace, shell(script))
    end = await end_of(executor)
    assert (end.code, end.signal, end.cause, end.survivors) == (None, None, EndCause.LOST, ())
    assert processes_of(tmp_path) == []


@pytest.mark.parametrize("delay_ms", [0, 3, 6, 10, 14, 18, 22, 26, 30, 35, 40, 60])
async def test_a_shim_killed_at_any_instant_leaves_nothing(
    executor: LocalExecutor, workspace: Path, tmp_path: Path, delay_ms: int
) -> None:
    async def kill_the_shim() -> None:
        while "r-1" not in executor._runs:
            await anyio.lowlevel.checkpoint()
        shim = executor._runs["r-1"].shim.pid
        await anyio.sleep(delay_ms / 1000)
        os.kill(shim, 9)

    spec = shell("echo > ran; sleep 1000 & (setsid sleep 1000 &) ; wait")
    async with anyio.create_task_group() as group:
        group.start_soon(kill_the_shim)
        start = await executor.start("r-1", workspace, spec)
    end = await end_of(executor)
    assert end.survivors == ()
    assert processes_of(tmp_path) == []
    if not isinstance(start, Started):
        assert end.cause is EndCause.NEVER_STARTED
        assert not (workspace / "ran").exists()


async def test_who_works_in_the_workspace_belongs_to_the_run(
    executor: LocalExecutor, workspace: Path
) -> None:
    await started(executor, workspace, shell("echo > ready; exec sleep 1000"))
    await ready(workspace)
    with stranger_in(workspace) as stranger:
        await executor.stop("r-1", force=True)
        await end_of(executor)
        assert stranger.poll() == -9


async def test_people_may_work_in_a_folder_that_is_not_swept(
    executor: LocalExecutor, workspace: Path
) -> None:
    await started(executor, workspace, shell("echo > ready; exec sleep 1000", sweep_folder=False))
    await ready(workspace)
    with stranger_in(workspace) as stranger:
        await executor.stop("r-1", force=True)
        await end_of(executor)
        assert stranger.poll() is None


async def test_several_may_wait_for_one_run(executor: LocalExecutor, workspace: Path) -> None:
    ends: list[Exited] = []

    async def wait() -> None:
        ends.append(await executor.wait("r-1"))

    await started(executor, workspace, shell("sleep 0.1; exit 2"))
    async with anyio.create_task_group() as group:
        for _ in range(4):
            group.start_soon(wait)
    assert [each.code for each in ends] == [2, 2, 2, 2]


async def test_a_cancelled_wait_harms_nothing(executor: LocalExecutor, workspace: Path) -> None:
    await started(executor, workspace, shell("until [ -e go ]; do sleep .01; done; exit 2"))
    with anyio.move_on_after(0.05) as scope:
        await executor.wait("r-1")
    assert scope.cancelled_caught
    (workspace / "go").touch()
    assert (await end_of(executor)).code == 2


async def test_a_cancelled_start_leaves_a_known_run(
    executor: LocalExecutor, workspace: Path
) -> None:
    with anyio.CancelScope() as scope:
        scope.cancel()
        await executor.start("r-1", workspace, shell("sleep 1000"))
    assert {*executor.running()} <= {"r-1"}
    await executor.close()
    assert executor.running() == ()


async def test_many_runs_in_one_workspace_end_each_for_itself(
    executor: LocalExecutor, workspace: Path
) -> None:
    codes: dict[int, int | None] = {}

    async def one(number: int) -> None:
        await executor.start(f"r-{number}", workspace, shell(f"sleep 0.0{number}; exit {number}"))
        codes[number] = (await executor.wait(f"r-{number}")).code

    async with anyio.create_task_group() as group:
        for number in range(8):
            group.start_soon(one, number)
    assert codes == {number: number for number in range(8)}
