"""The user goes on working, disks fill up and objects go missing: nothing is lost or half done."""

from __future__ import annotations

import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sennit.adapters.git.base import take_snapshot
from sennit.adapters.git.capture import Captured, capture
from sennit.adapters.git.delete import Deleted, delete_workspace
from sennit.adapters.git.git import Git
from sennit.adapters.git.merges import merge_trees
from sennit.adapters.git.store import Store
from sennit.adapters.git.workspace import Workspace, make_checkout
from sennit.core.objects import GitFailed, Merged, Snapshot
from tests.adapters.git.bench import Bench, Tree, this_process, untouched_view
from tests.adapters.git.scenarios.scenario import LINES, agent_works, contents, fill

pytestmark = pytest.mark.anyio

AT = 1_900_000_000


@pytest.fixture
def tree(new_tree: Callable[..., Tree]) -> Tree:
    made = new_tree()
    fill(made)
    made.commit("first")
    made.git("branch", "other")
    made.write("later", "later\n")
    made.commit("second")
    made.git("switch", "-q", "other")
    made.write("of the other", "x\n")
    made.commit("on the other branch")
    made.git("switch", "-q", "main")
    made.write("src/a.py", LINES.replace("line 15\n", "not committed\n"))
    made.write("untracked", "untracked\n")
    return made


def tidies(tree: Tree) -> None:
    tree.git("reflog", "expire", "--expire=now", "--all")
    tree.git("gc", "-q", "--prune=now")


def throws_away(tree: Tree) -> None:
    """Leave the last commit to nobody, and let git remove it."""
    tree.git("reset", "-q", "--soft", "HEAD^", check=False)
    tidies(tree)


def switches(tree: Tree) -> None:
    tree.git("switch", "-q", "--merge", "other", check=False)
    tree.git("switch", "-q", "--merge", "-", check=False)
    tree.git("switch", "-q", "--merge", "other")


def rebases(tree: Tree) -> None:
    tree.git("-c", "rebase.autoStash=true", "rebase", "-q", "other")


def stashes(tree: Tree) -> None:
    tree.git("stash", "-q", "--include-untracked", check=False)


def adds_worktrees(tree: Tree) -> None:
    beside = tree.folder.parent / "beside"
    tree.git("worktree", "add", "-q", "--detach", str(beside))
    tree.git("worktree", "remove", str(beside))
    tree.git("worktree", "prune")


def repacks(tree: Tree) -> None:
    tree.git("repack", "-q", "-a", "-d")
    tree.git("pack-refs", "--all")


@pytest.mark.parametrize(
    "meddle", [tidies, throws_away, switches, rebases, stashes, adds_worktrees, repacks]
)
async def test_what_the_user_does_between_any_two_steps_loses_nothing(
    bench: Bench, meddle: Callable[[Tree], None]
) -> None:
    tree = bench.tree
    snapshot = await bench.snapshot()
    base = await bench.files_of(snapshot.commit)
    meddle(tree)
    workspace = await bench.workspace(snapshot)
    inside = bench.inside(workspace)
    meddle(tree)
    agent_works(inside)
    assert inside.git("log", "--format=%s").splitlines()[-1] == b"first"
    meddle(tree)
    store = await bench.store()
    captured = await capture(bench.git, store, workspace, date=AT)
    assert isinstance(captured, Captured), captured
    meddle(tree)
    files = await bench.files_of(captured.commit)
    assert files[b"agent/new.txt"][1] == b"new\n"
    assert files[b"src/a.py"] == base[b"src/a.py"]
    assert files[b"untracked"] == base[b"untracked"]
    tree.write("src/a.py", LINES.replace("line 1\n", "again\n"))
    live = await bench.snapshot()
    meddle(tree)
    result = await merge_trees(bench.git, store, snapshot.tree, live.tree, captured.tree, AT)
    assert not isinstance(result, GitFailed), result
    for git_dir in (store.git_dir, tree.path(".git")):
        tree.git(f"--git-dir={git_dir}", "fsck", "--strict", "--no-dangling")


def object_file(folder: Path, identity: str) -> Path:
    return folder / identity[:2] / identity[2:]


