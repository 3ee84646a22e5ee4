"""Steps of questions: an agent asks, the user answers once, or nobody does in time."""

from __future__ import annotations

from attrs import evolve, frozen

from sennit.core.engine.commands import DeliverAnswer
from sennit.core.engine.draft import Draft
from sennit.core.engine.events import (
    AnswerGiven,
    QuestionAsked,
    QuestionWithdrawn,
    RunHeld,
    RunSteered,
)
from sennit.core.engine.moves import forget_question_timer, move_task, resume
from sennit.core.engine.rows import (
    QuestionEnd,
    QuestionRow,
    RunRow,
    ServerRow,
    TaskRow,
    TicketRow,
    TimerRow,
)
from sennit.core.engine.settling import go_on
from sennit.core.engine.transitions import TaskSignal
from sennit_protocol.states import RunState, TaskState, WaitingFor


@frozen
class Answered:
    """The answer counts; ``repeated`` when the very same one had been given before."""

    repeated: bool = False


@frozen
class NotAnswered:
    """The answer does not count, and why."""

    message: str


def asked(draft: Draft, event: QuestionAsked) -> None:
    """Park the task until the user answers; its slot is given up meanwhile.

    A run that is being stopped gets the safe answer at once, which is none, and so does every run
    while no server has anybody who could answer. One that is no more has nobody who waits. Agents
    choose the ids of their questions: an id that another run has used cannot be told from that
    one's, and gets the safe answer as well.
    """
    run = draft.get(RunRow, event.run)
    known = draft.get(QuestionRow, event.question)
    if run is None or (known is not None and known.run == run.id):
        return
    if known is not None:
        draft.issue(DeliverAnswer(run.id, event.question, None))
        draft.note(run.ticket, run.task, f"asks under an id that is taken: {event.question}")
        return
    question = _question(draft, event, run)
    draft.put(question)
    draft.note(run.ticket, run.task, f"asks {question.id}: {question.text}")
    if all(server.unattended for server in draft.rows(ServerRow)):
        _close(draft, question, "there is nobody to ask", None)
    elif run.state in {RunState.STARTING, RunState.RUNNING}:
        draft.put(TimerRow(f"question:{question.id}", question.deadline_at, run.ticket))
        park(draft, draft.task(run.ticket, run.task))
        go_on(draft, run.ticket)
    elif run.state is RunState.STOPPING:
        _close(draft, question, "the run is being stopped", None)
    else:
        draft.put(evolve(question, closed=QuestionEnd("the agent has ended")))


def _question(draft: Draft, event: QuestionAsked, run: RunRow) -> QuestionRow:
    allowed = event.deadline_ms
    if allowed is None:
        allowed = draft.the(TicketRow, run.ticket).ask_deadline_ms
    return QuestionRow(
        id=event.question,
        ticket=run.ticket,
        task=run.task,
        run=run.id,
        text=event.text,
        options=event.options,
        asked_at=event.at,
        deadline_at=event.at + allowed,
        permission=event.permission,
    )


def park(draft: Draft, task: TaskRow) -> None:
    """Let a running task that has an open question wait for the answer."""
    question = draft.open_question(task)
    if task.state is TaskState.RUNNING and question is not None:
        waiting = move_task(draft, task, TaskSignal.ASK)
        what = WaitingFor.PERMISSION if question.permission else WaitingFor.ANSWER
        draft.put(evolve(waiting, waiting_for=what))


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


def held(draft: Draft, event: RunHeld) -> None:
    """Let a task wait for what the user says next; its slot is given up meanwhile."""
    run = draft.get(RunRow, event.run)
    if run is None or run.state is not RunState.RUNNING:
        return
    task = draft.task(run.ticket, run.task)
    if task.state is TaskState.RUNNING:
        task = move_task(draft, task, TaskSignal.ASK)
    draft.put(evolve(task, waiting_for=WaitingFor.USER))
    draft.note(run.ticket, run.task, "is interrupted, and waits for you")
    go_on(draft, run.ticket)


def steered(draft: Draft, event: RunSteered) -> None:
    """Tell the story what the user said, and let a task that waited for it go on."""
    run = draft.get(RunRow, event.run)
    if run is None:
        return
    draft.note(run.ticket, run.task, f"is told: {event.text}")
    task = draft.task(run.ticket, run.task)
    if task.state is TaskState.WAITING and task.waiting_for is WaitingFor.USER:
        move_task(draft, task, TaskSignal.RESUME)


def withdrawn(draft: Draft, event: QuestionWithdrawn) -> None:
    """Close a question whose asker does not wait any more."""
    question = draft.get(QuestionRow, event.question)
    if question is not None and question.closed is None:
        _end(draft, question, "the agent does not wait any more", None)


def expired(draft: Draft, question: QuestionRow) -> None:
    """Give the safe answer, which is none, when the deadline has passed."""
    if question.closed is None:
        _close(draft, question, "nobody answered in time", None)


def _close(draft: Draft, question: QuestionRow, reason: str, text: str | None) -> None:
    draft.issue(DeliverAnswer(question.run, question.id, text))
    _end(draft, question, reason, text)


def _end(draft: Draft, question: QuestionRow, reason: str, text: str | None) -> None:
    draft.put(evolve(question, answer=text, closed=QuestionEnd(reason)))
    forget_question_timer(draft, question)
    said = reason if text is None else f"{reason}: {text}"
    draft.note(question.ticket, question.task, f"{question.id}: {said}")
    task = draft.task(question.ticket, question.task)
    if task.waiting_for is not WaitingFor.USER:
        resume(draft, task)
