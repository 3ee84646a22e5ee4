"""Errors that several handlers answer with, each in the same words."""

from __future__ import annotations

from sennit.core.engine.rows import ProposalRow, RevisionRow, TaskRow, TicketRow, task_key
from sennit.core.objects import GitFailed
from sennit.core.stored import StoreProblem
from sennit.server.failures import git_failure
from sennit.server.services import Services
from sennit_protocol.errors import ErrorCode, RpcError
from sennit_protocol.ids import ProposalId, RevisionId, TicketId

_UNKNOWN = frozenset({
    ErrorCode.UNKNOWN_TICKET, ErrorCode.UNKNOWN_TASK, ErrorCode.UNKNOWN_PROPOSAL,
    ErrorCode.UNKNOWN_QUESTION,
})  # fmt: skip


def is_unknown(answer: object) -> bool:
    """Whether an answer says that there is nothing of an id."""
    return isinstance(answer, RpcError) and answer.code in _UNKNOWN


def ticket_or_error(services: Services, ticket: TicketId) -> TicketRow | RpcError:
    """The ticket, or the error that there is none."""
    row = services.state.ticket(ticket)
    if row is not None:
        return row
    message = f"There is no ticket {ticket!r}: it was dropped, or there never was one."
    return RpcError(ErrorCode.UNKNOWN_TICKET, message)


def task_or_error(services: Services, ticket: TicketId, task: str) -> TaskRow | RpcError:
    """The task of a ticket, or the error that there is none."""
    row = ticket_or_error(services, ticket)
    if isinstance(row, RpcError):
        return row
    found = services.state.get(TaskRow, task_key(ticket, task))
    if found is not None:
        return found
    message = f"The ticket {ticket} has no task {task!r}. It has: {', '.join(row.tasks)}."
    return RpcError(ErrorCode.UNKNOWN_TASK, message)


def revision_or_error(
    services: Services, proposal: ProposalId, revision: RevisionId | None
) -> RevisionRow | RpcError:
    """A revision of a proposal, its newest unless one is named; or the error."""
    row = services.state.get(ProposalRow, proposal)
    if row is None:
        message = f"There is no proposal {proposal!r}: it was dropped, or there never was one."
        return RpcError(ErrorCode.UNKNOWN_PROPOSAL, message)
    found = services.state.get(RevisionRow, revision or row.revision)
    if found is None or found.proposal != proposal:
        message = (
            f"The proposal {proposal} has no revision {revision!r}; {row.revision} is its own."
        )
        return RpcError(ErrorCode.UNKNOWN_PROPOSAL, message)
    return found


def newest_or_error(
    services: Services, proposal: ProposalId, revision: RevisionId
) -> RevisionRow | RpcError:
    """The revision if it is the newest one of its proposal; or the error."""
    found = revision_or_error(services, proposal, revision)
    if isinstance(found, RpcError):
        return found
    newest = services.state.the(ProposalRow, proposal).revision
    if found.id == newest:
        return found
    message = f"{revision} is not the newest revision of {proposal}; {newest} is. Look at that one."
    return RpcError(ErrorCode.STALE, message)


def git_error(failed: GitFailed) -> RpcError:
    """A request that git could not do its part of."""
    return RpcError(ErrorCode.REQUEST_FAILED, git_failure(failed).message)


def store_error(problem: StoreProblem) -> RpcError:
    """A request whose step could not be stored; nothing has changed."""
    return RpcError(ErrorCode.STORE_UNAVAILABLE, problem.message)
