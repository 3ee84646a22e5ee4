"""Which question of a task an answer is for."""

from __future__ import annotations

import pytest
from attrs import evolve

from sennit.cli.answer_command import the_question
from sennit.cli.failures import NotNowError, UsageError
from sennit_protocol.ids import QuestionId, TicketId
from sennit_protocol.states import TaskState
from sennit_protocol.views import Question, TaskView

TICKET = TicketId("t_1")
TASK = TaskView("api", TaskState.WAITING, "fixer")
WHICH, WHERE = (Question(QuestionId(name), f"{name}?") for name in ("q_which", "q_where"))


def test_the_only_question_is_the_one_that_is_answered() -> None:
    assert the_question(TICKET, evolve(TASK, questions=(WHICH,))) == WHICH.id


def test_of_several_questions_one_has_to_be_named() -> None:
    with pytest.raises(UsageError, match=r"q_which: q_which\?; q_where: q_where\?"):
        the_question(TICKET, evolve(TASK, questions=(WHICH, WHERE)))


def test_a_task_that_asks_nothing_is_told() -> None:
    with pytest.raises(NotNowError, match="asks nothing"):
        the_question(TICKET, TASK)
