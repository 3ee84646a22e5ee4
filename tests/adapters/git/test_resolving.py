"""Conflicts that a person has settled: in the fold, on the live text, and taken back."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import frozen

from sennit.adapters.git.changes import changes_between
from sennit.adapters.git.live import AcceptedRevision, Folded, fold_onto_live
from sennit.adapters.git.merges import merge_trees
from sennit.adapters.git.resolving import Three, merge_resolved, side_held, text_held
from sennit.adapters.git.suggesting import held_by, suggested
from sennit.core.objects import Conflict, Conflicted, Merged
from sennit.core.resolutions import Held, Resolution
from sennit.core.units import units_of
from sennit_protocol.conflicts import Side, SuggestionKind, Take
from tests.adapters.git.made_trees import (
    AT,
    Executable,
    Files,
    Link,
    Pointer,
    Workbench,
    must,
    workbench,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
async def bench(tmp_path: Path) -> Workbench:
    return await workbench(tmp_path)


TEXT = b"".join(b"line %d\n" % n for n in range(12))


def edited(*edits: tuple[int, bytes]) -> bytes:
    text = TEXT
    for number, line in edits:
        text = text.replace(b"line %d\n" % number, line)
    return text


def resolution(conflict: Conflict, take: Take, held: tuple[Held, ...]) -> Resolution:
    return Resolution(conflict, take, held)


async def all_taken(bench: Workbench, trees: Three, side: Side) -> tuple[Resolution, ...]:
    result = await merge_trees(bench.git, bench.store, trees.base, trees.ours, trees.theirs, AT)
    assert isinstance(result, Conflicted), result
    found = []
    for conflict in result.conflicts:
        held = must(await side_held(bench.git, bench.store, trees, conflict, side))
        found.append(resolution(conflict, Take(side.value), held))
    return tuple(found)


async def three(bench: Workbench, base: Files, ours: Files, theirs: Files) -> Three:
    return Three(*[await bench.tree(files) for files in (base, ours, theirs)])


@frozen
class Case:
    base: Files
    ours: Files
    theirs: Files
    by_ours: Files
    by_theirs: Files


FOLDER: Files = {b"d/%d" % n: b"content of %d\n" % n for n in range(4)}
MOVED: Files = {b"e/%d" % n: b"content of %d\n" % n for n in range(4)}
CASES = {
    "lines": Case(
        {b"f": TEXT},
        {b"f": edited((1, b"ours\n"), (3, b"3\n"))},
        {b"f": edited((1, b"theirs\n"), (9, b"9\n"))},
        {b"f": edited((1, b"ours\n"), (3, b"3\n"), (9, b"9\n"))},
        {b"f": edited((1, b"theirs\n"), (3, b"3\n"), (9, b"9\n"))},
    ),
    "both added": Case({}, {b"f": b"o\n"}, {b"f": b"t\n"}, {b"f": b"o\n"}, {b"f": b"t\n"}),
    "deleted and changed": Case({b"f": TEXT}, {}, {b"f": b"t\n"}, {}, {b"f": b"t\n"}),
    "binary": Case({b"f": b"\0b"}, {b"f": b"\0o"}, {b"f": b"\0t"}, {b"f": b"\0o"}, {b"f": b"\0t"}),
    "links": Case(
        {b"f": Link(b"b")},
        {b"f": Link(b"o")},
        {b"f": Link(b"t")},
        {b"f": Link(b"o")},
        {b"f": Link(b"t")},
    ),
    "submodules": Case(
        {b"s": Pointer("1" * 40)},
        {b"s": Pointer("2" * 40)},
        {b"s": Pointer("3" * 40)},
        {b"s": Pointer("2" * 40)},
        {b"s": Pointer("3" * 40)},
    ),
    "renamed to two names": Case(
        {b"f": TEXT}, {b"o": TEXT}, {b"t": TEXT}, {b"o": TEXT}, {b"t": TEXT}
    ),
    "renamed and deleted": Case(
        {b"f": TEXT}, {}, {b"t": edited((1, b"1\n"))}, {}, {b"t": edited((1, b"1\n"))}
    ),
    "two files renamed to one name": Case(
        {b"a": TEXT, b"b": b"other\n" * 9},
        {b"c": TEXT, b"b": b"other\n" * 9},
        {b"a": TEXT, b"c": b"other\n" * 9},
        {b"c": TEXT},
        {b"c": b"other\n" * 9},
    ),
    "a file and a folder": Case(
        {b"x": b""},
        {b"x": b"", b"f": b"o"},
        {b"x": b"", b"f/y": b"t"},
        {b"x": b"", b"f": b"o"},
        {b"x": b"", b"f/y": b"t"},
    ),
    "a folder and a file": Case(
        {b"x": b""},
        {b"x": b"", b"f/y": b"o"},
        {b"x": b"", b"f": b"t"},
        {b"x": b"", b"f/y": b"o"},
        {b"x": b"", b"f": b"t"},
    ),
    "a file and a link": Case(
        {b"f": b"b\n"}, {b"f": Link(b"o")}, {b"f": b"t\n"}, {b"f": Link(b"o")}, {b"f": b"t\n"}
    ),
    "added to a folder that was renamed": Case(
        FOLDER,
        MOVED,
        {**FOLDER, b"d/new": b"new\n"},
        MOVED,
        {**MOVED, b"d/new": b"new\n"},
    ),
    "lines of a renamed file": Case(
        {b"f": TEXT},
        {b"f": edited((1, b"ours\n"))},
        {b"g": edited((1, b"theirs\n"))},
        {b"g": edited((1, b"ours\n"))},
        {b"g": edited((1, b"theirs\n"))},
    ),
    "modes and lines": Case(
        {b"f": TEXT},
        {b"f": Executable(edited((1, b"ours\n")))},
        {b"f": edited((1, b"theirs\n"))},
        {b"f": Executable(edited((1, b"ours\n")))},
        {b"f": Executable(edited((1, b"theirs\n")))},
    ),
}


async def test_a_side_that_is_taken_settles_every_kind_of_conflict(bench: Workbench) -> None:
    wrong = {}
    for name, case in CASES.items():
        trees = await three(bench, case.base, case.ours, case.theirs)
        for side, expected in ((Side.OURS, case.by_ours), (Side.THEIRS, case.by_theirs)):
            known = await all_taken(bench, trees, side)
            result = await merge_resolved(bench.git, bench.store, trees, AT, known)
            assert isinstance(result, Merged), (name, result)
            found = await bench.files(result.tree)
            if found != dict(expected):
                wrong[name, side] = found
            assert result.resolved == tuple(sorted(one.path for one in known))
    assert not wrong


async def test_the_base_can_be_taken_too(bench: Workbench) -> None:
    case = CASES["lines"]
    trees = await three(bench, case.base, case.ours, case.theirs)
    known = await all_taken(bench, trees, Side.BASE)
    result = await merge_resolved(bench.git, bench.store, trees, AT, known)
    assert isinstance(result, Merged)
    assert await bench.files(result.tree) == {b"f": edited((3, b"3\n"), (9, b"9\n"))}


async def test_a_resolution_does_not_count_for_other_sides(bench: Workbench) -> None:
    case = CASES["lines"]
    known = await all_taken(
        bench, await three(bench, case.base, case.ours, case.theirs), Side.THEIRS
    )
    other = await three(bench, case.base, {b"f": edited((1, b"somebody\n"))}, case.theirs)
    result = await merge_resolved(bench.git, bench.store, other, AT, known)
    assert isinstance(result, Conflicted)


async def test_a_merge_with_a_conflict_that_nobody_settled_stays_in_conflict(
    bench: Workbench,
) -> None:
    base: Files = {b"f": TEXT, b"g": TEXT}
    ours: Files = {b"f": edited((1, b"o\n")), b"g": edited((1, b"o\n"))}
    theirs: Files = {b"f": edited((1, b"t\n")), b"g": edited((1, b"t\n"))}
    trees = await three(bench, base, ours, theirs)
    known = await all_taken(bench, trees, Side.THEIRS)
    result = await merge_resolved(bench.git, bench.store, trees, AT, known[:1])
    assert isinstance(result, Conflicted)
    assert len(result.conflicts) == 2


async def folded(
    bench: Workbench, trees: Three, live: Files, known: tuple[Resolution, ...]
) -> tuple[Folded, Files]:
    units = units_of(
        "r", must(await changes_between(bench.git, bench.store, trees.base, trees.theirs))
    )
    revision = AcceptedRevision(
        trees.base, units, frozenset(unit.id for unit in units), resolutions=known
    )
    live_tree = await bench.tree(live)
    result = must(await fold_onto_live(bench.git, bench.store, live_tree, [revision], AT))
    return result, await bench.files(result.tree)


async def test_a_text_settles_it_on_the_live_text_beside_what_was_typed_elsewhere(
    bench: Workbench,
) -> None:
    case = CASES["lines"]
    trees = await three(bench, case.base, case.ours, case.theirs)
    result = await merge_trees(bench.git, bench.store, trees.base, trees.ours, trees.theirs, AT)
    assert isinstance(result, Conflicted)
    mine = edited((1, b"mine\n"), (3, b"3\n"), (9, b"9\n"))
    held = must(await text_held(bench.git, bench.store, result.conflicts[0], mine))
    known = (resolution(result.conflicts[0], Take.TEXT, held),)
    done, files = await folded(bench, trees, case.ours, known)
    assert files == {b"f": mine}
    assert not done.conflicts
    typed = edited((1, b"ours\n"), (3, b"3\n"), (6, b"typed\n"))
    done, files = await folded(bench, trees, {b"f": typed}, known)
    assert files == {b"f": mine.replace(b"line 6\n", b"typed\n")}
    assert not done.conflicts
    over = edited((1, b"typed over\n"), (3, b"3\n"))
    done, files = await folded(bench, trees, {b"f": over}, known)
    assert files == {b"f": over.replace(b"line 9\n", b"9\n")}
    assert len(done.conflicts) == 1
    # Where what it collided with is not there, there is nothing to settle.
    done, files = await folded(bench, trees, case.base, known)
    assert files == dict(case.theirs)


async def test_a_part_of_the_units_never_brings_in_what_was_settled_about_all(
    bench: Workbench,
) -> None:
    case = CASES["lines"]
    trees = await three(bench, case.base, case.ours, case.theirs)
    known = await all_taken(bench, trees, Side.THEIRS)
    units = units_of(
        "r", must(await changes_between(bench.git, bench.store, trees.base, trees.theirs))
    )
    revision = AcceptedRevision(trees.base, units, frozenset({units[0].id}), resolutions=known)
    done = must(await fold_onto_live(bench.git, bench.store, trees.ours, [revision], AT))
    assert done.tree == trees.ours
    assert list(done.conflicts) == [units[0].id]


async def test_suggestions_say_what_they_are_and_settle_the_conflict(bench: Workbench) -> None:
    mixed = TEXT.replace(b"line 2\n", b"line 2\r\n").replace(b"line 1\n", b"line 1\r\n")
    cases: dict[SuggestionKind, tuple[Files, Files, Files, Files]] = {
        SuggestionKind.ADJACENT_EDITS: (
            {b"f": TEXT},
            {b"f": edited((1, b"1\n"))},
            {b"f": edited((2, b"2\n"))},
            {b"f": edited((1, b"1\n"), (2, b"2\n"))},
        ),
        SuggestionKind.LINE_ENDINGS: (
            {b"f": TEXT},
            {b"f": edited((1, b"1\n"))},
            {b"f": mixed.replace(b"line 9\n", b"9\n")},
            {b"f": edited((1, b"1\n"), (9, b"9\n"))},
        ),
        SuggestionKind.FOLLOW_FOLDER: (
            FOLDER,
            MOVED,
            {**FOLDER, b"d/new": b"new\n"},
            {**MOVED, b"e/new": b"new\n"},
        ),
    }
    for kind, (base, ours, theirs, expected) in cases.items():
        trees = await three(bench, base, ours, theirs)
        result = await merge_trees(bench.git, bench.store, trees.base, trees.ours, trees.theirs, AT)
        assert isinstance(result, Conflicted), kind
        [conflict] = result.conflicts
        made = must(await suggested(bench.git, bench.store, result.conflicts, AT))
        first = made[conflict.path][0]
        assert first.kind is kind
        held = must(await held_by(bench.git, bench.store, conflict, first))
        known = (resolution(conflict, Take.SUGGESTION, held),)
        settled = await merge_resolved(bench.git, bench.store, trees, AT, known)
        assert isinstance(settled, Merged), kind
        assert await bench.files(settled.tree) == dict(expected), kind
