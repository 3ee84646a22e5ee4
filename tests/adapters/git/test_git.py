"""The one place that starts git keeps its limits and leaves nothing running."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from sennit.adapters.git.git import Done, Git, Limits, Place, git_for
from sennit.core.objects import GitFailed
from tests.adapters.git.bench import Tree

pytestmark = pytest.mark.anyio


def failed(answer: Done | GitFailed) -> GitFailed:
    assert isinstance(answer, GitFailed)
    return answer


async def test_an_accepted_exit_code_is_an_answer(git: Git, tree: Tree) -> None:
    tree.write("README", "x")
    at = Place(cwd=tree.folder)
    assert failed(await git.run(["diff", "--exit-code"], at)).exit_code == 1
    answer = await git.run(["diff", "--exit-code"], at, accept=(0, 1))
    assert isinstance(answer, Done)
    assert answer.code == 1


async def test_large_input_and_output_pass_through(git: Git, tree: Tree) -> None:
    identity = tree.git("rev-parse", "HEAD")
    answer = await git.run(["cat-file", "--batch"], Place(cwd=tree.folder), stdin=identity * 50_000)
    assert isinstance(answer, Done)
    assert answer.stdout.count(b"ada@example.org") == 100_000


async def test_too_much_output_is_a_clear_failure(git: Git, tree: Tree) -> None:
    answer = failed(
        await git.limited(output=10).run(["log"], Place(cwd=tree.folder)),
    )
    assert "more than 10 bytes" in answer.stderr
    assert answer.advice


async def test_a_hanging_git_is_stopped(broken_git: Callable[..., Git], tree: Tree) -> None:
    hanging = broken_git("log", how="sleep 600", seconds=0.3)
    started = time.monotonic()
    answer = failed(await hanging.run(["log"], Place(cwd=tree.folder)))
    assert "0.3 seconds" in answer.stderr
    assert time.monotonic() - started < 10


async def test_a_killed_git_names_its_signal(broken_git: Callable[..., Git], tree: Tree) -> None:
    killed = broken_git("log", how="kill -9 $$")
    answer = failed(await killed.run(["log"], Place(cwd=tree.folder)))
    assert answer.exit_code == -9
    assert "SIGKILL" in answer.stderr


async def test_a_missing_program_and_a_missing_folder_are_told_apart(
    environment: Mapping[str, str], git: Git, tmp_path: Path
) -> None:
    nowhere = git_for(str(tmp_path / "no-git"), environment)
    assert "could not be started" in failed(await nowhere.run(["log"], Place())).stderr
    missing = Place(cwd=tmp_path / "missing")
    assert "missing is not there" in failed(await git.run(["log"], missing)).stderr


@pytest.fixture
def no_garbage_collection() -> Iterator[None]:
    """What is not closed stays open, instead of until somebody happens to look for garbage."""
    gc.disable()
    yield
    gc.enable()


def open_descriptors() -> set[str]:
    return {one.name for one in Path("/proc/self/fd").iterdir()}


@pytest.mark.usefixtures("no_garbage_collection")
@pytest.mark.parametrize("turns", range(8))
async def test_a_start_that_is_cancelled_half_way_leaves_no_pipe(
    git: Git, tree: Tree, turns: int
) -> None:
    before = open_descriptors()
    async with anyio.create_task_group() as group:
        group.start_soon(git.run, ["rev-parse", "HEAD"], Place(cwd=tree.folder))
        for _ in range(turns):
            await anyio.lowlevel.checkpoint()
        group.cancel_scope.cancel()
    # The loop closes in one of its next turns what it was asked to close.
    for _ in range(20):
        await anyio.lowlevel.checkpoint()
    assert len(open_descriptors()) <= len(before)


async def test_cancelling_ends_git_and_what_it_started(
    broken_git: Callable[..., Git], tree: Tree, tmp_path: Path
) -> None:
    note = tmp_path / "pids"
    how = f'sleep 600 & echo $! > "{note}.new"; mv "{note}.new" "{note}"; wait'
    hanging = broken_git("log", how=how)
    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            group.start_soon(hanging.run, ["log"], Place(cwd=tree.folder))
            while not note.exists():  # noqa: ASYNC110  another process makes it
                await anyio.sleep(0.01)
            group.cancel_scope.cancel()
        while is_running(int(note.read_text())):  # noqa: ASYNC110  as above
            await anyio.sleep(0.01)


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


async def test_the_environment_of_the_caller_says_nothing_to_git(
    environment: Mapping[str, str], tree: Tree
) -> None:
    misled = {
        **environment,
        "GIT_DIR": "/nowhere",
        "GIT_CONFIG_PARAMETERS": "'core.bare=true'",
        "GIT_TRACE": "1",
        "LANG": "de_DE.UTF-8",
    }
    git = git_for("git", misled)
    answer = await git.run(["rev-parse", "--is-bare-repository"], Place(cwd=tree.folder))
    assert answer == Done(b"false\n", 0, "")


async def test_configuration_wins_over_the_repositorys_and_takes_any_key(
    git: Git, tree: Tree
) -> None:
    tree.git("config", "core.fsmonitor", "true")
    at = Place(cwd=tree.folder)
    assert await git.run(["config", "core.fsmonitor"], at) == Done(b"false\n", 0)
    odd = "filter.a=b\N{SNOWMAN}.clean"
    answer = await git.run(["config", odd], at, config=((odd, "x y"),))
    assert answer == Done(b"x y\n", 0)


async def test_a_folder_of_objects_may_have_any_name(git: Git, tree: Tree, tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b'a:b "c" \xff')
    with tree.by_hand():
        (tree.folder / ".git" / "objects").rename(odd)
        (tree.folder / ".git" / "objects").mkdir()
    at = Place(cwd=tree.folder, alternates=(tmp_path / "nothing", odd))
    assert isinstance(await git.run(["cat-file", "-e", "HEAD"], at), Done)


def test_limits_are_kept_apart(git: Git) -> None:
    assert git.limited(seconds=1).limits == Limits(seconds=1, output=git.limits.output)
