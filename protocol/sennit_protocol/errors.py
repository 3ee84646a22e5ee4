"""The errors of the protocol: their codes, and the values that become an error answer."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from attrs import field, frozen

from sennit_protocol.describe import says


class ErrorCode(IntEnum):
    """Codes of JSON-RPC and LSP where they fit; ours are positive."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    SERVER_NOT_INITIALIZED = -32002
    REQUEST_FAILED = -32803
    SERVER_CANCELLED = -32802
    CONTENT_MODIFIED = -32801
    REQUEST_CANCELLED = -32800
    REJECTED = 1
    UNKNOWN_TICKET = 2
    UNKNOWN_TASK = 3
    UNKNOWN_PROPOSAL = 4
    UNKNOWN_QUESTION = 5
    IDENTITY_CONFLICT = 6
    NOT_TRUSTED = 7
    SETTINGS_INVALID = 8
    REPOSITORY_UNSUPPORTED = 9
    AGENT_UNAVAILABLE = 10
    STALE = 11
    WRONG_STATE = 12
    LIMIT = 13
    STORE_UNAVAILABLE = 14
    UNKNOWN_CONTENT = 15


MEANINGS: Mapping[ErrorCode, str] = {
    ErrorCode.PARSE_ERROR: "The message is not UTF-8 or not JSON.",
    ErrorCode.INVALID_REQUEST: "The message is no valid request, or comes at the wrong time.",
    ErrorCode.METHOD_NOT_FOUND: (
        "No such method; with `data.reason` `notAvailableYet` one that this version lacks."
    ),
    ErrorCode.INVALID_PARAMS: "The parameters are wrong; `data.problems` lists every problem.",
    ErrorCode.INTERNAL_ERROR: "A bug or a broken machine; the server's log has the traceback.",
    ErrorCode.SERVER_NOT_INITIALIZED: "A request came before `initialize`.",
    ErrorCode.REQUEST_FAILED: "The request was right, but could not be done.",
    ErrorCode.SERVER_CANCELLED: "The server ended the request.",
    ErrorCode.CONTENT_MODIFIED: (
        "The text changed meanwhile. Reserved: answers are made for the text as it is by then."
    ),
    ErrorCode.REQUEST_CANCELLED: "The request was cancelled.",
    ErrorCode.REJECTED: (
        "Other work may write there. Reserved for `workspace: shared`, which this version lacks."
    ),
    ErrorCode.UNKNOWN_TICKET: "No ticket has this id.",
    ErrorCode.UNKNOWN_TASK: "The ticket has no task of this id, or the task no such run.",
    ErrorCode.UNKNOWN_PROPOSAL: "No proposal, revision or application has this id.",
    ErrorCode.UNKNOWN_QUESTION: "No question has this id.",
    ErrorCode.IDENTITY_CONFLICT: "The `operationId` was used for another request.",
    ErrorCode.NOT_TRUSTED: "The folder is not trusted, so nothing of it may start a program.",
    ErrorCode.SETTINGS_INVALID: "The settings are wrong; `data.problems` lists every problem.",
    ErrorCode.REPOSITORY_UNSUPPORTED: "The folder is no repository that the server can work with.",
    ErrorCode.AGENT_UNAVAILABLE: "The agent is unknown, missing or not signed in.",
    ErrorCode.STALE: "The named revision is not the newest one.",
    ErrorCode.WRONG_STATE: "The thing is in a state in which this cannot be done.",
    ErrorCode.LIMIT: "A limit of the settings or of the machine is reached.",
    ErrorCode.STORE_UNAVAILABLE: "The database cannot be used; the message says why.",
    ErrorCode.UNKNOWN_CONTENT: "Nothing stands behind this URI.",
}


@frozen
class Problem:
    """One thing that is wrong with a value that came over the wire."""

    path: str = field(metadata=says("Where: a JSON path such as `tasks[0].prompt`; may be empty."))
    message: str = field(metadata=says("What is wrong and what to do."))
    valid: tuple[str, ...] = field(default=(), metadata=says("What would be valid, if listable."))


@frozen
class ProblemsData:
    """The data of an error that lists problems."""

    problems: tuple[Problem, ...] = field(metadata=says("All of them, at least one."))


@frozen
class ReasonData:
    """The data of an error whose reason a program can tell apart."""

    reason: str = field(
        metadata=says(
            "`notAvailableYet` (a method of a later version), `limit` (`limits.tickets`), "
            "`operationConflict` (another request under this `operationId`), `stopping` (the "
            "server ends), `headMoved` (which `confirmMoved` would let through) or `noAgent` (none "
            "that takes a task in words)."
        )
    )


@frozen
class InTheWayData:
    """The data of an error about a task that is in the way of another one."""

    reason: str = field(
        metadata=says(
            "`notEnded`, `followed` (already: follow that task), `inUse` (it goes on with the same "
            "session or workspace) or `gone` (dropped meanwhile)."
        )
    )
    ticket: str = field(metadata=says("Id of the ticket of the task in the way."))
    task: str = field(metadata=says("Id of the task in the way."))


DATA: tuple[type, ...] = (ProblemsData, Problem, ReasonData, InTheWayData)
"""The types that the data of errors is made of."""


@frozen
class RpcError:
    """A failure as a handler returns it; it becomes the error of the answer.

    ``data`` is ``None``, a JSON value or a value of the protocol's types.
    """

    code: int
    message: str
    data: object = None


def problems_error(code: ErrorCode, headline: str, problems: tuple[Problem, ...]) -> RpcError:
    """List ``problems`` in one error: the first ones in its text, all of them in its data."""
    told = "; ".join(_told(problem) for problem in problems[:_TOLD])
    more = len(problems) - _TOLD
    rest = f"; and {more} more" if more > 0 else ""
    return RpcError(code, f"{headline}: {told}{rest}", ProblemsData(problems))


_TOLD = 3


def _told(problem: Problem) -> str:
    where = f"{problem.path}: " if problem.path else ""
    return f"{where}{problem.message}"
