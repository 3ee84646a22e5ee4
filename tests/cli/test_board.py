from __future__ import annotations

import io

import pytest
from attrs import evolve
from rich.console import Console

from sennit.cli.board import Board
from sennit_protocol.ids import RunId
from sennit_protocol.states import FailureKind, QueuedFor, RunState, TaskState
from sennit_protocol.views import Failure, Progress, RunView, TaskView

RUNNING = TaskView(
    "api",
    TaskState.RUNNING,
    "fixer",
    progress=Progress("editing", "[red]last\x1b[2J line", elapsed_ms=1200),
)


def board(*, width: int = 80, terminal: bool = False) -> tuple[Board, io.StringIO, Console]:
    file = io.StringIO()
    console = Console(
        file=file, width=width, force_terminal=terminal, markup=False, color_system=None
    )
    return Board(console), file, console


def test_without_a_terminal_each_change_is_a_line() -> None:
    made, file, _ = board()
    with made.shown():
        made.take_task(TaskView("api", TaskState.QUEUED, "fixer", queued_for=QueuedFor.SLOT))
        made.take_task(RUNNING)
        made.take_task(RUNNING)
        failure = Failure(FailureKind.EXIT, "It ended with 1.")
        made.take_task(TaskView("api", TaskState.FAILED, "fixer", failure=failure))
    assert file.getvalue().splitlines() == [
        "api: queued for slot",
        "api: editing",
        "api: failed: It ended with 1.",
    ]


def test_the_table_shows_phase_time_and_the_last_line_unharmed() -> None:
    made, file, console = board(width=90)
    made.take_task(RUNNING)
    file.truncate(0)
    console.print(made.table())
    row = file.getvalue().splitlines()[-1]
    assert "editing" in row
    assert "1.2 s" in row
    assert "[red]last\\x1b[2J line" in row


def test_the_table_is_never_wider_than_the_terminal() -> None:
    made, file, console = board(width=40)
    made.take_task(RUNNING)
    console.print(made.table())
    assert max(map(len, file.getvalue().splitlines())) <= 40


def test_on_a_terminal_the_last_state_stays_on_the_screen() -> None:
    made, file, _ = board(terminal=True)
    with made.shown():
        made.take_task(RUNNING)
        with made.hidden():
            pass
    assert file.getvalue().count("editing") >= 1
    assert file.getvalue().endswith("\x1b[?25h")


def test_while_anything_is_asked_the_table_stays_away() -> None:
    made, file, _ = board(terminal=True)
    hidden = made.hidden()
    with made.shown():
        made.take_task(RUNNING)
        hidden.__enter__()
        with pytest.raises(TimeoutError), made.hidden():
            # Taken back while it is asked.
            raise TimeoutError
        before = file.getvalue()
        assert before.endswith("\x1b[?25h")
        hidden.__exit__(None, None, None)
        assert file.getvalue() != before


def test_a_question_that_outlives_the_ticket_brings_no_table_back() -> None:
    made, file, _ = board(terminal=True)
    with made.shown():
        made.take_task(RUNNING)
        hidden = made.hidden()
        hidden.__enter__()
    before = file.getvalue()
    hidden.__exit__(None, None, None)
    assert file.getvalue() == before


@pytest.mark.parametrize(
    ("ended_at", "shown"), [("2026-01-01T10:00:02Z", "2.0 s"), ("2026-01-01T05:00:02Z", "")]
)
def test_a_clock_that_was_set_back_gives_no_time_of_a_run(ended_at: str, shown: str) -> None:
    run = RunView(RunId("n_1"), RunState.CAPTURED, "2026-01-01T10:00:00Z", ended_at)
    made, file, console = board(width=90)
    made.take_task(evolve(RUNNING, state=TaskState.COMPLETED, progress=None, runs=(run,)))
    file.truncate(0)
    console.print(made.table())
    row = file.getvalue().splitlines()[-1]
    assert (shown in row, " s" in row) == (True, bool(shown))
