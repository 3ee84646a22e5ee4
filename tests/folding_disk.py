"""A disk that takes names for one which only case tells apart, as those of macOS and Windows do.

``python -m tests.folding_disk FOLDER BACKING`` shows what lies in one folder at another one, by the
kernel's FUSE protocol, until that is unmounted. A name keeps the spelling that it was made with. As
on shares of Windows (CIFS) a folder has two links whatever it holds, and as on those of VirtualBox
it cannot be forced to a disk.
"""

# It does what programs ask of a disk, path by path.
# ruff: noqa: PTH101, PTH102, PTH104, PTH106, PTH108, PTH115, PTH208, PTH211

from __future__ import annotations

import ctypes
import errno
import os
import signal
import stat
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from attrs import define, field

_HEADER = struct.Struct("<IIQQIIII")
_ANSWER = struct.Struct("<IiQ")
_LARGEST = 128 << 10
_VERSION = (7, 31)
_ROOT = 1
_SIGNAL_OF_PARENTS_DEATH = 1
_SET_MODE, _SET_SIZE, _SET_ATIME, _SET_MTIME = 1, 8, 16, 32
_NOW_ATIME, _NOW_MTIME = 128, 256
_SECOND = 1_000_000_000
_LIKE_SSHFS = "like-sshfs"
"""Of whole seconds, and with the time of the last edit for that of the last change."""
_LINKS_OF_A_FOLDER = 2


@contextmanager
def folding_disk(folder: Path, *, tells_changes: bool = True) -> Iterator[Path]:
    """Put such a disk at a folder where nothing is."""
    backing = folder.with_name(f"{folder.name}.backing")
    for one in (folder, backing):
        one.mkdir(parents=True)
    begun = [sys.executable, "-m", "tests.folding_disk", str(folder), str(backing)]
    if not tells_changes:
        begun.append(_LIKE_SSHFS)
    with subprocess.Popen(begun, stdout=subprocess.PIPE, cwd=Path(__file__).parents[1]) as process:
        assert process.stdout is not None
        said = process.stdout.readline().decode()
        if said != "mounted\n":
            process.wait()
            pytest.skip(f"runs where root may mount a disk of its own (FUSE): {said.strip()}")
        try:
            yield folder
        finally:
            subprocess.run(["umount", "-l", folder], check=True)
            process.wait()


