"""``sennit/decide``: decisions about units, and how what was said of a revision is answered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import anyio.to_thread

from sennit.core.engine.events import DecisionsMade, Event
from sennit.core.engine.reviewing import Decided, NotDecided
from sennit.core.engine.rows import RevisionRow
from sennit.core.objects import GitFailed
from sennit.core.proposal_views import Looked
from sennit.core.resolutions import Resolution
from sennit.core.settled_views import whole
from sennit.core.stored import StoreProblem
from sennit.core.units import Unit, with_dependents, with_needs
from sennit.core.uris import file_uri
from sennit.server.errors import git_error, newest_or_error, store_error
from sennit.server.jsonrpc import Context
from sennit.server.looking import look
from sennit.server.methods.proposals import opened_for, proposal_view
from sennit.server.repositories import Opened
from sennit.server.review_turns import in_turn
from sennit.server.services import Services
from sennit.server.settled import settled_of
from sennit_protocol.errors import ErrorCode, Problem, RpcError, problems_error
from sennit_protocol.ids import UnitId
from sennit_protocol.review import Choice, DecideParams, DecideResult
from sennit_protocol.states import Decision


async def decide(
    services: Services, _context: Context, params: DecideParams
) -> DecideResult | RpcError:
    """Keep decisions about units of the newest revision."""
    # The turn is taken before anything is awaited: what came first counts first.
    async with in_turn(services, params.proposal):
        return await _decided(services, params)


async def _decided(services: Services, params: DecideParams) -> DecideResult | RpcError:
    revision = newest_or_error(services, params.proposal, params.revision)
    if isinstance(revision, RpcError):
        return revision
    unclear = tuple(_unclear(params.choices))
    if unclear:
        return problems_error(ErrorCode.INVALID_PARAMS, "Nothing was decided", unclear)
    opened = await opened_for(services, revision)
    if isinstance(opened, RpcError):
        return opened
    looked = await look(services, opened, revision)
    if isinstance(looked, GitFailed):
        return git_error(looked)
    settled = await settled_of(services, opened, revision)
    if isinstance(settled, GitFailed):
        return git_error(settled)
    decisions = await anyio.to_thread.run_sync(
        decisions_of, revision, looked, params.choices, settled.resolutions
    )
    if isinstance(decisions, RpcError):
        return decisions
    refused = await said(
        services,
        DecisionsMade,
        revision=revision.id,
        decisions=tuple(decisions.items()),
        total=len(looked.units),
    )
    return refused or await as_it_is_now(services, opened, revision)


def _unclear(choices: tuple[Choice, ...]) -> Iterator[Problem]:
    """What names nothing, or two different things: a client that asks so has lost its way."""
    if not choices:
        yield Problem("choices", "is empty; name at least one decision")
    for place, choice in enumerate(choices):
        some = choice.units or choice.files
        if choice.all and some:
            message = "names all and some of it; leave one out"
            yield Problem(f"choices[{place}]", message, ("`all`", "`units` and `files`"))
        elif not choice.all and not some:
            message = "names nothing that could be decided"
            yield Problem(f"choices[{place}]", message, ("`units`", "`files`", "`all`"))


async def said(
    services: Services,
    kind: type[Event],
    **values: Any,  # noqa: ANN401  the fields of any event
) -> RpcError | None:
    """Tell the engine what a person says of a revision; gives the error where it does not count."""
    outcome: Decided | NotDecided | StoreProblem = await services.tell(kind, **values)
    match outcome:
        case StoreProblem():
            return store_error(outcome)
        case NotDecided(message=message):
            return RpcError(ErrorCode.WRONG_STATE, message)
        case Decided():
            return None


async def as_it_is_now(
    services: Services, opened: Opened, revision: RevisionRow
) -> DecideResult | RpcError:
    """The proposal with what was just said of it."""
    now = services.state.get(RevisionRow, revision.id)
    if now is None:
        message = f"The proposal {revision.proposal} was dropped meanwhile."
        return RpcError(ErrorCode.UNKNOWN_PROPOSAL, message)
    view = await proposal_view(services, opened, now)
    return view if isinstance(view, RpcError) else DecideResult(view)


def decisions_of(
    revision: RevisionRow,
    looked: Looked,
    choices: tuple[Choice, ...],
    settled: tuple[Resolution, ...] = (),
) -> dict[UnitId, Decision] | RpcError:
    """The decisions that choices mean.

    Accepting a unit accepts what it needs; taking one back takes back those that need it. A file
    whose conflict was settled is decided as a whole.
    """
    by_uri: dict[str, list[Unit]] = {}
    for unit in looked.units:
        by_uri.setdefault(file_uri(revision.repository.top + b"/" + unit.path), []).append(unit)
    known = {unit.id for unit in looked.units}
    problems: list[Problem] = []
    decisions: dict[UnitId, Decision] = {}
    for place, choice in enumerate(choices):
        wanted: set[str] = set(known) if choice.all else set(choice.units)
        problems.extend(_unknown(f"choices[{place}].units", wanted - known, tuple(sorted(known))))
        files = set(choice.files)
        problems.extend(_unknown(f"choices[{place}].files", files - by_uri.keys(), tuple(by_uri)))
        chosen = set(wanted) | {unit.id for uri in files for unit in by_uri.get(uri, ())}
        chosen = whole(looked.units, chosen, settled)
        if choice.decision is Decision.ACCEPTED:
            chosen = set(with_needs(looked.units, chosen))
        else:
            chosen |= with_dependents(looked.units, chosen)
        chosen = whole(looked.units, chosen, settled)
        decisions |= {UnitId(unit): choice.decision for unit in chosen}
    if problems:
        return problems_error(ErrorCode.INVALID_PARAMS, "Nothing was decided", tuple(problems))
    return decisions


MOST_NAMED = 20


def _unknown(path: str, names: set[str], valid: tuple[str, ...]) -> list[Problem]:
    return [
        Problem(path, f"{name!r} is not of this revision", valid[:MOST_NAMED])
        for name in sorted(names)
    ]
