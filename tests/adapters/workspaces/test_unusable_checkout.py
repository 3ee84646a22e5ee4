"""A kept checkout that cannot be used, or made, is told and worked without."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import pytest
from attrs import evolve

from sennit.adapters.git.delete import Deleted, delete_workspace
from sennit.adapters.git.identity import UNBORN
from sennit.adapters.git.records import (
    NOBODY,
    Record,
    announce,
    lease_file,
    read_record,
    record_file,
    remove_record,
    write_record,
)
from sennit.adapters.git.store import Store
from sennit.adapters.git.workspace import Workspace
from sennit.adapters.workspaces.making import make_workspace
from sennit.adapters.workspaces.pristine import NAME, folder_of, lock_of, obstacle
from sennit.core.objects import GitFailed
from sennit.core.workspace_kinds import How, KindWorks, Plan, WorkspaceKind
from tests.adapters.git.bench import Bench, this_process
from tests.small_disks import SmallDisk, small_disks

pytestmark = pytest.mark.anyio

FROM_IT = (WorkspaceKind.OVERLAY, WorkspaceKind.REFLINK)
FOUND = {WorkspaceKind.REFLINK: KindWorks("it is said to")}
MIB = 1 << 20


@pytest.fixture
def mounted() -> Iterator[SmallDisk]:
    with small_disks() as put:
        yield put


async def made(
    bench: Bench, kind: WorkspaceKind, name: str, below: Path | None = None
) -> Workspace | GitFailed:
    return await make_workspace(
        bench.git,
        await bench.store(),
        await bench.repository(),
        await bench.snapshot(),
        (below or bench.tmp_path / "tasks") / name,
        owner=this_process(),
        plan=Plan(spare=False, new=kind),
        found=FOUND if kind is WorkspaceKind.REFLINK else {},
    )


async def a_checkout_is_kept(bench: Bench) -> Store:
    """Have a kept checkout that was used and is used no more."""
    store = await bench.store()
    first = await made(bench, WorkspaceKind.OVERLAY, "first")
    assert isinstance(first, Workspace), first
    assert first.how == How(WorkspaceKind.OVERLAY)
    assert await delete_workspace(store, "first", this_process()) == Deleted()
    assert obstacle(store) is None
    return store


def a_link(store: Store) -> None:
    kept = folder_of(store)
    kept.rename(store.root / "elsewhere")
    kept.symlink_to(store.root / "elsewhere")


def a_file(store: Store) -> None:
    folder_of(store).rename(store.root / "elsewhere")
    folder_of(store).write_text("a file\n")


def another_folder(store: Store) -> None:
    folder_of(store).rename(store.root / "elsewhere")
    folder_of(store).mkdir()
    (folder_of(store) / "README").write_text("of somebody else\n")


def no_record(store: Store) -> None:
    remove_record(store, NAME)
    folder_of(store).joinpath("README").write_text("of somebody else\n")


IN_THE_WAY: tuple[Callable[[Store], None], ...] = (a_link, a_file, another_folder, no_record)


@pytest.mark.parametrize("put", IN_THE_WAY)
@pytest.mark.parametrize("kind", FROM_IT)
async def test_what_takes_its_place_is_left_alone_and_worked_without(
    bench: Bench, kind: WorkspaceKind, put: Callable[[Store], None]
) -> None:
    store = await a_checkout_is_kept(bench)
    put(store)
    told = obstacle(store)
    assert told is not None
    assert str(folder_of(store)) in told
    before = {str(path): os.lstat(path).st_mtime_ns for path in store.root.rglob("elsewhere/**")}
    workspace = await made(bench, kind, "second")
    assert isinstance(workspace, Workspace), workspace
    assert workspace.how is not None
    assert workspace.how.kind is WorkspaceKind.CHECKOUT
    assert [one.kind for one in workspace.how.refused] == [kind]
    assert "the kept checkout cannot be used" in workspace.how.refused[0].why
    assert (workspace.folder / "README").read_bytes() == bench.tree.path("README").read_bytes()
    after = {str(path): os.lstat(path).st_mtime_ns for path in store.root.rglob("elsewhere/**")}
    assert after == before


@pytest.mark.parametrize("kind", FROM_IT)
async def test_a_lock_that_cannot_be_taken_is_worked_without(
    bench: Bench, kind: WorkspaceKind
) -> None:
    store = await bench.store()
    lock_of(store).mkdir()
    workspace = await made(bench, kind, "task")
    assert isinstance(workspace, Workspace), workspace
    assert workspace.how is not None
    assert workspace.how.kind is WorkspaceKind.CHECKOUT
    assert str(lock_of(store)) in workspace.how.refused[0].why


@pytest.mark.parametrize("kind", FROM_IT)
async def test_one_that_cannot_be_removed_is_worked_without(
    bench: Bench, kind: WorkspaceKind, mounted: SmallDisk
) -> None:
    store = await a_checkout_is_kept(bench)
    mounted(folder_of(store) / "mounted")
    # It was written under other rules, so it has to be made anew.
    bench.tree.write(".gitattributes", "* -text\n")
    workspace = await made(bench, kind, "second")
    assert isinstance(workspace, Workspace), workspace
    assert workspace.how is not None
    assert workspace.how.kind is WorkspaceKind.CHECKOUT
    assert "cannot be removed" in workspace.how.refused[0].why


@pytest.mark.parametrize("is_there", [False, True])
async def test_one_whose_server_was_killed_as_it_was_made_is_made_again(
    bench: Bench, *, is_there: bool
) -> None:
    store = await bench.store()
    announce(store, Record(NAME, folder_of(store), UNBORN, "", "", NOBODY))
    if is_there:
        folder_of(store).mkdir()
    workspace = await made(bench, WorkspaceKind.OVERLAY, "task")
    assert isinstance(workspace, Workspace), workspace
    assert workspace.how == How(WorkspaceKind.OVERLAY)


async def test_one_that_a_git_of_a_killed_server_still_fills_is_worked_without(
    bench: Bench,
) -> None:
    store = await a_checkout_is_kept(bench)
    kept = read_record(store, NAME)
    assert kept is not None
    write_record(store, evolve(kept, tree=""))
    async with await anyio.open_process(["cat"], cwd=folder_of(store)) as left:
        workspace = await made(bench, WorkspaceKind.OVERLAY, "second")
        assert isinstance(workspace, Workspace), workspace
        assert workspace.how is not None
        assert workspace.how.kind is WorkspaceKind.CHECKOUT
        assert f"processes still work in {folder_of(store)}" in workspace.how.refused[0].why
        assert left.stdin is not None
        await left.stdin.aclose()
        await left.wait()
    third = await made(bench, WorkspaceKind.OVERLAY, "third")
    assert isinstance(third, Workspace), third
    assert third.how == How(WorkspaceKind.OVERLAY)


async def test_one_that_is_gone_is_made_again(bench: Bench) -> None:
    store = await a_checkout_is_kept(bench)
    folder_of(store).rename(store.root / "elsewhere")
    workspace = await made(bench, WorkspaceKind.OVERLAY, "second")
    assert isinstance(workspace, Workspace), workspace
    assert workspace.how == How(WorkspaceKind.OVERLAY)
    assert (folder_of(store) / "README").read_bytes() == bench.tree.path("README").read_bytes()


# Disks that are full.


@pytest.fixture
def small(tmp_path: Path, mounted: SmallDisk) -> Path:
    """A disk of 8 MiB."""
    return mounted(tmp_path / "small")


@pytest.mark.parametrize("kind", FROM_IT)
async def test_no_room_for_a_kept_checkout_is_worked_without(
    bench: Bench, small: Path, kind: WorkspaceKind
) -> None:
    bench.tree.write("large", os.urandom(5 * MIB))
    bench.tree.commit()
    (bench.tmp_path / "state").mkdir()
    (bench.tmp_path / "state" / "stores").symlink_to(small)
    workspace = await made(bench, kind, "task")
    assert isinstance(workspace, Workspace), workspace
    assert workspace.how is not None
    assert workspace.how.kind is WorkspaceKind.CHECKOUT
    assert "No space left" in workspace.how.refused[0].why
    assert (workspace.folder / "large").read_bytes() == bench.tree.path("large").read_bytes()
    # What was made of it does not stay in the way of others.
    store = await bench.store()
    assert not folder_of(store).exists()
    assert read_record(store, NAME) is None


@pytest.mark.parametrize("left", [0, 1, 8, 64])
async def test_no_room_for_the_layer_itself_leaves_nothing_behind(
    bench: Bench, small: Path, left: int
) -> None:
    """``left`` is how many blocks of 4 KiB are free."""
    bench.tree.write("many/lines", "a line\n" * 100_000)
    bench.tree.commit()
    store = await a_checkout_is_kept(bench)
    # What the base has otherwise than the kept checkout is written into the layer.
    bench.tree.write("many/lines", "another line\n" * 100_000)
    filling = small / "filling"
    with filling.open("wb") as file:
        file.write(bytes(7 * MIB))
        while os.statvfs(small).f_bavail > left:
            os.write(file.fileno(), bytes(4096))
    failed = await made(bench, WorkspaceKind.OVERLAY, "task", small)
    assert isinstance(failed, GitFailed), failed
    assert "No space left" in failed.stderr
    assert not (small / "task").exists()
    assert not record_file(store, "task").exists()
    assert not lease_file(store, "task").exists()
    filling.unlink()
    workspace = await made(bench, WorkspaceKind.OVERLAY, "task", small)
    assert isinstance(workspace, Workspace), workspace
    assert workspace.how == How(WorkspaceKind.OVERLAY)
