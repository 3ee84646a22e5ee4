import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from sennit.adapters.platform import processes
from sennit.adapters.platform.open_files import at_work_in
from sennit.adapters.processes import LocalExecutor
from sennit.adapters.runs.values import EndCause, Left
from tests.adapters.runs.running import eventually, processes_of, shell, stranger_in
from tests.nursery import PipedNestling, launch_from_nursery

pytestmark = pytest.mark.anyio

BROOD = """
sleep 1000 & setsid sleep 1000 & (setsid sh -c 'sleep 1000 &' &)
trap '' INT TERM; echo ready > ready; while :; do sleep 0.05; done
"""


@contextmanager
def server(tmp_path: Path, workspace: Path, script: str) -> Iterator[PipedNestling]:
    argv = ["starter", str(tmp_path / "runs"), str(workspace), script]
    with (tmp_path / "errors").open("wb") as errors:
        running = launch_from_nursery(argv, None, None, errors)
    assert running.stdin is not None
    assert running.stdout is not None
    with running.stdin, running.stdout:
        assert running.stdout.readline() == b"about to start\n"
        try:
            yield running
        finally:
            running.kill()
            running.wait()


def shims_of(tmp_path: Path) -> list[int]:
    found = []
    for pid in processes_of(tmp_path):
        # What has ended meanwhile is none any more.
        with suppress(OSError):
            if b"shim.py" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
    return found


async def recovered(executor: LocalExecutor) -> Left | None:
    left = await executor.recover()
    assert len(left) <= 1
    return left[0] if left else None


@pytest.mark.parametrize("delay_ms", [0, 2, 4, 6, 9, 12, 15, 18, 21, 25, 30, 35, 40, 50, 70])
async def test_a_server_killed_during_a_start_leaves_nothing(
    executor: LocalExecutor, tmp_path: Path, workspace: Path, delay_ms: int
) -> None:
    with server(tmp_path, workspace, "echo > ran; " + BROOD) as running:
        time.sleep(delay_ms / 1000)  # noqa: ASYNC251  the instant of death is what varies
        running.kill()
        running.wait()
    left = await recovered(executor)
    # A shim that has just written its record, or was not yet its own program when others were
    # swept, finds its server gone and ends by itself. What becomes a program just now shows no
    # variables, but has the files that it was given.
    await anyio.to_thread.run_sync(
        eventually, lambda: not at_work_in(tmp_path) and not processes_of(tmp_path)
    )
    if left is None:
        # Nothing had been intended yet.
        assert not (workspace / "ran").exists()
        return
    assert left.outcome.survivors == ()
    assert left.workspace == workspace
    if left.outcome.cause is EndCause.NEVER_STARTED:
        assert not (workspace / "ran").exists()


async def test_the_run_ends_with_its_server_and_without_a_successor(
    executor: LocalExecutor, tmp_path: Path, workspace: Path
) -> None:
    with server(tmp_path, workspace, BROOD) as running:
        await anyio.to_thread.run_sync(eventually, (workspace / "ready").exists)
        running.kill()
        running.wait()
        await anyio.to_thread.run_sync(eventually, lambda: processes_of(tmp_path) == [])
    left = await recovered(executor)
    assert left is not None
    assert (left.outcome.signal, left.outcome.cause) == (9, EndCause.OWNER_DIED)


async def test_recovery_does_not_wait_for_a_slow_ladder(
    executor: LocalExecutor, tmp_path: Path, workspace: Path
) -> None:
    with server(tmp_path, workspace, BROOD) as running:
        await anyio.to_thread.run_sync(eventually, (workspace / "ready").exists)
        running.kill()
        running.wait()
    left = await recovered(executor)
    assert left is not None
    assert left.outcome.cause is EndCause.OWNER_DIED
    assert processes_of(tmp_path) == []


async def test_server_and_shim_killed_together_leave_nothing_after_recovery(
    executor: LocalExecutor, tmp_path: Path, workspace: Path
) -> None:
    with server(tmp_path, workspace, BROOD) as running:
        await anyio.to_thread.run_sync(eventually, (workspace / "ready").exists)
        started = json.loads((tmp_path / "runs" / "r-1" / "started.json").read_text())
        os.kill(running.pid, 19)
        os.kill(started["shim_pid"], 9)
        running.kill()
        running.wait()
    assert processes_of(tmp_path) != []
    left = await recovered(executor)
    assert left is not None
    assert (left.outcome.code, left.outcome.cause) == (None, EndCause.LOST)
    assert left.outcome.swept >= 3


async def test_an_end_that_nobody_took_note_of_is_told_until_it_is_released(
    executor: LocalExecutor, tmp_path: Path, workspace: Path
) -> None:
    with server(tmp_path, workspace, "echo out; exit 3") as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"started\n"
        assert running.stdout.readline() == b"ended\n"
        assert await executor.recover() == ()
        running.kill()
        running.wait()
    first = await executor.recover()
    assert [(each.run_id, each.outcome.code) for each in first] == [("r-1", 3)]
    assert await executor.recover() == first
    await executor.release("r-1")
    assert await executor.recover() == ()
    assert await executor.record("r-1") is not None
    await executor.delete("r-1")
    assert await executor.record("r-1") is None


