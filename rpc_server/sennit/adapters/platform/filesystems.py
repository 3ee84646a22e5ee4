"""Tells on what kind of file system a path lies, and where one ends and another begins."""

from __future__ import annotations

import os
import re
import struct

from sennit.adapters.platform.statx import EMPTY_PATH, statx

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# What the kernel calls file systems whose locks or shared memory SQLite cannot rely on.
_NETWORK = frozenset(
    """
    9p afs beegfs ceph cifs coda davfs drvfs gfs2 glusterfs gpfs lustre ncpfs nfs nfs4 ocfs2
    orangefs prl_fs pvfs2 smb3 smbfs vboxsf
    fuse.cephfs fuse.davfs fuse.gcsfuse fuse.glusterfs fuse.rclone fuse.s3fs fuse.smbnetfs
    fuse.sshfs
    """.split()  # noqa: SIM905  thirty quoted words are harder to read
)
# proc(5) on mountinfo: space, tab, newline and backslash are written as three octal digits.
_ESCAPE = re.compile(rb"\\([0-7]{3})")
_MOUNT_POINT = 4
_MOUNT_OF_FILE = b"mnt_id:"
# STATX_MNT_ID of linux/stat.h, from Linux 5.8 on, and where it is in the answer.
_MOUNT_ASKED = 0x1000
_MOUNT = struct.Struct("=Q")
_MOUNT_AT = 144
NO_NAMES = "no file can be made there, since no inode is left"
"""What is said of a disk that has room and no more names."""


def filesystem_type(path: str, mounts: str = "/proc/self/mountinfo") -> str:
    """The kernel's name of the file system that holds a path, such as ``ext4`` or ``nfs4``.

    Empty when the table of mounts does not tell. Raises OSError when it cannot be read.
    """
    real = os.fsencode(os.path.realpath(path))
    best, name = -1, b""
    for point, kind in _mounts(mounts):
        # Of two mounts on one folder the later one hides the earlier.
        if _holds(point, real) and len(point) >= best:
            best, name = len(point), kind
    return name.decode("ascii", "replace")


def is_network(kind: str) -> bool:
    """Whether a file system of that kind is shared between machines, by a network."""
    return kind in _NETWORK


def is_shared_by_machines(kind: str) -> bool:
    """Whether more than one kernel may write to a file system of that kind at once.

    Also where it is not known: what is behind FUSE, or behind the host of a virtual machine.
    """
    return not kind or is_network(kind) or kind == "virtiofs" or kind.startswith("fuse.")


def mount_of(descriptor: int) -> int | None:
    """The mount that an open file lies on: a bind mount is another one of the same file system.

    None where the system does not tell, neither so nor by proc(5), fdinfo.
    """
    found = statx(descriptor, b"", EMPTY_PATH, _MOUNT_ASKED)
    if found is not None:
        return int(_MOUNT.unpack_from(found, _MOUNT_AT)[0])
    try:
        with open(f"/proc/self/fdinfo/{descriptor}", "rb") as lines:  # noqa: PTH123  as below
            for line in lines:
                if line.startswith(_MOUNT_OF_FILE):
                    return int(line.removeprefix(_MOUNT_OF_FILE))
    except FileNotFoundError:
        return None
    return None


def on_one_mount(one: int, other: int) -> bool:
    """Tell whether two open folders are of one mount, so that nothing is mounted between them.

    Devices say too much and too little: a subvolume of btrfs has one of its own and is no mount,
    and a bind mount of the same disk has the same one. They have to do where mounts are not told.
    """
    mounts = mount_of(one), mount_of(other)
    if None in mounts:
        return os.fstat(one).st_dev == os.fstat(other).st_dev
    return mounts[0] == mounts[1]


def mounts_below(folder: bytes, mounts: str = "/proc/self/mountinfo") -> frozenset[bytes]:
    """Give what things are mounted at below a folder, files too, each by its path from there.

    Empty where the system has no table of mounts.
    """
    top = os.path.realpath(folder).rstrip(b"/") + b"/"
    try:
        points = [point for point, _ in _mounts(mounts)]
    except FileNotFoundError:
        return frozenset()
    return frozenset(point.removeprefix(top) for point in points if point.startswith(top)) - {b""}


def no_file_can_be_made(folder: str | os.PathLike[str]) -> bool:
    """Tell whether the disk of a folder has all the files that it can have.

    Some give each as many as there is room for, and count none. Raises OSError.
    """
    found = os.statvfs(folder)
    return found.f_files > 0 and found.f_favail == 0


def _holds(point: bytes, path: bytes) -> bool:
    return path == point or path.startswith(point.rstrip(b"/") + b"/")


def _mounts(table: str) -> Iterator[tuple[bytes, bytes]]:
    with open(table, "rb") as lines:  # noqa: PTH123  this package imports built-in parts only
        for line in lines:
            before, _, after = line.partition(b" - ")
            point = before.split(b" ")[_MOUNT_POINT]
            yield _ESCAPE.sub(lambda m: bytes([int(m[1], 8)]), point), after.split(b" ", 1)[0]
