"""Steps of questions: an agent asks, the user answers once, or nobody does in time."""

from __future__ import annotations

from attrs import evolve, frozen
from sennit_protocol.states import TaskState, WaitingFor

from sennit.core.engine.commands import DeliverAnswer
from sennit.core.engine.draft import Draft
from sennit.core.engine.events import AnswerGiven, QuestionAsked, QuestionWithdrawn
from sennit.core.engine.moves import move_task
from sennit.core.engine.rows import QuestionEnd, QuestionRow, RunRow, TaskRow, TicketRow, TimerRow
from sennit.core.engine.settling import go_on
from sennit.core.engine.transitions import TaskSignal


@frozen
class Answered:
    """The answer counts; ``repeated`` when the very same one had been given before."""

    repeated: bool = False


@frozen
class NotAnswered:
    """The answer does not count, and why."""

    message: str


def asked(draft: Draft, event: QuestionAsked) -> None:
    """Park the task until the user answers; its slot is given up meanwhile."""
    run = draft.the(RunRow, event.run)
    task = draft.task(run.ticket, run.task)
    ticket = draft.the(TicketRow, run.ticket)
    deadline = event.at + (event.deadline_ms or ticket.ask_deadline_ms)
    draft.put(
        QuestionRow(
            id=event.question,
            ticket=run.ticket,
            task=run.task,
            run=run.id,
            text=event.text,
            options=event.options,
            asked_at=event.at,
            deadline_at=deadline,
        )
    )
    draft.put(TimerRow(f"question:{event.question}", deadline, run.ticket))
    draft.note(task.ticket, task.id, f"asks {event.question}: {event.text}")
    if task.state is TaskState.RUNNING:
        waiting = move_task(draft, task, TaskSignal.ASK)
        draft.put(evolve(waiting, waiting_for=WaitingFor.ANSWER))
    go_on(draft, run.ticket)


def answer(draft: Draft, event: AnswerGiven) -> None:
    """Take an answer: the first counts, the same again is fine, everything else is refused."""
    question = draft.get(QuestionRow, event.question)
    if question is None or (question.ticket, question.task) != (event.ticket, event.task):
        message = f"the task {event.task} of {event.ticket} has no question {event.question}"
        draft.outcome = NotAnswered(message)
    elif question.answer == event.answer:
        draft.outcome = Answered(repeated=True)
    elif question.answer is not None:
        draft.outcome = NotAnswered(f"the question was answered already: {question.answer!r}")
    elif question.closed is not None:
        draft.outcome = NotAnswered(f"the question is closed: {question.closed.reason}")
    else:
        draft.outcome = Answered()
        _close(draft, question, "the user has answered", event.answer)


def withdrawn(draft: Draft, event: QuestionWithdrawn) -> None:
    """Close a question whose asker does not wait any more."""
    question = draft.the(QuestionRow, event.question)
    if question.closed is None:
        draft.put(evolve(question, closed=QuestionEnd("the agent does not wait any more")))
        _resume(draft, question)


def expired(draft: Draft, question: QuestionRow) -> None:
    """Give the safe answer, which is none, when the deadline has passed."""
    if question.closed is None:
        _close(draft, question, "nobody answered in time", None)


def _close(draft: Draft, question: QuestionRow, reason: str, text: str | None) -> None:
    draft.put(evolve(question, answer=text, closed=QuestionEnd(reason)))
    draft.issue(DeliverAnswer(question.run, question.id, text))
    draft.note(question.ticket, question.task, f"{question.id}: {reason}")
    _resume(draft, question)


def _resume(draft: Draft, question: QuestionRow) -> None:
    draft.delete(TimerRow, f"question:{question.id}")
    task: TaskRow = draft.task(question.ticket, question.task)
    if task.state is TaskState.WAITING and draft.open_question(task) is None:
        move_task(draft, task, TaskSignal.RESUME)
