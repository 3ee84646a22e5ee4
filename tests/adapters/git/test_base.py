"""Snapshots hold what the user sees, and nothing of the user's repository changes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sennit.adapters.git.git import Git
from sennit.adapters.git.look import SnapshotLimits
from sennit.core.objects import LeftOutReason
from tests.adapters.git.bench import Bench, Tree, Watch
from tests.adapters.git.snapshots import EXECUTABLE, FILE, LINK, SUBMODULE, reasons

pytestmark = pytest.mark.anyio


async def test_a_clean_work_tree_is_its_last_commit(bench: Bench) -> None:
    snapshot = await bench.snapshot()
    assert snapshot.commit == bench.tree.git("rev-parse", "HEAD").decode().strip()
    assert snapshot.manifest.head == snapshot.commit
    assert snapshot.manifest.branch == b"main"


async def test_staged_modified_deleted_and_untracked_files_are_seen(bench: Bench) -> None:
    tree = bench.tree
    for name in ("gone", "changed", "staged-only", "removed"):
        tree.write(name, "before\n")
    tree.write(".gitignore", "*.log\nbuild/\n")
    tree.commit()
    tree.write("staged", "in the index\n")
    tree.git("add", "staged")
    tree.write("staged", "on disk\n")
    tree.path("gone").unlink()
    tree.git("rm", "-q", "removed")
    tree.write("changed", "after\n")
    tree.write("new/file", "new\n")
    tree.write("x.log", "ignored\n")
    tree.write("build/out", "ignored\n")

    snapshot = await bench.snapshot()

    files = await bench.files_of(snapshot.commit)
    assert files[b"staged"] == (FILE, b"on disk\n")
    assert files[b"changed"] == (FILE, b"after\n")
    assert files[b"new/file"] == (FILE, b"new\n")
    assert files.keys().isdisjoint({b"gone", b"removed", b"x.log", b"build/out"})
    manifest = snapshot.manifest
    assert manifest.staged == (b"removed", b"staged")
    assert manifest.modified == (b"changed", b"staged")
    assert manifest.deleted == (b"gone", b"removed")
    assert manifest.untracked == (b"new/file",)
    assert manifest.left_out_ignored == 2


async def test_two_snapshots_of_the_same_state_are_equal(bench: Bench) -> None:
    bench.tree.write("README", "changed\n")
    bench.tree.write("new", "new\n")
    assert await bench.snapshot() == await bench.snapshot()


async def test_an_edit_within_the_tick_of_the_index_is_seen(bench: Bench) -> None:
    for content in ("1\n", "2\n", "3\n"):
        bench.tree.write("same-size", content)
        bench.tree.git("add", "same-size")
        bench.tree.write("same-size", content.replace("\n", "!"))
        files = await bench.files_of((await bench.snapshot()).commit)
        assert files[b"same-size"][1] == content.replace("\n", "!").encode()


NAMES = [
    b"with space",
    b"with\nnewline",
    b"with\ttab",
    b'with"quote',
    b"with'apostrophe",
    b"back\\slash",
    "smile-\N{GRINNING FACE}".encode(),
    "h\u00e9llo.txt".encode(),
    b"not-utf8-\xff\xfe",
    b"-dash",
    b":(top)magic",
    b"*star?[x]",
    b"#hash",
    b"!bang",
    b"trailing space ",
    b"dir\n1/ sub/\xff",
]


async def test_names_of_any_bytes_are_kept(bench: Bench) -> None:
    for name in NAMES[::2]:
        bench.tree.write(name, "before")
    bench.tree.commit()
    for number, name in enumerate(NAMES):
        bench.tree.write(name, str(number))
    snapshot = await bench.snapshot()
    files = await bench.files_of(snapshot.commit)
    assert {name: files.get(name) for name in NAMES} == {
        name: (FILE, str(number).encode()) for number, name in enumerate(NAMES)
    }
    assert sorted(snapshot.manifest.untracked) == sorted(NAMES[1::2])


@pytest.mark.parametrize(
    "content",
    [b"", b"no end", b"a\r\nb\r\n", b"a\rb", b"\x00\x01\xff", b"\xef\xbb\xbfbom\n", b"\n" * 3],
)
async def test_bytes_are_kept_as_they_are(bench: Bench, content: bytes) -> None:
    bench.tree.write("src/a.py", content)
    bench.tree.write("new", content)
    files = await bench.files_of((await bench.snapshot()).commit)
    assert files[b"src/a.py"] == files[b"new"] == (FILE, content)


async def test_links_and_executable_bits_are_kept(bench: Bench, tmp_path: Path) -> None:
    tree = bench.tree
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("not ours")
    tree.path("dangling").symlink_to("nowhere")
    tree.path("to-a-folder").symlink_to("src")
    tree.path("out").symlink_to(outside)
    tree.write("run", "#!/bin/sh\n", mode=0o755)
    tree.path("README").chmod(0o755)
    files = await bench.files_of((await bench.snapshot()).commit)
    assert files[b"dangling"] == (LINK, b"nowhere")
    assert files[b"to-a-folder"] == (LINK, b"src")
    assert files[b"out"] == (LINK, os.fsencode(outside))
    assert files[b"run"][0] == files[b"README"][0] == EXECUTABLE
    assert not any(path.startswith(b"out/") for path in files)


async def test_files_become_folders_and_folders_become_files(bench: Bench) -> None:
    tree = bench.tree
    tree.path("README").unlink()
    tree.write("README/now/a-folder", "x")
    tree.path("src/a.py").unlink()
    tree.path("src").rmdir()
    tree.write("src", "now a file")
    files = await bench.files_of((await bench.snapshot()).commit)
    assert files == {b"README/now/a-folder": (FILE, b"x"), b"src": (FILE, b"now a file")}


async def test_a_folder_that_became_a_link_is_not_followed(bench: Bench, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.py").write_text("secret")
    bench.tree.path("src/a.py").unlink()
    bench.tree.path("src").rmdir()
    bench.tree.path("src").symlink_to(elsewhere)
    files = await bench.files_of((await bench.snapshot()).commit)
    assert files[b"src"] == (LINK, os.fsencode(elsewhere))
    assert b"src/a.py" not in files


async def test_renames_are_a_deletion_and_a_new_file(bench: Bench) -> None:
    bench.tree.git("mv", "README", "READ ME")
    bench.tree.path("src/a.py").rename(bench.tree.path("src/b.py"))
    files = await bench.files_of((await bench.snapshot()).commit)
    assert set(files) == {b"READ ME", b"src/b.py"}


async def test_a_repository_without_a_commit_has_a_base(
    new_tree: Callable[..., Tree], git: Git, tmp_path: Path, untouched: Watch
) -> None:
    tree = new_tree("unborn")
    bench = Bench(tree, tmp_path, git)
    untouched.begin(tree.folder / ".git")
    empty = await bench.snapshot()
    assert await bench.files_of(empty.commit) == {}
    assert empty.manifest.head is None
    assert empty.manifest.branch == b"main"
    tree.write("first", "1")
    assert await bench.files_of((await bench.snapshot()).commit) == {b"first": (FILE, b"1")}


async def test_a_detached_head_has_no_branch(bench: Bench) -> None:
    bench.tree.git("checkout", "-q", "--detach")
    assert (await bench.snapshot()).manifest.branch is None


async def test_a_locked_index_is_no_obstacle(bench: Bench) -> None:
    bench.tree.write(".git/index.lock", "")
    bench.tree.write("README", "changed")
    snapshot = await bench.snapshot()
    assert snapshot.manifest.modified == (b"README",)


async def test_conflict_markers_stay_out_and_the_merge_is_named(bench: Bench) -> None:
    tree = bench.tree
    tree.write("both", "base\n")
    tree.write("resolved", "base\n")
    tree.commit()
    tree.git("checkout", "-q", "-b", "theirs")
    tree.write("both", "theirs\n")
    tree.write("resolved", "theirs\n")
    tree.commit()
    tree.git("checkout", "-q", "main")
    tree.write("both", "ours\n")
    tree.write("resolved", "ours\n")
    tree.commit()
    tree.git("merge", "theirs", check=False)
    tree.write("resolved", "resolved by hand\n")

    snapshot = await bench.snapshot()

    files = await bench.files_of(snapshot.commit)
    assert files[b"both"] == (FILE, b"ours\n")
    assert files[b"resolved"] == (FILE, b"resolved by hand\n")
    assert reasons(snapshot) == {b"both": LeftOutReason.CONFLICT_MARKERS}
    assert snapshot.manifest.in_progress == "merge"


async def test_a_rebase_in_progress_is_named(bench: Bench) -> None:
    tree = bench.tree
    tree.git("checkout", "-q", "-b", "topic")
    tree.write("README", "topic\n")
    tree.commit()
    tree.git("checkout", "-q", "main")
    tree.write("README", "main\n")
    tree.commit()
    tree.git("rebase", "main", "topic", check=False)
    snapshot = await bench.snapshot()
    assert snapshot.manifest.in_progress == "rebase"
    assert snapshot.manifest.branch is None


async def test_files_that_git_was_told_not_to_look_at_count_as_they_are(bench: Bench) -> None:
    tree = bench.tree
    for name in ("assumed", "skipped", "skipped-and-absent"):
        tree.write(name, "before")
    tree.commit()
    tree.git("update-index", "--assume-unchanged", "assumed")
    tree.git("update-index", "--skip-worktree", "skipped", "skipped-and-absent")
    tree.write("assumed", "after")
    tree.write("skipped", "after")
    tree.path("skipped-and-absent").unlink()
    files = await bench.files_of((await bench.snapshot()).commit)
    assert files[b"assumed"][1] == files[b"skipped"][1] == b"after"
    assert files[b"skipped-and-absent"][1] == b"before"


async def test_an_intention_to_add_counts_with_its_content(bench: Bench) -> None:
    bench.tree.write("intended", "content")
    bench.tree.git("add", "-N", "intended")
    files = await bench.files_of((await bench.snapshot()).commit)
    assert files[b"intended"] == (FILE, b"content")


async def test_secrets_large_and_nested_things_stay_out_with_a_reason(
    bench: Bench, untouched: Watch
) -> None:
    tree = bench.tree
    tree.write("config/.env.production", "KEY=1")
    tree.write(".env.example", "KEY=")
    tree.write("large", b"x" * 101)
    tree.write(".GIT/config", "[core]")
    for name in ("nested", "nested with a commit"):
        tree.write(f"{name}/file", "x")
        tree.git("init", "-q", name)
    inner = Tree(tree.path("nested with a commit"), tree.environment)
    inner.commit()
    untouched.begin(tree.folder / ".git", inner.folder / ".git")

    snapshot = await bench.snapshot(limits=SnapshotLimits(untracked_file=100))

    assert reasons(snapshot) == {
        b"config/.env.production": LeftOutReason.LOOKS_LIKE_A_SECRET,
        b"large": LeftOutReason.TOO_LARGE,
        b".GIT/config": LeftOutReason.RESERVED_NAME,
        b"nested": LeftOutReason.NESTED_REPOSITORY,
        b"nested with a commit": LeftOutReason.NESTED_REPOSITORY,
    }
    assert snapshot.manifest.untracked == (b".env.example",)
    assert set(await bench.files_of(snapshot.commit)) == {b".env.example", b"README", b"src/a.py"}


@pytest.mark.parametrize("with_commit", [True, False])
async def test_a_repository_in_the_place_of_a_file_stays_out_with_a_reason(
    bench: Bench, *, with_commit: bool
) -> None:
    bench.tree.path("README").unlink()
    bench.tree.write("README/file", "x")
    bench.tree.git("init", "-q", "README")
    if with_commit:
        Tree(bench.tree.path("README"), bench.tree.environment).commit()
    snapshot = await bench.snapshot()
    assert reasons(snapshot) == {b"README": LeftOutReason.NESTED_REPOSITORY}
    assert set(await bench.files_of(snapshot.commit)) == {b"src/a.py"}


async def test_a_secret_never_becomes_an_object(bench: Bench) -> None:
    bench.tree.write(".env", "PASSWORD=1")
    identity = bench.tree.git("hash-object", ".env").decode().strip()
    await bench.snapshot()
    store = await bench.store()
    assert not (store.objects / identity[:2] / identity[2:]).exists()


async def test_a_tracked_file_that_became_a_pipe_stays_as_it_was(bench: Bench) -> None:
    path = bench.tree.path("README")
    path.unlink()
    os.mkfifo(path)
    snapshot = await bench.snapshot()
    assert reasons(snapshot) == {b"README": LeftOutReason.SPECIAL_FILE}
    assert (await bench.files_of(snapshot.commit))[b"README"] == (FILE, b"hello\n")


async def test_submodules_are_kept_at_the_commit_they_are_at(
    bench: Bench, new_tree: Callable[..., Tree]
) -> None:
    library = new_tree("library")
    library.commit("first of the library")
    bench.tree.git("submodule", "--quiet", "add", str(library.folder), "lib")
    bench.tree.commit()
    checkout = bench.tree.within("lib")
    moved = checkout.commit("second")
    snapshot = await bench.snapshot()
    assert (await bench.files_of(snapshot.commit))[b"lib"] == (SUBMODULE, moved.encode())
    workspace = await bench.workspace(snapshot)
    assert workspace.absent_submodules == ()


async def test_what_a_filter_says_names_no_file(bench: Bench) -> None:
    bench.tree.write(".gitattributes", "*.txt filter=talks\n")
    bench.tree.write("a.txt", "one\n")
    bench.tree.git("config", "filter.talks.clean", "echo 'converting a.txt: Done' >&2; cat")
    bench.tree.commit()
    bench.tree.write("a.txt", "two\n")
    snapshot = await bench.snapshot()
    assert snapshot.manifest.modified == (b"a.txt",)
    assert snapshot.manifest.left_out == ()
