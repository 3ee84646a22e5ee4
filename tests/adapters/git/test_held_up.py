"""Pipes, sockets and devices where git reads files of its own hold nothing up and lose nothing."""

from __future__ import annotations

import os
import re
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from sennit.adapters.git import held_up
from sennit.adapters.git.base import take_snapshot
from sennit.adapters.git.capture import Captured
from sennit.adapters.git.discovery import discover
from sennit.adapters.git.held_up import looked_at
from sennit.adapters.git.store import open_store
from sennit.adapters.git.whole_capture import capture_whole, peek_whole
from sennit.adapters.git.workspace import Workspace
from sennit.core.objects import GitFailed, LeftOutReason
from tests.adapters.git.bench import Bench, Tree

pytestmark = pytest.mark.anyio

SOON_S = 60
"""Much less than git is given for one call, and much more than any of these takes."""


def a_socket(path: Path) -> None:
    here = Path.cwd()
    # The name of a socket may not be long.
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def a_device(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root makes devices")
    os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))


SPECIAL: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "socket": a_socket,
    "device": a_device,
}
PLACES = (
    ".gitattributes",
    ".gitmodules",
    "new/.gitattributes",
    "new/.gitignore",
    "nested/.git/HEAD",
    ".git/objects/info/alternates",
)
NOT_ALWAYS_READ = frozenset({".gitmodules"})


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_up, "PATIENCE_S", 0.3)


async def captured(bench: Bench, workspace: Workspace) -> Captured:
    store = await bench.store()
    with anyio.fail_after(SOON_S):
        taken = await capture_whole(bench.git, store, workspace, date=1)
    assert isinstance(taken, Captured), taken
    return taken


@pytest.mark.parametrize("make", SPECIAL.values(), ids=SPECIAL)
async def test_rules_of_the_base_hold_where_something_else_takes_their_place(
    bench: Bench, make: Callable[[Path], None]
) -> None:
    bench.tree.write("rules/.gitignore", "ignored\n")
    bench.tree.write("rules/.gitattributes", "*.txt text eol=lf\n")
    bench.tree.commit()
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    for name in ("rules/.gitignore", "rules/.gitattributes"):
        inside.path(name).unlink()
        make(inside.path(name))
    inside.write("rules/ignored", "a secret\n")
    inside.write("rules/new.txt", "one\r\n")
    taken = await captured(bench, workspace)
    files = await bench.files_of(taken.commit)
    assert files[b"rules/.gitignore"][1] == b"ignored\n"
    assert files[b"rules/.gitattributes"][1] == b"*.txt text eol=lf\n"
    assert files[b"rules/new.txt"][1] == b"one\n"
    assert b"rules/ignored" not in files
    special = {one.path for one in taken.left_out if one.reason is LeftOutReason.SPECIAL_FILE}
    assert special == {b"rules/.gitignore", b"rules/.gitattributes"}


@pytest.mark.parametrize("place", PLACES)
async def test_a_pipe_is_named_and_the_rest_is_captured(bench: Bench, place: str) -> None:
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.write("README", "changed\n")
    inside.write("new/file", "new\n")
    if place.startswith(".git/"):
        # Objects of an agent are looked at where it has made commits.
        inside.commit()
    inside.path(place).parent.mkdir(parents=True, exist_ok=True)
    inside.path(place).unlink(missing_ok=True)
    os.mkfifo(inside.path(place))
    taken = await captured(bench, workspace)
    files = await bench.files_of(taken.commit)
    assert files[b"README"][1] == b"changed\n"
    assert files[b"new/file"][1] == b"new\n"
    assert place.encode() not in files
    if place not in NOT_ALWAYS_READ:
        assert place.encode() in {one.path for one in taken.left_out}


async def test_rules_of_a_submodule_hold_too(bench: Bench, environment: dict[str, str]) -> None:
    inner = Tree(bench.tmp_path / "inner", environment)
    inner.folder.mkdir()
    inner.git("init", "-q")
    inner.write(".gitignore", "ignored\n")
    inner.write("file", "of the submodule\n")
    inner.commit()
    locally = ("-c", "protocol.file.allow=always")
    bench.tree.git(*locally, "submodule", "--quiet", "add", str(inner.folder), "sub")
    bench.tree.commit()
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.path("sub/.gitignore").unlink()
    os.mkfifo(inside.path("sub/.gitignore"))
    inside.write("sub/ignored", "a secret\n")
    inside.write("sub/new", "new\n")
    inside.write("new", "new\n")
    taken = await captured(bench, workspace)
    assert b"new" in await bench.files_of(taken.commit)
    assert inside.path("sub/.gitignore").read_bytes() == b"ignored\n"
    told = {one.path: one for one in taken.left_out}
    assert told[b"sub/.gitignore"].reason is LeftOutReason.SPECIAL_FILE
    # What was done in there is the commit that this names.
    commit, store = re.findall(r"commit (\w+) of (\S+), ", told[b"sub"].detail)[0]
    listed = bench.tree.git(f"--git-dir={store}", "ls-tree", "--name-only", commit)
    assert listed.split() == [b".gitignore", b"file", b"new"]


