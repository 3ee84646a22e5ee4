"""Runs in a real sandbox. Where bubblewrap does not work, the tests that need it say why not."""

import json
import os
import sys
import time
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from attrs import evolve

from sennit.adapters.processes import LocalExecutor
from sennit.adapters.runs.values import EndCause, RunSpec, SpawnFailed, SpawnStage
from sennit.adapters.sandbox.planning import Surroundings
from sennit.core.agents import Sandboxing
from sennit.core.sandbox import NOT_RECORDED, Confined, Unconfined
from tests.adapters.runs.boxed import ENDURE, ended, said
from tests.adapters.runs.running import eventually, shell

pytestmark = pytest.mark.anyio

CLIENT = str(Path(__file__).resolve().parents[3] / "rpc_server" / "sennit" / "ask_client.py")


def a_canary(around: Surroundings) -> Path:
    canary = Path(around.home, "repo", ".git", "config")
    canary.write_text("untouched")
    return canary


def read(path: Path) -> str | None:
    return path.read_text() if path.exists() else None


async def test_it_writes_where_it_may_and_nowhere_else(
    executor: LocalExecutor, workspace: Path, tmp_path: Path, around: Surroundings, box: Confined
) -> None:
    canary = a_canary(around)
    beside = tmp_path / "beside.txt"
    script = f"""
        may() {{ if (echo x > "$2") 2>/dev/null; then echo "$1"; fi; }}
        may workspace inside.txt
        may temporary /tmp/t; may temporary /var/tmp/t; may shared /dev/shm/t
        may state {around.home}/.agent/t
        may exchange "$SENNIT_RUN_DIR/t"
        may HOME {around.home}/t
        may GIT {canary}
        may RUN {executor.runs_folder}/r-1/prompt
        may ETC /etc/sennit-canary; may USR /usr/sennit-canary; may PROC /proc/sys/vm/swappiness
        echo x > {beside}
        echo "$TMPDIR"
    """
    end = await ended(executor, workspace, shell(script, sandbox=box))
    assert end.code == 0, said(executor, "stderr")
    expected = ["workspace", "temporary", "temporary", "shared", "state", "exchange", "/tmp"]  # noqa: S108  the name inside
    assert said(executor).split() == expected
    assert read(workspace / "inside.txt") == "x\n"
    assert read(Path(around.home, ".agent", "t")) == "x\n"
    assert read(canary) == "untouched"
    # Below its own temporary folder it may write what it likes: it is not the machine's.
    assert [read(each) for each in (beside, Path("/etc/sennit-canary"))] == [None, None]


async def test_the_canary_falls_without_a_sandbox(
    executor: LocalExecutor, workspace: Path, around: Surroundings
) -> None:
    canary = a_canary(around)
    await ended(executor, workspace, shell(f"echo touched > {canary}"))
    assert read(canary) == "touched\n"


async def test_a_reading_run_cannot_write_its_workspace(
    executor: LocalExecutor, workspace: Path, box: Confined
) -> None:
    reading = evolve(box, confinement=evolve(box.confinement, read_only=True))
    script = "echo x > inside.txt; echo $?; echo x > /tmp/t && cat /tmp/t"
    await ended(executor, workspace, shell(script, sandbox=reading))
    assert said(executor).split() == ["2", "x"]
    assert read(workspace / "inside.txt") is None
    record = await executor.record("r-1")
    assert record is not None
    assert record.sandbox.read_only


async def test_shells_git_and_python_work_inside(
    executor: LocalExecutor, workspace: Path, box: Confined
) -> None:
    script = """
        git init -q . && echo a > a && git add a &&
        git -c user.name=a -c user.email=a@b commit -qm one && git log --format=%s &&
        python3 -c 'import tempfile, multiprocessing as m
with tempfile.NamedTemporaryFile() as f: print(f.name.startswith("/tmp/"), m.Lock() is not None)'
        ls /proc | grep -c '^[0-9]'
    """
    end = await ended(executor, workspace, shell(script, sandbox=box))
    assert end.code == 0, said(executor, "stderr")
    subject, python, numbers = said(executor).splitlines()
    assert (subject, python) == ("one", "True True")
    # The first process, the shell, `ls`, `grep`: nobody else is seen.
    assert int(numbers) == 4


async def test_root_has_no_power_inside_and_is_not_root(
    executor: LocalExecutor, workspace: Path, box: Confined
) -> None:
    script = "id -u; grep CapEff /proc/self/status; touch mine; stat -c %u mine"
    await ended(executor, workspace, shell(script, sandbox=box))
    user, _, powers, owner = said(executor).split()
    assert user == owner == str(os.geteuid() or 1000)
    assert int(powers, 16) == 0
    assert (workspace / "mine").stat().st_uid == os.geteuid()


async def test_an_agent_can_make_a_sandbox_of_its_own_inside(
    executor: LocalExecutor, workspace: Path, box: Confined
) -> None:
    own = (box.confinement.program, "--ro-bind", "/", "/", "--unshare-pid", "--dev", "/dev")
    await ended(executor, workspace, RunSpec((*own, "echo", "nested"), sandbox=box))
    assert said(executor) == "nested\n", said(executor, "stderr")


@pytest.mark.parametrize("code", [0, 3, 127, 137, 145])
async def test_the_exit_code_is_the_agents(
    executor: LocalExecutor, workspace: Path, box: Confined, code: int
) -> None:
    end = await ended(executor, workspace, shell(f"exit {code}", sandbox=box))
    assert (end.code, end.signal, end.cause) == (code, None, EndCause.EXITED)


