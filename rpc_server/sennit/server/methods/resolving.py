"""``sennit/resolve``: a person settles conflicts of a proposal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from attrs import frozen

from sennit.adapters.git.durable import keep_on_disk
from sennit.adapters.git.regions import is_of_texts
from sennit.adapters.git.resolving import Three, side_held, text_held
from sennit.adapters.git.suggesting import held_by, suggested
from sennit.adapters.git.trees import empty_tree, write_commits, write_tree
from sennit.core.engine.events import ConflictsResolved
from sennit.core.engine.rows import BaseRow, RevisionRow
from sennit.core.engine.state import State
from sennit.core.objects import MODE_SUBMODULE, Conflict, Entry, GitFailed
from sennit.core.resolutions import Held, Resolution
from sennit.core.uris import file_uri
from sennit.server.errors import git_error, newest_or_error
from sennit.server.jsonrpc import Context
from sennit.server.methods.deciding import as_it_is_now, said
from sennit.server.methods.proposals import opened_for
from sennit.server.repositories import Opened
from sennit.server.review_turns import in_turn
from sennit.server.services import Services
from sennit_protocol.conflicts import Side, Take
from sennit_protocol.errors import ErrorCode, Problem, RpcError, problems_error
from sennit_protocol.ids import CommandId, IdKind
from sennit_protocol.review import ConflictChoice, DecideResult, ResolveParams

_HEADLINE = "Nothing was resolved"


async def resolve(
    services: Services, _context: Context, params: ResolveParams
) -> DecideResult | RpcError:
    """Keep what settles conflicts of the newest revision, and merge again with that."""
    # The turn is taken before anything is awaited, and kept until the merge has come: what was
    # sent after this is about what this one makes.
    async with in_turn(services, params.proposal):
        return await _resolved(services, params)


async def _resolved(services: Services, params: ResolveParams) -> DecideResult | RpcError:
    revision = newest_or_error(services, params.proposal, params.revision)
    if isinstance(revision, RpcError):
        return revision
    opened = await opened_for(services, revision)
    if isinstance(opened, RpcError):
        return opened
    known = await _resolutions(services, opened, revision, params.choices)
    if isinstance(known, RpcError):
        return known
    kept = await _keep(services, opened, known)
    if kept is not None:
        return git_error(kept)
    refused = await said(services, ConflictsResolved, revision=revision.id, resolutions=known)
    if refused is not None:
        return refused
    asked = _asked(services.state, revision)
    await services.loop.wait_until(lambda state: not asked & _asked(state, revision))
    return await as_it_is_now(services, opened, revision)


def _asked(state: State, revision: RevisionRow) -> frozenset[CommandId]:
    bases = (row for row in state.rows(BaseRow) if row.ticket == revision.ticket)
    same = (row for row in bases if row.repository == revision.repository)
    return frozenset(row.reconcile for row in same if row.reconcile is not None)


@frozen
class _Case:
    """One choice with the conflict that it is about."""

    place: str
    conflict: Conflict
    choice: ConflictChoice

    def problem(self, key: str, message: str, valid: tuple[str, ...] = ()) -> RpcError:
        """What is wrong with it."""
        problem = Problem(f"{self.place}.{key}", message, valid)
        return problems_error(ErrorCode.INVALID_PARAMS, _HEADLINE, (problem,))


async def _resolutions(
    services: Services, opened: Opened, revision: RevisionRow, choices: Sequence[ConflictChoice]
) -> tuple[Resolution, ...] | RpcError:
    cases = _cases(revision, choices)
    if isinstance(cases, RpcError):
        return cases
    made: list[Resolution] = []
    for case in cases:
        held = await _held(services, opened, revision, case)
        if isinstance(held, RpcError):
            return held
        if isinstance(held, GitFailed):
            return git_error(held)
        suggestion = case.choice.suggestion
        made.append(Resolution(case.conflict, case.choice.take, held, suggestion))
    return tuple(made)


def _cases(
    revision: RevisionRow, choices: Sequence[ConflictChoice]
) -> tuple[_Case, ...] | RpcError:
    top = revision.repository.top
    known = {file_uri(top + b"/" + one.path): one for one in _conflicts(revision)}
    problems = [
        Problem(f"choices[{place}].uri", f"{choice.uri!r} is in no conflict", tuple(known))
        for place, choice in enumerate(choices)
        if choice.uri not in known
    ]
    names = [choice.uri for choice in choices]
    problems += [
        Problem(f"choices[{place}].uri", f"{uri!r} is named twice; settle a conflict one way")
        for place, uri in enumerate(names)
        if uri in names[:place]
    ]
    if not choices:
        problems.append(Problem("choices", "is empty; name at least one conflict"))
    if problems:
        return problems_error(ErrorCode.INVALID_PARAMS, _HEADLINE, tuple(problems))
    return tuple(
        _Case(f"choices[{place}]", known[choice.uri], choice)
        for place, choice in enumerate(choices)
    )


def _conflicts(revision: RevisionRow) -> tuple[Conflict, ...]:
    """The conflicts that are there, and those that were resolved, which can be taken back."""
    there = {one.path for one in revision.conflicts}
    settled = (one.conflict for one in revision.resolutions if one.path not in there)
    return (*revision.conflicts, *settled)


async def _held(
    services: Services, opened: Opened, revision: RevisionRow, case: _Case
) -> tuple[Held, ...] | RpcError | GitFailed:
    wrong = _misfit(case)
    if wrong is not None:
        return wrong
    git, store = services.git, opened.store
    trees = Three(revision.base_tree, revision.merged_onto, revision.tree)
    match case.choice.take:
        case Take.NOTHING:
            return ()
        case Take.BASE:
            return await side_held(git, store, trees, case.conflict, Side.BASE)
        case Take.OURS:
            return await side_held(git, store, trees, case.conflict, Side.OURS)
        case Take.THEIRS:
            return await side_held(git, store, trees, case.conflict, Side.THEIRS)
        case Take.TEXT:
            text = (case.choice.text or "").encode("utf-8", "surrogatepass")
            return await text_held(git, store, case.conflict, text)
        case Take.SUGGESTION:
            return await _held_by_suggestion(services, opened, case)
        case _:
            assert_never(case.choice.take)


def _misfit(case: _Case) -> RpcError | None:
    choice = case.choice
    if (choice.text is not None) != (choice.take is Take.TEXT):
        return case.problem("text", "goes with `take: text`, and with nothing else")
    if (choice.suggestion is not None) != (choice.take is Take.SUGGESTION):
        return case.problem("suggestion", "goes with `take: suggestion`, and with nothing else")
    if choice.take is Take.TEXT and not is_of_texts(case.conflict):
        sides = (Take.OURS, Take.THEIRS, Take.BASE)
        return case.problem("take", "no text can settle this conflict; take a side", sides)
    return None


async def _held_by_suggestion(
    services: Services, opened: Opened, case: _Case
) -> tuple[Held, ...] | RpcError | GitFailed:
    at = services.clock.now_ms() // 1000
    found = await suggested(services.git, opened.store, (case.conflict,), at)
    if isinstance(found, GitFailed):
        return found
    here = {one.kind: one for one in found.get(case.conflict.path, ())}
    kind = case.choice.suggestion
    if kind is None or kind not in here:
        return case.problem("suggestion", f"{kind} is not suggested here", tuple(here))
    return await held_by(services.git, opened.store, case.conflict, here[kind])


async def _keep(
    services: Services, opened: Opened, known: Sequence[Resolution]
) -> GitFailed | None:
    """Protect the contents of resolutions from every clean-up of the store."""
    entries = [one.entry for each in known for one in each.held]
    held = {b"%08d" % n: one for n, one in enumerate(entries) if _is_content(one)}
    if not held:
        return None
    git, store = services.git, opened.store
    tree = await empty_tree(git, store)
    if isinstance(tree, GitFailed):
        return tree
    tree = await write_tree(git, store, tree, held)
    if isinstance(tree, GitFailed):
        return tree
    at = services.clock.now_ms() // 1000
    commits = await write_commits(git, store, [(tree, ())], at)
    if isinstance(commits, GitFailed):
        return commits
    name = f"resolutions/{services.new_id(IdKind.REVISION)}"
    return await keep_on_disk(store, name, commits[0])


def _is_content(entry: Entry | None) -> bool:
    return entry is not None and entry.mode != MODE_SUBMODULE
