"""Arguments of the server's commands: one object each, read as strictly as requests are."""

from __future__ import annotations

from typing import TypeVar

from attrs import frozen

from sennit.core.counted import counted
from sennit.core.uris import Side
from sennit_protocol.errors import ErrorCode, Problem, RpcError, problems_error
from sennit_protocol.ids import ProposalId, RevisionId, TicketId, UnitId
from sennit_protocol.review import Selected
from sennit_protocol.wire import structure, unstructure
from sennit_protocol.wire_problems import WireError

ArgumentT = TypeVar("ArgumentT")


@frozen
class UnitsArgument:
    """Units of a revision, whole files of it by URI, or all of it. ``apply``: at once.

    An empty list names nothing; only where neither list is given all of it is meant.
    """

    proposal: ProposalId
    revision: RevisionId
    units: tuple[UnitId, ...] | None = None
    files: tuple[str, ...] | None = None
    apply: bool = False


@frozen
class FileArgument:
    """One file of a revision. ``apply``: at once."""

    proposal: ProposalId
    revision: RevisionId
    uri: str
    apply: bool = False


@frozen
class ApplyArgument:
    """What to apply to the editor: a ticket, or proposals."""

    ticket: TicketId | None = None
    proposals: tuple[Selected, ...] = ()
    confirm_moved: bool = False


@frozen
class OpenArgument:
    """Which text to show: a file of a revision at one side; without ``uri`` the whole change.

    Without ``side`` it is the text that goes in.
    """

    proposal: ProposalId
    revision: RevisionId
    uri: str | None = None
    side: Side | None = None


@frozen
class CancelArgument:
    """What to cancel."""

    ticket: TicketId
    tasks: tuple[str, ...] | None = None


@frozen
class DelegateArgument:
    """What an agent is to do at some lines of a file; without ``agent`` the user chooses."""

    uri: str
    prompt: str
    agent: str | None = None


def read_argument(
    command: str, arguments: tuple[object, ...], type_: type[ArgumentT]
) -> ArgumentT | RpcError:
    """Read the one argument of a command, or every problem with it."""
    if len(arguments) != 1:
        has = counted(len(arguments), "item")
        problem = Problem("arguments", f"has {has}", ("exactly one object",))
        return problems_error(ErrorCode.INVALID_PARAMS, command, (problem,))
    try:
        return structure(arguments[0], type_)
    except WireError as error:
        problems = tuple(
            Problem(f"arguments[0].{one.path}".rstrip("."), one.message, one.valid)
            for one in error.problems
        )
        return problems_error(ErrorCode.INVALID_PARAMS, command, problems)


def as_argument(value: object) -> list[object]:
    """The arguments of a command as they travel."""
    return [unstructure(value)]
