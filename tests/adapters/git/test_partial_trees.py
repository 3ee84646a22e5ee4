"""Clones without trees (``--filter=tree:0``): what is here works, what is missing is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from sennit.adapters.git.base import take_snapshot
from sennit.adapters.git.capture import Captured, capture
from sennit.adapters.git.git import Git
from sennit.adapters.git.promised import need_promised
from sennit.adapters.git.workspace import Workspace
from sennit.core.objects import GitFailed, Snapshot
from tests.adapters.git.bench import Bench, Guard, Tree

pytestmark = pytest.mark.anyio

SOON_S = 20
"""Much less than git is given for one call; it takes a part of a second."""


@pytest.fixture
def origin(new_tree: Callable[..., Tree]) -> Tree:
    made = new_tree("origin")
    for name in ("src/a.py", "docs/b", "docs/deep/c", "top"):
        made.write(name, f"{name}\n")
    made.commit("first")
    made.write("src/a.py", "second\n")
    made.commit("second")
    made.git("config", "uploadpack.allowFilter", "true")
    return made


@pytest.fixture
def cloned(origin: Tree, git: Git, tmp_path: Path, guard: Guard) -> Callable[..., Bench]:
    """Make a clone without trees, whose remote is gone then."""

    def make(*options: str, patterns: tuple[str, ...] = ()) -> Bench:
        folder = tmp_path / "clone"
        source = f"file://{origin.folder}"
        origin.git("clone", "-q", "--filter=tree:0", *options, source, str(folder))
        tree = guard(Tree(folder, origin.environment))
        if patterns:
            tree.git("sparse-checkout", "set", *patterns)
        tree.git("config", "remote.origin.url", "file:///nowhere")
        return Bench(tree, tmp_path / "bench", git)

    return make


async def based(bench: Bench) -> Snapshot | GitFailed:
    """Take a base as a call does, and ask for what a workspace of it needs."""
    repository, store = await bench.repository(), await bench.store()
    taken = await take_snapshot(bench.git, store, repository)
    if isinstance(taken, GitFailed):
        return taken
    failed = await need_promised(bench.git, store, repository, taken)
    return taken if failed is None else failed


async def assert_works(bench: Bench) -> None:
    bench.tree.write("src/a.py", "the user's\n")
    bench.tree.write("src/new", "new\n")
    base = await based(bench)
    assert isinstance(base, Snapshot), base
    assert base.manifest.modified == (b"src/a.py",)
    assert base.manifest.untracked == (b"src/new",)
    workspace = await bench.workspace(base)
    assert isinstance(workspace, Workspace), workspace
    inside = bench.inside(workspace)
    assert inside.path("src/a.py").read_text() == "the user's\n"
    inside.write("src/a.py", "the agent's\n")
    inside.write("agent/new", "new\n")
    inside.path("src/new").unlink()
    store = await bench.store()
    taken = await capture(bench.git, store, workspace, date=1_900_000_000)
    assert isinstance(taken, Captured), taken
    assert taken.left_out == ()
    differ = bench.tree.git(
        f"--git-dir={store.git_dir}", "diff-tree", "-r", "--name-status", base.tree, taken.tree
    )
    assert differ.split() == [b"A", b"agent/new", b"M", b"src/a.py", b"D", b"src/new"]


async def test_where_the_checkout_is_whole_older_trees_are_not_needed(
    cloned: Callable[..., Bench],
) -> None:
    bench = cloned()
    older = bench.tree.git("rev-parse", "HEAD^").decode().strip()
    bench.tree.git("cat-file", "-e", older)
    await assert_works(bench)


async def test_trees_outside_the_sparse_patterns_are_not_needed(
    cloned: Callable[..., Bench],
) -> None:
    await assert_works(cloned("--sparse", patterns=("src",)))


async def test_trees_that_are_needed_and_missing_are_told_at_once(
    cloned: Callable[..., Bench],
) -> None:
    bench = cloned("--sparse", patterns=("src",))
    bench.tree.git("config", "--worktree", "core.sparseCheckout", "false")
    with anyio.fail_after(SOON_S):
        refused = await based(bench)
    assert isinstance(refused, GitFailed)
    assert "not on this machine, since this is a partial clone" in refused.stderr
    assert "Sennit fetches nothing" in refused.advice


async def test_a_clone_without_any_tree_is_told_at_once(cloned: Callable[..., Bench]) -> None:
    bench = cloned("--no-checkout")
    with anyio.fail_after(SOON_S):
        refused = await based(bench)
    assert isinstance(refused, GitFailed)
    assert "not on this machine, since this is a partial clone" in refused.stderr
    assert "Sennit fetches nothing" in refused.advice


async def test_a_commit_whose_trees_were_never_here_is_told_at_once(
    cloned: Callable[..., Bench],
) -> None:
    bench = cloned()
    # As a `git reset --soft` or a rebase without a network leaves it.
    bench.tree.git("update-ref", "--no-deref", "HEAD", "HEAD^")
    with anyio.fail_after(SOON_S):
        refused = await based(bench)
    assert isinstance(refused, GitFailed)
    assert "1 object is not on this machine, since this is a partial clone" in refused.stderr
