"""``sennit/preview``, ``sennit/apply``, ``sennit/undo``."""

from __future__ import annotations

import os
from collections.abc import Iterator

import anyio.to_thread
from attrs import evolve

from sennit.adapters.git.changes import patch
from sennit.core.engine.following import is_newest
from sennit.core.engine.rows import ApplicationRow, RevisionRow
from sennit.core.objects import GitFailed
from sennit.core.proposal_views import application_view
from sennit.core.uris import display, file_uri
from sennit.server.applying.carrying import carrier_of
from sennit.server.applying.head_moved import head_moved
from sennit.server.applying.images import Heading
from sennit.server.applying.performing import (
    MOST_OVERTAKEN,
    MOST_TRIES,
    OVERTAKEN,
    forget,
    new_name,
    perform,
    planned,
    typing_has_paused,
    was_overtaken,
)
from sennit.server.applying.planning import plan
from sennit.server.applying.values import Part, Plan, Wish
from sennit.server.applying.wishing import Chosen, chosen, wish_for, wish_to_undo
from sennit.server.errors import git_error
from sennit.server.jsonrpc import Context
from sennit.server.jsonrpc.lsp_types import lsp_converter
from sennit.server.methods.proposals import patch_fields
from sennit.server.open_documents import is_open, open_buffers
from sennit.server.probing import trust_error
from sennit.server.review_turns import all_said
from sennit.server.services import Services
from sennit.server.workspace_edit import Shape, rounds, workspace_edit
from sennit_protocol.applications import ApplicationView, AppliedFile
from sennit_protocol.errors import ErrorCode, Problem, ReasonData, RpcError, problems_error
from sennit_protocol.ids import ApplicationId, UnitId
from sennit_protocol.review import (
    ApplyParams,
    PreviewParams,
    PreviewResult,
    StalePart,
    UndoParams,
)
from sennit_protocol.states import UNDOABLE_STATES, ApplicationState, Flag, Target
from sennit_protocol.views import Notice

_UNDER_WAY = RpcError(
    ErrorCode.WRONG_STATE,
    "Another application is under way in the same repository; wait for its end, or confirm or"
    " discard it in the editor.",
)
HEAD_MOVED = ReasonData(Flag.HEAD_MOVED.value)
"""Why an application is refused that ``confirmMoved`` would let through."""


async def preview(
    services: Services, _context: Context, params: PreviewParams
) -> PreviewResult | RpcError:
    """What applying what is accepted would do now."""
    await all_said(services, params.ticket, [one.proposal for one in params.proposals])
    # What was accepted in another server a moment ago counts.
    await services.loop.catch_up()
    group = _one_group(chosen(services, params.ticket, params.proposals))
    if isinstance(group, RpcError):
        return group
    wish = await wish_for(services, group, Target.EDITOR)
    if isinstance(wish, RpcError):
        return wish
    made = await plan(services, group.repository, new_name(services), wish)
    if isinstance(made, GitFailed):
        return git_error(made)
    await forget(made)
    return await _previewed(services, group, wish, made)


async def _previewed(
    services: Services, group: Chosen, wish: Wish, made: Plan
) -> PreviewResult | RpcError:
    client = services.connection.client
    shape = Shape(
        carrier_of(client, Target.EDITOR),
        client.position_encoding,
        group.repository.top,
        made.buffers,
    )
    text = await patch(services.git, made.opened.store, made.live.tree, made.folded.tree)
    if isinstance(text, GitFailed):
        return git_error(text)
    shown, _ = patch_fields(text)
    return PreviewResult(
        edits=await anyio.to_thread.run_sync(_plain_edits, made, shape),
        rest=rest_of(made, group.repository.top),
        conflicts=_stale(group, made),
        already_there=tuple(UnitId(unit) for unit in made.folded.already),
        uncertain=_uncertain(made, wish.parts),
        held=head_moved(services, group.ticket, group.repository, made.live.manifest),
        patch=shown,
        notices=made.notices,
    )


def _plain_edits(made: Plan, shape: Shape) -> tuple[object, ...]:
    plain = lsp_converter().unstructure
    return tuple(plain(workspace_edit(files, shape)) for files in rounds(made.editor))


