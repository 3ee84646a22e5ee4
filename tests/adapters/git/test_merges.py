"""Merges of trees by git, conflicts as values, second opinions."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from sennit.adapters.git.discovery import Trust
from sennit.adapters.git.merges import merge_trees
from sennit.adapters.git.store import refresh
from sennit.core.objects import (
    Conflict,
    Conflicted,
    ConflictKind,
    GitFailed,
    Merged,
    MergeResult,
    Region,
)
from tests.adapters.git.made_trees import (
    AT,
    Executable,
    Files,
    Link,
    Pointer,
    Workbench,
    must,
    run_git,
    workbench,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
async def bench(tmp_path: Path) -> Workbench:
    return await workbench(tmp_path)


async def merge(bench: Workbench, base: Files, ours: Files, theirs: Files) -> MergeResult:
    b, o, t = [await bench.tree(files) for files in (base, ours, theirs)]
    return await merge_trees(bench.git, bench.store, b, o, t, AT)


async def merged(bench: Workbench, base: Files, ours: Files, theirs: Files) -> Files:
    result = await merge(bench, base, ours, theirs)
    assert isinstance(result, Merged), result
    return await bench.files(result.tree)


async def conflict(bench: Workbench, base: Files, ours: Files, theirs: Files) -> Conflict:
    result = await merge(bench, base, ours, theirs)
    assert isinstance(result, Conflicted), result
    (only,) = result.conflicts
    return only


TEXT = b"".join(b"line %d\n" % n for n in range(12))
UP = TEXT.replace(b"line 1\n", b"first\n")
DOWN = TEXT.replace(b"line 9\n", b"ninth\n")
BOTH = UP.replace(b"line 9\n", b"ninth\n")


async def test_edits_apart_in_one_file_go_together(bench: Workbench) -> None:
    assert await merged(bench, {b"f": TEXT}, {b"f": UP}, {b"f": DOWN}) == {b"f": BOTH}


async def test_an_edit_follows_a_rename_on_the_other_side(bench: Workbench) -> None:
    assert await merged(bench, {b"f": TEXT}, {b"f": UP}, {b"g": DOWN}) == {b"g": BOTH}
    assert await merged(bench, {b"f": TEXT}, {b"g": UP}, {b"f": DOWN}) == {b"g": BOTH}


async def test_rename_plus_edit_of_the_same_lines_is_one_conflict_at_the_new_name(
    bench: Workbench,
) -> None:
    found = await conflict(
        bench, {b"f": TEXT}, {b"f": UP}, {b"g": TEXT.replace(b"line 1\n", b"1st\n")}
    )
    assert (found.kind, found.path) == (ConflictKind.CONTENT, b"g")
    assert found.base is not None
    assert found.ours is not None
    assert found.theirs is not None


async def test_nothing_is_merged_into_an_unrelated_empty_file(bench: Workbench) -> None:
    base = {b"empty": b"", b"keep": TEXT}
    found = await conflict(bench, base, {b"keep": TEXT, b"other": b""}, {**base, b"empty": b"x\n"})
    assert (found.kind, found.path) == (ConflictKind.MODIFY_DELETE, b"empty")


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "kind", "path"),
    [
        ({b"f": b"b\n"}, {b"f": b"o\n"}, {b"f": b"t\n"}, ConflictKind.CONTENT, b"f"),
        ({}, {b"f": b"o\n"}, {b"f": b"t\n"}, ConflictKind.ADD_ADD, b"f"),
        ({}, {b"f": b"s\n"}, {b"f": Executable(b"s\n")}, ConflictKind.MODE, b"f"),
        ({}, {b"f": Executable(b"s\n")}, {b"f": b"s\n"}, ConflictKind.MODE, b"f"),
        ({}, {b"f": b""}, {b"f": Executable(b"")}, ConflictKind.MODE, b"f"),
        ({}, {b"f": b"o\n"}, {b"f": Executable(b"t\n")}, ConflictKind.ADD_ADD, b"f"),
        ({b"f": Link(b"b")}, {b"f": b"s"}, {b"f": Executable(b"s")}, ConflictKind.MODE, b"f"),
        ({b"f": Link(b"b")}, {b"f": b"s"}, {b"f": Link(b"s")}, ConflictKind.LINK, b"f"),
        ({b"f": b"b\n"}, {}, {b"f": b"t\n"}, ConflictKind.MODIFY_DELETE, b"f"),
        ({b"f": b"\0b"}, {b"f": b"\0o"}, {b"f": b"\0t"}, ConflictKind.BINARY, b"f"),
        ({b"f": Link(b"b")}, {b"f": Link(b"o")}, {b"f": Link(b"t")}, ConflictKind.LINK, b"f"),
        ({b"f": TEXT}, {b"o": TEXT}, {b"t": TEXT}, ConflictKind.RENAME_RENAME, b"f"),
        ({b"f": TEXT}, {}, {b"t": UP}, ConflictKind.RENAME_DELETE, b"t"),
        (
            {b"x": b""},
            {b"x": b"", b"f": b"o"},
            {b"x": b"", b"f/y": b"t"},
            ConflictKind.FILE_DIRECTORY,
            b"f",
        ),
        ({b"f": b"b\n"}, {b"f": Link(b"o")}, {b"f": b"t\n"}, ConflictKind.LINK, b"f"),
        (
            {b"s": Pointer("1" * 40)},
            {b"s": Pointer("2" * 40)},
            {b"s": Pointer("3" * 40)},
            ConflictKind.SUBMODULE,
            b"s",
        ),
        (
            {b"new\nli ne\xff": b"b\n"},
            {b"new\nli ne\xff": b"o\n"},
            {b"new\nli ne\xff": b"t\n"},
            ConflictKind.CONTENT,
            b"new\nli ne\xff",
        ),
    ],
)
async def test_a_conflict_is_a_value_with_its_kind_and_three_sides(
    bench: Workbench, base: Files, ours: Files, theirs: Files, kind: ConflictKind, path: bytes
) -> None:
    result = await merge(bench, base, ours, theirs)
    assert isinstance(result, Conflicted), result
    assert [(one.kind, one.path) for one in result.conflicts][:1] == [(kind, path)]
    first = result.conflicts[0]
    assert [first.base is None, first.ours is None, first.theirs is None] == [
        not base or kind is ConflictKind.FILE_DIRECTORY,
        not ours,
        not theirs or kind is ConflictKind.FILE_DIRECTORY,
    ]
    assert first.message


async def test_a_file_added_to_a_folder_that_was_renamed_is_a_conflict(bench: Workbench) -> None:
    folder: Files = {b"d/%d" % n: b"content of %d\n" % n for n in range(4)}
    moved = {b"e/%d" % n: b"content of %d\n" % n for n in range(4)}
    found = await conflict(bench, folder, moved, {**folder, b"d/new": b"new\n"})
    assert found.kind is ConflictKind.DIRECTORY_RENAME
    assert set(found.paths) == {b"d/new", b"e/new"}


PROGRAM = Executable(TEXT)
CLEAN: dict[str, tuple[Files, Files, Files, Files]] = {
    "both rename to the same name": ({b"f": TEXT}, {b"g": UP}, {b"g": DOWN}, {b"g": BOTH}),
    "a rename and a mode": ({b"f": TEXT}, {b"g": TEXT}, {b"f": PROGRAM}, {b"g": PROGRAM}),
    "a mode alone": (
        {b"f": TEXT}, {b"f": PROGRAM}, {b"f": TEXT, b"g": b""}, {b"f": PROGRAM, b"g": b""},
    ),
    "both set the same mode": (
        {b"f": TEXT}, {b"f": PROGRAM}, {b"f": Executable(UP)}, {b"f": Executable(UP)},
    ),
    "a mode back and a text": ({b"f": PROGRAM}, {b"f": TEXT}, {b"f": Executable(UP)}, {b"f": UP}),
    "both delete": (
        {b"f": TEXT, b"k": b"1"}, {b"k": b"1"}, {b"k": b"1", b"n": b""}, {b"k": b"1", b"n": b""},
    ),
    "both add the same empty file": (
        {b"k": b"1"}, {b"k": b"1", b"e": b""}, {b"k": b"1", b"e": b"", b"n": b"2"},
        {b"k": b"1", b"e": b"", b"n": b"2"},
    ),
    "one empties, the other leaves it": (
        {b"f": TEXT}, {b"f": b""}, {b"f": TEXT, b"n": b"1"}, {b"f": b"", b"n": b"1"},
    ),
    "both move a link to the same place": (
        {b"l": Link(b"a")}, {b"l": Link(b"b")}, {b"l": Link(b"b"), b"n": b"1"},
        {b"l": Link(b"b"), b"n": b"1"},
    ),
    "a submodule moved by one": (
        {b"s": Pointer("1" * 40)}, {b"s": Pointer("2" * 40)}, {b"s": Pointer("1" * 40), b"n": b"1"},
        {b"s": Pointer("2" * 40), b"n": b"1"},
    ),
    "a binary file changed by one": (
        {b"b": b"\0a"}, {b"b": b"\0b"}, {b"b": b"\0a", b"n": b"1"}, {b"b": b"\0b", b"n": b"1"},
    ),
    "a file that became a folder": (
        {b"f": TEXT, b"k": UP}, {b"f/in": b"1\n", b"k": UP}, {b"f": TEXT, b"k": DOWN},
        {b"f/in": b"1\n", b"k": DOWN},
    ),
    "a folder that became a file": (
        {b"f/in": b"1\n", b"k": UP}, {b"f": TEXT, b"k": UP}, {b"f/in": b"1\n", b"k": DOWN},
        {b"f": TEXT, b"k": DOWN},
    ),
    "a file that became a link": (
        {b"f": b"1\n"}, {b"f": Link(b"k")}, {b"f": b"1\n", b"k": UP}, {b"f": Link(b"k"), b"k": UP},
    ),
}  # fmt: skip


async def test_what_git_takes_together_goes_together_in_both_orders(bench: Workbench) -> None:
    for name, (base, ours, theirs, expected) in CLEAN.items():
        assert await merged(bench, base, ours, theirs) == dict(expected), name
        assert await merged(bench, base, theirs, ours) == dict(expected), name


async def test_a_side_that_only_swaps_what_a_path_is_collides_with_an_edit(
    bench: Workbench,
) -> None:
    kinds: dict[str, set[ConflictKind]] = {}
    for name, swapped in (("link", Link(b"k")), ("submodule", Pointer("1" * 40))):
        base: Files = {b"f": TEXT, b"k": b"1"}
        result = await merge(bench, base, {**base, b"f": UP}, {**base, b"f": swapped})
        assert isinstance(result, Conflicted), swapped
        kinds[name] = {one.kind for one in result.conflicts}
    folder: Files = {b"f/in": b"1\n", b"k": b"1"}
    result = await merge(bench, {b"f": TEXT, b"k": b"1"}, {b"f": UP, b"k": b"1"}, folder)
    assert isinstance(result, Conflicted)
    kinds["folder"] = {one.kind for one in result.conflicts}
    assert kinds["link"] == {ConflictKind.LINK}
    assert kinds["submodule"] == {ConflictKind.SUBMODULE}
    assert kinds["folder"] <= {ConflictKind.FILE_DIRECTORY, ConflictKind.MODIFY_DELETE}


async def test_modes_and_texts_go_together(bench: Workbench) -> None:
    assert await merged(bench, {b"f": TEXT}, {b"f": Executable(TEXT)}, {b"f": UP}) == {
        b"f": Executable(UP)
    }


async def test_both_sides_adding_the_same_is_no_conflict(bench: Workbench) -> None:
    both: Files = {b"f": b"same\n", b"l": Link(b"x")}
    assert await merged(bench, {}, {**both, b"o": b"1"}, {**both, b"t": b"2"}) == {
        **both,
        b"o": b"1",
        b"t": b"2",
    }


async def test_messages_speak_of_ours_and_theirs_and_of_no_commit(bench: Workbench) -> None:
    found = await conflict(bench, {b"f": b"b\n"}, {}, {b"f": b"t\n"})
    assert found.message.startswith(
        "CONFLICT (modify/delete): f deleted in ours and modified in theirs."
    )


async def test_attributes_are_those_of_the_tree_being_merged(bench: Workbench) -> None:
    union: Files = {b"sub/.gitattributes": b"*.log merge=union\n"}
    sides: list[Files] = [
        {**union, b"sub/a.log": b"x\n"},
        {**union, b"sub/a.log": b"x\nours\n"},
        {**union, b"sub/a.log": b"x\ntheirs\n"},
    ]
    assert (await merged(bench, *sides))[b"sub/a.log"] == b"x\nours\ntheirs\n"
    plain: list[Files] = [{b"a.log": side[b"sub/a.log"]} for side in sides]
    assert (await conflict(bench, *plain)).kind is ConflictKind.CONTENT


async def test_attributes_of_the_folder_that_a_file_was_moved_to_count(bench: Workbench) -> None:
    text = TEXT + b"last\n"
    rules: Files = {b"deep/.gitattributes": b"*.log merge=union\n", b"deep/other": b"o\n"}
    base: Files = {**rules, b"a.log": text}
    ours: Files = {**rules, b"deep/er/b.log": text + b"ours\n"}
    theirs: Files = {**base, b"a.log": text + b"theirs\n"}
    assert (await merged(bench, base, ours, theirs))[b"deep/er/b.log"] == text + b"ours\ntheirs\n"
    plain = [
        {path: file for path, file in side.items() if path != b"deep/.gitattributes"}
        for side in (base, ours, theirs)
    ]
    assert (await conflict(bench, *plain)).kind is ConflictKind.CONTENT


async def driven(bench: Workbench) -> tuple[Workbench, Path]:
    """Configure a merge driver in the user's repository that leaves a mark when it runs."""
    mark = bench.repository.work_tree / "driver-ran"
    run_git(
        bench.repository.work_tree,
        "config",
        "merge.mine.driver",
        f"touch '{mark}'; echo driven >%A",
    )
    store = must(await refresh(bench.git, bench.store, bench.repository))
    return evolve(bench, store=store), mark


