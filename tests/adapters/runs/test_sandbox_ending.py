"""How runs in a real sandbox end, and that nothing of them is left."""

import json
import os
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from sennit.adapters.platform import processes
from sennit.adapters.platform.sweeping import Quarry, belonging, sweep
from sennit.adapters.processes import LocalExecutor
from sennit.adapters.runs.values import EndCause, Started
from sennit.core.agents import Polite
from sennit.core.sandbox import Confined
from tests.adapters.runs.boxed import ENDURE, ready, said
from tests.adapters.runs.running import processes_of, shell

pytestmark = pytest.mark.anyio

BROOD = r"""
sleep 1000 & setsid sleep 1000 &
(setsid sh -c 'sleep 1000 & env -i setsid sleep 1000 & cd / && sleep 1000' >/dev/null 2>&1 &) &
env -i setsid sh -c 'cd / ; sleep 1000 & exec sleep 1000' &
while [ $(cat /proc/[0-9]*/cmdline | tr '\0' '\n' | grep -cx 1000) -lt 7 ]; do :; done
echo ready > ready
"""
"""Children in the group, in other sessions, orphaned, without marker and outside the folder."""


def space(pid: int) -> str | None:
    """The pid namespace of a process; None once it is gone, as those of a shell's loop are soon."""
    try:
        return str(Path(f"/proc/{pid}/ns/pid").readlink())
    except OSError:
        return None


def inside(tmp_path: Path) -> list[int]:
    """Whoever shares a sandbox of this test, by what its first process is; also unmarked ones."""
    spaces = {space(pid) for pid in processes_of(tmp_path)} - {space(os.getpid()), None}
    alive = [each.pid for each in processes.processes() if not each.ended]
    return [pid for pid in alive if space(pid) in spaces]


def are_gone(pids: list[int]) -> bool:
    found = (processes.process(pid) for pid in pids)
    return all(each is None or each.ended for each in found)


@pytest.mark.parametrize("force", [False, True])
async def test_nothing_is_left_after_a_stop(
    executor: LocalExecutor, workspace: Path, tmp_path: Path, box: Confined, *, force: bool
) -> None:
    await executor.start("r-1", workspace, shell(BROOD + "wait", sandbox=box))
    await ready(workspace)
    brood = inside(tmp_path)
    assert len(brood) >= 8
    await executor.stop("r-1", force=force)
    with anyio.fail_after(ENDURE):
        end = await executor.wait("r-1")
    assert end.survivors == ()
    assert end.cause is (EndCause.KILLED if force else EndCause.STOPPED)
    assert are_gone(brood)


async def test_nothing_is_left_after_success(
    executor: LocalExecutor, workspace: Path, tmp_path: Path, box: Confined
) -> None:
    script = BROOD + "while [ ! -e seen ]; do sleep 0.01; done; exit 4"
    await executor.start("r-1", workspace, shell(script, sandbox=box))
    await ready(workspace)
    brood = inside(tmp_path)
    assert len(brood) >= 8
    (workspace / "seen").touch()
    with anyio.fail_after(ENDURE):
        end = await executor.wait("r-1")
    assert (end.code, end.survivors) == (4, ())
    assert are_gone(brood)


async def test_a_polite_agent_ends_on_the_first_rung(
    executor: LocalExecutor, workspace: Path, box: Confined
) -> None:
    script = "trap 'echo bye; exit 5' INT; echo > ready; while :; do sleep 0.01; done"
    await executor.start("r-1", workspace, shell(script, cancel_ms=20_000, sandbox=box))
    await ready(workspace)
    await executor.stop("r-1", force=False)
    with anyio.fail_after(ENDURE):
        end = await executor.wait("r-1")
    assert (end.code, end.cause, said(executor)) == (5, EndCause.STOPPED, "bye\n")


async def test_term_reaches_the_agent_and_its_group(
    executor: LocalExecutor, workspace: Path, box: Confined
) -> None:
    script = (
        "sh -c 'trap \"echo child; exit\" TERM; echo > ready; while :; do sleep 0.01; done' & "
        "trap 'wait; echo agent; exit 6' TERM; wait"
    )
    spec = shell(script, polite=Polite.NOTHING, term_ms=20_000, sandbox=box)
    await executor.start("r-1", workspace, spec)
    await ready(workspace)
    await executor.stop("r-1", force=False)
    with anyio.fail_after(ENDURE):
        end = await executor.wait("r-1")
    assert (end.code, said(executor).split()) == (6, ["child", "agent"])


async def test_an_agent_that_ignores_signals_is_killed(
    executor: LocalExecutor, workspace: Path, box: Confined
) -> None:
    script = "trap '' INT TERM; echo > ready; while :; do sleep 0.01; done"
    await executor.start("r-1", workspace, shell(script, sandbox=box))
    await ready(workspace)
    await executor.stop("r-1", force=False)
    with anyio.fail_after(ENDURE):
        end = await executor.wait("r-1")
    assert (end.signal, end.survivors) == (9, ())


@pytest.mark.parametrize("victim", ["bubblewrap", "shim"])
async def test_who_kills_what_holds_the_sandbox_ends_all_that_is_in_it(
    executor: LocalExecutor, workspace: Path, tmp_path: Path, box: Confined, victim: str
) -> None:
    start = await executor.start("r-1", workspace, shell(BROOD + "wait", sandbox=box))
    assert isinstance(start, Started)
    await ready(workspace)
    brood = inside(tmp_path)
    found = processes.process(start.pid)
    assert found is not None
    os.kill(start.pid if victim == "bubblewrap" else found.parent, 9)
    with anyio.fail_after(ENDURE):
        end = await executor.wait("r-1")
    assert end.survivors == ()
    assert are_gone(brood)
    assert end.cause is (EndCause.EXITED if victim == "bubblewrap" else EndCause.LOST)


async def test_who_ends_what_a_lost_run_left_waits_for_the_last_in_its_sandbox(
    executor: LocalExecutor, workspace: Path, tmp_path: Path, box: Confined
) -> None:
    # The first process of the sandbox has no mark left once it is being killed.
    start = await executor.start("r-1", workspace, shell(BROOD + "wait", sandbox=box))
    assert isinstance(start, Started)
    await ready(workspace)
    written = json.loads((tmp_path / "runs" / "r-1" / "started.json").read_text())
    reaper, began = written["reaper_pid"], written["reaper_start"]
    assert reaper in inside(tmp_path)
    assert processes.is_alive(reaper, began)
    unmarked = (b"SENNIT_RUN=no", b"SENNIT_RUN_DIR=no")
    assert belonging(Quarry(unmarked, None, 0, None, (reaper, began))) == {reaper: began}
    assert belonging(Quarry(unmarked, None, 0, None, (reaper, began - 1))) == {}
    brood = inside(tmp_path)
    swept = sweep(Quarry(unmarked, None, 0, None, (reaper, began)), 10_000, lambda: True)
    assert swept.killed == {reaper}
    assert swept.survivors == ()
    assert are_gone(brood)
    with anyio.fail_after(ENDURE):
        assert (await executor.wait("r-1")).survivors == ()
