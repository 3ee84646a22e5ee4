"""Commits of an agent that keeps its refs in a reftable."""

from __future__ import annotations

import os

import pytest

from sennit.adapters.git.capture import Captured, capture
from sennit.adapters.git.workspace import Workspace
from tests.adapters.git.bench import Bench
from tests.adapters.git.installed import installed_git, needs_git

pytestmark = pytest.mark.anyio

READS_TABLES = (2, 45)
AT = 1_900_000_000


async def taken(bench: Bench, workspace: Workspace) -> Captured:
    found = await capture(bench.git, await bench.store(), workspace, date=AT)
    assert isinstance(found, Captured), found
    assert list((await bench.store()).scratch.iterdir()) == []
    return found


async def test_they_are_kept_whenever_it_migrated_to_that(bench: Bench) -> None:
    needs_git((2, 48), "git refs migrate")
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.write("README", "1")
    before = inside.commit("before")
    inside.git("refs", "migrate", "--ref-format=reftable")
    inside.write("README", "2")
    after = inside.commit("after")
    inside.git("checkout", "-q", "-b", "side")
    left = inside.commit("left")
    inside.git("checkout", "-q", "-")
    inside.git("branch", "-q", "-D", "side")
    inside.write("README", "3")
    captured = await taken(bench, workspace)
    assert captured.commits_failed is None
    assert {one.id for one in captured.agent_commits} >= {before, after}
    # Without its branch it is named by the log of HEAD alone.
    assert left in {one.id for one in captured.agent_commits}
    assert (await bench.files_of(captured.commit))[b"README"][1] == b"3"


async def test_of_a_repository_of_its_own_making_too(bench: Bench) -> None:
    needs_git(READS_TABLES, "reftable")
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.git("remote", "add", "origin", str(bench.tree.folder))
    where = inside.folder / ".git"
    objects = where / "objects" / "info" / "alternates"
    alternates = objects.read_bytes()
    where.rename(inside.folder.parent / "earlier")
    inside.git("init", "-q", "--ref-format=reftable")
    objects.parent.mkdir(exist_ok=True)
    objects.write_bytes(alternates)
    inside.write("README", "own")
    made = inside.commit("of its own")
    captured = await taken(bench, workspace)
    assert made in {one.id for one in captured.agent_commits}


@pytest.mark.parametrize("how", ["torn", "a link", "a list that leads out"])
async def test_what_is_no_table_is_told_or_left_alone(bench: Bench, how: str) -> None:
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.write("README", "1")
    tables = inside.folder / ".git" / "reftable"
    tables.mkdir()
    name = b"0x000000000001-0x000000000001-00000000.ref"
    match how:
        case "torn":
            (tables / os.fsdecode(name)).write_bytes(b"REFT")
            (tables / "tables.list").write_bytes(name + b"\n")
        case "a link":
            tables.rmdir()
            tables.symlink_to(bench.tree.folder)
        case _:
            (tables / "tables.list").write_bytes(b"../../../HEAD\n")
    captured = await taken(bench, workspace)
    assert (await bench.files_of(captured.commit))[b"README"][1] == b"1"
    if how == "torn" and installed_git() < READS_TABLES:
        assert captured.commits_failed is not None
        assert "in a reftable, which the git that Sennit uses" in captured.commits_failed.stderr
    else:
        # A newer git says nothing of a table that it cannot read.
        assert captured.commits_failed is None
