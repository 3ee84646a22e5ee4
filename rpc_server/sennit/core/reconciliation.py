"""Reconciliation: proposals folded in task order, dependencies first, onto one base.

The fold does no merging itself. It is a generator that yields the merge it wants and is sent the
result, so that the same code runs over real git and over merges that a test makes up. It yields
only what identity cannot decide: a proposal alone gives exactly its tree.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import assert_never

from attrs import field, frozen

from sennit.core.merge import decide_by_identity
from sennit.core.objects import Conflict, Conflicted, GitFailed, Merged, MergeResult
from sennit.core.resolutions import Resolution


@frozen
class Proposed:
    """A revision that has arrived, by its trees; ``needs`` names the proposals it builds on."""

    id: str
    base: str
    tree: str
    needs: tuple[str, ...] = ()
    resolutions: tuple[Resolution, ...] = ()


@frozen
class MergeWanted:
    """A merge that the fold asks for: three trees, and what a person has settled about them."""

    base: str
    ours: str
    theirs: str
    resolutions: tuple[Resolution, ...] = ()


@frozen
class Clean:
    """The proposal went in: it changed the tree before to the tree after.

    The paths are those of ``Merged``.
    """

    before: str
    after: str
    uncertain: tuple[bytes, ...] = ()
    normalised: tuple[bytes, ...] = ()
    resolved: tuple[bytes, ...] = ()
    colliding: tuple[bytes, ...] = ()


@frozen
class InConflict:
    """The proposal is set aside; later ones were merged without it. ``onto``: what it met."""

    conflicts: tuple[Conflict, ...]
    onto: str = ""


@frozen
class AlreadyPresent:
    """Everything the proposal changes is there already; it claims no file."""


@frozen
class NoChanges:
    """The proposal changes nothing of its base."""


@frozen
class MergeFailed:
    """git could not answer; the proposal is set aside and nothing is said about its content."""

    failure: GitFailed


@frozen
class Blocked:
    """The proposal builds on others that are not in the integrated tree."""

    by: tuple[str, ...]


Verdict = Clean | InConflict | AlreadyPresent | NoChanges | MergeFailed | Blocked


@frozen
class Reconciled:
    """The integrated tree, and what became of each proposal, in the order they were folded."""

    tree: str
    verdicts: Mapping[str, Verdict] = field(factory=dict)


Fold = Generator[MergeWanted, MergeResult, Reconciled]
_Attempt = Generator[MergeWanted, MergeResult, MergeResult]


def reconcile(base: str, proposals: Sequence[Proposed]) -> Fold:
    """Fold proposals, given in task order, onto a base; yields merges, is sent their results."""
    integrated = base
    verdicts: dict[str, Verdict] = {}
    taken_in: list[Proposed] = []
    for proposal in dependencies_first(proposals):
        verdict = yield from _judge(integrated, proposal, verdicts, taken_in)
        verdicts[proposal.id] = verdict
        if isinstance(verdict, Clean):
            integrated = verdict.after
            taken_in.append(proposal)
    return Reconciled(integrated, verdicts)


def dependencies_first(proposals: Sequence[Proposed]) -> tuple[Proposed, ...]:
    """Keep the task order, except that what others build on comes before them."""
    waiting = {proposal.id: proposal for proposal in proposals}
    ordered: list[Proposed] = []
    while waiting:
        ready = next(
            (one for one in waiting.values() if not any(need in waiting for need in one.needs)),
            None,
        )
        if ready is None:
            raise ValueError(f"these proposals need each other: {sorted(waiting)}")
        ordered.append(waiting.pop(ready.id))
    return tuple(ordered)


def _judge(
    integrated: str,
    proposal: Proposed,
    verdicts: Mapping[str, Verdict],
    taken_in: Sequence[Proposed],
) -> Generator[MergeWanted, MergeResult, Verdict]:
    if proposal.base == proposal.tree:
        return NoChanges()
    missing = tuple(need for need in proposal.needs if not _is_in(verdicts.get(need)))
    if missing:
        return Blocked(missing)
    if any((one.base, one.tree) == (proposal.base, proposal.tree) for one in taken_in):
        return AlreadyPresent()
    result = yield from _merge(proposal.base, integrated, proposal.tree, proposal.resolutions)
    if isinstance(result, Conflicted):
        result = yield from _merge_what_is_new(integrated, proposal, taken_in, result)
    return _verdict(integrated, result)


def _is_in(verdict: Verdict | None) -> bool:
    return isinstance(verdict, Clean | AlreadyPresent | NoChanges)


def _verdict(integrated: str, result: MergeResult) -> Verdict:
    match result:
        case Merged():
            if result.tree == integrated and not result.resolved:
                return AlreadyPresent()
            return Clean(
                before=integrated,
                after=result.tree,
                uncertain=result.uncertain,
                normalised=result.normalised,
                resolved=result.resolved,
                colliding=result.colliding,
            )
        case Conflicted():
            return InConflict(result.conflicts, integrated)
        case GitFailed():
            return MergeFailed(result)
        case _:
            assert_never(result)


def _merge(base: str, ours: str, theirs: str, resolutions: tuple[Resolution, ...] = ()) -> _Attempt:
    if decided := decide_by_identity(base, ours, theirs):
        return Merged(decided.value)
    result = yield MergeWanted(base, ours, theirs, resolutions)
    return result


def _merge_what_is_new(
    integrated: str, proposal: Proposed, taken_in: Sequence[Proposed], conflicted: Conflicted
) -> _Attempt:
    """Judge a proposal that holds an earlier one, and more, on that part alone.

    It holds the earlier one when merging that into it changes nothing. The earlier one's text may
    have been changed since by what builds on it, which would look like a conflict with itself.
    """
    for earlier in taken_in:
        if earlier.base != proposal.base:
            continue
        held = yield from _merge(proposal.base, proposal.tree, earlier.tree)
        if not isinstance(held, Merged) or held.tree != proposal.tree:
            continue
        rest = yield from _merge(earlier.tree, integrated, proposal.tree)
        if isinstance(rest, Merged):
            return rest
    return conflicted


def run_with(fold: Fold, merge: Callable[[MergeWanted], MergeResult]) -> Reconciled:
    """Drive a fold with merges that answer at once, such as made-up ones or a cache."""
    try:
        wanted = next(fold)
        while True:
            wanted = fold.send(merge(wanted))
    except StopIteration as ended:
        result: Reconciled = ended.value
        return result