async def test_a_merge_driver_runs_in_a_trusted_repository(bench: Workbench) -> None:
    bench, mark = await driven(bench)
    rule = {b".gitattributes": b"f merge=mine\n"}
    base, ours, theirs = ({**rule, b"f": side} for side in (b"b\n", b"o\n", b"t\n"))
    assert (await merged(bench, base, ours, theirs))[b"f"] == b"driven\n"
    assert mark.exists()


async def test_a_merge_driver_never_runs_in_a_repository_that_is_not_trusted(
    tmp_path: Path,
) -> None:
    bench = await workbench(tmp_path, trust=Trust.UNTRUSTED)
    bench, mark = await driven(bench)
    rule = {b".gitattributes": b"f merge=mine\n"}
    base, ours, theirs = ({**rule, b"f": side} for side in (b"b\n", b"o\n", b"t\n"))
    assert isinstance(await merge(bench, base, ours, theirs), Conflicted)
    assert not mark.exists()


async def test_line_endings_changed_as_a_whole_are_taken_back_and_named(bench: Workbench) -> None:
    crlf = DOWN.replace(b"\n", b"\r\n")
    result = await merge(bench, {b"f": TEXT}, {b"f": UP}, {b"f": crlf})
    assert isinstance(result, Merged), result
    assert await bench.files(result.tree) == {b"f": BOTH}
    assert result.normalised == (b"f",)


