"""What the server may not read is named, and is neither taken nor lost."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pygit2  # noqa: F401  here, since who is nobody may not read where it is installed
import pytest

from sennit.adapters.git.capture import Captured, capture
from sennit.adapters.git.delete import Deleted, delete_workspace
from sennit.adapters.git.git import git_for
from sennit.adapters.git.stage import stage
from sennit.core.objects import GitFailed, LeftOutReason
from tests.adapters.git.bench import Bench, Tree, this_process
from tests.adapters.git.installed import git_program

pytestmark = pytest.mark.anyio

NOBODY = 65_534


@pytest.fixture
def bench() -> Iterator[Bench]:
    """A bench whose folders are readable without being root, used by somebody who is not."""
    folder = Path(tempfile.mkdtemp(prefix="sennit-"))
    path = f"{Path(git_program()).parent}:/usr/bin:/bin"
    environment = {"PATH": path, "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    (folder / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
    was = os.geteuid()
    if was == 0:
        os.chown(folder, NOBODY, NOBODY)
        os.seteuid(NOBODY)
    try:
        tree = Tree(folder / "repo", environment)
        tree.folder.mkdir()
        tree.git("init", "-q")
        tree.write("README", "hello\n")
        tree.write("closed/file", "hello\n")
        tree.write("listed/file", "hello\n")
        tree.commit()
        yield Bench(tree, folder, git_for("git", environment))
    finally:
        os.seteuid(was)
        if was != 0:
            open_again(folder)
        shutil.rmtree(folder)


def open_again(folder: Path) -> None:
    folder.chmod(0o700)
    for path in list(folder.iterdir()):
        if path.is_dir() and not path.is_symlink():
            open_again(path)


async def test_a_snapshot_names_what_it_could_not_read(bench: Bench) -> None:
    bench.tree.write("README", "changed and closed", mode=0o000)
    bench.tree.write("new", "closed", mode=0o000)
    bench.tree.write("locked/new", "closed")
    for name in ("closed", "locked"):
        bench.tree.path(name).chmod(0o000)
    bench.tree.path("listed").chmod(0o600)
    snapshot = await bench.snapshot()
    for name in ("closed", "locked", "listed"):
        bench.tree.path(name).chmod(0o700)
    assert {left.path: left.reason for left in snapshot.manifest.left_out} == dict.fromkeys(
        (b"README", b"new", b"closed", b"locked", b"listed/file"), LeftOutReason.UNREADABLE
    )
    files = await bench.files_of(snapshot.commit)
    for path in (b"README", b"closed/file", b"listed/file"):
        assert files[path][1] == b"hello\n"


async def test_a_capture_names_what_it_could_not_read(bench: Bench) -> None:
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.write("README", "changed and closed", mode=0o000)
    inside.write("fine", "x")
    captured = await capture(bench.git, await bench.store(), workspace, date=0)
    assert isinstance(captured, Captured)
    assert [(left.path, left.reason) for left in captured.left_out] == [
        (b"README", LeftOutReason.UNREADABLE)
    ]
    assert (await bench.files_of(captured.commit))[b"fine"][1] == b"x"


async def test_a_capture_names_folders_that_an_agent_has_locked(bench: Bench) -> None:
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.write("fine", "x")
    inside.write("not entered/new", "x")
    inside.write("not opened/new", "x")
    inside.write("nested/not opened/new", "x")
    inside.write("nested/new", "x")
    bench.tree.git("init", "-q", str(inside.path("nested")))
    for name in ("not entered", "listed"):
        inside.path(name).chmod(0o600)
    for name in ("not opened", "nested/not opened", "closed", "."):
        inside.path(name).chmod(0o000)
    captured = await capture(bench.git, await bench.store(), workspace, date=0)
    assert isinstance(captured, Captured)
    unreadable = {
        left.path for left in captured.left_out if left.reason is LeftOutReason.UNREADABLE
    }
    locked = {b"not entered/new", b"not opened", b"nested/not opened", b"closed", b"listed/file"}
    assert unreadable == locked
    for name in ("closed", "listed"):
        inside.path(name).chmod(0o700)
    files = await bench.files_of(captured.commit)
    assert files.keys() == {b"README", b"closed/file", b"listed/file", b"fine", b"nested/new"}
    outcome = await delete_workspace(await bench.store(), workspace.name, this_process())
    assert outcome == Deleted()


async def test_folders_without_permissions_are_deleted(bench: Bench) -> None:
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.write("a/b/c", "x", mode=0o000)
    inside.path("a/b").chmod(0o000)
    inside.path("a").chmod(0o500)
    outcome = await delete_workspace(await bench.store(), workspace.name, this_process())
    assert outcome == Deleted()


def write_what_git_refuses(tree: Tree) -> None:
    """Make three files of which git takes one: the others are not in their encoding."""
    tree.write(".gitattributes", "*.u working-tree-encoding=UTF-16\n")
    for name in ("one.u", "two.u"):
        tree.write(name, "no mark that tells the byte order\n")
    tree.write("fine", "x")


REFUSED = [(name, LeftOutReason.REFUSED_BY_GIT) for name in (b"one.u", b"two.u")]


async def test_a_snapshot_names_what_git_refused_and_takes_the_rest(bench: Bench) -> None:
    write_what_git_refuses(bench.tree)
    manifest = (snapshot := await bench.snapshot()).manifest
    assert [(left.path, left.reason) for left in manifest.left_out] == REFUSED
    assert set(manifest.untracked) == {b".gitattributes", b"fine"}
    assert "UTF-16" in manifest.left_out[0].detail
    assert b"fine" in await bench.files_of(snapshot.commit)


async def test_a_capture_names_what_git_refused_and_takes_the_rest(bench: Bench) -> None:
    workspace = await bench.workspace()
    write_what_git_refuses(bench.inside(workspace))
    captured = await capture(bench.git, await bench.store(), workspace, date=0)
    assert isinstance(captured, Captured)
    assert [(left.path, left.reason) for left in captured.left_out] == REFUSED
    assert (await bench.files_of(captured.commit))[b"fine"][1] == b"x"


async def test_a_full_disk_is_no_refusal_of_a_path(bench: Bench) -> None:
    git = bench.tree.folder.parent / "git"
    git.write_text("#!/bin/sh\necho 'fatal: write failed: No space left on device' >&2\nexit 128\n")
    git.chmod(0o755)
    failed = await stage(
        git_for(str(git), bench.git.environment), (await bench.store()).place, [b"a", b"b"], {}
    )
    assert isinstance(failed, GitFailed)
    assert "No space left" in failed.stderr
