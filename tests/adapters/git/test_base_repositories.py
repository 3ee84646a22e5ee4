"""A base is taken of every kind of repository."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sennit.adapters.git.base import take_snapshot
from sennit.adapters.git.git import Git, git_for
from sennit.core.objects import Snapshot
from tests.adapters.git.bench import Bench, Tree, Watch
from tests.adapters.git.snapshots import FILE, LINK

pytestmark = pytest.mark.anyio


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
    bench: Bench, git: Git, tmp_path: Path
) -> None:
    bench.tree.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = Bench(Tree(tmp_path / "linked", bench.tree.environment), tmp_path / "2", git)
    linked.tree.write("only here", "x")
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


async def test_split_and_untracked_cache_indexes_are_read(bench: Bench) -> None:
    bench.tree.git("update-index", "--split-index", "--untracked-cache")
    bench.tree.write("README", "x")
    bench.tree.write("new", "x")
    files = await bench.files_of((await bench.snapshot()).commit)
    assert files[b"README"][1] == files[b"new"][1] == b"x"


async def test_a_sparse_checkout_keeps_what_is_not_there(bench: Bench) -> None:
    bench.tree.write("docs/b", "b")
    bench.tree.commit()
    bench.tree.git("sparse-checkout", "set", "src")
    assert not bench.tree.path("docs").exists()
    snapshot = await bench.snapshot()
    assert (await bench.files_of(snapshot.commit))[b"docs/b"] == (FILE, b"b")
    workspace = await bench.workspace(snapshot)
    assert (workspace.folder / "src/a.py").exists()
    assert not (workspace.folder / "docs").exists()


@pytest.mark.parametrize("kind", ["--cone", "--no-cone", "--sparse-index"])
async def test_edits_in_a_sparse_checkout_are_seen(bench: Bench, kind: str) -> None:
    tree = bench.tree
    tree.write("docs/b", "b")
    tree.write("docs/deep/c", "c")
    tree.commit()
    tree.git("sparse-checkout", "set", kind, "src")
    tree.write("src/a.py", "changed")
    tree.write("docs/deep/c", "changed outside the patterns")
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
    bench: Bench, broken_git: Callable[..., Git]
) -> None:
    bench.tree.write("README", "x")
    repository, store = await bench.repository(), await bench.store()
    for command in ("ls-files", "status", "update-index"):
        broken = broken_git(command, how="exit 3")
        failed = await take_snapshot(broken, store, repository)
        assert not isinstance(failed, Snapshot), command
        assert failed.exit_code == 3
        assert list(store.scratch.iterdir()) == []