async def test_line_endings_of_the_text_so_far_stay_in_every_line(bench: Workbench) -> None:
    crlf = UP.replace(b"\n", b"\r\n")
    result = await merge(bench, {b"f": TEXT}, {b"f": crlf}, {b"f": DOWN})
    assert isinstance(result, Merged), result
    assert await bench.files(result.tree) == {b"f": BOTH.replace(b"\n", b"\r\n")}
    assert result.normalised == (b"f",)


async def test_line_endings_that_both_sides_changed_stay_changed(bench: Workbench) -> None:
    sides = [UP.replace(b"\n", b"\r\n"), DOWN.replace(b"\n", b"\r\n")]
    result = await merge(bench, {b"f": TEXT}, {b"f": sides[0]}, {b"f": sides[1]})
    assert isinstance(result, Merged), result
    assert await bench.files(result.tree) == {b"f": BOTH.replace(b"\n", b"\r\n")}


async def test_line_endings_that_one_side_alone_changed_are_kept(bench: Workbench) -> None:
    crlf = TEXT.replace(b"\n", b"\r\n")
    result = await merge(bench, {b"f": TEXT}, {b"f": TEXT, b"g": b"1"}, {b"f": crlf})
    assert isinstance(result, Merged)
    assert await bench.files(result.tree) == {b"f": crlf, b"g": b"1"}
    assert result.normalised == ()


