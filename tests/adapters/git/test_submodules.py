"""Submodules of a workspace hold what is on this machine, and nothing done in them is lost."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from attrs import evolve

from sennit.adapters.git.capture import Captured, Unchanged, capture
from sennit.adapters.git.delete import Deleted, delete_workspace
from sennit.adapters.git.git import Git
from sennit.adapters.git.mirror import Copying
from sennit.adapters.git.records import stores_of_submodules
from sennit.adapters.git.submodules import submodules_of
from sennit.adapters.git.workspace import Workspace
from sennit.core.objects import LeftOutReason
from tests.adapters.git.bench import Bench, Tree, this_process
from tests.adapters.git.scenarios.scenario import contents

pytestmark = pytest.mark.anyio

AT = 1_900_000_000
SHUT = ("-c", "protocol.file.allow=always")


@pytest.fixture
def library(new_tree: Callable[..., Tree]) -> Tree:
    """A library that holds another one."""
    deepest = new_tree("deepest")
    deepest.write("deep.c", "int deep;\n")
    deepest.commit("deepest")
    made = new_tree("library")
    made.write("code.c", "int a;\n")
    made.git("submodule", "--quiet", "add", str(deepest.folder), "inner")
    made.commit("library")
    return made


@pytest.fixture
def with_library(bench: Bench, library: Tree) -> Bench:
    bench.tree.git("submodule", "--quiet", "add", str(library.folder), "vendor/lib")
    bench.tree.git(*SHUT, "submodule", "--quiet", "update", "--init", "--recursive")
    bench.tree.commit("with a submodule")
    return bench


async def test_where_objects_are_copied_those_of_submodules_are_too(with_library: Bench) -> None:
    with_library.sharing = Copying(1 << 30)
    workspace = await with_library.workspace()
    assert workspace.absent_submodules == ()
    theirs = with_library.tree.path(".git").rglob("*")
    inodes = {path.stat().st_ino for path in theirs if path.is_file()}
    ours = [path for path in (await with_library.store()).root.rglob("*") if path.is_file()]
    assert sum("modules" in path.parts for path in ours) > 3
    assert not [path for path in ours if path.stat().st_ino in inodes]


async def test_a_submodule_and_one_within_it_are_there_with_their_history(
    with_library: Bench,
) -> None:
    workspace = await with_library.workspace()
    assert workspace.absent_submodules == workspace.dirty_submodules == ()
    assert contents(workspace.folder) == contents(with_library.tree.folder)
    inside = with_library.inside(workspace)
    assert inside.git("status", "--porcelain", "--ignore-submodules=none") == b""
    lib = with_library.inside_of(workspace, "vendor/lib")
    assert lib.git("log", "--format=%s") == b"library\n"
    assert lib.git("submodule", "status").startswith(b" ")
    deep = with_library.inside_of(workspace, "vendor/lib/inner")
    assert b"Ada" in deep.git("blame", "deep.c")


async def test_a_submodule_that_moved_is_at_the_commit_that_the_user_sees(
    with_library: Bench,
) -> None:
    checkout = with_library.tree.within("vendor/lib")
    checkout.write("code.c", "int moved;\n")
    moved = checkout.commit("here alone")
    workspace = await with_library.workspace()
    lib = with_library.inside_of(workspace, "vendor/lib")
    assert lib.git("rev-parse", "HEAD").decode().strip() == moved
    assert lib.path("code.c").read_text() == "int moved;\n"


async def test_changes_in_a_submodule_that_are_in_no_commit_are_said_not_to_be_there(
    with_library: Bench,
) -> None:
    with_library.tree.write("vendor/lib/code.c", "int dirty;\n")
    workspace = await with_library.workspace()
    assert workspace.dirty_submodules == (b"vendor/lib",)
    assert (workspace.folder / "vendor/lib/code.c").read_text() == "int a;\n"


async def test_a_submodule_that_is_not_here_is_said_to_be_absent(
    with_library: Bench, git: Git, tmp_path: Path
) -> None:
    with_library.tree.git("clone", "-q", str(with_library.tree.folder), str(tmp_path / "clone"))
    clone = Bench(Tree(tmp_path / "clone", with_library.tree.environment), tmp_path / "2", git)
    workspace = await clone.workspace()
    assert workspace.absent_submodules == (b"vendor/lib",)
    assert list((workspace.folder / "vendor/lib").iterdir()) == []


@pytest.fixture
def undeclared(bench: Bench, library: Tree) -> Bench:
    """Two gitlinks that no `.gitmodules` names, as `git add` of a clone makes them; one is here."""
    for name in ("here", "away"):
        bench.tree.git("clone", "-q", str(library.folder), str(bench.tree.path(name)))
    bench.tree.git("-c", "advice.addEmbeddedRepo=false", "add", "here", "away")
    bench.tree.commit("gitlinks")
    shutil.rmtree(bench.tree.path("away"))
    bench.tree.path("away").mkdir()
    return bench


async def test_a_gitlink_that_is_declared_nowhere_is_filled_or_said_to_be_absent(
    undeclared: Bench,
) -> None:
    workspace = await undeclared.workspace()
    assert workspace.absent_submodules == (b"away", b"here/inner")
    assert (workspace.folder / "here/code.c").read_text() == "int a;\n"
    assert list((workspace.folder / "away").iterdir()) == []


async def test_what_is_done_in_one_that_is_declared_nowhere_is_told(undeclared: Bench) -> None:
    workspace = await undeclared.workspace()
    (workspace.folder / "away/made.c").write_text("int made;\n")
    (workspace.folder / "here/code.c").write_text("int b;\n")
    captured = await capture(undeclared.git, await undeclared.store(), workspace, date=AT)
    assert isinstance(captured, Unchanged), captured
    assert {one.path: one.reason for one in captured.left_out} == {
        b"away": LeftOutReason.ABSENT_SUBMODULE,
        b"here": LeftOutReason.IN_A_SUBMODULE,
    }
    [told] = [one.detail for one in captured.left_out if one.path == b"here"]
    here = undeclared.tree.path("here")
    await anyio.run_process(shlex.split(told.partition("FETCH_HEAD there: ")[2]), cwd=here)
    made = await anyio.run_process(["git", "show", "FETCH_HEAD:code.c"], cwd=here)
    assert made.stdout == b"int b;\n"


async def test_a_repository_without_one_is_not_listed_for_them(bench: Bench) -> None:
    bench.tree.write(".gitmodules", "[submodule]\n")
    workspace = await bench.workspace()
    place = (await bench.store()).over(workspace.folder, workspace.folder / ".git/index")
    nowhere = evolve(bench.git, program="/nonexistent/git")
    assert await submodules_of(nowhere, place) == ()


async def test_a_linked_worktree_gets_what_the_repository_kept_of_a_submodule(
    with_library: Bench, git: Git, tmp_path: Path
) -> None:
    with_library.tree.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = Bench(Tree(tmp_path / "linked", with_library.tree.environment), tmp_path / "2", git)
    workspace = await linked.workspace()
    assert (workspace.folder / "vendor/lib/code.c").read_text() == "int a;\n"


async def test_a_git_directory_of_somebody_else_is_not_read(
    with_library: Bench, new_tree: Callable[..., Tree]
) -> None:
    other = new_tree("other")
    other.write("private", "private\n")
    commit = other.commit()
    with_library.tree.write("vendor/lib/.git", f"gitdir: {other.folder / '.git'}\n")
    with_library.tree.git("update-index", "--cacheinfo", f"160000,{commit},vendor/lib")
    workspace = await with_library.workspace()
    assert workspace.absent_submodules == (b"vendor/lib",)


async def change_the_library(bench: Bench) -> tuple[Workspace, Tree]:
    workspace = await bench.workspace()
    lib = bench.inside_of(workspace, "vendor/lib")
    lib.write("code.c", "int committed;\n")
    lib.commit("the agent's")
    lib.write("code.c", "int not_committed;\n")
    bench.inside_of(workspace, "vendor/lib/inner").write("new.c", "int made;\n")
    return workspace, lib


async def test_what_an_agent_does_in_a_submodule_is_kept_and_named(with_library: Bench) -> None:
    bench = with_library
    workspace, lib = await change_the_library(bench)
    store = await bench.store()
    captured = await capture(bench.git, store, workspace, date=AT)
    assert isinstance(captured, Captured), captured
    head = lib.git("rev-parse", "HEAD").strip()
    assert (await bench.files_of(captured.commit))[b"vendor/lib"] == ("160000", head)
    assert {left.path: left.reason for left in captured.left_out} == {
        b"vendor/lib": LeftOutReason.IN_A_SUBMODULE,
        b"vendor/lib/inner": LeftOutReason.IN_A_SUBMODULE,
    }
    assert await delete_workspace(store, workspace.name, this_process()) == Deleted()
    [inner] = stores_of_submodules(store)
    read = (f"--git-dir={inner.git_dir}", "cat-file", "-p")
    bench.tree.git(f"--git-dir={inner.git_dir}", "gc", "-q", "--prune=now")
    kept = captured.left_out[0].detail.partition("the commit ")[2].split(" ")[0]
    assert bench.tree.git(*read, f"{kept}:code.c") == b"int not_committed;\n"
    assert bench.tree.git(*read, f"{head.decode()}:code.c") == b"int committed;\n"


async def test_an_untouched_submodule_is_unchanged(with_library: Bench) -> None:
    workspace = await with_library.workspace()
    captured = await capture(with_library.git, await with_library.store(), workspace, date=AT)
    assert captured == Unchanged()


async def test_deleting_a_workspace_forgets_its_submodules(with_library: Bench) -> None:
    workspace = await with_library.workspace()
    store = await with_library.store()
    [inner] = stores_of_submodules(store)
    assert list(inner.records.iterdir())
    assert await delete_workspace(store, workspace.name, this_process()) == Deleted()
    assert list(inner.records.iterdir()) == []


async def test_a_removed_submodule_is_a_change(with_library: Bench) -> None:
    workspace = await with_library.workspace()
    with_library.inside(workspace).git("rm", "-q", "-f", "vendor/lib")
    captured = await capture(with_library.git, await with_library.store(), workspace, date=AT)
    assert isinstance(captured, Captured), captured
    assert b"vendor/lib" not in await with_library.files_of(captured.commit)
    assert captured.left_out == ()


async def test_a_submodule_that_a_merge_is_about_is_at_the_commit_that_it_is_at(
    with_library: Bench,
) -> None:
    tree = with_library.tree
    library = tree.within("vendor/lib")
    first = library.git("rev-parse", "HEAD").decode().strip()
    tree.git("checkout", "-q", "-b", "other")
    library.git("checkout", "-q", "-b", "theirs")
    library.write("new", "theirs\n")
    library.commit()
    tree.commit()
    tree.git("checkout", "-q", "-")
    library.git("checkout", "-q", "-b", "ours", first)
    library.write("new", "ours\n")
    ours = library.commit()
    tree.commit()
    tree.git("merge", "other", check=False)
    assert tree.git("ls-files", "--unmerged") != b""
    snapshot = await with_library.snapshot()
    store = f"--git-dir={(await with_library.store()).git_dir}"
    entry = tree.git(store, "ls-tree", snapshot.commit, "vendor/lib").decode()
    assert entry.startswith(f"160000 commit {ours}\t")