async def test_a_run_of_a_living_server_is_left_alone(
    executor: LocalExecutor, workspace: Path
) -> None:
    await executor.start("r-1", workspace, shell("sleep 0.2; exit 4"))
    other = LocalExecutor(executor.runs_folder, {})
    assert await other.recover() == ()
    assert (await executor.wait("r-1")).code == 4


async def test_a_pid_that_is_used_again_is_not_killed(
    executor: LocalExecutor, workspace: Path
) -> None:
    await executor.start("r-1", workspace, shell("exec sleep 1000"))
    folder = executor.runs_folder / "r-1"
    me = os.getpid()
    # As if shim and server were gone and both pids were now those of this very process.
    started = json.loads((folder / "started.json").read_text())
    started |= {"shim_pid": me, "pid": me}
    spec = json.loads((folder / "spec.json").read_text())
    spec |= {"owner_pid": me, "owner_start": spec["owner_start"] - 1}
    (folder / "started.json").write_text(json.dumps(started))
    (folder / "spec.json").write_text(json.dumps(spec))
    left = await LocalExecutor(executor.runs_folder, {}).recover()
    assert left[0].outcome.cause is EndCause.LOST


async def test_after_a_reboot_no_process_is_touched(
    executor: LocalExecutor, tmp_path: Path, workspace: Path
) -> None:
    await executor.start("r-1", workspace, shell("exec sleep 1000"))
    spec_file = executor.runs_folder / "r-1" / "spec.json"
    spec_file.write_text(json.dumps(json.loads(spec_file.read_text()) | {"boot_id": "other"}))
    started_file = executor.runs_folder / "r-1" / "started.json"
    started_file.write_text(json.dumps(json.loads(started_file.read_text()) | {"boot_id": "o"}))
    before = processes_of(tmp_path)
    left = await LocalExecutor(executor.runs_folder, {}).recover()
    assert left[0].outcome.cause is EndCause.LOST
    assert {*before} <= {*processes_of(tmp_path)}


async def test_an_old_process_is_spared_whatever_it_looks_like(
    executor: LocalExecutor, workspace: Path
) -> None:
    with stranger_in(workspace) as stranger:
        start = processes.start_time(stranger.pid)
        await anyio.to_thread.run_sync(eventually, lambda: processes.ticks_now() > (start or 0) + 3)
        await executor.start("r-1", workspace, shell("exit 0"))
        assert (await executor.wait("r-1")).swept == 0
        assert stranger.poll() is None


async def test_two_servers_that_recover_at_once_agree(
    executor: LocalExecutor, tmp_path: Path, workspace: Path
) -> None:
    with server(tmp_path, workspace, BROOD) as running:
        await anyio.to_thread.run_sync(eventually, (workspace / "ready").exists)
        running.kill()
        running.wait()
    told: list[Left] = []

    async def recover() -> None:
        told.extend(await LocalExecutor(executor.runs_folder, {}).recover())

    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(recover)
    assert len({each.outcome for each in told}) == 1


@pytest.mark.parametrize(
    "destroy",
    [
        "rm spec.json",
        "echo '{}' > spec.json",
        "echo '{\"owner_pid\": \"x\"}' > spec.json; echo '{}' > started.json",
        "rm spec.json; mkfifo spec.json; echo '[' > exit.json",
    ],
)
async def test_what_an_agent_has_destroyed_keeps_no_server_from_its_start(
    executor: LocalExecutor, tmp_path: Path, workspace: Path, destroy: str
) -> None:
    here = "cd $SENNIT_RUN_DIR/.."
    with server(tmp_path, workspace, f"({here}; {destroy}); {BROOD}") as running:
        await anyio.to_thread.run_sync(eventually, (workspace / "ready").exists)
        # Both at once, so that nobody but the next server can see to it.
        for pid in shims_of(tmp_path):
            os.kill(pid, signal.SIGKILL)
        running.kill()
        running.wait()
    # A shim that is still ending has its run in hands.
    await anyio.to_thread.run_sync(eventually, lambda: not shims_of(tmp_path))
    left = await recovered(executor)
    assert left is not None
    assert left.outcome.survivors == ()
    await anyio.to_thread.run_sync(eventually, lambda: processes_of(tmp_path) == [])


async def test_a_folder_without_an_order_is_no_run(
    executor: LocalExecutor, workspace: Path
) -> None:
    await executor.start("r-1", workspace, shell("exit 0"))
    await executor.wait("r-1")
    for file in ("spec.json", "stdout", "started.json"):
        # Nothing is started before the first of them is on disk.
        (executor.runs_folder / "r-1" / file).unlink()
    assert await LocalExecutor(executor.runs_folder, {}).recover() == ()
