"""Which effect carries out which command."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

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
from sennit.core.engine.events import Event
from sennit.core.engine.step_values import Issued
from sennit.runtime.ports import Effect, Effects, Report
from sennit.server.applying.carrying_out import run_application, settle_application
from sennit.server.effects.agent_runs import deliver_answer, recover_run, start_run, stop_run
from sennit.server.effects.basing import take_base
from sennit.server.effects.capturing import capture_run
from sennit.server.effects.cleaning import remove_workspaces
from sennit.server.effects.offering import offer_revision
from sennit.server.effects.preparing import prepare_workspace
from sennit.server.effects.reconciling import reconcile
from sennit.server.services import Services

ServiceEffect = Callable[[Services, Issued, Report], Awaitable[Event]]

EFFECTS: Mapping[type, ServiceEffect] = {
    TakeBase: take_base,
    PrepareWorkspace: prepare_workspace,
    StartRun: start_run,
    StopRun: stop_run,
    RecoverRun: recover_run,
    CaptureRun: capture_run,
    Reconcile: reconcile,
    OfferRevision: offer_revision,
    RunApplication: run_application,
    SettleApplication: settle_application,
    DeliverAnswer: deliver_answer,
    RemoveWorkspaces: remove_workspaces,
}


def effects(services: Services) -> Effects:
    """The effects of a server, each with what it works with."""

    def bound(effect: ServiceEffect) -> Effect:
        async def carry_out(issued: Issued, report: Report) -> Event:
            return await effect(services, issued, report)

        return carry_out

    return {command: bound(effect) for command, effect in EFFECTS.items()}
