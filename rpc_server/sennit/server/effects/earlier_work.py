"""The work that a follow-up goes on with, merged into what its workspace is made from."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, frozen

from sennit.adapters.git.commits import commit_tree, read_commit
from sennit.adapters.git.durable import keep_on_disk
from sennit.adapters.git.merges import merge_trees
from sennit.adapters.git.resolving import carried_one, with_settled
from sennit.adapters.git.trees import entries_at, write_tree
from sennit.core.engine.commands import EarlierWork, PrepareWorkspace
from sennit.core.objects import (
    Conflict,
    Conflicted,
    GitFailed,
    Manifest,
    Merged,
    MergeResult,
    Snapshot,
)
from sennit.core.resolutions import Resolution
from sennit.server.repositories import Opened
from sennit.server.services import Services

_MOST_ROUNDS = 4
_MESSAGE = b"What the user sees, with the earlier work that is gone on with\n"


@frozen
class Beginning:
    """What a workspace is made from; ``unmerged`` are paths that hold the user's text alone."""

    snapshot: Snapshot
    unmerged: tuple[bytes, ...] = ()


async def with_earlier_work(
    services: Services, opened: Opened, command: PrepareWorkspace, base: Snapshot
) -> Beginning | GitFailed:
    """Merge the earlier work in; paths that do not go together stay as the user has them.

    A conflict that a person has settled is none, as when the work is applied.
    """
    if command.earlier is None:
        return Beginning(base)
    merged = await _merged(services, opened, command.earlier, base.tree)
    if isinstance(merged, GitFailed):
        return merged
    if merged.tree == base.tree:
        return Beginning(base, merged.unmerged)
    at = services.clock.now_ms() // 1000
    facts = await read_commit(services.git, opened.store.place, base.commit)
    if isinstance(facts, GitFailed):
        return facts
    commit = await commit_tree(
        services.git, opened.store, merged.tree, base.commit, max(at, facts.date), _MESSAGE
    )
    if isinstance(commit, GitFailed):
        return commit
    failed = await keep_on_disk(opened.store, f"bases/{command.run}-begun", commit)
    if failed is not None:
        return failed
    return Beginning(Snapshot(commit, merged.tree, Manifest(None, None)), merged.unmerged)


@frozen
class _Merged:
    tree: str
    unmerged: tuple[bytes, ...]


async def _merged(
    services: Services, opened: Opened, earlier: EarlierWork, live: str
) -> _Merged | GitFailed:
    """Merge what goes together, path by path: one that conflicts is left out of the next try."""
    at = services.clock.now_ms() // 1000
    left_out: set[bytes] = set()
    theirs = earlier.tree
    for _ in range(_MOST_ROUNDS):
        result = await merge_trees(services.git, opened.store, earlier.base_tree, live, theirs, at)
        if isinstance(result, Conflicted):
            result = await _settled(services, opened, result, earlier.resolutions, at)
        if isinstance(result, GitFailed):
            return result
        if isinstance(result, Merged):
            return _Merged(result.tree, tuple(sorted(left_out)))
        left_out |= _paths_of(result)
        without = await _without(services, opened, earlier, left_out)
        if isinstance(without, GitFailed) or without == theirs:
            break
        theirs = without
    # Nothing of it, rather than a part that nobody has looked at.
    return _Merged(live, tuple(sorted(left_out)))


async def _settled(
    services: Services,
    opened: Opened,
    attempt: Conflicted,
    resolutions: Sequence[Resolution],
    at: int,
) -> MergeResult:
    """Put in what a person has settled; else give the conflicts that nobody has."""
    known: list[Resolution] = []
    still_open: list[Conflict] = []
    for conflict in attempt.conflicts:
        one = await carried_one(services.git, opened.store, conflict, resolutions, at)
        if isinstance(one, GitFailed):
            return one
        if one is None:
            still_open.append(conflict)
        else:
            known.append(one)
    if still_open:
        return evolve(attempt, conflicts=tuple(still_open))
    return await with_settled(services.git, opened.store, attempt, known)


def _paths_of(conflicted: Conflicted) -> set[bytes]:
    def paths(conflict: Conflict) -> tuple[bytes, ...]:
        return (conflict.path, *conflict.paths)

    return {path for conflict in conflicted.conflicts for path in paths(conflict)}


async def _without(
    services: Services, opened: Opened, earlier: EarlierWork, paths: set[bytes]
) -> str | GitFailed:
    """The earlier work with these paths as they were before it."""
    before = await entries_at(services.git, opened.store, earlier.base_tree, paths)
    if isinstance(before, GitFailed):
        return before
    changes = {path: before.get(path) for path in paths}
    return await write_tree(services.git, opened.store, earlier.tree, changes)