async def test_a_link_to_a_pipe_is_as_good_as_one(bench: Bench) -> None:
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    pipe = bench.tmp_path / "pipe"
    os.mkfifo(pipe)
    inside.write("new", "new\n")
    inside.commit()
    inside.path(".git/objects/info/alternates").unlink()
    inside.path(".git/objects/info/alternates").symlink_to(pipe)
    taken = await captured(bench, workspace)
    assert b"new" in await bench.files_of(taken.commit)
    assert [one.path for one in taken.left_out] == [b".git/objects/info/alternates"]
    assert pipe.is_fifo()


async def test_pipes_that_git_does_not_read_stay_as_they_were(bench: Bench) -> None:
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.write("new", "new\n")
    os.mkfifo(inside.path("control"))
    taken = await captured(bench, workspace)
    assert b"new" in await bench.files_of(taken.commit)
    assert inside.path("control").is_fifo()


async def test_while_an_agent_works_nothing_of_its_own_is_put_away(bench: Bench) -> None:
    workspace = await bench.workspace()
    pipe = bench.inside(workspace).path(".gitattributes")
    os.mkfifo(pipe)
    bench.inside(workspace).write("new", "new\n")
    store = await bench.store()
    with anyio.fail_after(SOON_S):
        seen = await peek_whole(bench.git, store, workspace)
    assert isinstance(seen, GitFailed)
    assert ".gitattributes" in seen.stderr
    assert pipe.is_fifo()


USERS = (".gitignore", "new/.gitignore", ".git/info/exclude", ".git/HEAD")


@pytest.mark.parametrize("place", USERS)
async def test_a_user_is_told_which_pipe_holds_git_up(bench: Bench, place: str) -> None:
    repository, store = await bench.repository(), await bench.store()
    pipe = bench.tree.path(place)
    with bench.tree.by_hand():
        pipe.parent.mkdir(exist_ok=True)
        pipe.unlink(missing_ok=True)
        os.mkfifo(pipe)
    bench.tree.write("new/file", "new\n")
    with anyio.fail_after(SOON_S):
        taken = await looked_at(
            os.fsencode(bench.tree.folder), lambda: take_snapshot(bench.git, store, repository)
        )
    assert isinstance(taken, GitFailed), taken
    assert place.rpartition("/")[2] in taken.stderr
    assert "pipe" in taken.stderr
    assert pipe.is_fifo()


async def test_who_looks_beside_somebody_that_is_held_up_gets_no_empty_rules(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, store = await bench.repository(), await bench.store()
    pipe = bench.tree.path(".gitignore")
    os.mkfifo(pipe)
    answers: list[object] = []

    async def look() -> None:
        answers.append(
            await looked_at(
                os.fsencode(bench.tree.folder), lambda: take_snapshot(bench.git, store, repository)
            )
        )

    with anyio.fail_after(SOON_S):
        async with anyio.create_task_group() as group:
            # The look of the patient one comes long after the other's.
            monkeypatch.setattr(held_up, "PATIENCE_S", SOON_S)
            group.start_soon(look)
            await anyio.wait_all_tasks_blocked()
            monkeypatch.setattr(held_up, "PATIENCE_S", 0.3)
            group.start_soon(look)
    assert [type(answer) for answer in answers] == [GitFailed, GitFailed]


@pytest.mark.parametrize("place", [".git/HEAD", ".git/config"])
async def test_a_repository_that_git_cannot_even_find_is_told(bench: Bench, place: str) -> None:
    pipe = bench.tree.path(place)
    with bench.tree.by_hand():
        pipe.unlink()
        os.mkfifo(pipe)
    with anyio.fail_after(SOON_S):
        found = await discover(bench.git, bench.tree.folder, bench.trust)
    assert isinstance(found, GitFailed), found
    assert pipe.name in found.stderr


async def test_rules_that_are_a_pipe_are_not_waited_for(bench: Bench) -> None:
    repository = await bench.repository()
    pipe = bench.tree.path(".git/info/exclude")
    with bench.tree.by_hand():
        pipe.unlink(missing_ok=True)
        os.mkfifo(pipe)
    with anyio.fail_after(SOON_S):
        opened = await open_store(bench.git, repository, bench.stores)
    assert isinstance(opened, GitFailed), opened
    assert "pipe" in opened.stderr
