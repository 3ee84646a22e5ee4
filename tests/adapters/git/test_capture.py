"""What an agent left is captured, whatever it did to its git directory."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

import anyio
import pytest

from sennit.adapters.git.capture import Capture, Captured, Unchanged, WorkspaceGone, capture
from sennit.adapters.git.git import Git
from sennit.adapters.git.uncaptured import MOST_NAMED
from sennit.adapters.git.workspace import Workspace
from sennit.core.objects import GitFailed, LeftOutReason
from tests.adapters.git.bench import Bench, Tree

pytestmark = pytest.mark.anyio

AT = 1_900_000_000


async def taken(bench: Bench, workspace: Workspace, git: Git | None = None) -> Capture:
    return await capture(git or bench.git, await bench.store(), workspace, date=AT)


async def changed(bench: Bench, workspace: Workspace) -> Captured:
    captured = await taken(bench, workspace)
    assert isinstance(captured, Captured), captured
    assert captured.commits_failed is None
    return captured


async def test_an_untouched_workspace_is_unchanged(bench: Bench) -> None:
    assert await taken(bench, await bench.workspace()) == Unchanged()


async def test_edits_are_a_commit_on_the_base(bench: Bench) -> None:
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.write("README", b"\r\nchanged")
    inside.write(b"new\n\xff", "new", mode=0o755)
    inside.path("src/a.py").unlink()
    inside.path("src").rmdir()
    inside.path("src").symlink_to("/etc")
    captured = await changed(bench, workspace)
    assert await bench.files_of(captured.commit) == {
        b"README": ("100644", b"\r\nchanged"),
        b"new\n\xff": ("100755", b"new"),
        b"src": ("120000", b"/etc"),
    }
    store = await bench.store()
    asked = f"--git-dir={store.git_dir}", "log", "-1", "--format=%P %ct %an", captured.commit
    assert bench.tree.git(*asked).decode() == f"{workspace.base} {AT} Sennit\n"
    assert await taken(bench, workspace) == captured


async def test_several_are_captured_at_once_each_against_its_own_base(bench: Bench) -> None:
    workspaces = []
    for number in range(4):
        bench.tree.write("README", f"base {number}")
        workspace = await bench.workspace()
        bench.inside(workspace).write("new", f"{number}")
        workspaces.append(workspace)
    found: dict[str, Captured] = {}

    async def take(workspace: Workspace) -> None:
        found[workspace.name] = await changed(bench, workspace)

    async with anyio.create_task_group() as group:
        for workspace in workspaces:
            group.start_soon(take, workspace)
    for number, workspace in enumerate(workspaces):
        files = await bench.files_of(found[workspace.name].commit)
        assert (files[b"README"][1], files[b"new"][1]) == (
            f"base {number}".encode(),
            b"%d" % number,
        )
    assert list((await bench.store()).scratch.iterdir()) == []


async def test_commits_of_the_agent_are_kept(bench: Bench) -> None:
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.write("README", "1")
    first = inside.commit("one\n\nbody")
    inside.git("checkout", "-q", "-b", "side")
    inside.write("README", "2")
    second = inside.commit("two")
    inside.git("checkout", "-q", "sennit/work")
    inside.git("branch", "-q", "-D", "side")
    inside.write("README", "3")
    captured = await changed(bench, workspace)
    assert [(one.id, one.message) for one in captured.agent_commits] == [
        (first, "one\n\nbody"),
        (second, "two"),
    ]
    assert (await bench.files_of(captured.commit))[b"README"][1] == b"3"
    shutil.rmtree(workspace.folder)
    assert (await bench.files_of(second))[b"README"][1] == b"2"


async def test_commits_that_end_where_they_began_are_kept_too(bench: Bench) -> None:
    workspace = await bench.workspace()
    made = bench.inside(workspace).commit("empty")
    unchanged = await taken(bench, workspace)
    assert isinstance(unchanged, Unchanged)
    assert [one.id for one in unchanged.agent_commits] == [made]


async def test_commits_of_the_user_are_not_the_agents(bench: Bench) -> None:
    bench.tree.git("checkout", "-q", "-b", "other")
    bench.tree.commit("the user's")
    bench.tree.git("checkout", "-q", "main")
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.git("checkout", "-q", "other")
    mine = inside.commit("mine")
    unchanged = await taken(bench, workspace)
    assert isinstance(unchanged, Unchanged)
    assert [one.id for one in unchanged.agent_commits] == [mine]


async def test_nothing_that_the_agent_configured_runs(bench: Bench) -> None:
    canary = bench.tmp_path / "canary"
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    program = inside.write("evil", f'#!/bin/sh\ntouch "{canary}"\ncat\n', mode=0o755)
    inside.git("config", "core.fsmonitor", str(program))
    inside.git("config", "filter.evil.clean", str(program))
    inside.git("config", "filter.evil.process", str(program))
    inside.git("config", "core.hooksPath", str(workspace.folder))
    inside.git("config", "core.worktree", "/etc")
    inside.git("config", "core.excludesFile", str(workspace.folder / "all"))
    inside.git("config", "core.alternateRefsCommand", str(program))
    inside.write("post-index-change", program.read_bytes(), mode=0o755)
    inside.write("reference-transaction", program.read_bytes(), mode=0o755)
    inside.write(".gitattributes", "* filter=evil diff=evil\n")
    inside.write("all", "*")
    inside.write("README", "changed")
    captured = await changed(bench, workspace)
    assert (await bench.files_of(captured.commit))[b"README"][1] == b"changed"
    assert not canary.exists()


async def test_flags_in_the_agents_index_hide_nothing(bench: Bench) -> None:
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.git("update-index", "--assume-unchanged", "README")
    inside.git("update-index", "--skip-worktree", "src/a.py")
    inside.write("README", "x")
    inside.write("src/a.py", "y")
    inside.write(".git/index", "rubbish")
    files = await bench.files_of((await changed(bench, workspace)).commit)
    assert files[b"README"][1] == b"x"
    assert files[b"src/a.py"][1] == b"y"


@pytest.mark.parametrize("with_commit", [True, False])
async def test_the_files_of_a_repository_made_inside_are_taken(
    bench: Bench, *, with_commit: bool
) -> None:
    bench.tree.write(".gitignore", "*.log\n")
    bench.tree.commit()
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.write("new/lib/code", "1")
    inside.write("new/x.log", "ignored")
    inside.git("init", "-q", "new")
    inside.git("init", "-q", "src")
    nested = Tree(inside.path("new"), inside.environment)
    if with_commit:
        nested.commit()
    captured = await changed(bench, workspace)
    files = await bench.files_of(captured.commit)
    assert set(files) == {b".gitignore", b"README", b"src/a.py", b"new/lib/code"}
    assert [(left.path, left.reason) for left in captured.left_out] == [
        (b"new", LeftOutReason.NESTED_REPOSITORY),
        (b"new/x.log", LeftOutReason.IGNORED),
    ]


@pytest.mark.parametrize("with_commit", [True, False])
async def test_the_files_of_a_repository_in_the_place_of_a_file_are_taken(
    bench: Bench, *, with_commit: bool
) -> None:
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.path("README").unlink()
    inside.git("init", "-q", "README")
    nested = Tree(inside.path("README"), inside.environment)
    nested.write("committed", "1")
    if with_commit:
        nested.commit()
    nested.write("not yet", "2")
    captured = await changed(bench, workspace)
    files = await bench.files_of(captured.commit)
    assert set(files) == {b"src/a.py", b"README/committed", b"README/not yet"}
    told = [(left.path, left.reason) for left in captured.left_out]
    assert told == [(b"README", LeftOutReason.NESTED_REPOSITORY)]


async def test_names_that_stand_for_a_git_directory_are_refused(bench: Bench) -> None:
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    names = [
        b".GIT/config",
        b"sub/.Git",
        "sub/.g\u200cit/config".encode(),
        b"GIT~1/config",
        b"x/.git ./y",
    ]
    for name in names:
        inside.write(name, "[core]")
    inside.write("fine.git", "x")
    inside.path(".gitmodules").symlink_to("README")
    captured = await changed(bench, workspace)
    assert set(await bench.files_of(captured.commit)) == {b"README", b"src/a.py", b"fine.git"}
    assert {left.path for left in captured.left_out} == {*names, b".gitmodules"}
    assert {left.reason for left in captured.left_out} == {LeftOutReason.RESERVED_NAME}


async def test_pipes_in_place_of_files_are_named(bench: Bench) -> None:
    workspace = await bench.workspace()
    (workspace.folder / "README").unlink()
    os.mkfifo(workspace.folder / "README")
    unchanged = await taken(bench, workspace)
    assert isinstance(unchanged, Unchanged)
    assert [left.reason for left in unchanged.left_out] == [LeftOutReason.SPECIAL_FILE]


async def test_a_workspace_that_is_gone_is_said_to_be(bench: Bench) -> None:
    workspace = await bench.workspace()
    workspace.folder.rename(bench.tmp_path / "moved")
    assert await taken(bench, workspace) == WorkspaceGone(workspace.folder)
    workspace.folder.mkdir()
    assert await taken(bench, workspace) == WorkspaceGone(workspace.folder)


async def test_a_removed_git_directory_is_no_obstacle(bench: Bench) -> None:
    workspace = await bench.workspace()
    shutil.rmtree(workspace.folder / ".git")
    (workspace.folder / "README").write_text("x")
    captured = await changed(bench, workspace)
    assert (await bench.files_of(captured.commit))[b"README"][1] == b"x"


async def test_a_link_to_a_repository_of_somebody_else_is_not_followed(
    bench: Bench, new_tree: Callable[..., Tree]
) -> None:
    private = new_tree("private")
    private.write("secret", "secret\n")
    secret = private.commit("a secret")
    store = await bench.store()
    for replaced in (".git", ".git/refs", ".git/logs", ".git/objects"):
        workspace = await bench.workspace()
        inside = bench.inside(workspace)
        inside.write("README", "changed\n")
        if replaced in {".git/refs", ".git/logs"}:
            # It has no need to know what it shows to whoever reads its objects.
            inside.write(".git/objects/info/alternates", f"{private.path('.git/objects')}\n")
        shutil.rmtree(inside.path(replaced), ignore_errors=True)
        inside.path(replaced).symlink_to(private.path(replaced))
        assert (await changed(bench, workspace)).agent_commits == (), replaced
    asked = f"--git-dir={store.git_dir}", "cat-file", "--batch-check"
    answer = bench.tree.git(*asked, stdin=f"{secret}\n".encode())
    assert answer == f"{secret} missing\n".encode()


async def test_a_forged_object_never_enters_the_store(bench: Bench) -> None:
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.write("README", "x")
    inside.commit("mine")
    tree = inside.git("rev-parse", "HEAD^{tree}").decode().strip()
    blob = inside.git("rev-parse", "HEAD:README").decode().strip()
    other = inside.git("hash-object", "-w", "--stdin", stdin=b"forged").decode().strip()
    objects = workspace.folder / ".git" / "objects"
    target = objects / blob[:2] / blob[2:]
    target.unlink()
    shutil.copy(objects / other[:2] / other[2:], target)
    inside.path("README").unlink()
    captured = await taken(bench, workspace)
    assert isinstance(captured, Captured)
    assert isinstance(captured.commits_failed, GitFailed)
    store = await bench.store()
    assert not (store.objects / tree[:2] / tree[2:]).exists()


async def test_files_outside_the_sparse_patterns_count_when_made(bench: Bench) -> None:
    bench.tree.write("docs/b", "b")
    bench.tree.commit()
    bench.tree.git("sparse-checkout", "set", "src")
    workspace = await bench.workspace()
    assert isinstance(await taken(bench, workspace), Unchanged)
    bench.inside(workspace).write("docs/b", "changed")
    files = await bench.files_of((await changed(bench, workspace)).commit)
    assert files[b"docs/b"][1] == b"changed"


@pytest.mark.parametrize("command", ["status", "update-index"])
async def test_a_failing_git_is_a_value(
    bench: Bench, broken_git: Callable[..., Git], command: str
) -> None:
    workspace = await bench.workspace()
    bench.inside(workspace).write("README", "x")
    failed = await taken(bench, workspace, broken_git(command, how="kill -9 $$"))
    assert isinstance(failed, GitFailed)
    assert list((await bench.store()).scratch.iterdir()) == []
    assert isinstance(await taken(bench, workspace), Captured)


async def test_hashes_of_64_digits_work(
    new_tree: Callable[..., Tree], git: Git, bench: Bench
) -> None:
    tree = new_tree("sha256", "--object-format=sha256")
    tree.write("a", "1")
    tree.write("b", "1")
    tree.commit()
    other = Bench(tree, bench.tmp_path / "2", git)
    workspace = await other.workspace()
    inside = other.inside(workspace)
    inside.path("a").unlink()
    made = inside.commit("agent")
    captured = await changed(other, workspace)
    assert await other.files_of(captured.commit) == {b"b": ("100644", b"1")}
    assert [one.id for one in captured.agent_commits] == [made]


async def test_ignored_files_of_the_agent_are_named_but_not_those_it_was_given(
    bench: Bench,
) -> None:
    bench.tree.write(".gitignore", "*.log\nbuild/\ngiven/\n")
    bench.tree.commit()
    bench.tree.write("given/a", "a")
    workspace = await bench.workspace(include=("given/",))
    inside = bench.inside(workspace)
    assert await taken(bench, workspace) == Unchanged()
    inside.write("build/deep/x.o", "x")
    inside.write("run.log", "x")
    unchanged = await taken(bench, workspace)
    assert isinstance(unchanged, Unchanged)
    assert [(left.path, left.reason) for left in unchanged.left_out] == [
        (b"build", LeftOutReason.IGNORED),
        (b"run.log", LeftOutReason.IGNORED),
    ]
    inside.write("given/a", "changed")
    again = await taken(bench, workspace)
    assert isinstance(again, Unchanged)
    assert b"given" in {left.path for left in again.left_out}


async def test_of_many_ignored_files_only_some_are_named_and_the_rest_counted(bench: Bench) -> None:
    bench.tree.write(".gitignore", "*.log\n")
    bench.tree.commit()
    workspace = await bench.workspace()
    for number in range(MOST_NAMED + 5):
        bench.inside(workspace).write(f"{number:02}.log", "x")
    unchanged = await taken(bench, workspace)
    assert isinstance(unchanged, Unchanged)
    assert len(unchanged.left_out) == MOST_NAMED
    assert "5 more" in unchanged.left_out[-1].detail


async def test_work_in_the_folder_of_an_absent_submodule_is_named(
    bench: Bench, new_tree: Callable[..., Tree]
) -> None:
    library = new_tree("library")
    library.commit()
    bench.tree.git("submodule", "--quiet", "add", str(library.folder), "lib")
    bench.tree.commit()
    bench.tree.git("submodule", "--quiet", "deinit", "-f", "lib")
    with bench.tree.by_hand():
        shutil.rmtree(bench.tree.path(".git/modules"))
    workspace = await bench.workspace()
    assert await taken(bench, workspace) == Unchanged()
    bench.inside(workspace).write("lib/new.c", "x")
    unchanged = await taken(bench, workspace)
    assert isinstance(unchanged, Unchanged)
    assert [(left.path, left.reason) for left in unchanged.left_out] == [
        (b"lib", LeftOutReason.ABSENT_SUBMODULE)
    ]
