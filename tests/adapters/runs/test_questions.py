"""What agents put where they may ask is not believed, and no link there is followed."""

from __future__ import annotations

import sys
from pathlib import Path

import anyio
import pytest

from sennit.adapters.processes import LocalExecutor
from sennit.adapters.runs.questions import LONGEST_TEXT, LONGEST_WAIT_MS, MOST_OPEN
from sennit.adapters.runs.values import (
    Asked,
    Cursor,
    Ended,
    NobodyAsks,
    RunEvent,
    RunSpec,
    Withdrawn,
)

pytestmark = pytest.mark.anyio

ASKING = """
import fcntl, json, os, sys, time
place = os.environ["SENNIT_RUN_DIR"]

def ask(name, **more):
    file = os.open(place.encode() + b"/questions/.new", os.O_WRONLY | os.O_CREAT, 0o600)
    fcntl.flock(file, fcntl.LOCK_EX)
    told = {"text": "Well?", "options": [], "deadline_ms": None, **more}
    os.write(file, more["raw"] if "raw" in more else json.dumps(told).encode())
    os.rename(place.encode() + b"/questions/.new", place.encode() + b"/questions/" + name)

def is_asked_and_waits(*files):
    end = time.monotonic() + 20
    while not all(map(os.path.lexists, files)) and time.monotonic() < end:
        time.sleep(0.005)
"""


async def asked_by(executor: LocalExecutor, workspace: Path, script: str) -> list[RunEvent]:
    """What comes of a program that asks; each question is withdrawn at once."""
    spec = RunSpec((sys.executable, "-c", ASKING + script), cancel_ms=100, term_ms=100)
    await executor.start("r-1", workspace, spec)
    seen: list[RunEvent] = []
    with anyio.fail_after(60):
        async for event in executor.events("r-1", Cursor()):
            seen.append(event)
            if isinstance(event, Asked):
                await executor.withdraw("r-1", event.question_id)
    return seen


async def test_an_answer_is_written_through_no_link(
    executor: LocalExecutor, workspace: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "kept" / "x.json"
    kept.parent.mkdir()
    kept.write_text("mine")
    script = f"""
os.symlink({str(kept)!r}, place + "/answers/x.json.new")
ask(b"x.json")
is_asked_and_waits(place + "/answers/x.json")
os.rename(place + "/answers", place + "/elsewhere")
os.symlink({str(kept.parent)!r}, place + "/answers")
ask(b"y.json")
time.sleep(0.5)
"""
    events = await asked_by(executor, workspace, script)
    assert kept.read_text() == "mine"
    assert list(kept.parent.iterdir()) == [kept]
    assert (executor.runs_folder / "r-1" / "exchange" / "elsewhere" / "x.json").exists()
    assert [each.question_id for each in events if isinstance(each, Asked)] == ["x"]


@pytest.mark.parametrize("part", ["questions", "answers"])
@pytest.mark.parametrize(
    "instead", ["os.symlink('/', it)", "open(it, 'w')", "os.mkfifo(it)", "pass"]
)
async def test_who_takes_the_place_for_questions_away_asks_nothing(
    executor: LocalExecutor, workspace: Path, part: str, instead: str
) -> None:
    script = f"""
it = place + "/{part}"
os.rename(it, it + ".old")
{instead}
time.sleep(0.5)
"""
    assert [type(each) for each in await asked_by(executor, workspace, script)] == [Ended]
    assert await executor.withdraw("r-1", "x") == NobodyAsks()


@pytest.mark.parametrize(
    "question",
    [
        'b"\\xff.json"',
        'b"a\\nb.json"',
        'b"\\x1b[31m.json"',
        'b"x" * 100 + b".json"',
        'b"x.json", raw=b"[" * 900_000',
        'b"x.json", raw=b"1" * 10_000',
        'b"x.json", deadline_ms=True',
        'b"x.json", deadline_ms=1.5',
        'b"x.json", options=["a"] * 101',
    ],
)
async def test_what_is_none_harms_nobody(
    executor: LocalExecutor, workspace: Path, question: str
) -> None:
    events = await asked_by(executor, workspace, f"ask({question}); time.sleep(0.5)")
    assert [type(each) for each in events] == [Ended]


@pytest.mark.parametrize(
    ("more", "text", "options", "deadline"),
    [
        (r'text="a\ud800b", options=["\ud800"]', "a?b", ("?",), None),
        ("deadline_ms=10**30", "Well?", (), LONGEST_WAIT_MS),
        ("deadline_ms=-5", "Well?", (), 0),
        (
            'text="w" * 20_000, options=["o" * 2_000, 7]',
            "w" * LONGEST_TEXT + " … (3616 more characters)",
            ("o" * 1_000, "7"),
            None,
        ),
    ],
)
async def test_what_a_question_holds_is_brought_into_bounds(
    executor: LocalExecutor,
    workspace: Path,
    more: str,
    text: str,
    options: tuple[str, ...],
    deadline: int | None,
) -> None:
    script = f'ask(b"x.json", {more}); is_asked_and_waits(place + "/answers/x.json")'
    events = await asked_by(executor, workspace, script)
    assert [each for each in events if isinstance(each, Asked)] == [
        Asked("x", text, options, deadline)
    ]


async def test_a_question_keeps_its_turn_where_there_are_too_many(
    executor: LocalExecutor, workspace: Path
) -> None:
    script = f"""
for number in range({MOST_OPEN}):
    ask(b"m%03d.json" % number)
is_asked_and_waits({str(workspace / "seen")!r})
ask(b"a.json")
time.sleep(0.6)
"""
    spec = RunSpec((sys.executable, "-c", ASKING + script), cancel_ms=100, term_ms=100)
    await executor.start("r-1", workspace, spec)
    seen: list[RunEvent] = []
    with anyio.fail_after(60):
        async for event in executor.events("r-1", Cursor()):
            seen.append(event)
            if sum(isinstance(each, Asked) for each in seen) == MOST_OPEN:
                await anyio.Path(workspace / "seen").touch()
            if isinstance(event, Withdrawn):
                # They end together with their program, and none before.
                break
    asked = [each.question_id for each in seen if isinstance(each, Asked)]
    assert asked == [f"m{number:03}" for number in range(MOST_OPEN)]
    await executor.wait("r-1")


async def test_of_a_flood_of_questions_some_are_open_at_once(
    executor: LocalExecutor, workspace: Path
) -> None:
    script = f"""
for number in range({MOST_OPEN} + 50):
    ask(b"%03d.json" % number)
is_asked_and_waits(*(place + "/answers/%03d.json" % number for number in range({MOST_OPEN} + 50)))
"""
    events = await asked_by(executor, workspace, script)
    names = [each.question_id for each in events if isinstance(each, Asked)]
    assert sorted(names) == [f"{number:03}" for number in range(MOST_OPEN + 50)]
