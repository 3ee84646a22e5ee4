import os
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from sennit.adapters.processes import LocalExecutor
from sennit.adapters.runs.values import (
    Asked,
    Cursor,
    Delivered,
    Ended,
    NobodyAsks,
    Output,
    Progress,
    RunEvent,
    Stream,
    Withdrawn,
)
from tests.adapters.runs.running import shell

pytestmark = pytest.mark.anyio

ASK = f"{sys.executable} -m sennit.ask_client"


async def all_events(executor: LocalExecutor, since: Cursor | None = None) -> list[RunEvent]:
    with anyio.fail_after(20):
        return [event async for event in executor.events("r-1", since or Cursor())]


def output(events: list[RunEvent], stream: Stream) -> bytes:
    return b"".join(
        each.data for each in events if isinstance(each, Output) and each.stream is stream
    )


@pytest.mark.usefixtures("_blocking_is_an_error")
async def test_output_comes_as_it_is_written(executor: LocalExecutor, workspace: Path) -> None:
    await executor.start("r-1", workspace, shell("echo one; until [ -e go ]; do sleep .01; done"))
    with anyio.fail_after(20):
        async for event in executor.events("r-1", Cursor()):
            if isinstance(event, Output):
                assert event.data == b"one\n"
                await anyio.Path(workspace / "go").touch()
    assert await anyio.Path(workspace / "go").exists()


async def test_every_byte_comes_once_and_the_end_last(
    executor: LocalExecutor, workspace: Path
) -> None:
    script = "seq 1 300000; seq 1 1000 >&2; exit 3"
    await executor.start("r-1", workspace, shell(script))
    events = await all_events(executor)
    assert output(events, Stream.STDOUT) == b"".join(b"%d\n" % n for n in range(1, 300_001))
    assert output(events, Stream.STDERR) == b"".join(b"%d\n" % n for n in range(1, 1001))
    assert isinstance(events[-1], Ended)
    assert events[-1].outcome.code == 3
    last = [each for each in events if isinstance(each, Progress)][-1]
    assert last.stdout_bytes == len(output(events, Stream.STDOUT))


async def test_a_reader_goes_on_where_it_was(executor: LocalExecutor, workspace: Path) -> None:
    await executor.start("r-1", workspace, shell("echo one; echo two; echo three >&2"))
    await executor.wait("r-1")
    events = await all_events(executor, Cursor(stdout=4))
    assert output(events, Stream.STDOUT) == b"two\n"
    cursor = [each for each in events if isinstance(each, Output)][-1].after
    assert cursor == Cursor(8, 6)
    assert [type(each) for each in await all_events(executor, cursor)] == [Ended]


async def test_another_server_reads_a_run_that_ended(
    executor: LocalExecutor, workspace: Path
) -> None:
    await executor.start("r-1", workspace, shell("echo one"))
    end = await executor.wait("r-1")
    other = LocalExecutor(executor.runs_folder, {})
    assert output(await all_events(other), Stream.STDOUT) == b"one\n"
    assert await other.wait("r-1") == end


async def test_a_question_is_answered(executor: LocalExecutor, workspace: Path) -> None:
    script = f"{ASK} 'Which one? 😀' --option a --option 'b c' --deadline 60; echo exit $?"
    await executor.start("r-1", workspace, shell(script))
    seen: list[RunEvent] = []
    with anyio.fail_after(20):
        async for event in executor.events("r-1", Cursor()):
            seen.append(event)
            if isinstance(event, Asked):
                assert (event.text, event.options) == ("Which one? 😀", ("a", "b c"))
                assert event.deadline_ms == 60_000
                first = await executor.answer("r-1", event.question_id, "b c")
                second = await executor.answer("r-1", event.question_id, "a")
                assert (first, second) == (Delivered(), NobodyAsks())
    assert output(seen, Stream.STDOUT) == b"b c\nexit 0\n"
    assert not [each for each in seen if isinstance(each, Withdrawn)]


async def test_a_question_past_its_deadline_is_withdrawn(
    executor: LocalExecutor, workspace: Path
) -> None:
    # Far longer than it takes to look for questions, and nobody sees one that is withdrawn before.
    script = f"{ASK} 'Well?' --deadline 2; echo exit $?"
    await executor.start("r-1", workspace, shell(script))
    events = await all_events(executor)
    asked = [each for each in events if isinstance(each, Asked)]
    assert [each for each in events if isinstance(each, Withdrawn)] == [
        Withdrawn(asked[0].question_id)
    ]
    assert output(events, Stream.STDOUT) == b"exit 3\n"
    assert await executor.answer("r-1", asked[0].question_id, "late") == NobodyAsks()


async def test_a_question_that_the_user_withdraws_ends_with_3(
    executor: LocalExecutor, workspace: Path
) -> None:
    await executor.start("r-1", workspace, shell(f"{ASK} 'Well?'; echo exit $?"))
    seen: list[RunEvent] = []
    with anyio.fail_after(20):
        async for event in executor.events("r-1", Cursor()):
            seen.append(event)
            if isinstance(event, Asked):
                assert event.deadline_ms is None
                await executor.withdraw("r-1", event.question_id)
    assert output(seen, Stream.STDOUT) == b"exit 3\n"


async def test_a_dead_asker_withdraws_its_question(
    executor: LocalExecutor, workspace: Path
) -> None:
    script = f"{ASK} 'Well?' & until [ -e go ]; do sleep .01; done; kill -9 $!; wait; sleep 0.6"
    await executor.start("r-1", workspace, shell(script))
    seen: list[RunEvent] = []
    with anyio.fail_after(20):
        async for event in executor.events("r-1", Cursor()):
            seen.append(event)
            if isinstance(event, Asked):
                await anyio.Path(workspace / "go").touch()
    kinds = [type(each) for each in seen if isinstance(each, Asked | Withdrawn)]
    assert kinds == [Asked, Withdrawn]


async def test_rubbish_among_the_questions_is_no_question(
    executor: LocalExecutor, workspace: Path
) -> None:
    script = """
    cd "$SENNIT_RUN_DIR/questions"
    echo '{' > a.json; echo '[]' > b.json; ln -s /etc/passwd c.json; mkfifo d.json; mkdir e.json
    sleep 0.5
    """
    await executor.start("r-1", workspace, shell(script))
    events = await all_events(executor)
    assert [type(each) for each in events] == [Ended]


@pytest.mark.parametrize("name", ["../../spec", "x/y", "", "a\0b"])
async def test_an_answer_goes_only_to_a_question(
    executor: LocalExecutor, workspace: Path, name: str
) -> None:
    await executor.start("r-1", workspace, shell("exit 0"))
    await executor.wait("r-1")
    assert await executor.answer("r-1", name, "x") == NobodyAsks()


def test_nobody_is_asked_outside_a_run() -> None:
    environment = {k: v for k, v in os.environ.items() if k != "SENNIT_RUN_DIR"}
    done = subprocess.run(
        [sys.executable, "-m", "sennit.ask_client", "Well?"],
        env=environment,
        capture_output=True,
        check=False,
        timeout=20,
    )
    assert done.returncode == 2
    assert b"SENNIT_RUN_DIR" in done.stderr
