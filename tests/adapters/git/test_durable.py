"""What is kept in a store outlasts a failure of the power, which is played; see ``tests.power``."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from attrs import evolve

from sennit.adapters.git.capture import Captured, capture
from sennit.adapters.git.durable import keep_on_disk, on_disk
from sennit.adapters.git.merges import merge_trees
from sennit.adapters.git.mirror import Copying
from sennit.adapters.git.new_objects import ENOUGH
from sennit.adapters.git.records import record_file, stores_of_submodules
from sennit.adapters.git.store import Store, keep_new, open_store
from sennit.core.objects import GitFailed, Merged
from tests.adapters.git.begun import begin
from tests.adapters.git.bench import Bench, Tree
from tests.folding_disk import folding_disk
from tests.power import Power, inode

pytestmark = pytest.mark.anyio


@pytest.fixture
def power(monkeypatch: pytest.MonkeyPatch) -> Power:
    power = Power()
    monkeypatch.setattr(os, "fsync", power.fsync)
    return power


def fsck(bench: Bench, store: Store, commit: str) -> bool:
    """Whether the ref of a commit and all that it needs are there and sound."""
    at = f"--git-dir={store.git_dir}"
    try:
        bench.tree.git(at, "fsck", "--strict", "--no-dangling", commit)
        kept = bench.tree.git(at, "rev-parse", "--verify", "refs/sennit/kept")
    except pytest.fail.Exception:
        return False
    return kept.decode().strip() == commit


@pytest.fixture(params=[3, ENOUGH + 3], ids=["files", "packs"])
def work(request: pytest.FixtureRequest, tree: Tree) -> list[str]:
    """Paths with changes of the user; few objects are files, many are packs."""
    names = [f"{number}/new.txt" for number in range(request.param)]
    for name in names:
        tree.write(name, f"{name}\n")
    return names


@pytest.mark.usefixtures("work")
async def test_a_base_that_is_kept_outlasts_it(bench: Bench, power: Power) -> None:
    base = await bench.snapshot()
    store = await bench.store()
    assert await keep_on_disk(store, "kept", base.commit) is None
    power.fails(store.git_dir / "objects")
    power.fails(store.git_dir / "refs")
    assert fsck(bench, store, base.commit)


@pytest.mark.usefixtures("work")
async def test_what_nobody_waited_for_does_not(bench: Bench, power: Power) -> None:
    base = await bench.snapshot()
    store = await bench.store()
    assert await keep_new(store, "kept", base.commit) is None
    power.fails(store.git_dir / "objects")
    assert not fsck(bench, store, base.commit)


async def test_a_capture_and_what_it_merges_to_outlast_it(
    bench: Bench, work: list[str], power: Power
) -> None:
    base = await bench.snapshot()
    store = await bench.store()
    workspace = await bench.workspace(base)
    for name in work:
        bench.inside(workspace).write(name, f"{name} of the agent\n")
    taken = await capture(bench.git, store, workspace, date=1_700_000_000)
    assert isinstance(taken, Captured)
    bench.tree.write(work[0], f"{work[0]}\nand of the user\n")
    now = await bench.snapshot()
    assert await keep_on_disk(store, "kept", taken.commit) is None
    merged = await merge_trees(bench.git, store, base.tree, base.tree, now.tree, 1_700_000_000)
    assert isinstance(merged, Merged)
    assert await on_disk(store) is None
    power.fails(store.git_dir / "objects")
    power.fails(store.git_dir / "refs")
    assert fsck(bench, store, taken.commit)
    bench.tree.git(f"--git-dir={store.git_dir}", "ls-tree", "-r", merged.tree)


async def test_work_in_a_submodule_outlasts_it(
    bench: Bench, power: Power, tmp_path: Path, environment: dict[str, str]
) -> None:
    inner = Tree(tmp_path / "inner", environment)
    begin(inner, {"in.txt": "in\n"})
    bench.tree.git("submodule", "--quiet", "add", str(inner.folder), "sub")
    bench.tree.commit()
    workspace = await bench.workspace()
    bench.inside(workspace).write("sub/in.txt", "changed there\n")
    store = await bench.store()
    await capture(bench.git, store, workspace, date=1_700_000_000)
    assert await on_disk(store) is None
    (within,) = stores_of_submodules(store)
    power.fails(within.git_dir / "objects")
    power.fails(within.git_dir / "refs")
    found = bench.tree.git(f"--git-dir={within.git_dir}", "for-each-ref", "--format=%(objectname)")
    for commit in found.decode().split():
        bench.tree.git(f"--git-dir={within.git_dir}", "fsck", "--no-dangling", commit)
    assert found


async def test_what_another_process_wrote_is_waited_for_too(bench: Bench, power: Power) -> None:
    store = await bench.store()
    assert await on_disk(store) is None
    del power.waited_for[:]
    at = f"--git-dir={store.git_dir}"
    blob = bench.tree.git(at, "hash-object", "-w", "--stdin", stdin=b"theirs").decode().strip()
    assert await on_disk(store) is None
    file = store.objects / blob[:2] / blob[2:]
    assert {inode(file.stat()), inode(file.parent.stat())} <= set(power.waited_for)


async def test_copies_of_old_objects_of_the_user_outlast_it(bench: Bench, power: Power) -> None:
    far = evolve(bench, sharing=Copying(1 << 30))
    for file in (bench.tree.folder / ".git/objects").glob("??/*"):
        os.utime(file, (1_600_000_000, 1_600_000_000))
    base = await far.snapshot()
    store = await far.store()
    assert await keep_on_disk(store, "kept", base.commit) is None
    power.fails(store.git_dir / "objects")
    power.fails(store.git_dir / "refs")
    assert fsck(far, store, base.commit)


async def test_it_is_where_the_disk_does_not_count_what_folders_hold(
    bench: Bench, power: Power, tmp_path: Path
) -> None:
    with folding_disk(tmp_path / "folding") as disk:
        store = await open_store(bench.git, await bench.repository(), disk / "stores")
        assert isinstance(store, Store), store
        at = f"--git-dir={store.git_dir}"
        asked = (at, "hash-object", "--stdin")
        blob = bench.tree.git(*asked, stdin=b"theirs").decode().strip()
        file = store.objects / blob[:2] / blob[2:]
        file.parent.mkdir(exist_ok=True)
        assert await on_disk(store) is None
        os.utime(store.objects, (1, 1))
        bench.tree.git(*asked, "-w", stdin=b"theirs")
        del power.waited_for[:]
        assert await on_disk(store) is None
        assert {inode(file.stat()), inode(file.parent.stat())} <= set(power.waited_for)


async def test_each_file_is_waited_for_once(bench: Bench, power: Power) -> None:
    bench.tree.write("new.txt", "new\n")
    base = await bench.snapshot()
    store = await bench.store()
    assert await keep_on_disk(store, "kept", base.commit) is None
    assert power.waited_for
    assert len(set(power.waited_for)) == len(power.waited_for)
    del power.waited_for[:]
    assert await on_disk(store) is None
    assert power.waited_for == []


async def test_the_objects_of_the_user_are_left_to_their_git(bench: Bench, power: Power) -> None:
    store = await bench.store()
    assert await on_disk(store) is None
    theirs = {
        inode(path.stat())
        for path in (bench.tree.folder / ".git" / "objects").rglob("*")
        if path.is_file()
    }
    assert theirs
    assert theirs.isdisjoint(power.waited_for)


async def test_a_clock_that_is_set_back_hides_nothing(
    bench: Bench, power: Power, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 2_000_000_000 * 10**9
    monkeypatch.setattr("time.time_ns", lambda: now)
    store = await bench.store()
    assert await on_disk(store) is None
    monkeypatch.undo()
    monkeypatch.setattr(os, "fsync", power.fsync)
    bench.tree.write("new.txt", "new\n")
    base = await bench.snapshot()
    assert await keep_on_disk(store, "kept", base.commit) is None
    power.fails(store.git_dir / "objects")
    assert fsck(bench, store, base.commit)


async def test_a_disk_that_refuses_is_told_with_the_file(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_handle: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    bench.tree.write("new.txt", "new\n")
    base = await bench.snapshot()
    store = await bench.store()
    monkeypatch.setattr(os, "fsync", refuse)
    failed = await keep_on_disk(store, "kept", base.commit)
    assert isinstance(failed, GitFailed)
    assert str(store.git_dir) in failed.stderr
    assert "Input/output error" in failed.stderr
    monkeypatch.undo()
    # What failed once is waited for again.
    power = Power()
    monkeypatch.setattr(os, "fsync", power.fsync)
    assert await on_disk(store) is None
    power.fails(store.git_dir / "objects")
    assert fsck(bench, store, base.commit)


async def test_the_record_of_a_workspace_is_never_an_empty_file(bench: Bench, power: Power) -> None:
    workspace = await bench.workspace()
    store = await bench.store()
    on_disk = frozenset(power.waited_for)
    assert inode(record_file(store, workspace.name).stat()) in on_disk
