"""Accepted units folded onto the live text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sennit.adapters.git.changes import changes_between
from sennit.adapters.git.live import AcceptedRevision, Folded, accepted_tree, fold_onto_live
from sennit.core.objects import ConflictKind
from sennit.core.units import Unit, units_of
from sennit_protocol.proposals import UnitKind
from tests.adapters.git.made_trees import (
    AT,
    Executable,
    Files,
    Link,
    Workbench,
    must,
    workbench,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
async def bench(tmp_path: Path) -> Workbench:
    return await workbench(tmp_path)


def everything(_: Unit) -> bool:
    return True


async def revision(
    bench: Workbench,
    name: str,
    base: Files,
    proposed: Files,
    accept: Callable[[Unit], bool] = everything,
) -> AcceptedRevision:
    trees = [await bench.tree(files) for files in (base, proposed)]
    units = units_of(name, must(await changes_between(bench.git, bench.store, *trees)))
    return AcceptedRevision(trees[0], units, frozenset(unit.id for unit in units if accept(unit)))


async def fold(bench: Workbench, live: Files, *revisions: AcceptedRevision) -> tuple[Folded, Files]:
    tree = await bench.tree(live)
    folded = must(await fold_onto_live(bench.git, bench.store, tree, revisions, AT))
    return folded, await bench.files(folded.tree)


def text(**lines: str) -> bytes:
    """Write ten lines, some of them replaced: text(l3="new")."""
    return "".join(lines.get(f"l{n}", f"line {n}") + "\n" for n in range(10)).encode()


async def test_accepted_units_go_into_the_text_as_it_is_now(bench: Workbench) -> None:
    one = await revision(bench, "r", {b"f": text()}, {b"f": text(l2="new", l7="new")})
    folded, files = await fold(bench, {b"f": text(l0="user")}, one)
    assert files == {b"f": text(l0="user", l2="new", l7="new")}
    assert set(folded.applied) == one.accepted
    assert not folded.already
    assert not folded.conflicts


async def test_what_was_not_accepted_stays_out(bench: Workbench) -> None:
    one = await revision(
        bench,
        "r",
        {b"f": text(), b"g": b"g\n"},
        {b"f": text(l2="new", l7="new")},
        lambda unit: unit.kind is UnitKind.HUNK and unit.ordinal == 1,
    )
    _, files = await fold(bench, {b"f": text(), b"g": b"g\n"}, one)
    assert files == {b"f": text(l7="new"), b"g": b"g\n"}


async def test_an_overlapping_edit_makes_that_unit_a_conflict_and_nothing_else(
    bench: Workbench,
) -> None:
    base = {b"f": text(), b"g": b"g\n", b"old": text(l5="x")}
    proposed: Files = {
        b"f": Executable(text(l1="new", l5="new", l9="new")),
        b"g": b"h\n",
        b"moved": text(l5="x"),
    }
    one = await revision(bench, "r", base, proposed)
    folded, files = await fold(bench, {**base, b"f": text(l5="user")}, one)
    assert files == {
        b"f": Executable(text(l1="new", l5="user", l9="new")),
        b"g": b"h\n",
        b"moved": text(l5="x"),
    }
    (middle,) = folded.conflicts
    hunk = next(unit.hunk for unit in one.units if unit.id == middle)
    assert hunk is not None
    assert hunk.before_start == 5
    assert folded.conflicts[middle].kind is ConflictKind.CONTENT
    assert set(folded.applied) == one.accepted - {middle}


async def test_what_the_user_wrote_already_is_said_to_be_there(bench: Workbench) -> None:
    one = await revision(bench, "r", {b"f": text()}, {b"f": text(l2="new", l7="new"), b"a": b"a\n"})
    folded, files = await fold(bench, {b"f": text(l2="new"), b"a": b"a\n"}, one)
    assert files == {b"f": text(l2="new", l7="new"), b"a": b"a\n"}
    created = next(unit.id for unit in one.units if unit.kind is UnitKind.CREATE)
    first = next(unit.id for unit in one.units if unit.hunk and unit.hunk.before_start == 2)
    assert set(folded.already) == {created, first}
    assert set(folded.applied) == one.accepted - {created, first}


async def test_everything_there_already_changes_nothing(bench: Workbench) -> None:
    proposed = {b"f": text(l2="new")}
    one = await revision(bench, "r", {b"f": text()}, proposed)
    folded, files = await fold(bench, proposed, one)
    assert files == proposed
    assert set(folded.already) == one.accepted
    assert not folded.applied


async def test_a_file_that_the_user_deleted_makes_its_units_conflicts(bench: Workbench) -> None:
    base = {b"f": text(), b"g": b"g\n"}
    one = await revision(bench, "r", base, {b"f": text(l1="new", l8="new"), b"g": b"h\n"})
    folded, files = await fold(bench, {b"g": b"g\n"}, one)
    assert files == {b"g": b"h\n"}
    assert {conflict.kind for conflict in folded.conflicts.values()} == {ConflictKind.MODIFY_DELETE}
    assert len(folded.conflicts) == 2


async def test_units_follow_a_file_that_the_user_renamed(bench: Workbench) -> None:
    one = await revision(bench, "r", {b"f": text()}, {b"f": text(l8="new")})
    _, files = await fold(bench, {b"user/name": text(l1="user")}, one)
    assert files == {b"user/name": text(l1="user", l8="new")}


async def test_a_hunk_whose_rename_was_not_accepted_is_left_out_and_named(
    bench: Workbench,
) -> None:
    one = await revision(
        bench,
        "r",
        {b"f": text()},
        {b"g": text(l8="new")},
        lambda unit: unit.kind is UnitKind.HUNK,
    )
    folded, files = await fold(bench, {b"f": text()}, one)
    assert files == {b"f": text()}
    assert set(folded.unmet) == one.accepted


async def test_later_revisions_are_folded_onto_what_earlier_ones_left(bench: Workbench) -> None:
    base = {b"f": text()}
    first = await revision(bench, "1", base, {b"f": text(l2="one")})
    second = await revision(bench, "2", base, {b"f": text(l2="two", l8="two")})
    same = await revision(bench, "3", base, {b"f": text(l2="one")})
    folded, files = await fold(bench, base, first, second, same)
    assert files == {b"f": text(l2="one", l8="two")}
    (conflict,) = folded.conflicts
    assert conflict in second.accepted
    assert set(folded.already) == same.accepted


async def test_a_folder_that_takes_the_place_of_a_file_goes_in_as_one(bench: Workbench) -> None:
    base: Files = {b"a": b"x\n", b"keep": text()}
    proposed: Files = {b"a/b": b"y\n", b"a/l": Link(b"b"), b"keep": text()}
    one = await revision(bench, "r", base, proposed)
    folded, files = await fold(bench, {**base, b"keep": text(l1="user")}, one)
    assert files == {**proposed, b"keep": text(l1="user")}
    assert set(folded.applied) == one.accepted


async def test_what_needs_a_conflicting_unit_is_in_conflict_with_it(bench: Workbench) -> None:
    base: Files = {b"a": b"x\n", b"keep": b"k"}
    one = await revision(bench, "r", base, {b"a/b": b"y\n", b"keep": b"k"})
    folded, files = await fold(bench, {b"a": b"user wrote here\n", b"keep": b"k"}, one)
    assert files == {b"a": b"user wrote here\n", b"keep": b"k"}
    assert set(folded.conflicts) == one.accepted


async def test_accepting_everything_gives_the_revisions_own_tree(bench: Workbench) -> None:
    proposed: Files = {
        b"g": Executable(text(l3="x")),
        b"empty": b"",
        b"bin\xff": b"\0\1",
        b"l": Link(b"elsewhere"),
        b"d/e": b"no newline",
    }
    one = await revision(bench, "r", {b"f": text(), b"d": b"file\n", b"l": b"file\n"}, proposed)
    tree = await accepted_tree(bench.git, bench.store, one.base, one.units, one.accepted)
    assert tree == await bench.tree(proposed)
