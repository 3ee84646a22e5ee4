"""What an agent brings to a place that git ignores is in no proposal, so it is named."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from sennit.adapters.git.capture import Captured, Unchanged, capture
from sennit.adapters.git.records import index_file
from sennit.adapters.git.uncaptured import MOST_NAMED
from sennit.adapters.git.workspace import Workspace
from sennit.core.objects import LeftOutReason
from tests.adapters.git.bench import Bench, Tree

pytestmark = pytest.mark.anyio

FILES: Mapping[str, str] = {"out/a": "a\n", "out/deep/b": "b\n", "gone": "g\n"}
Move = Callable[[Tree], object]


async def left_out(bench: Bench, workspace: Workspace) -> dict[bytes, LeftOutReason]:
    taken = await capture(bench.git, await bench.store(), workspace, date=1_900_000_000)
    assert isinstance(taken, Captured | Unchanged), taken
    return {one.path: one.reason for one in taken.left_out}


async def begun(
    bench: Bench, rules: str, include: tuple[str, ...] = (), *, many: int = 0
) -> Workspace:
    for name, content in FILES.items():
        bench.tree.write(name, content)
    bench.tree.write(".gitignore", rules)
    bench.tree.git("add", "-A", "-f")
    bench.tree.commit()
    bench.tree.write("given/large/x", "given\n")
    bench.tree.write("lib/given/x", "given\n")
    for number in range(many):
        bench.tree.write(f"given/many/{number}", "x")
    bench.tree.write("lib/tracked", "t\n")
    return await bench.workspace(include=include)


def folder_renamed(tree: Tree) -> None:
    tree.path("out").rename(tree.path("build"))


def folder_above_renamed(tree: Tree) -> None:
    tree.path("made").mkdir()
    tree.path("out").rename(tree.path("made/build"))


def into_one_that_was_there(tree: Tree) -> None:
    tree.path("out/deep").rename(tree.path("given/large/deep"))


def file_renamed(tree: Tree) -> None:
    tree.path("gone").rename(tree.path("gone.log"))


MOVES: Mapping[str, tuple[str, Move, set[bytes]]] = {
    "a folder whose name is ignored": ("build/\n", folder_renamed, {b"build"}),
    "a folder in which all is ignored": ("build/*\n", folder_renamed, {b"build/a", b"build/deep"}),
    "a folder in which files are ignored": (
        "build/**/b\nbuild/a\n",
        folder_renamed,
        {b"build/a", b"build/deep/b"},
    ),
    "a folder in one that is new": ("made/*/*\n", folder_above_renamed, {b"made/build/a",
        b"made/build/deep"}),
    "a folder in a given one": ("", into_one_that_was_there, {b"given"}),
    "a file": ("*.log\n", file_renamed, {b"gone.log"}),
}  # fmt: skip


@pytest.mark.parametrize("name", MOVES)
async def test_files_of_the_base_that_are_moved_to_where_git_ignores_them_are_named(
    bench: Bench, name: str
) -> None:
    rules, move, named = MOVES[name]
    workspace = await begun(bench, f"given/\n{rules}", ("given/",))
    assert await left_out(bench, workspace) == {}
    move(bench.inside(workspace))
    assert await left_out(bench, workspace) == dict.fromkeys(named, LeftOutReason.IGNORED)


async def test_what_was_given_is_not_named_where_its_folder_is_renamed(bench: Bench) -> None:
    workspace = await begun(bench, "given/\n", ("given/",))
    inside = bench.inside(workspace)
    assert inside.path("lib/given/x").is_file()
    inside.path("lib").rename(inside.path("library"))
    inside.path("gone").unlink()
    assert await left_out(bench, workspace) == {}


async def test_a_moved_file_is_found_among_very_many(bench: Bench) -> None:
    workspace = await begun(bench, "given/\n", ("given/",), many=3_000)
    inside = bench.inside(workspace)
    inside.path("out").rename(inside.path("given/many/out"))
    assert await left_out(bench, workspace) == {b"given": LeftOutReason.IGNORED}


async def test_where_the_index_cannot_be_read_all_that_may_have_been_moved_is_named(
    bench: Bench,
) -> None:
    workspace = await begun(bench, "given/\nbuild/*\n", ("given/",))
    index = index_file(await bench.store(), workspace.name)
    at = {**bench.tree.environment, "GIT_INDEX_FILE": str(index)}
    Tree(workspace.folder, at).git("update-index", "--index-version", "4")
    inside = bench.inside(workspace)
    assert await left_out(bench, workspace) == {}
    folder_renamed(inside)
    assert {b"build/a", b"given"} <= (await left_out(bench, workspace)).keys()


async def test_ignored_files_in_a_repository_that_was_made_there_are_named(bench: Bench) -> None:
    workspace = await begun(bench, "*.log\n")
    inside = bench.inside(workspace)
    inside.git("init", "-q", "tool")
    inside.write("tool/a.py", "a\n")
    for number in range(MOST_NAMED + 5):
        inside.write(f"tool/{number:02}.log", "x")
    inside.path("gone").rename(inside.path("tool/gone.log"))
    found = await left_out(bench, workspace)
    assert found[b"tool"] is LeftOutReason.NESTED_REPOSITORY
    assert list(found.values()).count(LeftOutReason.IGNORED) == MOST_NAMED
