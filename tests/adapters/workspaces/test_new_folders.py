"""A folder that an agent made something else of than a new one would be there is not used again."""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from sennit.adapters.git.delete import Deleted, Kept, NotDeleted, delete_workspace
from sennit.adapters.workspaces.spares import Spared, spares_of
from tests.adapters.git.bench import Bench, this_process
from tests.adapters.workspaces.test_spares import assert_as_new, inode, made, released

pytestmark = pytest.mark.anyio

# FS_IOC_GETFLAGS and FS_IOC_SETFLAGS of linux/fs.h for longs of 64 bits, and three flags.
GET_FLAGS, SET_FLAGS = 0x80086601, 0x40086602
FLAGS = struct.Struct("@I4x")
APPEND_ONLY, NO_DUMP, NO_TIMES_OF_USE = 0x20, 0x40, 0x80


def _put_bytes(folder: Path) -> None:
    os.setxattr(folder, "user.secret", b"of the earlier task")


def _pass_on_flags(folder: Path) -> None:
    set_flags(folder, NO_DUMP | NO_TIMES_OF_USE)


def _give_to_another_group(folder: Path) -> None:
    others = set(os.getgroups()) - {os.getegid()} or ({1} if os.geteuid() == 0 else set())
    if not others:
        pytest.skip("runs where this user is in two groups, or is root")
    os.chown(folder, -1, others.pop())


LEFT: dict[str, Callable[[Path], None]] = {
    "bytes": _put_bytes,
    "flags": _pass_on_flags,
    "a group": _give_to_another_group,
}


def set_flags(folder: Path, flags: int) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        found = bytearray(FLAGS.size)
        fcntl.ioctl(handle, GET_FLAGS, found)
        fcntl.ioctl(handle, SET_FLAGS, FLAGS.pack(FLAGS.unpack(found)[0] | flags))
    except OSError as error:
        pytest.skip(f"runs where the disk of TMPDIR has flags and this user may set them: {error}")
    finally:
        os.close(handle)


def unset_flags(folder: Path, flags: int) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        found = bytearray(FLAGS.size)
        fcntl.ioctl(handle, GET_FLAGS, found)
        fcntl.ioctl(handle, SET_FLAGS, FLAGS.pack(FLAGS.unpack(found)[0] & ~flags))
    finally:
        os.close(handle)


def flags_of(folder: Path) -> int:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        found = bytearray(FLAGS.size)
        fcntl.ioctl(handle, GET_FLAGS, found)
    except OSError:
        return 0
    finally:
        os.close(handle)
    return int(FLAGS.unpack(found)[0]) & 0xFF


@pytest.mark.parametrize("where", ["src", "."])
@pytest.mark.parametrize("left", LEFT)
async def test_what_is_kept_with_a_folder_does_not_stay(
    bench: Bench, left: str, where: str
) -> None:
    first = await made(bench, "one")
    new = _kept_with(first.folder / where)
    LEFT[left](first.folder / where)
    assert _kept_with(first.folder / where) != new
    done = await released(bench, "one")
    # All but the top folder can be made anew.
    assert isinstance(done, Deleted if where == "." else Spared)
    second = await made(bench, "two")
    assert _kept_with(second.folder / where) == new
    await assert_as_new(bench, second)


def _kept_with(folder: Path) -> tuple[list[str], int, int, int]:
    status = folder.stat()
    return os.listxattr(folder), flags_of(folder), status.st_uid, status.st_gid


async def test_a_folder_in_which_nothing_can_be_removed_is_named_and_not_used(bench: Bench) -> None:
    bench.tree.write("src/b.py", "b = 1\n")
    bench.tree.commit()
    first = await made(bench, "one")
    folder = inode(first.folder)
    set_flags(first.folder / "src", APPEND_ONLY)
    (first.folder / "src/new").touch()
    try:
        done = await released(bench, "one")
        assert isinstance(done, NotDeleted)
        assert done.reason is Kept.NOT_REMOVABLE
        assert inode((await made(bench, "two")).folder) != folder
    finally:
        [left] = (bench.tmp_path / "work spaces").rglob("src/new")
        unset_flags(left.parent, APPEND_ONLY)


async def test_a_workspace_that_cannot_be_moved_leaves_no_spare_behind(bench: Bench) -> None:
    first, store = await made(bench, "one"), await bench.store()
    set_flags(first.folder, APPEND_ONLY)
    try:
        done = await released(bench, "one")
        assert isinstance(done, NotDeleted)
        assert spares_of(store) == []
        assert not list(store.records.glob("spare-*"))
    finally:
        unset_flags(first.folder, APPEND_ONLY)
    assert await delete_workspace(store, "one", this_process()) == Deleted()
