"""Commits of a store, by libgit2 and by git alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from sennit.adapters.git.commits import CommitFacts, commit_tree, read_commit_in
from sennit.core.objects import GitFailed
from tests.adapters.git.made_trees import AT, Workbench, must, workbench

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["sha1", "sha256"])
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Workbench:
    """Offer both formats: libgit2 reads the first, and git alone the second."""
    return await workbench(tmp_path, request.param)


async def test_a_commit_tells_its_tree_and_date_also_when_asked_again(bench: Workbench) -> None:
    tree = await bench.tree({b"file": b"1\n"})
    commit = must(await commit_tree(bench.git, bench.store, tree, None, AT, b"A\n"))
    for _ in range(2):
        found = await read_commit_in(bench.git, bench.store, bench.store.place, commit)
        assert found == CommitFacts(tree, AT)


@pytest.mark.parametrize("missing", ["tree", "parent"])
async def test_nothing_is_committed_of_or_on_what_is_not_there(
    bench: Workbench, missing: str
) -> None:
    tree = await bench.tree({b"file": b"1\n"})
    commit = must(await commit_tree(bench.git, bench.store, tree, None, AT, b"A\n"))
    nothing = "1" * len(tree)
    tree, parent = (nothing, commit) if missing == "tree" else (tree, nothing)
    refused = await commit_tree(bench.git, bench.store, tree, parent, AT, b"B\n")
    assert isinstance(refused, GitFailed)
    assert nothing in refused.stderr
