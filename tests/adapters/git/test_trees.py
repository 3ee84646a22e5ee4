"""Blobs and trees of a store, by libgit2 and by git alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from sennit.adapters.git.raw_trees import Sides
from sennit.adapters.git.trees import (
    changed_paths,
    entries_at,
    read_blob,
    tree_entries,
    write_blob,
    write_commits,
    write_tree,
)
from sennit.core.objects import MODE_EXECUTABLE, MODE_FILE, Entry, GitFailed
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


@pytest.fixture(params=["sha1", "sha256"])
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Workbench:
    """Offer both formats: libgit2 reads the first, and git alone the second."""
    return await workbench(tmp_path, request.param)


ODD: Files = {
    b"empty": b"",
    b"binary": b"\0\xff\n\r",
    b"crlf": b"a\r\nb",
    b"with space": b"1",
    b'quo"te\ttab': b"2",
    b"new\nline": b"3",
    "emoji😀/é".encode(): b"4",
    b"not-utf8-\xff\xfe": b"5",
    b"deep/er/file": Executable(b"#!\n"),
    b"deep-er": b"sorts between deep and deep/",
    b"link": Link(b"../anywhere"),
}


async def test_odd_names_and_bytes_survive_writing_and_reading(bench: Workbench) -> None:
    tree = await bench.tree(ODD)
    assert await bench.files(tree) == ODD


async def test_a_tree_is_the_one_that_git_writes(bench: Workbench) -> None:
    tree = await bench.tree(ODD)
    listing = run_git(bench.store.root, "ls-tree", "-z", tree, git_dir=bench.store.git_dir)
    again = run_git(
        bench.store.root,
        "mktree",
        "-z",
        git_dir=bench.store.git_dir,
        stdin=listing.encode("utf-8", "surrogateescape"),
    )
    assert again == tree
    run_git(bench.store.root, "fsck", "--strict", "--no-dangling", git_dir=bench.store.git_dir)


async def test_a_file_becomes_a_folder_and_back(bench: Workbench) -> None:
    file = await bench.tree({b"a": b"x", b"b": b"y"})
    folder = await bench.tree({b"a/c": b"x", b"b": b"y"})
    blob = Entry(MODE_FILE, must(await write_blob(bench.git, bench.store, b"x")))
    there = await write_tree(bench.git, bench.store, file, {b"a/c": blob, b"a": None})
    back = await write_tree(bench.git, bench.store, folder, {b"a": blob, b"a/c": None})
    assert (there, back) == (folder, file)


async def test_an_emptied_folder_is_gone(bench: Workbench) -> None:
    tree = await bench.tree({b"a/b/c": b"x", b"d": b"y"})
    rest = await write_tree(bench.git, bench.store, tree, {b"a/b/c": None})
    assert rest == await bench.tree({b"d": b"y"})


async def test_nothing_changed_is_the_same_tree(bench: Workbench) -> None:
    tree = await bench.tree(ODD)
    assert await write_tree(bench.git, bench.store, tree, {}) == tree


async def test_a_path_below_a_file_that_stays_is_refused(tmp_path: Path) -> None:
    bench = await workbench(tmp_path)
    tree = await bench.tree({b"a": b"x"})
    blob = Entry(MODE_FILE, must(await write_blob(bench.git, bench.store, b"x")))
    refused = await write_tree(bench.git, bench.store, tree, {b"a/b": blob})
    assert isinstance(refused, GitFailed)
    assert "cannot be both a file and a folder" in refused.stderr


async def test_what_differs_is_named_with_both_sides(bench: Workbench) -> None:
    old = await bench.tree({b"same/x": b"1", b"gone": b"2", b"edit": b"3", b"a": b"f"})
    new = await bench.tree({b"same/x": b"1", b"new/y": b"2", b"edit": b"4", b"a/b": b"f"})
    before = must(await tree_entries(bench.git, bench.store, old))
    after = must(await tree_entries(bench.git, bench.store, new))
    changed = await changed_paths(bench.git, bench.store, old, new)
    assert changed == {
        path: Sides(before.get(path), after.get(path))
        for path in (b"gone", b"new/y", b"edit", b"a", b"a/b")
    }


async def test_modes_of_early_versions_of_git_are_those_of_files(bench: Workbench) -> None:
    blob = must(await write_blob(bench.git, bench.store, b"1"))
    entries = {b"plain": b"100664", b"run": b"100775"}
    early = b"".join(
        mode + b" " + name + b"\0" + bytes.fromhex(blob) for name, mode in entries.items()
    )
    asked = ("hash-object", "-t", "tree", "-w", "--literally", "--stdin")
    where = bench.store.git_dir
    old = run_git(bench.store.root, *asked, git_dir=where, stdin=early)
    expected = {b"plain": Entry(MODE_FILE, blob), b"run": Entry(MODE_EXECUTABLE, blob)}
    assert must(await entries_at(bench.git, bench.store, old, entries)) == expected
    added = Entry(MODE_FILE, blob)
    new = must(await write_tree(bench.git, bench.store, old, {b"added": added}))
    changed = await changed_paths(bench.git, bench.store, old, new)
    assert changed == {b"added": Sides(None, added)}


async def test_entries_are_found_at_paths_and_folders_are_none(bench: Workbench) -> None:
    tree = await bench.tree(ODD)
    paths = [b"deep/er/file", b"deep", b"link", b"absent/x", b"link/x"]
    found = must(await entries_at(bench.git, bench.store, tree, paths))
    everything = must(await tree_entries(bench.git, bench.store, tree))
    assert found == {path: everything[path] for path in (b"deep/er/file", b"link")}


async def test_an_object_that_is_not_there_is_a_failure_that_names_it(bench: Workbench) -> None:
    absent = "1" * len(await bench.tree({}))
    failed = await read_blob(bench.git, bench.store, absent)
    assert isinstance(failed, GitFailed)
    assert absent in failed.stderr


async def test_a_submodule_is_a_pointer(bench: Workbench) -> None:
    commit = "2" * len(await bench.tree({}))
    tree = await bench.tree({b"sub": Pointer(commit), b"f": b"x"})
    assert (await bench.files(tree))[b"sub"] == Pointer(commit)


async def test_commits_of_the_same_trees_and_time_are_the_same(bench: Workbench) -> None:
    tree = await bench.tree(ODD)
    one = must(await write_commits(bench.git, bench.store, [(tree, ())], AT))
    again = must(await write_commits(bench.git, bench.store, [(tree, ())], AT))
    assert one == again
    shown = run_git(
        bench.store.root, "show", "-s", "--format=%ct %T", *one, git_dir=bench.store.git_dir
    )
    assert shown == f"{AT} {tree}"
