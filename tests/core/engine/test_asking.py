from __future__ import annotations

from typing import Any

import pytest

from sennit.core.engine.asking import Answered, NotAnswered
from sennit.core.engine.commands import CaptureRun, DeliverAnswer
from sennit.core.engine.events import (
    AnswerGiven,
    CancelRequested,
    Dropped,
    QuestionAsked,
    QuestionWithdrawn,
    RunStarted,
    ServerUnattended,
    TimerFired,
)
from sennit.core.engine.rows import QuestionRow
from sennit.core.views import MOST_CLOSED, Beside, task_sequence, task_view
from sennit_protocol.states import TaskState, WaitingFor
from tests.core.engine.builders import HERE, THERE, TICKET, a_task, a_ticket
from tests.core.engine.world import World, a_world


def asking(**values: Any) -> World:
    world = a_world(a_ticket(a_task("a"), a_task("b")))
    world.to_running("a")
    ask(world, **values)
    return world


def ask(world: World, question: str = "q_one", **values: Any) -> None:
    world.tell(QuestionAsked, run=world.run("a").id, question=question, text="Which?", **values)


def say(world: World, text: str = "this", task: str = "a", question: str = "q_one") -> Any:
    return world.tell(AnswerGiven, ticket=TICKET, task=task, question=question, answer=text)


def question_of(world: World, name: str = "q_one") -> QuestionRow:
    return world.state.the(QuestionRow, name)


def test_a_question_parks_the_task() -> None:
    world = asking(options=("this", "that"))

    assert world.states()["a"] is TaskState.WAITING
    assert world.task("a").waiting_for is WaitingFor.ANSWER
    assert question_of(world).options == ("this", "that")
    assert world.timers() == ["question:q_one"]


@pytest.mark.parametrize(("own", "allowed"), [(None, 60_000), (5, 5), (0, 0)])
def test_a_question_has_its_own_deadline_or_the_tickets(own: int | None, allowed: int) -> None:
    question = question_of(asking(deadline_ms=own))

    assert question.deadline_at - question.asked_at == allowed


def test_an_answer_is_delivered_and_the_task_goes_on() -> None:
    world = asking()

    assert say(world) == Answered()

    assert world.states()["a"] is TaskState.RUNNING
    assert world.task("a").waiting_for is None
    assert world.the(DeliverAnswer).command.answer == "this"
    assert question_of(world).answer == "this"
    assert world.timers() == []


def test_the_same_answer_again_is_fine_and_not_delivered_again() -> None:
    world = asking()
    say(world)

    assert say(world) == Answered(repeated=True)

    assert len(world.asked_for(DeliverAnswer)) == 1


def refused(outcome: object, why: str) -> bool:
    return isinstance(outcome, NotAnswered) and why in outcome.message


def test_another_answer_is_refused() -> None:
    world = asking()
    say(world)

    assert refused(say(world, "that"), "was answered already: 'this'")
    assert question_of(world).answer == "this"


@pytest.mark.parametrize(("task", "question"), [("b", "q_one"), ("a", "q_two")])
def test_an_answer_to_the_wrong_task_or_question_is_refused(task: str, question: str) -> None:
    world = asking()

    assert refused(say(world, task=task, question=question), "has no question")
    assert world.states()["a"] is TaskState.WAITING


def test_a_question_that_nobody_answers_gets_the_safe_answer() -> None:
    world = asking()

    world.tell(TimerFired, timer="question:q_one")

    assert world.the(DeliverAnswer).command.answer is None
    assert world.states()["a"] is TaskState.RUNNING
    assert refused(say(world), "nobody answered in time")


def test_a_deadline_after_the_answer_is_nothing() -> None:
    world = asking()
    say(world)

    world.tell(TimerFired, timer="question:q_one")

    assert len(world.asked_for(DeliverAnswer)) == 1


def test_a_question_that_is_withdrawn_is_closed() -> None:
    world = asking()

    world.tell(QuestionWithdrawn, question="q_one")
    world.tell(QuestionWithdrawn, question="q_one")

    assert world.states()["a"] is TaskState.RUNNING
    assert world.asked_for(DeliverAnswer) == []
    assert world.timers() == []
    assert refused(say(world), "does not wait any more")


def test_an_agent_that_ends_while_it_asks_is_captured() -> None:
    world = asking()

    world.to_end("a")

    assert len(world.pending(CaptureRun, "a")) == 1
    assert world.states()["a"] is TaskState.RUNNING
    assert world.timers() == []
    assert refused(say(world), "the agent has ended")
    world.to_captured("a")
    assert world.states()["a"] is TaskState.COMPLETED


def test_an_answer_after_the_cancel_is_refused() -> None:
    world = asking()
    world.tell(CancelRequested, ticket=TICKET, tasks=("a",), by=HERE)

    assert refused(say(world), "is being stopped")
    assert world.asked_for(DeliverAnswer) == []


