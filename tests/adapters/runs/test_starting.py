import json
import os
import signal
import stat
from pathlib import Path

import pytest

from sennit.adapters.processes import Executor, LocalExecutor
from sennit.adapters.runs.values import (
    EndCause,
    Exited,
    RunSpec,
    SpawnFailed,
    SpawnStage,
    Started,
)
from sennit.core.agents import PromptAs
from tests.adapters.runs.running import shell

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("_blocking_is_an_error")]


async def run(executor: LocalExecutor, workspace: Path, spec: RunSpec) -> Exited:
    started = await executor.start("r-1", workspace, spec)
    assert isinstance(started, Started), started
    return await executor.wait("r-1")


def stdout(executor: LocalExecutor) -> bytes:
    return (executor.runs_folder / "r-1" / "stdout").read_bytes()


async def test_a_program_works_in_its_workspace(executor: LocalExecutor, workspace: Path) -> None:
    end = await run(executor, workspace, shell("pwd; echo more >&2; echo x > file; exit 7"))
    assert (end.code, end.signal, end.cause) == (7, None, EndCause.EXITED)
    assert end.output_bytes == len(f"{workspace}\nmore\n")
    assert not end.truncated
    assert end.survivors == ()
    assert end.started_at <= end.ended_at
    assert stdout(executor) == f"{workspace}\n".encode()
    assert (workspace / "file").read_text() == "x\n"


async def test_a_signal_is_told_as_such(executor: LocalExecutor, workspace: Path) -> None:
    end = await run(executor, workspace, shell("kill -SEGV $$"))
    assert (end.code, end.signal, end.cause) == (None, 11, EndCause.EXITED)


@pytest.mark.parametrize(
    ("prompt_as", "script", "extra"),
    [
        (PromptAs.ARGUMENT, 'printf %s "$1"', ("x", "{prompt}")),
        (PromptAs.ARGUMENT, 'printf %s "$1"', ("x",)),
        (PromptAs.STDIN, "cat", ()),
        (PromptAs.FILE, 'cat "$1"', ("x", "{prompt_file}")),
        (PromptAs.FILE, 'cat "$1"', ("x",)),
    ],
)
async def test_a_prompt_arrives_byte_for_byte(
    executor: LocalExecutor,
    workspace: Path,
    prompt_as: PromptAs,
    script: str,
    extra: tuple[str, ...],
) -> None:
    prompt = "-- 'quotes' \"$HOME\" {prompt} {prompt_file}\nline two 😀 \udcff end"
    spec = RunSpec(("sh", "-c", script, *extra), prompt=prompt, prompt_as=prompt_as)
    assert (await run(executor, workspace, spec)).code == 0
    assert stdout(executor) == prompt.encode("utf-8", "surrogateescape")


async def test_without_a_prompt_standard_input_is_empty(
    executor: LocalExecutor, workspace: Path
) -> None:
    end = await run(executor, workspace, shell("cat; echo end"))
    assert (end.code, stdout(executor)) == (0, b"end\n")


async def test_a_program_dies_of_a_broken_pipe_as_in_a_shell(
    executor: LocalExecutor, workspace: Path
) -> None:
    await run(executor, workspace, shell("grep -E 'Sig(Ign|Blk)' /proc/self/status"))
    unusual = 1 << (signal.SIGPIPE - 1) | 1 << (signal.SIGXFSZ - 1) | 1 << (signal.SIGTERM - 1)
    masks = [int(line.split()[1], 16) for line in stdout(executor).splitlines()]
    assert [mask & unusual for mask in masks] == [0, 0]


async def test_a_program_inherits_no_descriptor(executor: LocalExecutor, workspace: Path) -> None:
    leak = os.open(workspace, os.O_RDONLY)
    os.set_inheritable(leak, True)
    try:
        await run(executor, workspace, shell("ls /proc/self/fd"))
    finally:
        os.close(leak)
    # The fourth is the folder that ls itself reads.
    assert stdout(executor).split() == [b"0", b"1", b"2", b"3"]


