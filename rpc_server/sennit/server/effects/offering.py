"""``OfferRevision``: a clean proposal is shown, or sent as an edit that asks for confirmation."""

from __future__ import annotations

import anyio
from attrs import frozen

from sennit.core.counted import counted
from sennit.core.engine.commands import OfferRevision
from sennit.core.engine.events import DecisionsMade, Event, RevisionOffered
from sennit.core.engine.rows import ApplicationRow, RevisionRow
from sennit.core.engine.step_values import Issued
from sennit.core.objects import GitFailed
from sennit.core.proposal_views import Looked
from sennit.core.units import with_dependents, with_needs
from sennit.core.views import exact_timestamp
from sennit.runtime.ports import Report
from sennit.server import lsp_words as types
from sennit.server.applying.carrying import Carrier, carrier_of
from sennit.server.applying.head_moved import head_moved
from sennit.server.applying.images import Heading
from sennit.server.applying.performing import (
    MOST_OVERTAKEN,
    OVERTAKEN,
    chooses,
    forget,
    named,
    new_name,
    perform,
    was_overtaken,
)
from sennit.server.applying.planning import plan
from sennit.server.applying.values import Part, Plan, Wish
from sennit.server.looking import look
from sennit.server.services import Services
from sennit_protocol.errors import RpcError
from sennit_protocol.ids import UnitId
from sennit_protocol.states import ApplicationState, Decision, Target
from sennit_protocol.views import Notice

APPLY = "Apply"
LATER = "Keep for later"


async def offer_revision(services: Services, issued: Issued, _report: Report) -> Event:
    """Offer to a client without a review interface; others are told by ``proposalChanged``."""
    command: OfferRevision = issued.command
    client = services.connection.client
    revision = services.state.get(RevisionRow, command.revision)
    carrier = carrier_of(client, Target.EDITOR)
    if revision is not None and carrier.edits and not client.sennit.review:
        # Editors show one edit for confirmation at a time, and each is made on the text by then.
        async with services.offering.setdefault(revision.repository.key, anyio.Lock()):
            await _offer(services, carrier, revision)
    return services.event(RevisionOffered, issued.id, revision=command.revision)


@frozen
class _Offer:
    """What is offered of a revision: the preselected units, as a plan on the text as it is now."""

    revision: RevisionRow
    looked: Looked
    made: Plan
    moved: tuple[Notice, ...]


async def _offer(services: Services, carrier: Carrier, revision: RevisionRow) -> None:
    offer = await _made(services, revision)
    if offer is None:
        return
    question = _question(carrier, offer)
    if question is not None:
        await forget(offer.made)
        if not await chooses(services, question, APPLY, LATER):
            return
        offer = await _made(services, revision)
        if offer is None:
            return
    row = await _performed(services, offer)
    if row is not None and not carrier.annotations and was_overtaken(services, offer.made, row):
        again = await _made(services, revision)
        row = None if again is None else await _performed(services, again)
    if row is not None:
        await _accept_what_was_applied(services, row, offer.looked)


async def _made(services: Services, revision: RevisionRow) -> _Offer | None:
    at = exact_timestamp(services.clock.now_ms())
    opened = await services.repositories.open(revision.repository, at)
    if isinstance(opened, GitFailed):
        return None
    looked = await look(services, opened, revision)
    if isinstance(looked, GitFailed):
        return None
    chosen = _offered_units(revision, looked)
    if not chosen:
        _say_look_first(services, revision, len(looked.units))
        return None
    part = Part(revision.base_tree, looked.units, chosen, revision.id)
    wish = Wish((part,), Target.EDITOR, (revision.id,))
    made = await plan(services, revision.repository, new_name(services), wish)
    if isinstance(made, GitFailed) or made.does_nothing:
        return None
    moved = head_moved(services, revision.ticket, revision.repository, made.live.manifest)
    return _Offer(revision, looked, made, moved)


def _offered_units(revision: RevisionRow, looked: Looked) -> frozenset[str]:
    """What is offered: what is preselected, and does not need what was rejected before."""
    rejected = {unit for unit, said in revision.decisions if said is Decision.REJECTED}
    refused = with_dependents(looked.units, set(rejected))
    return frozenset(with_needs(looked.units, looked.preselected - refused))


def _say_look_first(services: Services, revision: RevisionRow, units: int) -> None:
    changes = counted(units, "change")
    services.connection.show_message(
        types.MessageType.Info,
        f"{revision.task} proposes {changes}; each needs a careful look, so none is"
        f" offered by itself. `sennit show {revision.proposal}` in a terminal shows them.",
    )


def _question(carrier: Carrier, offer: _Offer) -> str | None:
    """What to ask in words first; None where the edit itself asks for everything."""
    staged = offer.made.staged
    if carrier.annotations and staged is None and not offer.moved:
        return None
    revision = offer.revision
    parts = [f"{revision.task} proposes changes to {counted(revision.counts.files, 'file')}."]
    if staged is not None:
        paths = tuple(step.path for step in staged.intention.steps)
        parts.append(f"The server would write these itself: {named(paths)}.")
    parts += [notice.message for notice in offer.moved]
    return " ".join(parts)


async def _performed(
    services: Services, offer: _Offer, tries: int = MOST_OVERTAKEN
) -> ApplicationRow | None:
    revision = offer.revision
    name = new_name(services)
    if offer.made.staged is not None:
        name = type(name)(offer.made.staged.intention.id)
    heading = Heading(name, revision.ticket, revision.repository, offered=True)
    row = await perform(services, offer.made, heading, offer.moved)
    if row is OVERTAKEN and tries > 1:
        again = await _made(services, revision)
        return None if again is None else await _performed(services, again, tries - 1)
    if isinstance(row, RpcError):
        services.connection.show_message(
            types.MessageType.Warning,
            f"The changes of {revision.task} could not be offered: {row.message} Apply them later"
            f" by `sennit apply {revision.proposal}`.",
        )
        return None
    return row


async def _accept_what_was_applied(services: Services, row: ApplicationRow, looked: Looked) -> None:
    """A user who confirms an offered edit has accepted its units, those of each file confirmed."""
    if row.state not in {ApplicationState.APPLIED, ApplicationState.PARTLY_APPLIED}:
        return
    paths = {unit.id: unit.path for unit in looked.units}
    failed = {one.path for one in row.observed if one.state is not ApplicationState.APPLIED}
    decisions = tuple(
        (UnitId(unit), Decision.ACCEPTED) for unit in row.units if paths.get(unit) not in failed
    )
    for revision in row.revisions:
        await services.tell(
            DecisionsMade, revision=revision, decisions=decisions, total=len(looked.units)
        )
