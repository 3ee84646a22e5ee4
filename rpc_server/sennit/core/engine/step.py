"""The engine's one function: ``step(state, event, sequence)`` gives changes and commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from attrs import evolve

from sennit.core.engine import (
    admitting,
    applying,
    asking,
    broken,
    capturing,
    recovering,
    resolving,
    reviewing,
    running,
)
from sennit.core.engine.draft import Draft
from sennit.core.engine.events import (
    AnswerDelivered,
    AnswerGiven,
    ApplicationIntended,
    ApplicationSettled,
    BaseFailed,
    BaseTaken,
    BudgetSpent,
    CancelRequested,
    Captured,
    CaptureFailed,
    CommandFailed,
    ConflictsResolved,
    DecisionsMade,
    DispatchRequested,
    DocumentUnsaved,
    DriftSeen,
    Dropped,
    Event,
    QuestionAsked,
    QuestionWithdrawn,
    Reconciled,
    RevisionOffered,
    RunEnded,
    RunHeld,
    RunNoted,
    RunStalled,
    RunStarted,
    RunSteered,
    ServersGone,
    ServerStarted,
    ServerStopped,
    ServerStopping,
    ServerUnattended,
    SessionKnown,
    StopTaken,
    Tick,
    TimerFired,
    WorkspaceFailed,
    WorkspaceReady,
    WorkspacesRemoved,
)
from sennit.core.engine.rows import QuestionRow, RunRow, TaskRow, TimerRow
from sennit.core.engine.state import State
from sennit.core.engine.step_values import Step
from sennit_protocol.views import Notice


def step(state: State, event: Event, sequence: int) -> Step[Any]:
    """Decide what the event changes and asks for. Reads nothing but its arguments.

    A state that the event does not fit is a bug and raises; the step then changes nothing.
    """
    draft = Draft(state, event.at, event.seed, sequence)
    if event.cause is not None:
        draft.ended.append(event.cause)
    HANDLERS[type(event)](draft, event)
    return draft.finish()


def _timer_fired(draft: Draft, event: TimerFired) -> None:
    kind, _, name = event.timer.partition(":")
    draft.delete(TimerRow, event.timer)
    if kind == "deadline":
        run = draft.get(RunRow, name)
        if run is not None:
            running.deadline_passed(draft, run)
    elif kind == "question":
        question = draft.get(QuestionRow, name)
        if question is not None:
            asking.expired(draft, question)
    elif kind == "retry":
        task = draft.get(TaskRow, name)
        if task is not None:
            capturing.retry_is_due(draft, task)
    else:
        raise ValueError(f"no such kind of timer: {event.timer}")


def _command_failed(draft: Draft, event: CommandFailed) -> None:
    if not broken.still_fits(draft, event.command):
        return
    same = broken.equivalent_event(event)
    if same is not None:
        HANDLERS[type(same)](draft, same)
    else:
        broken.without_event(draft, event)


def _workspaces_removed(draft: Draft, event: WorkspacesRemoved) -> None:
    ticket = draft.ticket(event.ticket)
    if event.failure is None:
        return
    draft.note(event.ticket, None, event.failure.message)
    if ticket is not None:
        notice = Notice(event.failure.message)
        draft.put(evolve(ticket, notices=(*ticket.notices, notice)))


def _nothing_more(_draft: Draft, _event: Event) -> None:
    """The event ends its command; nothing else follows from it."""


HANDLERS: Mapping[type[Event], Callable[[Draft, Any], None]] = MappingProxyType(
    {
        DispatchRequested: admitting.dispatch,
        BaseTaken: admitting.base_taken,
        BaseFailed: admitting.base_failed,
        WorkspaceReady: running.workspace_ready,
        WorkspaceFailed: running.workspace_failed,
        RunStarted: running.run_started,
        RunEnded: running.run_ended,
        SessionKnown: running.session_known,
        RunNoted: running.run_noted,
        RunHeld: asking.held,
        RunSteered: asking.steered,
        BudgetSpent: running.budget_spent,
        RunStalled: running.run_stalled,
        StopTaken: running.stop_taken,
        Captured: capturing.captured,
        CaptureFailed: capturing.capture_failed,
        CancelRequested: running.cancel,
        Reconciled: reviewing.reconciled,
        RevisionOffered: _nothing_more,
        DecisionsMade: reviewing.decide,
        ConflictsResolved: resolving.resolve,
        ApplicationIntended: applying.intend,
        ApplicationSettled: applying.settled,
        DriftSeen: reviewing.drift_seen,
        Dropped: reviewing.drop,
        WorkspacesRemoved: _workspaces_removed,
        QuestionAsked: asking.asked,
        QuestionWithdrawn: asking.withdrawn,
        AnswerGiven: asking.answer,
        AnswerDelivered: _nothing_more,
        TimerFired: _timer_fired,
        ServerStarted: recovering.server_started,
        ServersGone: recovering.servers_gone,
        ServerUnattended: recovering.server_unattended,
        ServerStopping: recovering.server_stopping,
        ServerStopped: recovering.server_stopped,
        DocumentUnsaved: recovering.document_unsaved,
        CommandFailed: _command_failed,
        Tick: recovering.tick,
    }
)
