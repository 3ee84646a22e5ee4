"""Copies that really share their blocks, on disks that can do that: XFS and btrfs."""

from __future__ import annotations

import errno
import fcntl
import os
import struct
from itertools import count
from pathlib import Path

import pytest

from sennit.adapters.git.capture import Captured, capture
from sennit.adapters.git.delete import Deleted, delete_workspace
from sennit.adapters.git.workspace import Workspace
from sennit.adapters.platform.filesystems import filesystem_type
from sennit.adapters.workspaces import copying
from sennit.adapters.workspaces.making import make_workspace
from sennit.adapters.workspaces.probing import KindProbe
from sennit.adapters.workspaces.spares import Room, Spared, release_workspace
from sennit.core.objects import Snapshot
from sennit.core.workspace_kinds import (
    Circumstances,
    How,
    KindRefused,
    KindWorks,
    Plan,
    WorkspaceKind,
    plan_of,
)
from tests import on_made_disks
from tests.adapters.git.bench import Bench, this_process
from tests.adapters.workspaces.seeing import modes, seen
from tests.adapters.workspaces.test_layers import _SCRIPT as SCRIPT
from tests.adapters.workspaces.test_layers import (
    differences,
    fill,
    in_it,
    layer,
    left_in,
    made,
    outside,
)
from tests.made_disks import DiskKind
from tests.small_disks import small_disks

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

MIB = 1 << 20
REFLINK = Plan(spare=False, new=WorkspaceKind.REFLINK)
SPARE_OR_REFLINK = Plan(spare=True, new=WorkspaceKind.REFLINK)
# FS_IOC_FIEMAP of linux/fiemap.h; the layout is the same for all machines.
FIEMAP, HEAD, EXTENT = 0xC020660B, struct.Struct("=QQLLLL"), struct.Struct("=QQQ16xL12x")
MOST_EXTENTS, SYNC, SHARED = 64, 1, 0x2000


disk, numbers, tmp_path = on_made_disks.disk, on_made_disks.numbers, on_made_disks.tmp_path


def share_of(file: Path) -> float:
    """Which part of the extents of a file others have, too."""
    with file.open("rb") as opened:
        asked = HEAD.pack(0, 2**64 - 1, SYNC, 0, MOST_EXTENTS, 0)
        answer = bytearray(asked + bytes(MOST_EXTENTS * EXTENT.size))
        fcntl.ioctl(opened, FIEMAP, answer)
    found = HEAD.unpack_from(answer)[3]
    flags = [EXTENT.unpack_from(answer, HEAD.size + at * EXTENT.size)[3] for at in range(found)]
    assert flags
    return sum(bool(each & SHARED) for each in flags) / len(flags)


async def copied(bench: Bench, base: Snapshot, name: str, plan: Plan = REFLINK) -> Workspace:
    workspace = await made(bench, base, name, plan)
    assert workspace.how == How(WorkspaceKind.REFLINK)
    return workspace


async def reused(bench: Bench, base: Snapshot, name: str) -> Workspace:
    """The copy that an agent has worked in before."""
    used = await copied(bench, base, f"{name}-before")
    outside(bench, used, *SCRIPT, "before", "9")
    kept = await release_workspace(await bench.store(), used.name, this_process(), Room(1, 1 << 30))
    assert isinstance(kept, Spared), kept
    workspace = await made(bench, base, name, SPARE_OR_REFLINK)
    assert workspace.how == How(WorkspaceKind.POOL)
    return workspace


async def test_the_probe_finds_them_and_they_are_taken_by_themselves(bench: Bench) -> None:
    folders = (await bench.store()).root, bench.tmp_path / "work spaces"
    found = await KindProbe().look(*folders)
    assert isinstance(found[WorkspaceKind.REFLINK], KindWorks)
    plan = plan_of(WorkspaceKind.AUTO, found, Circumstances(2, confined=True))
    assert isinstance(plan, Plan)
    assert (plan.spare, plan.new) == (True, WorkspaceKind.REFLINK)
    forced = plan_of(WorkspaceKind.REFLINK, found, Circumstances(2, confined=True))
    assert forced == REFLINK