def test_a_run_that_is_being_stopped_gets_the_safe_answer_at_once() -> None:
    world = asking()
    world.tell(CancelRequested, ticket=TICKET, tasks=("a",), by=HERE)

    ask(world, "q_two")

    assert world.the(DeliverAnswer).command.answer is None
    assert world.states()["a"] is TaskState.RUNNING
    assert refused(say(world, question="q_two"), "is being stopped")
    assert world.timers() == []


def test_a_question_of_an_agent_that_has_ended_waits_for_nobody() -> None:
    world = asking()
    world.to_end("a")

    ask(world, "q_two")

    assert world.timers() == []
    assert world.state.open_question(world.task("a")) is None
    assert world.asked_for(DeliverAnswer) == []


def test_a_question_that_comes_before_the_start_is_seen_parks_the_task_then() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_workspace("a")
    ask(world)
    assert world.states() == {"a": TaskState.PREPARING}

    world.tell(RunStarted, run=world.run("a").id)

    assert world.states() == {"a": TaskState.WAITING}
    say(world)
    assert world.states() == {"a": TaskState.RUNNING}


def test_a_task_with_two_questions_goes_on_after_both() -> None:
    world = asking()
    ask(world, "q_two")

    say(world, question="q_two")
    assert world.states()["a"] is TaskState.WAITING
    say(world)

    assert world.states()["a"] is TaskState.RUNNING


def test_every_question_is_shown_and_is_a_change_of_its_task() -> None:
    world = asking()
    seen = task_sequence(world.state, world.task("a"))
    ask(world, "q_two")
    more = task_sequence(world.state, world.task("a"))
    shown = task_view(world.state, world.task("a"), Beside({}))
    assert [one.id for one in shown.questions] == ["q_one", "q_two"]
    assert shown.question == shown.questions[0]
    say(world)
    assert seen < more < task_sequence(world.state, world.task("a"))


def test_a_question_that_was_answered_says_what_and_by_whom() -> None:
    world = asking()
    ask(world, "q_two")
    say(world)
    world.tell(QuestionWithdrawn, question="q_two")

    shown = task_view(world.state, world.task("a"), Beside({}))
    assert shown.questions == ()
    told = [(one.id, one.answer, one.closed) for one in shown.closed_questions]
    assert told == [
        ("q_one", "this", "the user has answered"),
        ("q_two", None, "the agent does not wait any more"),
    ]
    assert "q_one: the user has answered: this" in world.story


def test_a_view_shows_the_newest_of_many_questions_that_wait_no_more() -> None:
    world = asking()
    for number in range(MOST_CLOSED + 1):
        ask(world, f"q_{number}")
        say(world, question=f"q_{number}")
    shown = task_view(world.state, world.task("a"), Beside({})).closed_questions
    assert len(shown) == MOST_CLOSED
    assert "q_0" not in {one.id for one in shown}


def test_the_end_of_a_task_closes_all_of_its_questions() -> None:
    world = asking()
    ask(world, "q_two")

    world.to_end("a")

    assert world.timers() == []
    assert all(row.closed is not None for row in world.state.rows(QuestionRow))
    assert "q_one: the agent has ended" in world.story
    assert "q_two: the agent has ended" in world.story


def test_a_question_is_asked_once() -> None:
    world = asking()
    say(world)

    ask(world)

    assert world.last.changes == ()
    assert question_of(world).answer == "this"


def test_an_id_that_another_run_has_used_gets_the_safe_answer() -> None:
    world = asking()
    world.to_running("b")

    world.tell(QuestionAsked, run=world.run("b").id, question="q_one", text="And this?")

    assert question_of(world).task == "a"
    assert world.states() == {"a": TaskState.WAITING, "b": TaskState.RUNNING}
    assert world.the(DeliverAnswer).command == DeliverAnswer(world.run("b").id, "q_one", None)


def test_questions_of_a_dropped_ticket_are_nothing() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_running("a")
    run = world.run("a").id
    ask(world)
    world.to_end("a")
    world.to_captured("a")
    world.merge()
    world.tell(Dropped, tickets=(TICKET,))

    world.tell(QuestionAsked, run=run, question="q_two", text="Which?")
    world.tell(QuestionWithdrawn, question="q_one")

    assert refused(say(world), "has no question")
    assert list(world.state.rows(QuestionRow)) == []


def test_where_nobody_is_there_a_question_gets_the_safe_answer_at_once() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_running("a")
    world.tell(ServerUnattended, server=HERE)
    ask(world)
    assert world.states()["a"] is TaskState.RUNNING
    assert world.asked_for(DeliverAnswer)[-1].answer is None
    assert world.timers() == []
    closed = question_of(world).closed
    assert closed is not None
    assert closed.reason == "there is nobody to ask"

    # A person at another server may answer.
    world.begin(THERE)
    ask(world, "q_two")
    assert world.states()["a"] is TaskState.WAITING