async def test_a_user_who_configured_merges_otherwise_gets_the_same_tree(
    bench: Workbench, tmp_path: Path
) -> None:
    plain = await merge(bench, {b"f": TEXT}, {b"f": UP}, {b"g": DOWN})
    config = (
        "[merge]\n\trenames = false\n\tdirectoryRenames = true\n[diff]\n\talgorithm = patience\n"
    )
    (tmp_path / ".gitconfig").write_text(config)
    assert await merge(bench, {b"f": TEXT}, {b"f": UP}, {b"g": DOWN}) == plain


async def test_a_tree_that_is_not_there_is_a_failure_and_no_conflict(bench: Workbench) -> None:
    tree = await bench.tree({b"f": TEXT})
    other = await bench.tree({b"f": UP})
    assert isinstance(
        await merge_trees(bench.git, bench.store, tree, other, "1" * 40, AT), GitFailed
    )


async def test_a_repository_with_sha256_is_merged_too(tmp_path: Path) -> None:
    bench = await workbench(tmp_path, "sha256")
    assert await merged(bench, {b"f": TEXT}, {b"f": UP}, {b"f": DOWN}) == {b"f": BOTH}
    found = await conflict(bench, {b"l": Link(b"b")}, {b"l": Link(b"o")}, {b"l": Link(b"t")})
    assert found.kind is ConflictKind.LINK


async def test_the_same_trees_merge_to_the_same_tree_at_any_time(bench: Workbench) -> None:
    b, o, t = [await bench.tree({b"f": text}) for text in (TEXT, UP, DOWN)]
    once = await merge_trees(bench.git, bench.store, b, o, t, AT)
    later = await merge_trees(bench.git, bench.store, b, o, t, AT + 9_999)
    assert once == later


async def test_a_conflict_of_texts_points_at_the_lines_of_ours_that_overlap(
    bench: Workbench,
) -> None:
    ours = UP.replace(b"line 6\n", b"six\nand a half\n")
    theirs = DOWN.replace(b"line 6\n", b"6\n")
    found = await conflict(bench, {b"f": TEXT}, {b"f": ours}, {b"f": theirs})
    assert found.regions == (Region(6, 1, 6, 2, 6, 1),)