@pytest.mark.parametrize("seed", range(2))
async def test_random_things_leave_the_same_as_in_every_other_kind(bench: Bench, seed: int) -> None:
    fill(bench)
    # The kept checkout has another base before.
    await copied(bench, await bench.snapshot(), "earlier")
    bench.tree.write("x/a", f"{seed}\n")
    bench.tree.git("rm", "-q", "-r", "deep/sub")
    base = await bench.snapshot()
    plain = await made(bench, base, "plain", WorkspaceKind.CHECKOUT)
    begun = seen(plain.folder), modes(plain.folder)
    works = [await copied(bench, base, "copied"), await reused(bench, base, "reused")]
    for each in works:
        assert (seen(each.folder), modes(each.folder)) == begun, each.name
        assert outside(bench, each, "git", "status", "--porcelain") == b""
    layered = await layer(bench, base)
    script = (*SCRIPT, str(seed), "40")
    expected = outside(bench, plain, *script).decode()
    assert (await in_it(bench, layered, *script)).decode() == expected
    left = await left_in(bench, plain)
    for each in works:
        assert outside(bench, each, *script).decode() == expected, each.name
    for each in (*works, layered):
        found = await left_in(bench, each)
        assert found == left, await differences(bench, seed, left[0], found[0])


async def test_files_and_ignored_files_share_their_blocks_until_they_are_written(
    bench: Bench,
) -> None:
    large = os.urandom(2 * MIB)
    bench.tree.write("large", large)
    bench.tree.write(".gitignore", "packages/\n")
    bench.tree.write("packages/library", large[::-1])
    bench.tree.write(".worktreeinclude", "packages/\n")
    base = await bench.snapshot()
    workspace = await copied(bench, base, "one")
    tracked, ignored = workspace.folder / "large", workspace.folder / "packages/library"
    assert share_of(tracked) == share_of(ignored) == 1
    for file in (tracked, ignored):
        file.write_bytes(b"mine\n")
    # What others share with them is as it was.
    assert bench.tree.path("packages/library").read_bytes() == large[::-1]
    assert (await copied(bench, base, "two")).folder.joinpath("large").read_bytes() == large
    taken = await capture(bench.git, await bench.store(), workspace, date=1)
    assert isinstance(taken, Captured), taken
    assert (await bench.files_of(taken.commit))[b"large"][1] == b"mine\n"


async def test_a_disk_that_refuses_to_share_in_the_middle_gets_a_plain_checkout(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(bench)
    base, asked, ioctl = await bench.snapshot(), count(), fcntl.ioctl

    def refusing(target: int, request: int, argument: int = 0) -> int:
        # XFS says so where the part of the disk that holds the blocks is full, and no other is.
        if request == copying._FICLONE and next(asked) >= 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return ioctl(target, request, argument)

    with monkeypatch.context() as patched:
        patched.setattr(fcntl, "ioctl", refusing)
        workspace = await made(bench, base, "one", REFLINK)
    assert workspace.how is not None
    assert workspace.how.kind is WorkspaceKind.CHECKOUT
    [refused] = workspace.how.refused
    assert "could not be copied" in refused.why
    assert "No space left" in refused.why
    assert seen(workspace.folder) == seen(bench.tree.folder)
    assert outside(bench, workspace, "git", "status", "--porcelain") == b""


async def test_a_store_on_another_disk_is_refused_and_worked_without(bench: Bench) -> None:
    fill(bench)
    with small_disks() as put:
        elsewhere = put(bench.tmp_path / "small")
        store = (await bench.store()).root
        for folders in ((store, elsewhere), (elsewhere, store)):
            refused = (await KindProbe().look(*folders))[WorkspaceKind.REFLINK]
            assert isinstance(refused, KindRefused)
            assert "on another disk" in refused.why
            assert "one disk" in refused.advice
        workspace = await make_workspace(
            bench.git,
            await bench.store(),
            await bench.repository(),
            await bench.snapshot(),
            elsewhere / "one",
            owner=this_process(),
            plan=REFLINK,
        )
        assert isinstance(workspace, Workspace), workspace
        assert workspace.how is not None
        assert workspace.how.kind is WorkspaceKind.CHECKOUT
        assert seen(workspace.folder) == seen(bench.tree.folder)
        gone = await delete_workspace(await bench.store(), workspace.name, this_process())
        assert gone == Deleted()


async def test_subvolumes_that_an_agent_makes_are_captured_and_go_with_the_workspace(
    bench: Bench, disk: Path
) -> None:
    if filesystem_type(str(disk)) != DiskKind.BTRFS:
        pytest.skip("is about subvolumes, which btrfs alone has")
    workspace = await copied(bench, await bench.snapshot(), "one")
    script = (
        "btrfs subvolume create new; btrfs subvolume create new/deep; echo 1 > new/deep/file;"
        " mv src was; btrfs subvolume create src; mv was/* src; mkdir -m 0 new/locked"
    )
    outside(bench, workspace, "sh", "-e", "-c", script)
    store = await bench.store()
    taken = await capture(bench.git, store, workspace, date=1)
    assert isinstance(taken, Captured), taken
    assert set(await bench.files_of(taken.commit)) == {b"README", b"src/a.py", b"new/deep/file"}
    assert await delete_workspace(store, workspace.name, this_process()) == Deleted()
    assert not workspace.folder.exists()
