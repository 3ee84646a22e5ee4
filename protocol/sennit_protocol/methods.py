"""The table of methods: who sends each, with which parameters, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from attrs import frozen

from sennit_protocol import (
    applications,
    following,
    overlap,
    proposals,
    requests,
    review,
    tasks,
    texts,
    told,
    upkeep,
    views,
)


class Sender(StrEnum):
    """The side that sends a message."""

    CLIENT = "client"
    SERVER = "server"


@frozen
class Method:
    """One method. ``result`` is None for notifications.

    A method that is not ``available`` is answered with a clear error and not listed.
    """

    name: str
    params: type
    result: type | None
    summary: str
    sender: Sender = Sender.CLIENT
    available: bool = True


def _later(name: str, summary: str) -> Method:
    return Method(name, requests.NotYet, requests.Nothing, summary, available=False)


_CLIENT_REQUESTS = (
    Method("sennit/dispatch", tasks.DispatchParams, requests.DispatchResult,
           "Validates and admits a call and starts its ticket."),
    Method("sennit/preflight", tasks.DispatchParams, requests.PreflightResult,
           "The checks of a dispatch and its base; nothing is started."),
    Method("sennit/tickets", requests.TicketsParams, requests.TicketsResult,
           "Lists tickets, newest first."),
    Method("sennit/ticket", requests.TicketParams, views.TicketView, "One ticket in full."),
    Method("sennit/wait", requests.WaitParams, requests.WaitResult,
           "Answers when a ticket has settled, needs the user, or changed."),
    Method("sennit/cancel", requests.CancelParams, requests.CancelResult,
           "Cancels a ticket or tasks; without `force` tells what would be lost."),
    Method("sennit/answer", requests.AnswerParams, requests.AnswerResult,
           "Answers a question of an agent."),
    Method("sennit/steer", requests.SteerParams, requests.SteerResult,
           "Says something to an agent at work."),
    Method("sennit/interrupt", requests.InterruptParams, requests.InterruptResult,
           "Ends the turn of an agent, which waits for what is said next."),
    Method("sennit/follow", following.FollowParams, requests.DispatchResult,
           "Follows up on ended work with a new ticket."),
    Method("sennit/proposals", review.ProposalsParams, review.ProposalsResult, "Lists proposals."),
    Method("sennit/proposal", review.ProposalParams, proposals.ProposalView,
           "One proposal with its files and units, or as a patch."),
    Method("sennit/decide", review.DecideParams, review.DecideResult,
           "Accepts, rejects or resets units, files or all of a revision."),
    Method("sennit/resolve", review.ResolveParams, review.DecideResult,
           "Settles conflicts, by a side, a text or a suggestion; all is merged again."),
    Method("sennit/overlaps", overlap.OverlapsParams, overlap.OverlapsResult,
           "Where proposals meet, and what running agents have done so far."),
    Method("sennit/preview", review.PreviewParams, review.PreviewResult,
           "The edit as it would be applied now."),
    Method("sennit/apply", review.ApplyParams, applications.ApplicationView,
           "Applies what is accepted."),
    Method("sennit/undo", review.UndoParams, applications.ApplicationView,
           "Takes an application back by merging with the text as it is."),
    Method("sennit/content", texts.ContentParams, texts.ContentResult,
           "The text behind a `sennit:` URI."),
    Method("sennit/output", texts.OutputParams, texts.OutputResult,
           "A page of an agent's output."),
    Method("sennit/run", texts.RunParams, texts.RunResult, "One run's record."),
    Method("sennit/materialise", texts.MaterialiseParams, texts.MaterialiseResult,
           "Checks a task's work out into a plain folder."),
    Method("sennit/agents", upkeep.AgentsParams, upkeep.AgentsResult,
           "The catalogue of agents, and their definitions."),
    Method("sennit/story", texts.StoryParams, texts.StoryResult,
           "Everything that happened to a ticket or a task."),
    Method("sennit/retained", requests.Nothing, upkeep.RetainedResult, "What is kept."),
    Method("sennit/drop", upkeep.DropParams, upkeep.DropResult, "Drops kept work for good."),
    Method("sennit/gc", upkeep.GcParams, upkeep.GcResult,
           "Collects what nothing needs any more."),
    Method("sennit/trust", upkeep.TrustParams, upkeep.TrustResult,
           "Lists, grants or revokes trust in folders."),
    Method("sennit/doctor", upkeep.DoctorParams, upkeep.DoctorResult,
           "Looks at machine, repository, agents and store."),
    _later("sennit/pause", "Pauses a ticket or task."),
    _later("sennit/resume", "Lets a paused ticket or task go on."),
    _later("sennit/approve", "Approves or rejects a plan."),
    _later("sennit/revise", "Revises a plan."),
    _later("sennit/compare", "Candidates of one task side by side."),
    _later("sennit/deadLetters", "Runs that gave up."),
)  # fmt: skip

_CLIENT_NOTIFICATIONS = (
    Method("sennit/didApply", review.DidApplyParams, None, "What an edit really changed."),
    Method("sennit/documentInfo", review.DocumentInfoParams, None,
           "What only the editor knows of an open document."),
    Method("sennit/didChangeTrust", told.DidChangeTrustParams, None,
           "The user's word about the folders of this window."),
)  # fmt: skip

_SERVER_MESSAGES = (
    Method("sennit/ask", told.AskParams, told.AskResult,
           "Asks the user for an agent.", Sender.SERVER),
    Method("sennit/ticketChanged", told.TicketChanged, None, "A ticket changed.",
           Sender.SERVER),
    Method("sennit/ticketDropped", told.TicketDropped, None, "A ticket was dropped.",
           Sender.SERVER),
    Method("sennit/taskChanged", told.TaskChanged, None, "A task changed.", Sender.SERVER),
    Method("sennit/proposalChanged", review.ProposalChanged, None, "A proposal changed.",
           Sender.SERVER),
    Method("sennit/taskOutput", told.TaskOutput, None, "What an agent wrote.",
           Sender.SERVER),
)  # fmt: skip

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        method.name: method
        for method in (*_CLIENT_REQUESTS, *_CLIENT_NOTIFICATIONS, *_SERVER_MESSAGES)
    }
)

FEATURES: tuple[str, ...] = tuple(
    name.removeprefix("sennit/")
    for name, method in METHODS.items()
    if method.available and method.sender is Sender.CLIENT
)
