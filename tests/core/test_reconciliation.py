"""The fold over proposals, with merges that the test makes up.

A tree is written as the sorted letters it holds, such as ``ab``; a merge unites what both sides
added, and letters that differ only by case are in conflict.
"""

from __future__ import annotations

import pytest

from sennit.core.objects import (
    Conflict,
    Conflicted,
    ConflictKind,
    GitFailed,
    Merged,
    MergeResult,
)
from sennit.core.reconciliation import (
    AlreadyPresent,
    Blocked,
    Clean,
    InConflict,
    MergeFailed,
    MergeWanted,
    NoChanges,
    Proposed,
    Reconciled,
    dependencies_first,
    reconcile,
    run_with,
)


def merge(wanted: MergeWanted) -> MergeResult:
    base, ours, theirs = (frozenset(side) for side in (wanted.base, wanted.ours, wanted.theirs))
    if "!" in theirs:
        return GitFailed("git merge-tree", 128, "broken")
    tree = (ours - (base - theirs)) | (theirs - base)
    clash = sorted(letter for letter in tree if letter.swapcase() in tree)
    name = "".join(sorted(tree))
    if clash:
        path = clash[0].encode()
        return Conflicted(name, (Conflict(ConflictKind.CONTENT, path, None, None, None),))
    return Merged(name)


def fold(base: str, *proposals: Proposed) -> Reconciled:
    return run_with(reconcile(base, proposals), merge)


def test_a_proposal_alone_gives_exactly_its_tree_without_a_merge() -> None:
    def refuse(wanted: MergeWanted) -> MergeResult:
        raise AssertionError(wanted)

    done = run_with(reconcile("x", [Proposed("p", "x", "xa")]), refuse)
    assert done == Reconciled("xa", {"p": Clean("x", "xa")})


def test_nothing_to_fold_gives_the_base() -> None:
    assert fold("x") == Reconciled("x", {})


def test_a_conflict_is_set_aside_and_later_ones_are_merged_without_it() -> None:
    done = fold("x", Proposed("1", "x", "ax"), Proposed("2", "x", "Abx"), Proposed("3", "x", "cx"))
    assert done.tree == "acx"
    assert isinstance(done.verdicts["2"], InConflict)
    assert done.verdicts["3"] == Clean("ax", "acx")


def test_the_same_change_again_is_already_present() -> None:
    done = fold("x", Proposed("1", "x", "ax"), Proposed("2", "x", "bx"), Proposed("3", "x", "ax"))
    assert done.verdicts["3"] == AlreadyPresent()
    assert done.tree == "abx"


def test_a_proposal_that_is_part_of_another_is_already_present() -> None:
    done = fold("x", Proposed("1", "x", "abx"), Proposed("2", "x", "bx"))
    assert done.verdicts["2"] == AlreadyPresent()


def test_the_same_again_stays_in_conflict_where_the_first_was() -> None:
    done = fold("x", Proposed("0", "x", "Ax"), Proposed("1", "x", "ax"), Proposed("2", "x", "ax"))
    assert isinstance(done.verdicts["1"], InConflict)
    assert isinstance(done.verdicts["2"], InConflict)


def test_a_proposal_that_holds_more_is_judged_on_that_part_alone() -> None:
    # The third holds the first (a) and more (c); the second, built on the first, replaced a by A.
    first = Proposed("1", "x", "ax")
    second = Proposed("2", "ax", "Ax", needs=("1",))
    third = Proposed("3", "x", "acx")
    done = fold("x", first, second, third)
    assert done.verdicts["3"] == Clean("Ax", "Acx")
    conflicting = Proposed("4", "x", "aCx")
    done = fold("x", first, second, third, conflicting)
    assert isinstance(done.verdicts["4"], InConflict)


def test_the_same_as_one_that_others_changed_since_is_already_present() -> None:
    done = fold(
        "x",
        Proposed("1", "x", "ax"),
        Proposed("2", "ax", "Ax", needs=("1",)),
        Proposed("3", "x", "ax"),
    )
    assert done == Reconciled(
        "Ax", {"1": Clean("x", "ax"), "2": Clean("ax", "Ax"), "3": AlreadyPresent()}
    )


def test_what_changes_nothing_is_said_to_change_nothing() -> None:
    assert fold("x", Proposed("1", "y", "y")).verdicts["1"] == NoChanges()


def test_a_merge_that_git_could_not_do_is_failed_and_no_conflict() -> None:
    done = fold("x", Proposed("1", "x", "ax"), Proposed("2", "x", "!x"), Proposed("3", "x", "bx"))
    assert isinstance(done.verdicts["2"], MergeFailed)
    assert done.tree == "abx"


def test_what_builds_on_a_conflict_is_blocked_and_names_it() -> None:
    done = fold(
        "x",
        Proposed("1", "x", "ax"),
        Proposed("2", "x", "Ax"),
        Proposed("3", "Ax", "Abx", needs=("2",)),
        Proposed("4", "x", "cx", needs=("absent",)),
    )
    assert done.verdicts["3"] == Blocked(("2",))
    assert done.verdicts["4"] == Blocked(("absent",))
    assert done.tree == "ax"


def test_dependencies_come_first_and_else_the_task_order_stands() -> None:
    given = [
        Proposed("1", "x", "x", needs=("3",)),
        Proposed("2", "x", "x"),
        Proposed("3", "x", "x"),
        Proposed("4", "x", "x"),
    ]
    assert [one.id for one in dependencies_first(given)] == ["2", "3", "1", "4"]


def test_a_cycle_is_a_bug_of_the_caller() -> None:
    ring = [Proposed("1", "x", "x", needs=("2",)), Proposed("2", "x", "x", needs=("1",))]
    with pytest.raises(ValueError, match="need each other"):
        dependencies_first(ring)


def test_replays_give_the_same_tree() -> None:
    proposals = [Proposed(str(n), "x", f"{letter}x") for n, letter in enumerate("abAcB")]
    assert fold("x", *proposals) == fold("x", *proposals)
