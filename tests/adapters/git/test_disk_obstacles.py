"""What is in the way of an application is told before anything is written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sennit.core.disk_application import (
    Staged,
    Trouble,
    Unstageable,
)
from tests.adapters.git.disk_bench import lay_out, on_disk, staged
from tests.adapters.git.made_trees import (
    Executable,
    Files,
    Pointer,
    Workbench,
    workbench,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
async def bench(tmp_path: Path) -> Workbench:
    return await workbench(tmp_path)


async def troubles(bench: Workbench, before: Files, after: Files) -> dict[bytes, Trouble]:
    seen = on_disk(bench.repository.work_tree)
    answer = await staged(bench, before, after)
    assert isinstance(answer, Unstageable), answer
    assert on_disk(bench.repository.work_tree) == seen
    assert all(one.detail for one in answer.troubles)
    return {one.path: one.trouble for one in answer.troubles}


async def test_everything_in_the_way_is_told_at_once_and_nothing_is_written(
    bench: Workbench, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    tree = bench.repository.work_tree
    lay_out(
        tree,
        {
            b"changed": b"by the user\n",
            b"new": b"the user's own\n",
            b"mode": Executable(b"m\n"),
            b"folder/ignored.o": b"o",
            b"folder/known": b"k",
        },
    )
    (tree / "linked").symlink_to(outside)
    os.mkfifo(tree / "pipe")
    before: Files = {
        b"changed": b"c\n",
        b"gone": b"g\n",
        b"mode": b"m\n",
        b"folder/known": b"k",
        b"pipe": b"p",
    }
    after: Files = {
        b"changed": b"d\n",
        b"gone": b"h\n",
        b"mode": b"n\n",
        b"new": b"n\n",
        b"linked/in": b"i\n",
        b"folder": b"f\n",
        b"pipe": b"q",
    }
    answer = await staged(bench, before, after)
    assert isinstance(answer, Unstageable), answer
    assert {one.path: one.trouble for one in answer.troubles} == {
        b"changed": Trouble.CHANGED,
        b"gone": Trouble.CHANGED,
        b"mode": Trouble.CHANGED,
        b"new": Trouble.IN_THE_WAY,
        b"linked/in": Trouble.THROUGH_LINK,
        b"folder": Trouble.FOLDER_NOT_EMPTY,
        b"pipe": Trouble.IN_THE_WAY,
    }
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    "path",
    [
        b".git/hooks/x",
        b".GIT/x",
        b"a/.git",
        b"git~1/x",
        b".git./x",
        ".g\u200cit/x".encode(),
        b".git::$INDEX_ALLOCATION/x",
        b"a\\.git\\x",
    ],
)
async def test_git_in_any_spelling_is_refused(bench: Workbench, path: bytes) -> None:
    assert await troubles(bench, {}, {path: b"x"}) == {path: Trouble.REFUSED_NAME}


async def test_a_submodule_is_not_written(bench: Workbench) -> None:
    assert await troubles(bench, {}, {b"s": Pointer("1" * 40)}) == {b"s": Trouble.SUBMODULE}


async def test_a_pointer_of_lfs_is_never_written_over_content(bench: Workbench) -> None:
    rules = {b".gitattributes": b"*.bin filter=lfs\n"}
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:%d\nsize 1\n"
    lay_out(bench.repository.work_tree, {**rules, b"new.bin": b"real content"})
    (bench.repository.work_tree / "new.bin").unlink()
    assert await troubles(bench, rules, {**rules, b"new.bin": pointer % 2}) == {
        b"new.bin": Trouble.LFS
    }
    # By then it had been laid out.
    assert not list(bench.store.root.glob("applications/*"))


async def test_names_that_differ_by_case_are_named(bench: Workbench) -> None:
    lay_out(bench.repository.work_tree, {b"Readme": b"1"})
    work = await staged(bench, {b"Readme": b"1"}, {b"Readme": b"1", b"README": b"2"})
    assert isinstance(work, Staged)
    assert work.collisions == ((b"README", b"Readme"),)


async def test_a_name_of_another_case_keeps_a_folder_from_giving_way(bench: Workbench) -> None:
    lay_out(bench.repository.work_tree, {b"x/a": b"1", b"x/A": b"the user's"})
    refused = await staged(bench, {b"x/a": b"1"}, {b"x": b"now a file"})
    assert isinstance(refused, Unstageable), refused
    assert [(one.path, one.trouble) for one in refused.troubles] == [
        (b"x", Trouble.FOLDER_NOT_EMPTY)
    ]
