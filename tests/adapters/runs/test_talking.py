"""Speaking to an agent through its standard input, and hearing of what it writes."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from sennit.adapters.processes import LocalExecutor
from sennit.adapters.runs.values import (
    Cursor,
    Deaf,
    Ended,
    Exited,
    Output,
    OutputOver,
    Over,
    RunSpec,
    Said,
    Started,
    Stream,
)
from tests.adapters.runs.running import eventually, shell

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

PATIENCE_S = 60


async def begun(executor: LocalExecutor, workspace: Path, script: str, **more: object) -> None:
    spec: RunSpec = shell(script, talks=True, **more)
    start = await executor.start("r-1", workspace, spec)
    assert isinstance(start, Started), start


async def heard(executor: LocalExecutor) -> tuple[bytes, list[OutputOver], Exited]:
    """All that it writes, whether that was over before its end, and its end."""
    written, overs = b"", []
    with anyio.fail_after(PATIENCE_S):
        async for event in executor.events("r-1", Cursor()):
            match event:
                case Output(stream=Stream.STDOUT, data=data):
                    written += data
                case OutputOver():
                    overs.append(event)
                    await executor.stop("r-1", force=False)
                case Ended(outcome=outcome):
                    return written, overs, outcome
                case _:
                    pass
    raise AssertionError("no end")


async def until(file: Path) -> None:
    with anyio.fail_after(PATIENCE_S):
        await anyio.to_thread.run_sync(eventually, file.exists)


async def test_what_is_said_is_read_and_what_it_answers_is_heard(
    executor: LocalExecutor, workspace: Path
) -> None:
    await begun(executor, workspace, "read a; echo got $a; read b; echo got $b")
    assert await executor.say("r-1", b"one\n") == Said()
    assert await executor.say("r-1", b"two\n") == Said()
    written, overs, end = await heard(executor)
    assert (written, overs, end.code) == (b"got one\ngot two\n", [], 0)


async def test_nothing_can_be_said_after_the_end(executor: LocalExecutor, workspace: Path) -> None:
    await begun(executor, workspace, "read a")
    await executor.say("r-1", b"one\n")
    await heard(executor)
    assert await executor.say("r-1", b"two\n") == Deaf("it has ended")
    assert await executor.say("r-none", b"two\n") == Deaf("it has ended")


async def test_one_that_does_not_talk_cannot_be_spoken_to(
    executor: LocalExecutor, workspace: Path
) -> None:
    start = await executor.start("r-1", workspace, shell("sleep 1000"))
    assert isinstance(start, Started)
    assert isinstance(await executor.say("r-1", b"one\n"), Deaf)
    await executor.stop("r-1", force=True)


async def test_after_a_hush_and_a_stop_it_sees_the_end_of_its_input(
    executor: LocalExecutor, workspace: Path
) -> None:
    await begun(executor, workspace, "cat; echo over", polite="nothing", close_ms=60_000)
    await executor.say("r-1", b"one\n")
    await executor.hush("r-1")
    assert await executor.say("r-1", b"two\n") == Deaf("nothing more is said to it")
    await executor.stop("r-1", force=False)
    written, _, end = await heard(executor)
    assert (written, end.code) == (b"one\nover\n", 0)


async def test_a_message_larger_than_the_pipe_arrives_whole(
    executor: LocalExecutor, workspace: Path
) -> None:
    await begun(executor, workspace, "head -c 3000000 | wc -c")
    assert await executor.say("r-1", b"x" * 3_000_000) == Said()
    written, _, _ = await heard(executor)
    assert written.strip() == b"3000000"


async def test_messages_of_many_callers_are_not_mixed(
    executor: LocalExecutor, workspace: Path
) -> None:
    many, size = 20, 100_000
    await begun(executor, workspace, f"head -n {many} > said")
    async with anyio.create_task_group() as group:
        for number in range(many):
            group.start_soon(executor.say, "r-1", bytes([97 + number]) * size + b"\n")
    await heard(executor)
    lines = (workspace / "said").read_bytes().splitlines()
    assert sorted(lines) == [bytes([97 + number]) * size for number in range(many)]


async def test_a_message_to_one_that_never_reads_is_broken_off_by_a_hush(
    executor: LocalExecutor, workspace: Path
) -> None:
    await begun(executor, workspace, "echo > ready; sleep 1000")
    await until(workspace / "ready")
    said: list[Said | Deaf] = []

    async def say() -> None:
        said.append(await executor.say("r-1", b"x" * 1_000_000))

    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            group.start_soon(say)
            await anyio.wait_all_tasks_blocked()
            await executor.hush("r-1")
    assert said == [Deaf("nothing more is said to it")]
    await executor.stop("r-1", force=True)


async def test_after_half_a_message_nothing_is_said(
    executor: LocalExecutor, workspace: Path
) -> None:
    await begun(executor, workspace, "echo > ready; sleep 1000")
    await until(workspace / "ready")
    with anyio.move_on_after(0.2) as late:
        await executor.say("r-1", b"x" * 1_000_000)
    assert late.cancelled_caught
    assert await executor.say("r-1", b"two\n") == Deaf("a message to it was broken off")
    await executor.stop("r-1", force=True)


async def test_one_that_closes_its_input_is_deaf(executor: LocalExecutor, workspace: Path) -> None:
    await begun(executor, workspace, "exec 0<&-; echo > ready; exec sleep 1000")
    await until(workspace / "ready")
    assert await executor.say("r-1", b"one\n") == Deaf("it has closed its standard input")
    await executor.stop("r-1", force=True)


async def test_one_that_closes_its_output_and_lives_is_told(
    executor: LocalExecutor, workspace: Path
) -> None:
    await begun(executor, workspace, "echo last; exec >&-; exec sleep 1000")
    written, overs, _ = await heard(executor)
    assert (written, overs) == (b"last\n", [OutputOver(Over.CLOSED)])


async def test_output_over_the_limit_is_told_after_what_is_kept(
    executor: LocalExecutor, workspace: Path
) -> None:
    script = "head -c 5000 /dev/zero | tr '\\0' x; exec sleep 1000"
    await begun(executor, workspace, script, output_limit=1000)
    written, overs, end = await heard(executor)
    assert (written, overs) == (b"x" * 1000, [OutputOver(Over.CUT)])
    assert end.truncated


async def test_the_end_of_one_that_ends_is_all_that_is_told(
    executor: LocalExecutor, workspace: Path
) -> None:
    await begun(executor, workspace, "echo last; exit 3")
    written, overs, end = await heard(executor)
    assert (written, overs, end.code) == (b"last\n", [], 3)


async def test_one_that_has_ended_is_told_by_its_end_however_long_that_takes(
    executor: LocalExecutor, workspace: Path
) -> None:
    await begun(executor, workspace, "until [ -e go ]; do sleep .01; done; exec >&-; exit 3")
    run = executor._runs["r-1"]
    (workspace / "go").touch()
    await until(run.folder.stdout_closed)
    # As on a machine that lets the shim wait, or where much is to be swept.
    run.signal(signal.SIGSTOP)
    await anyio.to_thread.run_sync(eventually, run.agent_has_ended)
    assert await executor._is_ending("r-1")
    run.signal(signal.SIGCONT)
    written, overs, end = await heard(executor)
    assert (written, overs, end.code) == (b"", [], 3)


async def test_several_readers_hear_everything(executor: LocalExecutor, workspace: Path) -> None:
    await begun(executor, workspace, "for n in 1 2 3; do read a; echo $a; done")
    found: list[bytes] = []

    async def hear() -> None:
        found.append((await heard(executor))[0])

    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(hear)
        for word in (b"a\n", b"b\n", b"c\n"):
            await executor.say("r-1", word)
    assert found == [b"a\nb\nc\n"] * 3


async def test_the_death_of_the_shim_ends_the_talk(
    executor: LocalExecutor, workspace: Path
) -> None:
    await begun(executor, workspace, "echo $PPID > ready.new; mv ready.new ready; cat; sleep 1000")
    await until(workspace / "ready")
    assert await executor.say("r-1", b"one\n") == Said()
    os.kill(int((workspace / "ready").read_text()), 9)
    written, _, _ = await heard(executor)
    assert written in {b"", b"one\n"}
    assert await executor.say("r-1", b"two\n") == Deaf("it has ended")
