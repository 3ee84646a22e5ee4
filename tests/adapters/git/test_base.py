"""Snapshots hold what the user sees, and nothing of the user's repository changes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sennit.adapters.git.base import take_snapshot
from sennit.adapters.git.git import Git, git_for
from sennit.adapters.git.look import SnapshotLimits
from sennit.core.objects import LeftOutReason, OpenDocument, Snapshot, Unsaved
from tests.adapters.git.bench import Bench, Tree, Watch

pytestmark = pytest.mark.anyio

FILE, EXECUTABLE, LINK, SUBMODULE = "100644", "100755", "120000", "160000"


def reasons(snapshot: Snapshot) -> dict[bytes, LeftOutReason]:
    return {left.path: left.reason for left in snapshot.manifest.left_out}


async def test_a_clean_work_tree_is_its_last_commit(bench: Bench, untouched: Watch) -> None:
    untouched.begin(bench.tree.folder / ".git")
    snapshot = await bench.snapshot()
    assert snapshot.commit == bench.tree.git("rev-parse", "HEAD").decode().strip()
    assert snapshot.manifest.head == snapshot.commit
    assert snapshot.manifest.branch == b"main"


async def test_staged_modified_deleted_and_untracked_files_are_seen(
    bench: Bench, untouched: Watch
) -> None:
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
    untouched.begin(tree.folder / ".git")

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


async def test_names_of_any_bytes_are_kept(bench: Bench, untouched: Watch) -> None:
    for name in NAMES[::2]:
        bench.tree.write(name, "before")
    bench.tree.commit()
    for number, name in enumerate(NAMES):
        bench.tree.write(name, str(number))
    untouched.begin(bench.tree.folder / ".git")
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


async def test_a_detached_head_has_no_branch(bench: Bench, untouched: Watch) -> None:
    bench.tree.git("checkout", "-q", "--detach")
    untouched.begin(bench.tree.folder / ".git")
    assert (await bench.snapshot()).manifest.branch is None


async def test_a_locked_index_is_no_obstacle(bench: Bench, untouched: Watch) -> None:
    bench.tree.write(".git/index.lock", "")
    bench.tree.write("README", "changed")
    untouched.begin(bench.tree.folder / ".git")
    snapshot = await bench.snapshot()
    assert snapshot.manifest.modified == (b"README",)


async def test_conflict_markers_stay_out_and_the_merge_is_named(
    bench: Bench, untouched: Watch
) -> None:
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
    untouched.begin(tree.folder / ".git")

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


async def test_files_that_git_was_told_not_to_look_at_count_as_they_are(
    bench: Bench, untouched: Watch
) -> None:
    tree = bench.tree
    for name in ("assumed", "skipped", "skipped-and-absent"):
        tree.write(name, "before")
    tree.commit()
    tree.git("update-index", "--assume-unchanged", "assumed")
    tree.git("update-index", "--skip-worktree", "skipped", "skipped-and-absent")
    tree.write("assumed", "after")
    tree.write("skipped", "after")
    tree.path("skipped-and-absent").unlink()
    untouched.begin(tree.folder / ".git")
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
    bench: Bench, new_tree: Callable[..., Tree], untouched: Watch
) -> None:
    library = new_tree("library")
    library.commit("first of the library")
    bench.tree.git("submodule", "--quiet", "add", str(library.folder), "lib")
    bench.tree.commit()
    checkout = Tree(bench.tree.path("lib"), bench.tree.environment)
    moved = checkout.commit("second")
    untouched.begin(bench.tree.folder / ".git")
    snapshot = await bench.snapshot()
    assert (await bench.files_of(snapshot.commit))[b"lib"] == (SUBMODULE, moved.encode())
    workspace = await bench.workspace(snapshot)
    assert workspace.absent_submodules == (b"lib",)


async def test_an_unchanged_buffer_is_no_change(bench: Bench) -> None:
    bench.tree.write("README", b"\xef\xbb\xbfh\xc3\xa9llo\r\n")
    snapshot = await bench.snapshot(OpenDocument(b"README", 3, "h\u00e9llo\r\n"))
    assert snapshot.manifest.unsaved == ()
    assert (await bench.files_of(snapshot.commit))[b"README"][1] == b"\xef\xbb\xbfh\xc3\xa9llo\r\n"


async def test_an_unsaved_buffer_is_part_of_the_base(bench: Bench, untouched: Watch) -> None:
    bench.tree.path("README").chmod(0o755)
    untouched.begin(bench.tree.folder / ".git")
    snapshot = await bench.snapshot(
        OpenDocument(b"README", 7, "typed\n"), OpenDocument(b"not/yet/saved", 1, "new")
    )
    files = await bench.files_of(snapshot.commit)
    assert files[b"README"] == (EXECUTABLE, b"typed\n")
    assert files[b"not/yet/saved"] == (FILE, b"new")
    assert snapshot.manifest.unsaved == (Unsaved(b"README", 7), Unsaved(b"not/yet/saved", 1))
    assert bench.tree.path("README").read_text() == "hello\n"


@pytest.mark.parametrize(
    ("on_disk", "told", "expected"),
    [
        (b"\xff\xfea\x00", None, b"\xff\xfe\xe9\x00"),
        (b"\xfe\xff\x00a", None, b"\xfe\xff\x00\xe9"),
        (b"\xef\xbb\xbfa", None, b"\xef\xbb\xbf\xc3\xa9"),
        (b"a", "latin-1", b"\xc3\xa9"),
        (b"\xe4", "latin-1", b"\xe9"),
    ],
)
async def test_a_buffer_is_encoded_as_its_file(
    bench: Bench, on_disk: bytes, told: str | None, expected: bytes
) -> None:
    bench.tree.write("text", on_disk)
    snapshot = await bench.snapshot(OpenDocument(b"text", 1, "\u00e9", told))
    assert (await bench.files_of(snapshot.commit))[b"text"][1] == expected


async def test_a_buffer_goes_through_the_attributes_of_git(bench: Bench) -> None:
    tree = bench.tree
    tree.write(
        ".gitattributes", "*.txt text eol=crlf\n*.u text working-tree-encoding=UTF-16LE-BOM\n"
    )
    tree.write("a.txt", "one\r\n")
    tree.write("b.u", b"\xff\xfeo\x00\n\x00")
    tree.commit()
    snapshot = await bench.snapshot(
        OpenDocument(b"a.txt", 1, "two\r\n"), OpenDocument(b"b.u", 1, "\u00e9\n")
    )
    files = await bench.files_of(snapshot.commit)
    assert files[b"a.txt"][1] == b"two\n"
    assert files[b"b.u"][1] == "\u00e9\n".encode()


async def test_buffers_that_cannot_be_taken_are_named(bench: Bench) -> None:
    tree = bench.tree
    tree.write("latin", b"\xe9")
    tree.write("elsewhere", "disk")
    tree.write(".gitignore", "ignored\n")
    tree.write("ignored", "disk")
    tree.write(".env", "KEY=1")
    snapshot = await bench.snapshot(
        OpenDocument(b"latin", 1, "x"),
        OpenDocument(b"elsewhere", 1, "mine"),
        OpenDocument(b"ignored", 1, "typed"),
        OpenDocument(b"README", 1, None),
        OpenDocument(b"src/a.py", 1, "\ud800"),
        OpenDocument(b".env", 1, "KEY=2"),
        OpenDocument(b"../outside", 1, "x"),
        OpenDocument(b".git/config", 1, "x"),
        unsaved_elsewhere=frozenset({b"elsewhere"}),
    )
    assert reasons(snapshot) == {
        b"latin": LeftOutReason.UNKNOWN_ENCODING,
        b"elsewhere": LeftOutReason.UNSAVED_ELSEWHERE,
        b"ignored": LeftOutReason.IGNORED,
        b"README": LeftOutReason.UNKNOWN_TEXT,
        b"src/a.py": LeftOutReason.UNKNOWN_ENCODING,
        b".env": LeftOutReason.LOOKS_LIKE_A_SECRET,
    }
    assert snapshot.manifest.unsaved == ()
    files = await bench.files_of(snapshot.commit)
    assert files[b"elsewhere"][1] == b"disk"
    assert files.keys().isdisjoint({b"ignored", b".env"})


async def test_a_buffer_opened_through_a_link_changes_what_the_link_leads_to(bench: Bench) -> None:
    bench.tree.path("link").symlink_to("README")
    snapshot = await bench.snapshot(OpenDocument(b"link", 1, "typed"))
    files = await bench.files_of(snapshot.commit)
    assert files[b"link"] == (LINK, b"README")
    assert files[b"README"] == (FILE, b"typed")


async def test_core_autocrlf_of_the_user_counts(bench: Bench) -> None:
    bench.tree.git("config", "core.autocrlf", "true")
    bench.tree.write("crlf", "a\r\nb\r\n")
    files = await bench.files_of((await bench.snapshot()).commit)
    assert files[b"crlf"][1] == b"a\nb\n"


async def test_a_filter_of_a_trusted_repository_runs(bench: Bench) -> None:
    bench.tree.git("config", "filter.upper.clean", "tr a-z A-Z")
    bench.tree.write(".gitattributes", "*.up filter=upper\n")
    bench.tree.write("a.up", "abc")
    files = await bench.files_of((await bench.snapshot()).commit)
    assert files[b"a.up"][1] == b"ABC"


async def test_the_date_is_never_before_that_of_the_parent(bench: Bench) -> None:
    bench.tree.write("README", "x")
    snapshot = await bench.snapshot()
    store = await bench.store()
    dates = bench.tree.git(f"--git-dir={store.git_dir}", "log", "--format=%ct", snapshot.commit)
    mine, parents = map(int, dates.split())
    assert mine >= parents


@pytest.mark.parametrize("options", [("--object-format=sha256",), ()])
async def test_deletions_work_with_either_hash(
    new_tree: Callable[..., Tree], git: Git, tmp_path: Path, untouched: Watch, options: tuple[str]
) -> None:
    tree = new_tree("hash", *options)
    tree.write("a", "1")
    tree.write("b", "1")
    tree.commit()
    tree.path("a").unlink()
    tree.path("b").unlink()
    tree.path("b").symlink_to("target")
    untouched.begin(tree.folder / ".git")
    bench = Bench(tree, tmp_path, git)
    assert await bench.files_of((await bench.snapshot()).commit) == {b"b": (LINK, b"target")}


async def test_linked_worktrees_have_stores_and_bases_of_their_own(
    bench: Bench, git: Git, tmp_path: Path, untouched: Watch
) -> None:
    bench.tree.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = Bench(Tree(tmp_path / "linked", bench.tree.environment), tmp_path / "2", git)
    linked.tree.write("only here", "x")
    untouched.begin(bench.tree.folder / ".git")
    snapshot = await linked.snapshot()
    assert snapshot.manifest.branch == b"linked"
    assert b"only here" in await linked.files_of(snapshot.commit)
    assert b"only here" not in await bench.files_of((await bench.snapshot()).commit)
    assert (await linked.repository()).key != (await bench.repository()).key


async def test_a_shallow_clone_has_a_base(
    bench: Bench, git: Git, tmp_path: Path, untouched: Watch
) -> None:
    bench.tree.commit("second")
    bench.tree.git("clone", "-q", "--depth=1", f"file://{bench.tree.folder}", str(tmp_path / "s"))
    shallow = Bench(Tree(tmp_path / "s", bench.tree.environment), tmp_path / "2", git)
    shallow.tree.write("README", "x")
    untouched.begin(shallow.tree.folder / ".git")
    snapshot = await shallow.snapshot()
    inside = shallow.inside(await shallow.workspace(snapshot))
    assert len(inside.git("log", "--oneline").splitlines()) == 2


async def test_a_clone_that_borrows_its_objects_has_a_base(
    bench: Bench, git: Git, tmp_path: Path, untouched: Watch
) -> None:
    bench.tree.git("clone", "-q", "--shared", str(bench.tree.folder), str(tmp_path / "shared"))
    shared = Bench(Tree(tmp_path / "shared", bench.tree.environment), tmp_path / "2", git)
    shared.tree.write("README", "x")
    untouched.begin(shared.tree.folder / ".git", bench.tree.folder / ".git")
    assert (await shared.files_of((await shared.snapshot()).commit))[b"README"][1] == b"x"


async def test_split_and_untracked_cache_indexes_are_read(bench: Bench, untouched: Watch) -> None:
    bench.tree.git("update-index", "--split-index", "--untracked-cache")
    bench.tree.write("README", "x")
    bench.tree.write("new", "x")
    untouched.begin(bench.tree.folder / ".git")
    files = await bench.files_of((await bench.snapshot()).commit)
    assert files[b"README"][1] == files[b"new"][1] == b"x"


async def test_a_sparse_checkout_keeps_what_is_not_there(bench: Bench, untouched: Watch) -> None:
    bench.tree.write("docs/b", "b")
    bench.tree.commit()
    bench.tree.git("sparse-checkout", "set", "src")
    assert not bench.tree.path("docs").exists()
    untouched.begin(bench.tree.folder / ".git")
    snapshot = await bench.snapshot()
    assert (await bench.files_of(snapshot.commit))[b"docs/b"] == (FILE, b"b")
    workspace = await bench.workspace(snapshot)
    assert (workspace.folder / "src/a.py").exists()
    assert not (workspace.folder / "docs").exists()


@pytest.mark.parametrize("kind", ["--cone", "--no-cone", "--sparse-index"])
async def test_edits_in_a_sparse_checkout_are_seen(
    bench: Bench, untouched: Watch, kind: str
) -> None:
    tree = bench.tree
    tree.write("docs/b", "b")
    tree.write("docs/deep/c", "c")
    tree.commit()
    tree.git("sparse-checkout", "set", kind, "src")
    tree.write("src/a.py", "changed")
    tree.write("docs/deep/c", "changed outside the patterns")
    untouched.begin(tree.folder / ".git")
    files = await bench.files_of((await bench.snapshot()).commit)
    assert files[b"docs/b"] == (FILE, b"b")
    assert files[b"docs/deep/c"] == (FILE, b"changed outside the patterns")
    assert files[b"src/a.py"] == (FILE, b"changed")


async def test_a_folder_named_by_git_variables_is_not_ours(
    tree: Tree, environment: dict[str, str], tmp_path: Path, new_tree: Callable[..., Tree]
) -> None:
    other = new_tree("other")
    misled = {**environment, "GIT_DIR": str(other.folder / ".git"), "GIT_INDEX_FILE": "/nowhere"}
    bench = Bench(tree, tmp_path, git_for("git", misled))
    assert (await bench.repository()).work_tree == tree.folder
    assert b"README" in await bench.files_of((await bench.snapshot()).commit)


async def test_many_files_are_staged(bench: Bench) -> None:
    for number in range(1_100):
        bench.tree.write(f"many/{number}", str(number))
    files = await bench.files_of((await bench.snapshot()).commit)
    assert len(files) == 1_102
    assert files[b"many/1099"][1] == b"1099"


async def test_objects_outlive_the_users_own_clean_up(bench: Bench) -> None:
    bench.tree.write("README", "second\n")
    lost = bench.tree.commit("to be lost")
    snapshot = await bench.snapshot()
    assert snapshot.commit == lost
    bench.tree.git("reset", "-q", "--hard", "HEAD^")
    bench.tree.git("reflog", "expire", "--expire=now", "--all")
    bench.tree.git("gc", "-q", "--prune=now")
    assert (await bench.files_of(lost))[b"README"][1] == b"second\n"
    assert isinstance(await bench.snapshot(), Snapshot)


async def test_a_failure_of_git_is_a_value_and_leaves_nothing(
    bench: Bench, broken_git: Callable[..., Git], untouched: Watch
) -> None:
    bench.tree.write("README", "x")
    repository, store = await bench.repository(), await bench.store()
    untouched.begin(bench.tree.folder / ".git")
    for command in ("status", "ls-files", "update-index", "write-tree", "commit-tree"):
        broken = broken_git(command, how="exit 3")
        failed = await take_snapshot(broken, store, repository)
        assert not isinstance(failed, Snapshot), command
        assert failed.exit_code == 3
        assert list(store.scratch.iterdir()) == []