async def test_an_agent_sees_only_what_it_may(tmp_path: Path, workspace: Path) -> None:
    ambient = {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8",
        "TOKEN": "secret",
        "KEY_A": "a",
        "SSH_AUTH_SOCK": "/s",
        "DOCKER_HOST": "d",
        "TMUX": "t",
        "DBUS_SESSION_BUS_ADDRESS": "b",
        "XDG_RUNTIME_DIR": "x",
        "SENNIT_RUN": "outer",
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    executor = LocalExecutor(tmp_path / "runs", ambient)
    await run(executor, workspace, shell("env", env_allow=("KEY_*", "TMUX"), env_set={"OWN": "1"}))
    seen = dict(line.split("=", 1) for line in stdout(executor).decode().splitlines())
    assert {name: seen.get(name) for name in ("LC_ALL", "KEY_A", "TMUX", "OWN")} == {
        "LC_ALL": "C.UTF-8",
        "KEY_A": "a",
        "TMUX": "t",
        "OWN": "1",
    }
    assert seen["SENNIT_RUN"] == "r-1"
    assert seen["SENNIT_RUN_DIR"] == str(tmp_path / "runs" / "r-1" / "exchange")
    assert not {*ambient} & {*seen} - {"PATH", "LC_ALL", "KEY_A", "TMUX", "SENNIT_RUN"}


@pytest.mark.parametrize(
    ("content", "mode", "name"),
    [
        (None, 0, "ENOENT"),
        (b"#!/bin/sh\n", 0o600, "EACCES"),
        (b"neither binary nor script\n", 0o700, "ENOEXEC"),
        (b"#!/no/such/interpreter\n", 0o700, "ENOENT"),
    ],
)
async def test_a_program_that_cannot_start_says_why(
    executor: LocalExecutor, workspace: Path, content: bytes | None, mode: int, name: str
) -> None:
    program = workspace / "agent"
    if content is not None:
        program.write_bytes(content)
        program.chmod(mode)
    failed = await executor.start("r-1", workspace, RunSpec((str(program),)))
    assert isinstance(failed, SpawnFailed)
    assert (failed.stage, failed.errno_name) == (SpawnStage.PROGRAM, name)
    assert str(program) in failed.message
    record = await executor.record("r-1")
    assert record is not None
    assert record.outcome is not None
    assert (record.outcome.cause, record.outcome.failure) == (EndCause.SPAWN_FAILED, failed)
    assert await executor.wait("r-1") == record.outcome


async def test_a_missing_program_is_looked_for_in_the_path(
    executor: LocalExecutor, workspace: Path
) -> None:
    failed = await executor.start("r-1", workspace, RunSpec(("no-such-program",)))
    assert isinstance(failed, SpawnFailed)
    assert (failed.stage, failed.errno_name) == (SpawnStage.PROGRAM, "ENOENT")


async def test_a_missing_workspace_is_told_apart(executor: LocalExecutor, tmp_path: Path) -> None:
    failed = await executor.start("r-1", tmp_path / "gone", shell("true"))
    assert isinstance(failed, SpawnFailed)
    assert (failed.stage, failed.errno_name) == (SpawnStage.FOLDER, "ENOENT")


async def test_too_long_an_argument_names_the_way_out(
    executor: LocalExecutor, workspace: Path
) -> None:
    spec = RunSpec(("echo",), prompt="x" * (1 << 20), prompt_as=PromptAs.ARGUMENT)
    failed = await executor.start("r-1", workspace, spec)
    assert isinstance(failed, SpawnFailed)
    assert failed.errno_name == "E2BIG"
    assert "stdin" in failed.message


async def test_too_large_an_environment_is_told_too(
    executor: LocalExecutor, workspace: Path
) -> None:
    failed = await executor.start("r-1", workspace, shell("true", env_set={"BIG": "x" * (1 << 20)}))
    assert isinstance(failed, SpawnFailed)
    assert (failed.stage, failed.errno_name) == (SpawnStage.PREPARE, "E2BIG")
    assert (await executor.wait("r-1")).failure == failed


@pytest.mark.parametrize("argv", [(), ("",), ("echo", "a\0b")])
async def test_an_impossible_argument_list_is_refused(
    executor: LocalExecutor, workspace: Path, argv: tuple[str, ...]
) -> None:
    failed = await executor.start("r-1", workspace, RunSpec(argv))
    assert isinstance(failed, SpawnFailed)
    assert (failed.stage, failed.errno_name) == (SpawnStage.PREPARE, "EINVAL")


async def test_an_empty_argument_is_an_argument(executor: LocalExecutor, workspace: Path) -> None:
    await run(executor, workspace, RunSpec(("printf", "[%s]", "", "a b")))
    assert stdout(executor) == b"[][a b]"


async def test_a_run_starts_once(executor: LocalExecutor, workspace: Path) -> None:
    await run(executor, workspace, shell("echo >> count"))
    failed = await executor.start("r-1", workspace, shell("echo >> count"))
    assert isinstance(failed, SpawnFailed)
    assert failed.errno_name == "EEXIST"
    assert (workspace / "count").read_bytes() == b"\n"


@pytest.mark.parametrize("run_id", ["", "..", "a/b", "-x", "a b"])
async def test_a_run_id_cannot_leave_the_folder(
    executor: LocalExecutor, workspace: Path, run_id: str
) -> None:
    with pytest.raises(ValueError, match="no run id"):
        await executor.start(run_id, workspace, shell("true"))


async def test_every_run_leaves_a_private_record_without_values(
    executor: LocalExecutor, workspace: Path
) -> None:
    spec = shell("echo out; echo error >&2", prompt="do it", env_set={"API_KEY": "hunter2"})
    end = await run(executor, workspace, spec)
    record = await executor.record("r-1")
    assert record is not None
    assert record.argv == spec.argv
    assert record.folder == workspace
    assert record.prompt == "do it"
    assert {"API_KEY", "PATH", "SENNIT_RUN"} <= {*record.variables}
    assert (record.stdout_bytes, record.stderr_bytes) == (4, 6)
    assert record.outcome == end
    folder = executor.runs_folder / "r-1"
    for path in (folder, *folder.rglob("*")):
        if path.is_symlink():
            assert path.name == "sennit"
            continue
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path
        assert path.is_dir() or b"hunter2" not in path.read_bytes()
    started = json.loads((folder / "started.json").read_text())
    assert {*started} >= {"pid", "start", "boot_id"}


async def test_an_unknown_run_has_no_record(executor: LocalExecutor) -> None:
    assert await executor.record("r-none") is None


async def test_a_place_for_runs_that_cannot_be_written_is_a_failure(
    tmp_path: Path, workspace: Path
) -> None:
    runs = tmp_path / "runs"
    runs.write_text("a file where the folder of runs should be")
    executor: Executor = LocalExecutor(runs, dict(os.environ))
    failed = await executor.start("r-1", workspace, shell("true"))
    assert isinstance(failed, SpawnFailed)
    assert (failed.stage, failed.errno_name) == (SpawnStage.PREPARE, "ENOTDIR")
