"""``sennit/preview``, ``sennit/apply``, ``sennit/undo``."""

from __future__ import annotations

from attrs import evolve
from lsprotocol import converters
from sennit_protocol.errors import ErrorCode, Problem, RpcError, problems_error
from sennit_protocol.ids import ApplicationId, IdKind, UnitId
from sennit_protocol.proposals import ApplicationView, AppliedFile
from sennit_protocol.review import (
    ApplyParams,
    PreviewParams,
    PreviewResult,
    StalePart,
    UndoParams,
)
from sennit_protocol.states import ApplicationState, Target
from sennit_protocol.views import Notice

from sennit.adapters.git.changes import patch
from sennit.core.engine.events import ApplicationIntended
from sennit.core.engine.reviewing import Intended, NotIntended
from sennit.core.engine.rows import ApplicationRow, BaseRow
from sennit.core.engine.state import State
from sennit.core.objects import GitFailed, Manifest
from sennit.core.proposal_views import application_view
from sennit.core.stored import StoreProblem
from sennit.core.text import PositionEncoding
from sennit.core.uris import display, file_uri
from sennit.server.applying.carrying import carrier_of
from sennit.server.applying.images import Heading, record_of
from sennit.server.applying.planning import plan
from sennit.server.applying.values import Part, Plan, Wish
from sennit.server.applying.wishing import Chosen, chosen, wish_for, wish_to_undo
from sennit.server.errors import git_error, store_error
from sennit.server.jsonrpc import Context
from sennit.server.methods.proposals import patch_fields
from sennit.server.probing import trust_error
from sennit.server.services import Services
from sennit.server.workspace_edit import Shape, rounds


async def preview(
    services: Services, _context: Context, params: PreviewParams
) -> PreviewResult | RpcError:
    """What applying what is accepted would do now."""
    group = _one_group(chosen(services, params.ticket, params.proposals))
    if isinstance(group, RpcError):
        return group
    wish = await wish_for(services, group, Target.EDITOR)
    if isinstance(wish, RpcError):
        return wish
    name = ApplicationId(services.new_id(IdKind.APPLICATION))
    made = await plan(services, group.repository, name, wish)
    if isinstance(made, GitFailed):
        return git_error(made)
    return await _previewed(services, group, wish, made)


async def _previewed(
    services: Services, group: Chosen, wish: Wish, made: Plan
) -> PreviewResult | RpcError:
    client = services.connection.client
    shape = Shape(
        carrier_of(client, Target.EDITOR),
        PositionEncoding(client.position_encoding.value),
        group.repository.top,
        made.buffers,
    )
    edits = rounds(made.editor, shape).edits
    text = await patch(services.git, made.opened.store, made.live.tree, made.folded.tree)
    if isinstance(text, GitFailed):
        return git_error(text)
    shown, _ = patch_fields(text)
    converter = converters.get_converter()
    return PreviewResult(
        edits=tuple(converter.unstructure(edit) for edit in edits),
        rest=rest_of(made, group.repository.top),
        conflicts=_stale(group, made),
        already_there=tuple(UnitId(unit) for unit in made.folded.already),
        uncertain=_uncertain(made, wish.parts),
        held=moved(services, group, made.live.manifest),
        patch=shown,
    )


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


def moved(services: Services, group: Chosen, now: Manifest) -> tuple[Notice, ...]:
    """Why everything is held: HEAD is not where it was when the bases were taken."""
    bases = {
        (row.manifest.head, row.manifest.branch)
        for row in services.state.rows(BaseRow)
        if row.ticket == group.ticket
        and row.repository == group.repository
        and row.manifest is not None
    }
    if not bases or bases == {(now.head, now.branch)}:
        return ()
    then = " and ".join(sorted(_where(head, branch) for head, branch in bases))
    message = (
        f"HEAD is at {_where(now.head, now.branch)} and was at {then} when the base was taken."
        " Look whether the proposals still fit, then apply with confirmMoved."
    )
    return (Notice(message),)


def _where(head: str | None, branch: bytes | None) -> str:
    commit = "no commit" if head is None else head[:12]
    return commit if branch is None else f"{commit} ({display(branch)})"


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
    name = ApplicationId(services.new_id(IdKind.APPLICATION))
    made = await plan(services, group.repository, name, wish)
    if isinstance(made, GitFailed):
        return git_error(made)
    held = moved(services, group, made.live.manifest)
    if held and not params.confirm_moved:
        return RpcError(ErrorCode.WRONG_STATE, held[0].message)
    return await carry_out(services, made, Heading(name, group.ticket, group.repository))


async def _may_write(services: Services, group: Chosen, target: Target) -> RpcError | None:
    """Filters run when the server itself writes files, so that needs trust."""
    if target is not Target.DISK:
        return None
    found = await services.repositories.open(group.repository, "")
    if isinstance(found, GitFailed):
        return git_error(found)
    return await trust_error(services, {group.repository.top: found.repository}, {})


async def carry_out(services: Services, made: Plan, heading: Heading) -> ApplicationView | RpcError:
    """Keep the intention, let it be carried out, and tell what became of it."""
    row = await record_of(services, made, heading)
    if isinstance(row, GitFailed):
        return git_error(row)
    services.plans[heading.id] = made
    outcome: Intended | NotIntended | StoreProblem = await services.tell(
        ApplicationIntended, application=row
    )
    match outcome:
        case StoreProblem():
            del services.plans[heading.id]
            return store_error(outcome)
        case NotIntended(message=message):
            del services.plans[heading.id]
            return RpcError(ErrorCode.WRONG_STATE, message)
        case Intended():
            return await _ended(services, made, row)


async def _ended(services: Services, made: Plan, row: ApplicationRow) -> ApplicationView | RpcError:
    if row.target is Target.PATCH:
        del services.plans[row.id]
        text = await patch(services.git, made.opened.store, row.before_tree, row.after_tree)
        if isinstance(text, GitFailed):
            return git_error(text)
        plain, encoded = patch_fields(text)
        view = application_view(services.state, services.state.the(ApplicationRow, row.id))
        return evolve(view, patch=plain, patch_base64=encoded)

    def over(state: State) -> bool:
        found = state.get(ApplicationRow, row.id)
        return found is None or found.state is not ApplicationState.APPLYING

    await services.loop.wait_until(over)
    return application_view(services.state, services.state.the(ApplicationRow, row.id))


async def undo(
    services: Services, _context: Context, params: UndoParams
) -> ApplicationView | RpcError:
    """Take an application back; what was written since is merged with."""
    row = services.state.get(ApplicationRow, params.application)
    if row is None:
        message = f"There is no application {params.application!r}."
        return RpcError(ErrorCode.UNKNOWN_PROPOSAL, message)
    if row.state not in {ApplicationState.APPLIED, ApplicationState.PARTLY_APPLIED}:
        message = f"The application {row.id} is {row.state.value}; there is nothing to undo."
        return RpcError(ErrorCode.WRONG_STATE, message)
    target = row.target
    if carrier_of(services.connection.client, Target.EDITOR).edits is False:
        target = Target.DISK
    wish = await wish_to_undo(services, row, target)
    if isinstance(wish, RpcError):
        return wish
    name = ApplicationId(services.new_id(IdKind.APPLICATION))
    made = await plan(services, row.repository, name, wish)
    if isinstance(made, GitFailed):
        return git_error(made)
    return await carry_out(services, made, Heading(name, row.ticket, row.repository, row.id))
