"""What git takes for changed by its rules alone is no work of an agent, until one touches it."""

from __future__ import annotations

import os

import pytest

from sennit.adapters.git.capture import Captured, Unchanged, capture, peek
from sennit.adapters.git.workspace import Workspace
from tests.adapters.git.bench import Bench, Tree

pytestmark = pytest.mark.anyio

DATE = 1_900_000_000
LONG_AGO = 1_600_000_000


@pytest.fixture
def not_renormalised(tree: Tree) -> Tree:
    """A text in the repository has CR, which its rules do not allow; git has no reason to look."""
    dos = tree.write("dos.txt", "one\r\ntwo\r\n")
    os.utime(dos, (LONG_AGO, LONG_AGO))
    tree.commit()
    tree.write(".gitattributes", "*.txt text\n")
    tree.git("add", ".gitattributes")
    tree.git("commit", "-q", "-m", "rules")
    return tree


@pytest.fixture
async def workspace(not_renormalised: Tree, bench: Bench) -> Workspace:
    assert bench.tree is not_renormalised
    made = await bench.workspace()
    # As after a checkout of many files: git reads again what it wrote last.
    assert b"dos.txt" in bench.inside(made).git("status", "--porcelain", "--no-renames")
    return made


async def names_of(bench: Bench, workspace: Workspace) -> set[bytes]:
    taken = await capture(bench.git, await bench.store(), workspace, date=DATE)
    if isinstance(taken, Unchanged):
        return set()
    assert isinstance(taken, Captured), taken
    before, after = await bench.files_of(workspace.base), await bench.files_of(taken.commit)
    return {path for path in before | after if before.get(path) != after.get(path)}


async def test_an_untouched_workspace_is_unchanged(bench: Bench, workspace: Workspace) -> None:
    assert await names_of(bench, workspace) == set()
    assert await peek(bench.git, await bench.store(), workspace) == workspace.tree


async def test_only_what_was_touched_is_taken(bench: Bench, workspace: Workspace) -> None:
    bench.inside(workspace).write("new", "1\n")
    assert await names_of(bench, workspace) == {b"new"}


async def test_a_file_that_was_edited_is_taken_as_git_reads_it(
    bench: Bench, workspace: Workspace
) -> None:
    bench.inside(workspace).write("dos.txt", "one\r\nTWO\r\n")
    assert await names_of(bench, workspace) == {b"dos.txt"}


async def test_a_file_that_was_renormalised_by_hand_is_taken(
    bench: Bench, workspace: Workspace
) -> None:
    bench.inside(workspace).write("dos.txt", "one\ntwo\n")
    os.utime(workspace.folder / "dos.txt", (LONG_AGO, LONG_AGO))
    assert await names_of(bench, workspace) == {b"dos.txt"}


async def test_what_an_agent_renormalised_and_committed_is_taken(
    bench: Bench, workspace: Workspace
) -> None:
    inside = bench.inside(workspace)
    inside.git("add", "--renormalize", ".")
    inside.git("commit", "-q", "-m", "renormalised")
    assert await names_of(bench, workspace) == {b"dos.txt"}