@pytest.mark.parametrize("number", [6, 9, 11, 15])
async def test_a_signal_that_ends_the_agent_is_told_as_one(
    executor: LocalExecutor, workspace: Path, box: Confined, number: int
) -> None:
    end = await ended(executor, workspace, shell(f"kill -{number} $$", sandbox=box))
    assert (end.code, end.signal) == (None, number)


@pytest.mark.parametrize(
    ("argv", "stage", "name"),
    [
        (("nonesuch",), SpawnStage.PROGRAM, "ENOENT"),
        (("/etc/passwd",), SpawnStage.PROGRAM, "EACCES"),
    ],
)
async def test_a_program_that_cannot_be_started_is_told_as_without_a_sandbox(
    executor: LocalExecutor,
    workspace: Path,
    box: Confined,
    argv: tuple[str, ...],
    stage: SpawnStage,
    name: str,
) -> None:
    failed = await executor.start("r-1", workspace, RunSpec(argv, sandbox=box))
    assert isinstance(failed, SpawnFailed)
    assert (failed.stage, failed.errno_name) == (stage, name)
    assert argv[0] in failed.message


async def test_a_sandbox_that_cannot_be_made_starts_nothing_and_says_why(
    executor: LocalExecutor, workspace: Path, tmp_path: Path, box: Confined
) -> None:
    gone = evolve(box, confinement=evolve(box.confinement, workspace=str(tmp_path / "gone")))
    failed = await executor.start("r-1", workspace, shell("echo > ran", sandbox=gone))
    assert isinstance(failed, SpawnFailed)
    assert failed.stage is SpawnStage.SANDBOX
    assert "gone" in failed.message
    assert not (workspace / "ran").exists()


async def test_bubblewrap_that_is_gone_starts_nothing(
    executor: LocalExecutor, workspace: Path, tmp_path: Path, box: Confined
) -> None:
    gone = evolve(box, confinement=evolve(box.confinement, program=str(tmp_path / "bwrap")))
    failed = await executor.start("r-1", workspace, shell("echo > ran", sandbox=gone))
    assert isinstance(failed, SpawnFailed)
    assert (failed.stage, failed.errno_name) == (SpawnStage.SANDBOX, "ENOENT")
    assert not (workspace / "ran").exists()


async def test_what_is_killed_inside_does_not_end_the_first_process(
    executor: LocalExecutor, workspace: Path, box: Confined
) -> None:
    script = "kill -9 1; kill 1; kill -INT 1; kill -HUP 1; sleep 0.1; exit 7"
    end = await ended(executor, workspace, shell(script, sandbox=box))
    assert end.code == 7


async def test_the_agent_inherits_no_descriptor(
    executor: LocalExecutor, workspace: Path, box: Confined
) -> None:
    await ended(executor, workspace, RunSpec(("ls", "/proc/self/fd"), sandbox=box))
    # The last one is the folder that `ls` reads.
    assert said(executor).split() == ["0", "1", "2", "3"]


async def test_a_program_inside_can_ask(
    executor: LocalExecutor, workspace: Path, box: Confined
) -> None:
    shown = evolve(box.confinement, shown=(*box.confinement.shown, CLIENT))
    spec = RunSpec((sys.executable, CLIENT, "Which one?"), sandbox=evolve(box, confinement=shown))
    await executor.start("r-1", workspace, spec)
    questions = executor.runs_folder / "r-1" / "exchange" / "questions"
    await anyio.to_thread.run_sync(eventually, lambda: any(questions.glob("*.json")))
    question = next(iter(questions.glob("*.json"))).stem
    deadline = time.monotonic() + ENDURE
    while type(await executor.answer("r-1", question, "this one")).__name__ != "Delivered":
        assert time.monotonic() < deadline
        await anyio.sleep(0.01)
    with anyio.fail_after(ENDURE):
        end = await executor.wait("r-1")
    assert (end.code, said(executor).strip()) == (0, "this one")


async def test_what_is_said_reaches_an_agent_that_is_spoken_with(
    executor: LocalExecutor, workspace: Path, box: Confined
) -> None:
    script = "read line; echo heard $line; cat; echo end"
    await executor.start("r-1", workspace, shell(script, talks=True, sandbox=box))
    await executor.say("r-1", b"hello\nmore\n")
    await anyio.to_thread.run_sync(eventually, lambda: "more" in said(executor))
    await executor.hush("r-1")
    # The shim closes its end on the second rung.
    await executor.stop("r-1", force=False)
    with anyio.fail_after(ENDURE):
        await executor.wait("r-1")
    assert said(executor).splitlines()[:2] == ["heard hello", "more"]


async def test_the_record_names_the_sandbox_or_why_there_was_none(
    executor: LocalExecutor, workspace: Path
) -> None:
    why = Unconfined(Sandboxing.PREFERRED, "It is not installed.")
    await ended(executor, workspace, shell("exit 0", sandbox=why))
    record = await executor.record("r-1")
    assert record is not None
    assert not record.sandbox.in_force
    assert record.sandbox.why == "It is not installed."
    assert record.argv[0] == "sh"
    spec = executor.runs_folder / "r-1" / "spec.json"
    old = json.loads(spec.read_text())
    del old["sandbox"]
    spec.write_text(json.dumps(old))
    older = await executor.record("r-1")
    assert older is not None
    assert older.sandbox == NOT_RECORDED
