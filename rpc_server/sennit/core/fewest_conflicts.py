"""The search for an order of proposals in which most of them go in.

Pairs are tried, the largest set without a rival inside is chosen, and folding tells the truth: the
order of the tasks stands unless the found one lets more in. The same proposals give the same order.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from itertools import combinations

from attrs import frozen

from sennit.core.objects import Conflicted, MergeResult
from sennit.core.reconciliation import (
    Blocked,
    InConflict,
    MergeFailed,
    MergeWanted,
    Proposed,
    Reconciled,
    dependencies_first,
    reconcile,
)

MOST_EXACT = 20
"""Proposals with rivals of which every choice is looked at; of more, a good one is taken."""


@frozen
class Searched:
    """What became of the proposals in the order that was found.

    ``in_task_order`` counts what would go in as the tasks were given, ``goes_in`` what does now.
    """

    reconciled: Reconciled
    order: tuple[str, ...]
    in_task_order: int
    goes_in: int

    @property
    def is_another_order(self) -> bool:
        """Whether the order of the tasks was not good enough."""
        return self.goes_in > self.in_task_order


Search = Generator[MergeWanted, MergeResult, Searched]
Rivals = Mapping[str, frozenset[str]]


def fewest_conflicts(
    base: str, proposals: Sequence[Proposed], touched: Mapping[str, frozenset[bytes]]
) -> Search:
    """Search; ``touched`` has the paths of proposals: those that share none are no rivals."""
    given = dependencies_first(proposals)
    names = tuple(one.id for one in given)
    as_given = yield from reconcile(base, given)
    before = _count(as_given)
    if not any(isinstance(one, InConflict) for one in as_given.verdicts.values()):
        return Searched(as_given, names, before, before)
    rivals = yield from _rivals(given, touched)
    chosen = largest_without_rivals(given, rivals)
    order = [one for one in given if one.id in chosen]
    order += [one for one in given if one.id not in chosen]
    found = yield from reconcile(base, order)
    if _count(found) <= before:
        return Searched(as_given, names, before, before)
    return Searched(found, tuple(one.id for one in order), before, _count(found))


def _count(done: Reconciled) -> int:
    out = (InConflict, Blocked, MergeFailed)
    return sum(not isinstance(verdict, out) for verdict in done.verdicts.values())


def _rivals(
    given: Sequence[Proposed], touched: Mapping[str, frozenset[bytes]]
) -> Generator[MergeWanted, MergeResult, Rivals]:
    found: dict[str, set[str]] = {one.id: set() for one in given}
    for one, other in combinations(given, 2):
        if one.base != other.base or one.tree in {other.tree, one.base}:
            # What builds on others has another base; folding has the last word anyway.
            continue
        mine, its = touched.get(one.id), touched.get(other.id)
        if mine is not None and its is not None and not mine & its:
            continue
        result = yield MergeWanted(one.base, one.tree, other.tree)
        if isinstance(result, Conflicted):
            found[one.id].add(other.id)
            found[other.id].add(one.id)
    return {name: frozenset(others) for name, others in found.items()}


def largest_without_rivals(given: Sequence[Proposed], rivals: Rivals) -> frozenset[str]:
    """Choose as many proposals as possible, with all that they need and no rival among them.

    Of several such choices the one whose members come first. ``given`` has dependencies first.
    """
    contested = sum(bool(rivals[one.id]) for one in given)
    if contested > MOST_EXACT:
        return _greedily(given, rivals)
    known = frozenset(one.id for one in given)
    best: frozenset[str] = frozenset()
    # What was decided about the first so many; the choice that includes comes off the stack first.
    open_ends: list[tuple[int, frozenset[str]]] = [(0, frozenset())]
    while open_ends:
        place, chosen = open_ends.pop()
        if len(chosen) + len(given) - place <= len(best):
            continue
        if place == len(given):
            best = chosen
            continue
        one = given[place]
        fits = not rivals[one.id] & chosen and all(n in chosen for n in one.needs if n in known)
        if not fits or rivals[one.id]:
            open_ends.append((place + 1, chosen))
        if fits:
            open_ends.append((place + 1, chosen | {one.id}))
    return best


def _greedily(given: Sequence[Proposed], rivals: Rivals) -> frozenset[str]:
    known = frozenset(one.id for one in given)
    out: set[str] = set()
    for one in sorted(given, key=lambda each: len(rivals[each.id])):
        if one.id not in out:
            out |= rivals[one.id]
    chosen: set[str] = set()
    for one in given:
        if one.id not in out and all(need in chosen for need in one.needs if need in known):
            chosen.add(one.id)
    return frozenset(chosen)
