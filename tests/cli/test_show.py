from __future__ import annotations

from attrs import evolve

from sennit.cli.show_command import ShownTicket, ticket_lines
from sennit.cli.tables import clock
from sennit_protocol.ids import ProposalId, QuestionId, TicketId
from sennit_protocol.states import FailureKind, Flag, Integration, TaskState, TicketState
from sennit_protocol.views import Failure, Following, Question, TaskView, TicketView
from tests.cli.builders import a_proposal

WHEN = "2020-01-02T03:04:05Z"


def lines_of(*tasks: TaskView, proposals: tuple[str, ...] = ()) -> list[str]:
    """The lines below the head of a ticket with these tasks, some of them with proposals."""
    view = TicketView(TicketId("t_1"), TicketState.RUNNING, 1, WHEN, tasks=tasks)
    found = (a_proposal(task, integration=Integration.NO_CHANGES).summary for task in proposals)
    return [line.plain for line in ticket_lines(ShownTicket(view, tuple(found)))][1:]


def test_columns_stand_one_below_the_other_whatever_the_names() -> None:
    wide = TaskView("日本語", TaskState.COMPLETED, "a", proposal=ProposalId("p_日本語"))
    tasks = (wide, TaskView("x", TaskState.FAILED, "agent\x1b"))
    assert lines_of(*tasks, proposals=("日本語",)) == [
        "  task    state      agent      proposal",
        "  日本語  completed  a          p_日本語  0 files, +1 -1  no changes",
        "  x       failed     agent\\x1b",
    ]


def test_a_question_is_shown_with_its_deadline_where_it_has_one() -> None:
    one = Question(QuestionId("q_1"), "Which?", deadline=WHEN)
    questions = (one, evolve(one, id=QuestionId("q_2"), deadline=None, options=("a", "b\x1b")))
    lines = lines_of(TaskView("x", TaskState.WAITING, "fixer", questions=questions))
    assert f"    question q_1, until {clock(WHEN)}" in lines
    assert lines[-2:] == ["    options: a, b\\x1b", "    question q_2"]


def test_flags_of_a_task_stand_below_it() -> None:
    task = TaskView("x", TaskState.COMPLETED, "fixer", flags=(Flag.SOURCE_DRIFT,))
    assert lines_of(task)[2].startswith("    look: its repository changed while it ran; see: ")


def test_a_failed_program_is_shown_with_how_to_read_what_it_said() -> None:
    said = TaskView("x y", TaskState.FAILED, "fixer", failure=Failure(FailureKind.EXIT, "Code 3."))
    assert lines_of(said)[2:] == [
        "    Code 3.",
        "    To see it: sennit output 't_1/x y' --stderr",
    ]
    told = TaskView("x", TaskState.FAILED, "fixer", failure=Failure(FailureKind.TIMEOUT, "Late."))
    assert lines_of(told)[2:] == ["    Late."]


def test_a_task_done_again_in_its_ticket_is_named_where_the_first_try_is() -> None:
    first = TaskView("x", TaskState.COMPLETED, "fixer", followed_by=TicketId("t_1"))
    again = TaskView(
        "x-again", TaskState.COMPLETED, "fixer", following=Following(TicketId("t_1"), "x")
    )
    assert "    followed by t_1/x-again" in lines_of(first, again)
    assert "    followed by t_2" in lines_of(evolve(first, followed_by=TicketId("t_2")))
