from __future__ import annotations

import io

import pytest
from attrs import evolve
from rich.console import Console

from sennit.cli.terminal import Terminal
from sennit.cli.withdrawn import Withdrawn
from sennit_protocol.ids import QuestionId, TicketId
from sennit_protocol.states import TaskState
from sennit_protocol.told import AskParams
from sennit_protocol.views import Question, TaskView

QUESTION = Question(QuestionId("q_1"), "Which?")
ASKED = AskParams(TicketId("t_1"), "api", QUESTION)
ANSWERED = evolve(QUESTION, answer="this\x1b", closed="the user has answered")
STOPPED = evolve(QUESTION, closed="the run is being stopped")


def withdrawn() -> tuple[Withdrawn, io.StringIO]:
    file = io.StringIO()
    console = Console(file=file, width=200, markup=False)
    return Withdrawn(Terminal(console, console, interactive=True)), file


def task(*closed: Question) -> TaskView:
    return TaskView("api", TaskState.RUNNING, "fixer", closed_questions=closed)


@pytest.mark.parametrize(
    ("closed", "told"),
    [
        (ANSWERED, "it was answered elsewhere: this\\x1b"),
        (STOPPED, "the run is being stopped."),
    ],
)
@pytest.mark.parametrize("known_first", [True, False])
def test_what_became_of_a_question_is_told_once_both_are_known(
    closed: Question, told: str, *, known_first: bool
) -> None:
    made, file = withdrawn()
    if known_first:
        made.take_task(task(closed))
        made.take_question(ASKED)
    else:
        made.take_question(ASKED)
        assert file.getvalue() == ""
        made.take_task(task(closed))
    made.take_task(task(closed))
    made.tell_rest()
    assert file.getvalue() == f"api: the question is taken back: {told}\n"


def test_a_question_that_was_answered_here_is_not_told() -> None:
    made, file = withdrawn()
    made.take_task(task(ANSWERED))
    made.tell_rest()
    assert file.getvalue() == ""


def test_of_a_question_of_which_nothing_more_is_heard_that_is_said() -> None:
    made, file = withdrawn()
    made.take_question(ASKED)
    made.tell_rest()
    made.tell_rest()
    assert "or no answer is waited for" in file.getvalue()
    assert file.getvalue().count("api: ") == 1