@pytest.mark.parametrize("what", ["HEAD", "HEAD^", "HEAD^{tree}", "HEAD:README", "HEAD:src"])
async def test_a_missing_object_is_a_failure_that_leaves_nothing(bench: Bench, what: str) -> None:
    tree = bench.tree
    lost = object_file(tree.path(".git/objects"), tree.git("rev-parse", what).decode().strip())
    repository, store = await bench.repository(), await bench.store()
    with tree.by_hand():
        lost.unlink()
    object_file(store.objects, lost.parent.name + lost.name).unlink()
    git_dir = untouched_view(tree.path(".git"))
    files = contents(tree.folder)
    snapshot = await take_snapshot(bench.git, store, repository)
    folder = bench.tmp_path / "task"
    if isinstance(snapshot, Snapshot):
        made = await make_checkout(
            bench.git, store, repository, snapshot, folder, owner=this_process()
        )
        if isinstance(made, Workspace):
            # What nobody needs may be missing: the folder holds another file by now.
            assert what in {"HEAD^", "HEAD:src"}
            assert contents(folder) == files
        else:
            assert made.stderr
            assert not folder.exists()
    else:
        assert snapshot.stderr
    assert list(store.scratch.iterdir()) == []
    assert untouched_view(tree.path(".git")) == git_dir


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    """Let every write beyond a size fail, in this process and in those that it starts."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    asked = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, asked)


SIZES = (0, 40, 60, 130, 180, 300, 1_000)
"""Beyond each of these something else that is written finds no room."""


async def test_a_disk_without_room_fails_every_step_and_loses_nothing(bench: Bench) -> None:
    tree, git = bench.tree, bench.git
    repository, store = await bench.repository(), await bench.store()
    snapshot = await bench.snapshot()
    workspace = await bench.workspace(snapshot)
    agent_works(bench.inside(workspace))
    tree.write("more", LINES * 40)
    git_dir, files = untouched_view(tree.path(".git")), contents(tree.folder)
    failures = 0
    for size in SIZES:
        with no_file_longer_than(size):
            taken = await take_snapshot(git, store, repository)
            made = await make_checkout(
                git, store, repository, snapshot, bench.tmp_path / "full", owner=this_process()
            )
            captured = await capture(git, store, workspace, date=AT)
        failures += sum(isinstance(one, GitFailed) for one in (taken, made, captured))
        if isinstance(made, Workspace):
            assert contents(made.folder) == contents_at_base(files)
            assert await delete_workspace(store, made.name, this_process()) == Deleted()
        assert not (bench.tmp_path / "full").exists()
        assert untouched_view(tree.path(".git")) == git_dir, size
        assert contents(tree.folder) == files
        assert strays_in(store) == [], size
    assert failures > len(SIZES)
    assert isinstance(await take_snapshot(git, store, repository), Snapshot)
    assert isinstance(await capture(git, store, workspace, date=AT), Captured)
    assert tree.git(f"--git-dir={store.git_dir}", "fsck", "--strict", "--no-dangling") == b""


def strays_in(store: Store) -> list[Path]:
    return [*store.scratch.iterdir(), *store.root.glob(".*"), *store.records.glob(".*")]


def contents_at_base(files: dict[bytes, tuple[str, bytes]]) -> dict[bytes, tuple[str, bytes]]:
    return {path: one for path, one in files.items() if path != b"more"}


async def test_a_proposal_survives_all_but_being_dropped(bench: Bench, git: Git) -> None:
    workspace = await bench.workspace()
    agent_works(bench.inside(workspace))
    store = await bench.store()
    captured = await capture(git, store, workspace, date=AT)
    assert isinstance(captured, Captured)
    before = await bench.files_of(captured.commit)
    for meddle in (tidies, throws_away, repacks):
        meddle(bench.tree)
        await bench.store()
    assert await delete_workspace(store, workspace.name, this_process()) == Deleted()
    for command in (("repack", "-q", "-a", "-d"), ("prune", "--expire=now"), ("gc", "-q")):
        bench.tree.git(f"--git-dir={store.git_dir}", *command)
    assert await bench.files_of(captured.commit) == before
    merged = await merge_trees(
        git, store, workspace.tree, (await bench.snapshot()).tree, captured.tree, AT
    )
    assert isinstance(merged, Merged)
