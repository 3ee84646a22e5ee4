"""A workspace has the bytes and modes of its base and a git of its own."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio
import pytest

from sennit.adapters.git.delete import Deleted, Kept, NotDeleted, delete_workspace
from sennit.adapters.git.git import Git
from sennit.adapters.git.records import index_file, read_record
from sennit.adapters.git.taking_over import make_room
from sennit.adapters.git.workspace import Workspace, find_workspace, make_checkout
from sennit.adapters.platform.lives import Owner
from sennit.core.objects import GitFailed
from tests.adapters.git.bench import Bench, this_process
from tests.adapters.workspaces.seeing import seen

pytestmark = pytest.mark.anyio


async def test_a_workspace_holds_what_the_user_sees(bench: Bench) -> None:
    tree = bench.tree
    tree.write(b"odd \n \xff/\xfe", b"\r\n\x00")
    tree.write("run", "#!", mode=0o755)
    tree.path("link").symlink_to("../out of the tree")
    tree.path("src/a.py").unlink()
    tree.write("README", "changed, no end")
    workspace = await bench.workspace()
    assert seen(workspace.folder) == seen(tree.folder)
    assert bench.inside(workspace).git("status", "--porcelain") == b""


async def test_an_agent_can_log_commit_stash_branch_and_blame(bench: Bench) -> None:
    bench.tree.git("tag", "v1")
    bench.tree.git("branch", "other")
    inside = bench.inside(await bench.workspace())
    assert inside.git("log", "--format=%s") == b"first\n"
    assert inside.git("rev-parse", "v1") == inside.git("rev-parse", "other")
    inside.write("README", "mine\n")
    inside.git("stash")
    inside.git("stash", "pop")
    inside.git("checkout", "-q", "-b", "topic")
    inside.commit("agent's")
    assert b"Ada" in inside.git("blame", "README")
    inside.git("gc", "-q")
    assert inside.git("fsck", "--strict", "--no-dangling") == b""


async def test_an_agent_commits_without_a_configured_name_or_key(
    bench: Bench,
) -> None:
    bench.tree.git("config", "commit.gpgSign", "true")
    bench.tree.git("config", "gpg.program", "/nowhere/gpg")
    bench.tree.git("config", "--global", "--remove-section", "user")
    hook = bench.tree.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n", mode=0o755)
    bench.tree.git("config", "core.hooksPath", str(hook.parent))
    inside = bench.inside(await bench.workspace())
    inside.write("README", "mine\n")
    inside.commit("works")


async def test_no_program_watches_the_files_of_an_agent(bench: Bench, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    program = tmp_path / "monitor"
    program.write_text(f'#!/bin/sh\ntouch "{asked}"\nexit 1\n')
    program.chmod(0o755)
    bench.tree.git("config", "--global", "core.fsmonitor", str(program))
    bench.tree.git("config", "--global", "core.splitIndex", "true")
    inside = bench.inside(await bench.workspace())
    inside.write("README", "mine\n")
    inside.commit("works")
    assert not asked.exists()
    assert not list(inside.path(".git").glob("sharedindex.*"))


async def test_what_is_configured_for_a_branch_of_the_user_is_in_force(
    bench: Bench, tmp_path: Path
) -> None:
    tree = bench.tree
    included = tmp_path / "included"
    included.write_text("[core]\n\tautocrlf = true\n")
    tree.git("config", "--global", "includeIf.onbranch:main.path", str(included))
    tree.write("dos", "one\r\n")
    tree.commit()
    workspace = await bench.workspace()
    assert (workspace.folder / "dos").read_bytes() == b"one\r\n"
    assert bench.inside(workspace).git("config", "core.autocrlf") == b"true\n"


async def test_ignored_attributes_and_line_ends_are_the_users(bench: Bench) -> None:
    tree = bench.tree
    tree.write(".git/info/exclude", "private\n")
    tree.write(".git/info/attributes", "*.win text eol=crlf\n")
    tree.git("config", "core.autocrlf", "false")
    tree.write("a.win", "1\r\n")
    tree.commit()
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    assert (workspace.folder / "a.win").read_bytes() == b"1\r\n"
    inside.write("private", "x")
    assert inside.git("status", "--porcelain") == b""


async def test_included_ignored_files_are_copies(bench: Bench) -> None:
    tree = bench.tree
    tree.write(".gitignore", "node_modules/\n.venv\n*.log\n")
    tree.write(".worktreeinclude", "node_modules/\n")
    tree.commit()
    tree.write("node_modules/pkg/index.js", "1", mode=0o755)
    tree.write("node_modules/:(top) odd \n", "2")
    tree.path("node_modules/inner").symlink_to("pkg")
    tree.path("node_modules/back").symlink_to(tree.folder)
    tree.write(".venv/x", "3")
    tree.write("a.log", "no")
    tree.write("node_modules.txt", "untracked, so in the base")
    workspace = await bench.workspace(include=(".venv",))
    files = seen(workspace.folder)
    assert files[b"node_modules/pkg/index.js"] == ("program", b"1")
    assert files[b"node_modules/:(top) odd \n"] == ("file", b"2")
    assert files[b"node_modules/inner"] == ("link", b"pkg")
    assert files[b".venv/x"] == ("file", b"3")
    assert b"a.log" not in files
    assert workspace.not_copied == (b"node_modules/back",)
    (workspace.folder / "node_modules/pkg/index.js").write_text("changed")
    assert tree.path("node_modules/pkg/index.js").read_text() == "1"


async def test_workspaces_stay_out_of_the_users_tree(bench: Bench) -> None:
    snapshot = await bench.snapshot()
    folder = bench.tree.folder / "inside"
    made = await make_checkout(
        bench.git,
        await bench.store(),
        await bench.repository(),
        snapshot,
        folder,
        owner=this_process(),
    )
    assert isinstance(made, GitFailed)
    assert made.advice
    assert not folder.exists()


async def test_a_failed_checkout_leaves_nothing(
    bench: Bench, broken_git: Callable[..., Git]
) -> None:
    snapshot, store = await bench.snapshot(), await bench.store()
    folder = bench.tmp_path / "task"
    for command, how in (("read-tree", "exit 1"), ("for-each-ref", "kill -9 $$")):
        made = await make_checkout(
            broken_git(command, how=how),
            store,
            await bench.repository(),
            snapshot,
            folder,
            owner=this_process(),
        )
        assert isinstance(made, GitFailed)
        assert not folder.exists()
        assert read_record(store, "task") is None


async def test_a_cancelled_checkout_leaves_nothing(
    bench: Bench, broken_git: Callable[..., Git]
) -> None:
    snapshot, store, repository = (
        await bench.snapshot(),
        await bench.store(),
        await bench.repository(),
    )
    folder = bench.tmp_path / "task"
    note = bench.tmp_path / "started"
    hanging = broken_git("read-tree", how=f'touch "{note}"; sleep 600')
    make = partial(make_checkout, hanging, store, repository, snapshot, folder)
    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            group.start_soon(partial(make, owner=this_process()))
            while not note.exists():  # noqa: ASYNC110  another process makes it
                await anyio.sleep(0.01)
            group.cancel_scope.cancel()
    assert not folder.exists()
    assert read_record(store, "task") is None


async def test_a_workspace_is_found_again(bench: Bench) -> None:
    made = await bench.workspace()
    assert find_workspace(await bench.store(), made.name) == made
    assert find_workspace(await bench.store(), "unknown") is None


async def test_an_existing_folder_is_not_taken(bench: Bench) -> None:
    first = await bench.workspace()
    again = await make_checkout(
        bench.git,
        await bench.store(),
        await bench.repository(),
        await bench.snapshot(),
        first.folder,
        owner=this_process(),
    )
    assert isinstance(again, GitFailed)
    assert (first.folder / "README").exists()


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


async def deleted(bench: Bench, workspace: Workspace, by: Owner | None = None) -> object:
    return await delete_workspace(await bench.store(), workspace.name, by or this_process())


async def test_deleting_follows_no_link_and_needs_no_permissions(bench: Bench) -> None:
    outside = bench.tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("keep")
    workspace = await bench.workspace()
    (workspace.folder / "node_modules").symlink_to(outside)
    (workspace.folder / "file").symlink_to(outside / "precious")
    deep = workspace.folder / os.fsdecode(b"a\n\xff") / "b"
    deep.mkdir(parents=True)
    (deep / "x").write_text("x")
    deep.chmod(0o000)
    deep.parent.chmod(0o500)
    assert await deleted(bench, workspace) == Deleted()
    assert workspace.folder.name not in names_in(workspace.folder.parent)
    assert (outside / "precious").read_text() == "keep"
    assert read_record(await bench.store(), workspace.name) is None


async def test_only_recorded_folders_are_deleted(bench: Bench) -> None:
    workspace = await bench.workspace()
    outcome = await delete_workspace(await bench.store(), "unknown", this_process())
    assert outcome == NotDeleted(Kept.NOT_OURS, b"unknown")
    workspace.folder.rename(workspace.folder.with_name("moved"))
    workspace.folder.mkdir()
    (workspace.folder / "somebody's").write_text("work")
    assert isinstance(kept := await deleted(bench, workspace), NotDeleted)
    assert kept.reason is Kept.REPLACED
    assert (workspace.folder / "somebody's").exists()


async def test_a_link_in_place_of_a_workspace_is_left(bench: Bench) -> None:
    workspace = await bench.workspace()
    moved = workspace.folder.with_name("moved")
    workspace.folder.rename(moved)
    workspace.folder.symlink_to(moved)
    assert isinstance(kept := await deleted(bench, workspace), NotDeleted)
    assert kept.reason is Kept.REPLACED
    assert (moved / "README").exists()


async def test_a_workspace_of_a_living_process_is_kept(bench: Bench) -> None:
    workspace = await bench.workspace()
    other = Owner(1, 1)
    assert isinstance(kept := await deleted(bench, workspace, other), NotDeleted)
    assert kept.reason is Kept.IN_USE
    assert await deleted(bench, workspace) == Deleted()


async def test_what_is_gone_already_counts_as_deleted(bench: Bench) -> None:
    workspace = await bench.workspace()
    workspace.folder.rename(bench.tmp_path / "elsewhere")
    assert await deleted(bench, workspace) == Deleted()


async def test_the_state_is_private(bench: Bench) -> None:
    workspace = await bench.workspace()
    store = await bench.store()
    assert store.root.stat().st_mode & 0o777 == 0o700
    assert workspace.folder.stat().st_mode & 0o777 == 0o700
    for file in (store.git_dir / "config", store.records / f"{workspace.name}.json"):
        assert file.stat().st_mode & 0o777 == 0o600


async def test_what_a_killed_git_left_is_in_nobodys_way(bench: Bench) -> None:
    store = await bench.store()
    workspace = await bench.workspace()
    index = index_file(store, workspace.name)
    index.with_name(f"{index.name}.lock").touch()
    assert await make_room(store, workspace.name, this_process()) is None
    bench._made -= 1
    again = await bench.workspace()
    assert again.name == workspace.name
