"""``workspace/executeCommand``: the server's commands, for editors without an extension."""

from __future__ import annotations

from sennit.server import lsp_words as types
from sennit.server.applying.carrying import carrier_of
from sennit.server.applying.performing import chooses
from sennit.server.jsonrpc import Context
from sennit.server.lsp.arguments import (
    ApplyArgument,
    CancelArgument,
    FileArgument,
    UnitsArgument,
    read_argument,
)
from sennit.server.methods.answer import answer
from sennit.server.methods.applying import HEAD_MOVED, apply, undo
from sennit.server.methods.cancel import cancel
from sennit.server.methods.deciding import decide
from sennit.server.methods.following import follow
from sennit.server.services import Services
from sennit_protocol.applications import ApplicationView
from sennit_protocol.errors import ErrorCode, ReasonData, RpcError
from sennit_protocol.following import FollowParams
from sennit_protocol.requests import AnswerParams, CancelParams
from sennit_protocol.review import ApplyParams, Choice, DecideParams, Selected, UndoParams
from sennit_protocol.states import ApplicationState, Decision, Target

Arguments = tuple[object, ...]

ACCEPT = "sennit.server.accept"
ACCEPT_FILE = "sennit.server.acceptFile"
ANSWER = "sennit.server.answer"
APPLY = "sennit.server.apply"
CANCEL = "sennit.server.cancel"
DELEGATE = "sennit.server.delegate"
FOLLOW = "sennit.server.follow"
OPEN = "sennit.server.open"
REJECT = "sennit.server.reject"
UNDO = "sennit.server.undo"


async def accept(services: Services, context: Context, arguments: Arguments) -> object:
    """Accept units, files, or all of a revision."""
    argument = read_argument(ACCEPT, arguments, UnitsArgument)
    if isinstance(argument, RpcError):
        return argument
    return await _decide(services, context, argument, Decision.ACCEPTED)


async def accept_file(services: Services, context: Context, arguments: Arguments) -> object:
    """Accept one file of a revision."""
    argument = read_argument(ACCEPT_FILE, arguments, FileArgument)
    if isinstance(argument, RpcError):
        return argument
    units = UnitsArgument(
        argument.proposal, argument.revision, files=(argument.uri,), apply=argument.apply
    )
    return await _decide(services, context, units, Decision.ACCEPTED)


async def reject(services: Services, context: Context, arguments: Arguments) -> object:
    """Reject units, files, or all of a revision."""
    argument = read_argument(REJECT, arguments, UnitsArgument)
    if isinstance(argument, RpcError):
        return argument
    return await _decide(services, context, argument, Decision.REJECTED)


async def _decide(
    services: Services, context: Context, argument: UnitsArgument, decision: Decision
) -> object:
    everything = argument.units is None and argument.files is None
    choice = Choice(decision, argument.units or (), argument.files or (), all=everything)
    params = DecideParams(argument.proposal, argument.revision, (choice,))
    decided = await decide(services, context, params)
    if isinstance(decided, RpcError) or not argument.apply or decision is not Decision.ACCEPTED:
        return decided
    selected = (Selected(argument.proposal, argument.revision),)
    return await _apply(services, context, ApplyArgument(proposals=selected))


async def apply_accepted(services: Services, context: Context, arguments: Arguments) -> object:
    """Apply what is accepted to the editor."""
    argument = read_argument(APPLY, arguments, ApplyArgument)
    return argument if isinstance(argument, RpcError) else await _apply(services, context, argument)


async def _apply(
    services: Services, context: Context, argument: ApplyArgument
) -> ApplicationView | RpcError:
    carrier = carrier_of(services.connection.client, Target.EDITOR)
    target = Target.EDITOR if carrier.edits else Target.DISK
    params = ApplyParams(target, argument.ticket, argument.proposals, argument.confirm_moved)
    applied = await apply(services, context, params)
    if isinstance(applied, RpcError) and applied.data == HEAD_MOVED:
        if not await chooses(services, applied.message, "Apply anyway", "Leave it"):
            return applied
        params = ApplyParams(target, argument.ticket, argument.proposals, confirm_moved=True)
        applied = await apply(services, context, params)
    if isinstance(applied, ApplicationView):
        say_how_it_went(services, applied)
    return applied


def say_how_it_went(services: Services, applied: ApplicationView) -> None:
    """Show what did not go as meant; the rest the user sees in the text."""
    if applied.state is ApplicationState.APPLIED and not applied.notices:
        return
    told = [f"{file.path}: {file.message}" for file in applied.files if file.message is not None]
    told += [notice.message for notice in applied.notices]
    whole = applied.state is ApplicationState.APPLIED
    services.connection.show_message(
        types.MessageType.Info if whole else types.MessageType.Warning,
        f"Sennit: {applied.state.value}. {' '.join(dict.fromkeys(told))}",
    )


async def undo_application(services: Services, context: Context, arguments: Arguments) -> object:
    """Take an application back."""
    argument = read_argument(UNDO, arguments, UndoParams)
    if isinstance(argument, RpcError):
        return argument
    undone = await undo(services, context, argument)
    if isinstance(undone, ApplicationView):
        say_how_it_went(services, undone)
    return undone


async def cancel_tasks(services: Services, context: Context, arguments: Arguments) -> object:
    """Cancel a ticket, or tasks of it."""
    argument = read_argument(CANCEL, arguments, CancelArgument)
    if isinstance(argument, RpcError):
        return argument
    return await cancel(
        services, context, CancelParams(argument.ticket, argument.tasks, force=True)
    )


async def give_answer(services: Services, context: Context, arguments: Arguments) -> object:
    """Answer a question of an agent."""
    argument = read_argument(ANSWER, arguments, AnswerParams)
    if isinstance(argument, RpcError):
        return argument
    return await answer(services, context, argument)


async def follow_up(services: Services, context: Context, arguments: Arguments) -> object:
    """Follow up on a task that has ended."""
    argument = read_argument(FOLLOW, arguments, FollowParams)
    if isinstance(argument, RpcError):
        return argument
    return await follow(services, context, argument)


NO_SUCH_AGENT = ReasonData("noAgent")


def no_agent() -> RpcError:
    """The error where nobody is there to delegate to."""
    message = (
        "No agent is configured that takes a task in words. Add one under `agents` in the"
        " settings; `sennit agents` lists what there is."
    )
    return RpcError(ErrorCode.AGENT_UNAVAILABLE, message, NO_SUCH_AGENT)
