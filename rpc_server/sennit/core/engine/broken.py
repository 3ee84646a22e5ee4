"""What a command means that ended by a bug or a broken machine: the event of its failure."""

from __future__ import annotations

from typing import assert_never

from attrs import evolve
from sennit_protocol.states import ApplicationState, Integration
from sennit_protocol.views import Failure, Notice

from sennit.core.engine.commands import (
    CaptureRun,
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
from sennit.core.engine.events import (
    ApplicationSettled,
    BaseFailed,
    CaptureFailed,
    CommandFailed,
    Event,
    Reconciled,
    RunEnded,
    Verdict,
    WorkspaceFailed,
    WorkspacesRemoved,
)


def equivalent_event(event: CommandFailed) -> Event | None:  # noqa: C901, PLR0911  one case a command
    """The event that says in the words of its stage that a command has failed."""
    at, seed, cause = event.at, event.seed, event.cause
    failure = _in_words(event)
    match event.command:
        case TakeBase(base=base, ticket=ticket):
            return BaseFailed(
                at=at, seed=seed, cause=cause, base=base, ticket=ticket, failure=failure
            )
        case PrepareWorkspace(run=run):
            return WorkspaceFailed(at=at, seed=seed, cause=cause, run=run, failure=failure)
        case StartRun(run=run) | RecoverRun(run=run):
            return RunEnded(at=at, seed=seed, cause=cause, run=run, failure=failure)
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
        case StopRun() | OfferRevision() | DeliverAnswer():
            return None
        case _:
            assert_never(event.command)


def _in_words(event: CommandFailed) -> Failure:
    name = type(event.command).__name__
    message = f"{name} broke: {event.failure.message} The log has the details."
    return evolve(event.failure, message=message)
