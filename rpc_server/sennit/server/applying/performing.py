"""An application from the plan to what became of it, as handlers and offers need it."""

from __future__ import annotations

import anyio
from attrs import evolve

from sennit.adapters.git.disk_write import discard
from sennit.core.counted import listed
from sennit.core.edits import FileEdit
from sennit.core.engine.events import ApplicationIntended
from sennit.core.engine.indexes import UNSETTLED_APPLICATIONS
from sennit.core.engine.reviewing import Intended, NotIntended, Overtaken
from sennit.core.engine.rows import ApplicationRow, RepositoryRef
from sennit.core.engine.state import State
from sennit.core.objects import GitFailed
from sennit.core.stored import StoreProblem
from sennit.core.uris import display
from sennit.server import lsp_names
from sennit.server import lsp_words as types
from sennit.server.applying.images import Heading, record_of
from sennit.server.applying.planning import plan
from sennit.server.applying.texts import text_digest
from sennit.server.applying.values import Plan, Rest, Wish
from sennit.server.errors import git_error, store_error
from sennit.server.open_documents import Buffer, open_buffers
from sennit.server.services import Services
from sennit_protocol.errors import ErrorCode, RpcError
from sennit_protocol.ids import ApplicationId, IdKind
from sennit_protocol.states import ApplicationState, Target
from sennit_protocol.views import Notice

ALLOW = "Allow"
LEAVE = "Leave these files alone"
MOST_NAMED = 8
MOST_TRIES = 3
MOST_OVERTAKEN = 20
"""How often an application is worked out again since others were faster, in other servers."""
OVERTAKEN = RpcError(
    ErrorCode.WRONG_STATE,
    "Other applications keep changing the files of the repository. Nothing was written; try again.",
)


def new_name(services: Services) -> ApplicationId:
    """An id for a new application."""
    return ApplicationId(services.new_id(IdKind.APPLICATION))


async def planned(
    services: Services, ref: RepositoryRef, name: ApplicationId, wish: Wish
) -> Plan | RpcError:
    """The plan; the user of a client that lacks resource operations is asked about the rest.

    What other servers carry out in the repository comes first, as long as for a turn here.
    """
    if wish.target is not Target.PATCH:
        await _others_done(services, ref)
    made = await plan(services, ref, name, wish)
    if isinstance(made, GitFailed):
        return git_error(made)
    client = services.connection.client
    if not made.to_consent or client.sennit.review:
        return made
    await forget(made)
    allowed = await _allows(services, made.to_consent)
    rest = Rest.WRITE if allowed else Rest.LEAVE
    # The user has had time to type: the plan is made again on the text as it is now.
    again = await plan(services, ref, name, evolve(wish, rest=rest))
    return git_error(again) if isinstance(again, GitFailed) else again


async def _others_done(services: Services, ref: RepositoryRef) -> None:
    def done(state: State) -> bool:
        open_ones = state.find(UNSETTLED_APPLICATIONS, value=True)
        return all(
            row.repository != ref or row.state is not ApplicationState.APPLYING for row in open_ones
        )

    await services.loop.catch_up()
    with anyio.move_on_after(services.limits.turn_s):
        await services.loop.wait_until(done)


async def _allows(services: Services, paths: tuple[bytes, ...]) -> bool:
    message = (
        f"Your editor cannot create, delete or rename files for Sennit: {named(paths)}. Shall the"
        " server do it on the disk?"
    )
    return await chooses(services, message, ALLOW, LEAVE)


def named(paths: tuple[bytes, ...]) -> str:
    """The first few paths, and how many there are beside them."""
    shown = [display(path) for path in paths[:MOST_NAMED]]
    return listed(shown, len(paths) - MOST_NAMED)


async def chooses(services: Services, message: str, yes: str, no: str) -> bool:
    """Ask the user; whatever is not a clear yes is a no."""
    params = types.ShowMessageRequestParams(
        type=types.MessageType.Info,
        message=message,
        actions=[types.MessageActionItem(yes), types.MessageActionItem(no)],
    )
    reply = await services.connection.request(
        lsp_names.WINDOW_SHOW_MESSAGE_REQUEST, params, services.limits.confirm_s
    )
    return isinstance(reply, types.MessageActionItem) and reply.title == yes


async def forget(made: Plan) -> None:
    """Throw away what was staged for a plan that is not carried out."""
    if made.staged is not None:
        await discard(made.staged.intention)


async def perform(
    services: Services, made: Plan, heading: Heading, notices: tuple[Notice, ...] = ()
) -> ApplicationRow | RpcError:
    """Keep the intention, let it be carried out, and tell what became of it.

    After `OVERTAKEN` it may be worked out again.
    """
    row = await record_of(services, evolve(made, notices=(*made.notices, *notices)), heading)
    if isinstance(row, GitFailed):
        await forget(made)
        return git_error(row)
    services.plans[heading.id] = made
    outcome: Intended | NotIntended | Overtaken | StoreProblem = await services.tell(
        ApplicationIntended, application=row, seen=made.seen
    )
    if not isinstance(outcome, Intended):
        del services.plans[heading.id]
        await forget(made)
    match outcome:
        case StoreProblem():
            return store_error(outcome)
        case NotIntended(message=message):
            return RpcError(ErrorCode.WRONG_STATE, f"{message[:1].upper()}{message[1:]}.")
        case Overtaken():
            return OVERTAKEN
        case Intended():
            return await _ended(services, row)


async def _ended(services: Services, row: ApplicationRow) -> ApplicationRow:
    if row.target is Target.PATCH:
        del services.plans[row.id]
        return row

    def over(state: State) -> bool:
        found = state.get(ApplicationRow, row.id)
        return found is None or found.state is not ApplicationState.APPLYING

    await services.loop.wait_until(over)
    # A ticket that was dropped at once takes its record along.
    return services.state.get(ApplicationRow, row.id) or row


def was_overtaken(services: Services, made: Plan, row: ApplicationRow) -> bool:
    """Whether the editor refused because the user has typed: then the edit can be made again."""
    if row.id not in services.refused:
        return False
    services.refused.discard(row.id)
    buffers = open_buffers(services.connection, services.told)
    top = row.repository.top
    return any(_is_typed(buffers.get(top + b"/" + edit.old_path), edit)
               for edit in made.editor.files)  # fmt: skip


async def typing_has_paused(services: Services, top: bytes, made: Plan) -> None:
    """Wait until the documents of a plan have rested for a moment; not for ever."""
    paths = [top + b"/" + edit.old_path for edit in made.editor.files]
    end = services.clock.monotonic() + services.limits.turn_s
    before = None
    while services.clock.monotonic() < end:
        buffers = open_buffers(services.connection, services.told)
        versions = [buffers[path].document.version if path in buffers else None for path in paths]
        if versions == before:
            return
        before = versions
        await anyio.sleep(services.limits.quiet_s)


def _is_typed(buffer: Buffer | None, edit: FileEdit) -> bool:
    """Whether an open document holds another text than the edit was made for."""
    text = None if buffer is None else buffer.document.text
    return text is not None and edit.before is not None and text_digest(text) != edit.before.sha256
