"""``OfferRevision``: a clean proposal is shown, or sent as an edit that asks for confirmation."""

from __future__ import annotations

from lsprotocol import types
from sennit_protocol.ids import ApplicationId, IdKind, UnitId
from sennit_protocol.states import ApplicationState, Decision, Target

from sennit.core.engine.commands import OfferRevision
from sennit.core.engine.events import (
    ApplicationIntended,
    DecisionsMade,
    Event,
    RevisionOffered,
)
from sennit.core.engine.reviewing import Intended
from sennit.core.engine.rows import ApplicationRow, RevisionRow
from sennit.core.engine.state import State
from sennit.core.engine.step_values import Issued
from sennit.core.objects import GitFailed
from sennit.core.units import with_needs
from sennit.core.views import exact_timestamp
from sennit.runtime.ports import Report
from sennit.server.applying.carrying import Carrier, carrier_of
from sennit.server.applying.images import Heading, record_of
from sennit.server.applying.planning import plan
from sennit.server.applying.values import Part, Wish
from sennit.server.looking import look
from sennit.server.services import Services

APPLY = "Apply"
LATER = "Keep for later"
CHOOSE_S = 600.0


async def offer_revision(services: Services, issued: Issued, _report: Report) -> Event:
    """Offer to a client without a review interface; others are told by ``proposalChanged``."""
    command: OfferRevision = issued.command
    client = services.connection.client
    revision = services.state.get(RevisionRow, command.revision)
    carrier = carrier_of(client, Target.EDITOR)
    bare = carrier.edits and not client.sennit.review
    if revision is not None and bare and await _may_send(services, carrier, revision):
        await _send(services, revision)
    return services.event(RevisionOffered, issued.id, revision=command.revision)


async def _may_send(services: Services, carrier: Carrier, revision: RevisionRow) -> bool:
    """Ask in words where the client cannot ask for a confirmation of the edit itself."""
    if carrier.annotations:
        return True
    params = types.ShowMessageRequestParams(
        type=types.MessageType.Info,
        message=f"{revision.task} proposes changes to {revision.counts.files} files.",
        actions=[types.MessageActionItem(APPLY), types.MessageActionItem(LATER)],
    )
    reply = await services.connection.request(types.WINDOW_SHOW_MESSAGE_REQUEST, params, CHOOSE_S)
    return isinstance(reply, types.MessageActionItem) and reply.title == APPLY


async def _send(services: Services, revision: RevisionRow) -> None:
    at = exact_timestamp(services.clock.now_ms())
    opened = await services.repositories.open(revision.repository, at)
    if isinstance(opened, GitFailed):
        return
    looked = await look(services, opened, revision)
    if isinstance(looked, GitFailed) or not looked.preselected:
        return
    chosen = with_needs(looked.units, looked.preselected)
    part = Part(revision.base_tree, looked.units, chosen, revision.id)
    name = ApplicationId(services.new_id(IdKind.APPLICATION))
    wish = Wish((part,), Target.EDITOR, (revision.id,))
    made = await plan(services, revision.repository, name, wish)
    if isinstance(made, GitFailed) or not made.editor.files:
        return
    heading = Heading(name, revision.ticket, revision.repository, offered=True)
    row = await record_of(services, made, heading)
    if isinstance(row, GitFailed):
        return
    services.plans[name] = made
    outcome = await services.tell(ApplicationIntended, application=row)
    if not isinstance(outcome, Intended):
        del services.plans[name]
        return
    await services.loop.wait_until(lambda state: _is_over(state, name))
    await _accept_what_was_applied(services, name, len(looked.units))


def _is_over(state: State, name: ApplicationId) -> bool:
    row = state.get(ApplicationRow, name)
    return row is None or row.state is not ApplicationState.APPLYING


async def _accept_what_was_applied(services: Services, name: ApplicationId, total: int) -> None:
    """A user who confirms an offered edit has accepted its units."""
    row = services.state.get(ApplicationRow, name)
    if row is None or row.state is not ApplicationState.APPLIED:
        return
    for revision in row.revisions:
        decisions = tuple((UnitId(unit), Decision.ACCEPTED) for unit in row.units)
        await services.tell(DecisionsMade, revision=revision, decisions=decisions, total=total)
