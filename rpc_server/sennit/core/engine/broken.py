"""What a command means that ended by a bug or a broken machine: the event of its failure."""

from __future__ import annotations

from typing import assert_never

from attrs import evolve

from sennit.core.engine.commands import (
    CaptureRun,
    Command,
    DeliverAnswer,
    OfferRevision,
    PrepareWorkspace,
    Reconcile,
    RecoverRun,
    RemoveWorkspaces,
    RunApplication,
    SettleApplication,
    StartRun,
    StopRun,
    TakeBase,
)
from sennit.core.engine.draft import Draft
from sennit.core.engine.events import (
    ApplicationSettled,
    BaseFailed,
    CaptureFailed,
    CommandFailed,
    Event,
    Reconciled,
    StopTaken,
    Verdict,
    WorkspaceFailed,
    WorkspacesRemoved,
)
from sennit.core.engine.moves import is_active
from sennit.core.engine.rows import RevisionRow, RunRow
from sennit.core.engine.running import recovery_broke, start_broke
from sennit_protocol.states import ApplicationState, Integration, RunState
from sennit_protocol.views import Failure, Notice


def equivalent_event(event: CommandFailed) -> Event | None:  # noqa: C901  one case a command
    """The event that says in the words of its stage that a command has failed, if there is one."""
    at, seed, cause = event.at, event.seed, event.cause
    failure = in_words(event)
    match event.command:
        case TakeBase(base=base, ticket=ticket):
            return BaseFailed(
                at=at, seed=seed, cause=cause, base=base, ticket=ticket, failure=failure
            )
        case PrepareWorkspace(run=run):
            return WorkspaceFailed(at=at, seed=seed, cause=cause, run=run, failure=failure)
        case StopRun(run=run):
            return StopTaken(at=at, seed=seed, cause=cause, run=run, failure=failure)
        case CaptureRun(run=run):
            return CaptureFailed(at=at, seed=seed, cause=cause, run=run, failure=failure)
        case Reconcile(ticket=ticket, repository=repository, arrived=arrived):
            verdicts = tuple(
                Verdict(one.revision, Integration.FAILED, message=failure.message)
                for one in arrived
            )
            return Reconciled(
                at=at, seed=seed, cause=cause, ticket=ticket, repository=repository,
                verdicts=verdicts,
            )  # fmt: skip
        case RunApplication(application=application) | SettleApplication(application=application):
            return ApplicationSettled(
                at=at, seed=seed, cause=cause, application=application,
                state=ApplicationState.UNKNOWN, notices=(Notice(failure.message),),
            )  # fmt: skip
        case RemoveWorkspaces(ticket=ticket):
            return WorkspacesRemoved(at=at, seed=seed, cause=cause, ticket=ticket, failure=failure)
        case StartRun() | RecoverRun() | OfferRevision() | DeliverAnswer():
            return None
        case _:
            assert_never(event.command)


def without_event(draft: Draft, event: CommandFailed) -> None:
    """Do what follows from the failure of a command that no stage has an event for."""
    failure = in_words(event)
    match event.command:
        case StartRun(run=run):
            start_broke(draft, draft.the(RunRow, run), failure)
        case RecoverRun(run=run):
            recovery_broke(draft, draft.the(RunRow, run), failure)
        case OfferRevision(revision=revision):
            offered = draft.get(RevisionRow, revision)
            if offered is not None:
                draft.note(offered.ticket, offered.task, failure.message)
        case DeliverAnswer(run=run):
            asker = draft.get(RunRow, run)
            if asker is not None:
                draft.note(asker.ticket, asker.task, failure.message)
        case _:
            raise TypeError(f"{type(event.command).__name__} has an event of its stage")


def still_fits(draft: Draft, command: Command) -> bool:
    """Whether what a command was about still waits for its end.

    The runtime tells of a failure also when the engine could not take the command's own event, so
    that this must never be a bug a second time.
    """
    match command:
        case PrepareWorkspace(run=run):
            return _run_is(draft, run, {RunState.STARTING})
        case CaptureRun(run=run):
            return _run_is(draft, run, {RunState.ENDED})
        case StartRun(run=run) | RecoverRun(run=run):
            row = draft.get(RunRow, run)
            return row is not None and is_active(row)
        case _:
            return True


def _run_is(draft: Draft, run: str, states: set[RunState]) -> bool:
    row = draft.get(RunRow, run)
    return row is not None and row.state in states


def in_words(event: CommandFailed) -> Failure:
    """The failure with the name of the command that broke."""
    name = type(event.command).__name__
    message = f"{name} broke: {event.failure.message} The log has the details."
    return evolve(event.failure, message=message)