def rest_of(made: Plan, top: bytes) -> tuple[AppliedFile, ...]:
    """The files that the server writes itself, and those that nobody touches."""
    steps = () if made.staged is None else made.staged.intention.steps
    written = tuple(
        AppliedFile(display(step.path), file_uri(top + b"/" + step.path), ApplicationState.NONE)
        for step in steps
    )
    held = tuple(
        AppliedFile(
            display(one.path), file_uri(top + b"/" + one.path), ApplicationState.FAILED, one.reason
        )
        for one in made.held
    )
    return written + held


def _stale(group: Chosen, made: Plan) -> tuple[StalePart, ...]:
    proposals = {str(row.id): row.proposal for row in group.revisions}
    return tuple(
        StalePart(
            unit=UnitId(unit),
            proposal=proposals[unit.partition(":")[0]],
            path=display(conflict.path),
            reason=f"{conflict.kind.value}: {conflict.message}".strip(": "),
        )
        for unit, conflict in made.folded.conflicts.items()
    )


def _uncertain(made: Plan, parts: tuple[Part, ...]) -> tuple[UnitId, ...]:
    doubtful = set(made.folded.uncertain)
    units = (unit for part in parts for unit in part.units)
    applied = set(made.folded.applied)
    return tuple(UnitId(unit.id) for unit in units if unit.path in doubtful and unit.id in applied)


def _one_group(groups: tuple[Chosen, ...] | RpcError) -> Chosen | RpcError:
    if isinstance(groups, RpcError):
        return groups
    if len(groups) == 1:
        return groups[0]
    if not groups:
        return RpcError(ErrorCode.WRONG_STATE, "There is nothing that could be applied.")
    tops = ", ".join(display(group.repository.top) for group in groups)
    problem = Problem("proposals", f"belong to several repositories or tickets: {tops}")
    return problems_error(ErrorCode.INVALID_PARAMS, "Name those of one at a time", (problem,))


async def apply(
    services: Services, _context: Context, params: ApplyParams
) -> ApplicationView | RpcError:
    """Apply what is accepted; answers when it is known what became of it."""
    await all_said(services, params.ticket, [one.proposal for one in params.proposals])
    # What was accepted in another server a moment ago counts.
    await services.loop.catch_up()
    group = _one_group(chosen(services, params.ticket, params.proposals))
    if isinstance(group, RpcError):
        return group
    error = await _may_write(services, group, params.target)
    if error is not None:
        return error
    wish = await wish_for(services, group, params.target)
    if isinstance(wish, RpcError):
        return wish
    if not wish.parts:
        message = "Nothing of it is accepted. Accept units by `sennit/decide` first."
        return RpcError(ErrorCode.WRONG_STATE, message)
    if params.target is Target.PATCH:
        return await _applied(services, group, wish, confirmed=params.confirm_moved)
    async with services.turns.take(group.repository.key, services.limits.turn_s) as mine:
        if not mine:
            return _UNDER_WAY
        return await _applied(services, group, wish, confirmed=params.confirm_moved)


async def _applied(
    services: Services, group: Chosen, wish: Wish, *, confirmed: bool
) -> ApplicationView | RpcError:
    """Apply; what was overtaken by the user's typing is made again on the new text."""
    tries = 0
    while True:
        name = new_name(services)
        made = await planned(services, group.repository, name, wish)
        if isinstance(made, RpcError):
            return made
        held = head_moved(services, group.ticket, group.repository, made.live.manifest)
        # A patch changes no file, so there is nothing to be careful about.
        if held and not confirmed and wish.target is not Target.PATCH:
            await forget(made)
            return RpcError(ErrorCode.WRONG_STATE, held[0].message, HEAD_MOVED)
        heading = Heading(name, group.ticket, group.repository)
        row = await perform(services, made, heading, _already_there(made))
        tries += 1
        if row is OVERTAKEN and tries < MOST_OVERTAKEN:
            continue
        if isinstance(row, RpcError):
            return row
        if tries >= MOST_TRIES or not was_overtaken(services, made, row):
            return await _shown(services, made, row)
        await typing_has_paused(services, group.repository.top, made)