def main(folder: str, backing: str, like: str = "") -> None:
    """Mount it and answer the kernel; who began it and is killed takes it along."""
    ctypes.CDLL(None).prctl(_SIGNAL_OF_PARENTS_DEATH, signal.SIGKILL)
    try:
        device = os.open("/dev/fuse", os.O_RDWR)
        _mount(folder, f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other")
    except OSError as error:
        print(error, flush=True)  # noqa: T201  its answer
        return
    print("mounted", flush=True)  # noqa: T201  its answer
    disk = _Disk({_ROOT: backing}, {backing: _ROOT}, like != _LIKE_SSHFS)
    while True:
        try:
            asked = os.read(device, _LARGEST + 4096)
        except OSError as error:
            if error.errno == errno.ENODEV:
                return
            if error.errno in {errno.EINTR, errno.ENOENT}:
                continue
            raise
        length, opcode, unique, node, *_ = _HEADER.unpack_from(asked)
        answer = disk.answer(opcode, node, asked[_HEADER.size : length])
        if answer is not None:
            code, body = answer
            os.write(device, _ANSWER.pack(_ANSWER.size + len(body), -code, unique) + body)


def _mount(folder: str, options: str) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.mount(b"folding", folder.encode(), b"fuse", 6, options.encode()) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


_Answer = tuple[int, bytes] | None
_Call = Callable[["_Disk", int, bytes], bytes | None]


@define
class _Disk:
    """Nodes by their numbers and the paths behind them; open files by handle."""

    paths: dict[int, str]
    nodes: dict[str, int]
    tells_changes: bool
    listed: dict[int, list[tuple[str, os.stat_result]]] = field(factory=dict)
    last: int = _ROOT

    def answer(self, opcode: int, node: int, body: bytes) -> _Answer:
        if opcode in _SILENT:
            return None
        call = _CALLS.get(opcode)
        if call is None:
            return errno.ENOSYS, b""
        try:
            return 0, call(self, node, body) or b""
        except OSError as error:
            return error.errno or errno.EIO, b""

    def place(self, node: int, name: bytes) -> str:
        """The path of a name in a folder, spelled as it was made."""
        above, wanted = self.paths[node], os.fsdecode(name.rstrip(b"\0"))
        whole = f"{above}/{wanted}"
        if os.path.lexists(whole):
            return whole
        same = [one for one in os.listdir(above) if one.casefold() == wanted.casefold()]
        return f"{above}/{same[0]}" if same else whole

    def new(self, node: int, name: bytes) -> str:
        path = self.place(node, name)
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, "")
        return path

    def entry(self, path: str) -> bytes:
        status = os.lstat(path)
        if path not in self.nodes:
            self.last += 1
            self.nodes[path] = self.last
            self.paths[self.last] = path
        return struct.pack("<QQQQII", self.nodes[path], 0, 0, 0, 0, 0) + self.attributes(status)

    def attributes(self, status: os.stat_result) -> bytes:
        times = (status.st_atime_ns, status.st_mtime_ns, status.st_ctime_ns)
        if not self.tells_changes:
            edited = status.st_mtime_ns // _SECOND * _SECOND
            times = (status.st_atime_ns // _SECOND * _SECOND, edited, edited)
        return _attributes(status, times)

    def forget(self, path: str) -> None:
        for one in [one for one in self.nodes if one == path or one.startswith(path + "/")]:
            self.nodes.pop(one)

    def moved(self, old: str, new: str) -> None:
        self.forget(new)
        for one in [one for one in self.nodes if one == old or one.startswith(old + "/")]:
            number = self.nodes.pop(one)
            where = new + one.removeprefix(old)
            self.nodes[where] = number
            self.paths[number] = where


def _attributes(status: os.stat_result, times: tuple[int, int, int]) -> bytes:
    return struct.pack(
        "<QQQQQQIIIIIIIIII",
        status.st_ino,
        status.st_size,
        status.st_blocks,
        *(time // _SECOND for time in times),
        *(time % _SECOND for time in times),
        status.st_mode,
        _LINKS_OF_A_FOLDER if stat.S_ISDIR(status.st_mode) else status.st_nlink,
        status.st_uid,
        status.st_gid,
        status.st_rdev,
        4096,
        0,
    )


def _init(_disk: _Disk, _node: int, body: bytes) -> bytes:
    _, _, readahead, _ = struct.unpack_from("<IIII", body)
    return struct.pack("<IIIIHHIIHHI28x", *_VERSION, readahead, 0, 16, 12, _LARGEST, 1, 32, 0, 0)


def _lookup(disk: _Disk, node: int, body: bytes) -> bytes:
    return disk.entry(disk.place(node, body))


def _getattr(disk: _Disk, node: int, _body: bytes) -> bytes:
    return struct.pack("<QII", 0, 0, 0) + disk.attributes(os.lstat(disk.paths[node]))


def _setattr(disk: _Disk, node: int, body: bytes) -> bytes:
    valid, _, _, size, _, atime, mtime, _, a_ns, m_ns, _, mode, *_ = struct.unpack(
        "<IIQQQQQQIIIIIIII", body
    )
    path = disk.paths[node]
    if valid & _SET_MODE:
        os.chmod(path, stat.S_IMODE(mode))
    if valid & _SET_SIZE:
        os.truncate(path, size)
    if valid & (_SET_ATIME | _SET_MTIME | _NOW_ATIME | _NOW_MTIME):
        before = os.lstat(path)
        accessed = atime * _SECOND + a_ns if valid & _SET_ATIME else before.st_atime_ns
        modified = mtime * _SECOND + m_ns if valid & _SET_MTIME else before.st_mtime_ns
        if valid & (_NOW_ATIME | _NOW_MTIME):
            os.utime(path, follow_symlinks=False)
        else:
            os.utime(path, ns=(accessed, modified), follow_symlinks=False)
    return _getattr(disk, node, b"")


def _readlink(disk: _Disk, node: int, _body: bytes) -> bytes:
    return os.fsencode(os.readlink(disk.paths[node]))


def _symlink(disk: _Disk, node: int, body: bytes) -> bytes:
    name, target, _ = body.split(b"\0")
    path = disk.new(node, name)
    os.symlink(target, path)
    return disk.entry(path)


def _mknod(disk: _Disk, node: int, body: bytes) -> bytes:
    mode, device, _, _ = struct.unpack_from("<IIII", body)
    path = disk.new(node, body[16:])
    os.mknod(path, mode, device)
    return disk.entry(path)


def _mkdir(disk: _Disk, node: int, body: bytes) -> bytes:
    mode, _ = struct.unpack_from("<II", body)
    path = disk.new(node, body[8:])
    os.mkdir(path)
    os.chmod(path, mode)
    return disk.entry(path)


def _unlink(disk: _Disk, node: int, body: bytes) -> None:
    path = disk.place(node, body)
    os.unlink(path)
    disk.forget(path)


def _rmdir(disk: _Disk, node: int, body: bytes) -> None:
    path = disk.place(node, body)
    os.rmdir(path)
    disk.forget(path)


def _renamed(disk: _Disk, node: int, into: int, names: bytes) -> None:
    old, new, _ = names.split(b"\0")
    source, target = disk.place(node, old), disk.place(into, new)
    if source == target:
        target = f"{disk.paths[into]}/{os.fsdecode(new)}"
    os.rename(source, target)
    disk.moved(source, target)


def _rename(disk: _Disk, node: int, body: bytes) -> None:
    _renamed(disk, node, struct.unpack_from("<Q", body)[0], body[8:])


def _rename2(disk: _Disk, node: int, body: bytes) -> None:
    into, flags, _ = struct.unpack_from("<QII", body)
    if flags:
        raise OSError(errno.EINVAL, "")
    _renamed(disk, node, into, body[16:])


def _link(disk: _Disk, node: int, body: bytes) -> bytes:
    path = disk.new(node, body[8:])
    os.link(disk.paths[struct.unpack_from("<Q", body)[0]], path, follow_symlinks=False)
    return disk.entry(path)


def _opened(handle: int) -> bytes:
    return struct.pack("<QII", handle, 0, 0)


def _open(disk: _Disk, node: int, body: bytes) -> bytes:
    flags, _ = struct.unpack_from("<II", body)
    wanted = flags & (os.O_ACCMODE | os.O_TRUNC | os.O_APPEND)
    return _opened(os.open(disk.paths[node], wanted | os.O_NOFOLLOW))


def _create(disk: _Disk, node: int, body: bytes) -> bytes:
    flags, mode, _, _ = struct.unpack_from("<IIII", body)
    path = disk.place(node, body[16:])
    handle = os.open(path, flags & ~os.O_CLOEXEC | os.O_CREAT | os.O_NOFOLLOW, mode)
    os.fchmod(handle, stat.S_IMODE(mode))
    return disk.entry(path) + _opened(handle)


def _read(_disk: _Disk, _node: int, body: bytes) -> bytes:
    handle, offset, size = struct.unpack_from("<QQI", body)
    return os.pread(handle, size, offset)


def _write(_disk: _Disk, _node: int, body: bytes) -> bytes:
    handle, offset, size = struct.unpack_from("<QQI", body)
    return struct.pack("<II", os.pwrite(handle, body[40 : 40 + size], offset), 0)


def _release(_disk: _Disk, _node: int, body: bytes) -> None:
    os.close(struct.unpack_from("<Q", body)[0])


def _statfs(disk: _Disk, node: int, _body: bytes) -> bytes:
    found = os.statvfs(disk.paths[node])
    return struct.pack(
        "<QQQQQIIII24x",
        found.f_blocks,
        found.f_bfree,
        found.f_bavail,
        found.f_files,
        found.f_ffree,
        found.f_bsize,
        found.f_namemax,
        found.f_frsize,
        0,
    )


def _opendir(disk: _Disk, node: int, _body: bytes) -> bytes:
    path = disk.paths[node]
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    names = sorted(os.listdir(path))
    disk.listed[handle] = [(name, os.lstat(f"{path}/{name}")) for name in names]
    return _opened(handle)


def _readdir(disk: _Disk, _node: int, body: bytes) -> bytes:
    handle, offset, size = struct.unpack_from("<QQI", body)
    found = b""
    for number, (name, status) in enumerate(disk.listed[handle][offset:], offset + 1):
        spelled = os.fsencode(name)
        kind = stat.S_IFMT(status.st_mode) >> 12
        one = struct.pack("<QQII", status.st_ino, number, len(spelled), kind) + spelled
        one += b"\0" * (-len(one) % 8)
        if len(found) + len(one) > size:
            break
        found += one
    return found


def _releasedir(disk: _Disk, node: int, body: bytes) -> None:
    disk.listed.pop(struct.unpack_from("<Q", body)[0])
    _release(disk, node, body)


def _refused(_disk: _Disk, _node: int, _body: bytes) -> None:
    raise OSError(errno.EINVAL, "")


def _nothing(_disk: _Disk, _node: int, _body: bytes) -> None:
    """Say that it is done."""


_SILENT = frozenset({2, 36, 42})
_CALLS: dict[int, _Call] = {
    1: _lookup, 3: _getattr, 4: _setattr, 5: _readlink, 6: _symlink, 8: _mknod, 9: _mkdir,
    10: _unlink, 11: _rmdir, 12: _rename, 13: _link, 14: _open, 15: _read, 16: _write, 17: _statfs,
    18: _release, 20: _nothing, 25: _nothing, 26: _init, 27: _opendir, 28: _readdir,
    29: _releasedir, 30: _refused, 34: _nothing, 35: _create, 45: _rename2,
}  # fmt: skip


if __name__ == "__main__":
    os.umask(0)
    main(*sys.argv[1:])
