"""The order in which most proposals go in; trees are letters, as in the tests of the fold."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sennit.core.fewest_conflicts import (
    MOST_EXACT,
    Searched,
    fewest_conflicts,
    largest_without_rivals,
)
from sennit.core.reconciliation import Clean, InConflict, Proposed
from tests.core.test_reconciliation import merge


def search(*proposals: Proposed, touched: dict[str, frozenset[bytes]] | None = None) -> Searched:
    run = fewest_conflicts("x", proposals, touched or {})
    try:
        wanted = next(run)
        while True:
            wanted = run.send(merge(wanted))
    except StopIteration as ended:
        found: Searched = ended.value
        return found


def test_one_that_collides_with_two_is_set_aside_for_both() -> None:
    found = search(Proposed("1", "x", "ABx"), Proposed("2", "x", "ax"), Proposed("3", "x", "bx"))
    assert found.order == ("2", "3", "1")
    assert (found.in_task_order, found.goes_in) == (1, 2)
    assert found.is_another_order
    assert isinstance(found.reconciled.verdicts["1"], InConflict)
    assert found.reconciled.tree == "abx"


def test_the_order_of_the_tasks_stands_where_no_other_is_better() -> None:
    found = search(Proposed("1", "x", "Ax"), Proposed("2", "x", "ax"))
    assert found.order == ("1", "2")
    assert not found.is_another_order
    assert isinstance(found.reconciled.verdicts["1"], Clean)


def test_without_a_conflict_nothing_is_searched() -> None:
    run = fewest_conflicts("x", [Proposed("1", "x", "ax"), Proposed("2", "x", "bx")], {})
    only = next(run)
    with pytest.raises(StopIteration) as ended:
        run.send(merge(only))
    assert ended.value.value.reconciled.tree == "abx"


def test_what_needs_one_that_is_set_aside_is_not_counted_on() -> None:
    found = search(
        Proposed("1", "x", "Ax"),
        Proposed("2", "Ax", "ABx", needs=("1",)),
        Proposed("3", "x", "ax"),
    )
    assert found.order == ("1", "2", "3")
    assert found.goes_in == 2


def test_those_that_touch_other_paths_are_not_tried_as_a_pair() -> None:
    paths = {"1": frozenset({b"p"}), "2": frozenset({b"q"}), "3": frozenset({b"p"})}
    found = search(
        Proposed("1", "x", "ABx"),
        Proposed("2", "x", "ax"),
        Proposed("3", "x", "bx"),
        touched=paths,
    )
    # They are rivals all the same, which only folding tells: no order is made up.
    assert found.order in {("1", "2", "3"), ("2", "3", "1")}


@given(st.integers(1, 8), st.data())
def test_no_choice_without_rivals_is_larger(count: int, data: st.DataObject) -> None:
    names = [str(number) for number in range(count)]
    pairs = list(combinations(names, 2))
    clashing = data.draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    rivals = {
        name: frozenset(other for pair in clashing if name in pair for other in pair) - {name}
        for name in names
    }
    given_ = [Proposed(name, "x", name) for name in names]
    chosen = largest_without_rivals(given_, rivals)
    assert not any(set(pair) <= chosen for pair in clashing)
    best = max(
        size
        for size in range(count + 1)
        for some in combinations(names, size)
        if not any(set(pair) <= set(some) for pair in clashing)
    )
    assert len(chosen) == best


def test_of_very_many_a_good_choice_is_taken() -> None:
    count = MOST_EXACT + 5
    hub = Proposed("hub", "x", "x1")
    others = [Proposed(str(number), "x", str(number)) for number in range(count)]
    rivals = {one.id: frozenset({"hub"}) for one in others}
    rivals["hub"] = frozenset(one.id for one in others)
    assert largest_without_rivals([hub, *others], rivals) == {one.id for one in others}