async def _may_write(services: Services, group: Chosen, target: Target) -> RpcError | None:
    """Filters run when the server itself writes files, so that needs trust."""
    if target is not Target.DISK:
        return None
    found = await services.repositories.open(group.repository, "")
    if isinstance(found, GitFailed):
        return git_error(found)
    return await trust_error(services, {group.repository.top: found.repository}, {})


async def _shown(services: Services, made: Plan, row: ApplicationRow) -> ApplicationView | RpcError:
    view = application_view(services.state, row)
    if row.target is not Target.PATCH:
        return view
    text = await patch(services.git, made.opened.store, row.before_tree, row.after_tree)
    if isinstance(text, GitFailed):
        return git_error(text)
    plain, encoded = patch_fields(text)
    return evolve(view, patch=plain, patch_base64=encoded)


async def undo(
    services: Services, _context: Context, params: UndoParams
) -> ApplicationView | RpcError:
    """Take an application back; what was written since is merged with."""
    await services.loop.catch_up()
    row = services.state.get(ApplicationRow, params.application)
    if row is None:
        message = f"There is no application {params.application!r}."
        return RpcError(ErrorCode.UNKNOWN_PROPOSAL, message)
    if row.state not in UNDOABLE_STATES:
        message = f"The application {row.id} is {row.state.value}; there is nothing to undo."
        return RpcError(ErrorCode.WRONG_STATE, message)
    wish = await wish_to_undo(services, row, _where_to_undo(services, row))
    if isinstance(wish, RpcError):
        return wish
    async with services.turns.take(row.repository.key, services.limits.turn_s) as mine:
        return await _undone(services, row, wish) if mine else _UNDER_WAY


async def _undone(
    services: Services, row: ApplicationRow, wish: Wish
) -> ApplicationView | RpcError:
    tries = 0
    while True:
        name = new_name(services)
        made = await planned(services, row.repository, name, wish)
        if isinstance(made, RpcError):
            return made
        heading = Heading(name, row.ticket, row.repository, row.id)
        notices = (*_already_undone(made), *_followed_since(services, row, name))
        back = await perform(services, made, heading, notices)
        tries += 1
        if back is OVERTAKEN and tries < MOST_OVERTAKEN:
            continue
        if isinstance(back, RpcError):
            return back
        if tries >= MOST_TRIES or not was_overtaken(services, made, back):
            return application_view(services.state, back)
        await typing_has_paused(services, row.repository.top, made)


def _already_there(made: Plan) -> tuple[Notice, ...]:
    """What to say when all that is accepted has been applied before."""
    if made.target is Target.PATCH or not _finds_nothing_to_do(made):
        return ()
    return (Notice("alreadyPresent: the files hold all that is accepted; nothing was changed."),)


def _finds_nothing_to_do(made: Plan) -> bool:
    left = made.held or made.folded.conflicts or made.changed_since
    return made.does_nothing and not left


def _already_undone(made: Plan) -> tuple[Notice, ...]:
    """What to say when the text is as before, by the editor's own undo above all."""
    if not _finds_nothing_to_do(made):
        return ()
    return (Notice("alreadyUndone: the files hold the text from before; nothing was changed."),)


def _followed_since(
    services: Services, row: ApplicationRow, undo: ApplicationId
) -> Iterator[Notice]:
    """What to say when later revisions were made on top of what is taken back."""
    if row.undoes is not None:
        return
    for name in row.revisions:
        revision = services.state.get(RevisionRow, name)
        if revision is not None and not is_newest(services.state, revision):
            yield Notice(
                f"A newer revision of {revision.proposal} was made on top of this one and does not"
                f" hold it again. To have it back: sennit undo {undo}"
            )


def _where_to_undo(services: Services, row: ApplicationRow) -> Target:
    """Where the text is: in the editor for what it was given, and for what it has open."""
    if not carrier_of(services.connection.client, Target.EDITOR).edits:
        return Target.DISK
    if row.target is Target.EDITOR:
        return Target.EDITOR
    buffers = open_buffers(services.connection, services.told)
    paths = (os.path.realpath(row.repository.top + b"/" + image.path) for image in row.images)
    return Target.EDITOR if any(is_open(buffers, path) for path in paths) else Target.DISK
