"""Renames folders of a lower layer in every way: `python renames.py CASE...`, where it is mounted.

Each case makes its own claims about what the folder `CASE` of the lower layer has become.
"""
# It says with `os` what programs say, and runs in the mount without the packages of the tests.
# ruff: noqa: PTH102, PTH104, PTH115, PTH118, PTH123, PTH208

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable

NO_REPLACE, EXCHANGE = 1, 2
LIBC = ctypes.CDLL(None, use_errno=True)


def renameat2(old: str, new: str, flags: int) -> int:
    """0 or the number of the error."""
    done = LIBC.renameat2(-100, os.fsencode(old), -100, os.fsencode(new), flags)
    return 0 if done == 0 else ctypes.get_errno()


def refusal(old: str, new: str) -> int | None:
    try:
        os.rename(old, new)
    except OSError as error:
        return error.errno
    return None


def whole(folder: str) -> bool:
    return sorted(os.listdir(folder)) == ["file", "inner", "link"]


def keeps() -> None:
    """Modes, times, attributes and links stay, also of folders that may not be written to."""
    os.setxattr("keeps", "user.colour", b"green")
    before = [os.lstat(os.path.join("keeps", each)) for each in ("", "inner", "file", "link")]
    os.rename("keeps", "kept")
    after = [os.lstat(os.path.join("kept", each)) for each in ("", "inner", "file", "link")]
    for old, new in zip(before, after, strict=True):
        assert (old.st_mode, old.st_mtime_ns) == (new.st_mode, new.st_mtime_ns)
    assert stat.S_IMODE(after[1].st_mode) == 0o555
    assert os.getxattr("kept", "user.colour") == b"green"
    assert os.readlink("kept/link") == "file"
    assert not os.path.lexists("keeps")


def open_files() -> None:
    """Who has a file open goes on writing to it."""
    with open("open_files/file", "a") as file:
        os.rename("open_files", "opened")
        file.write("more")
    with open("opened/file") as file:
        assert file.read() == "textmore"


def replaces() -> None:
    os.mkdir("full")
    with open("full/x", "w"), open("flat", "w"):
        pass
    os.mkdir("empty")
    assert refusal("replaces", "full") == errno.ENOTEMPTY
    assert refusal("replaces", "flat") == errno.ENOTDIR
    assert refusal("replaces", "replaces/inner/below") == errno.EINVAL
    assert refusal("replaces", "nowhere/new") == errno.ENOENT
    assert whole("replaces")
    assert refusal("replaces", "empty") is None
    assert whole("empty")


def flags() -> None:
    os.mkdir("other")
    assert renameat2("flags", "other", NO_REPLACE) == errno.EEXIST
    assert renameat2("flags", "absent", EXCHANGE) == errno.ENOENT
    assert renameat2("flags", "other", EXCHANGE) == 0
    assert (os.listdir("flags"), whole("other")) == ([], True)
    with open("plain", "w"):
        pass
    assert renameat2("plain", "flags2", EXCHANGE) == 0
    assert stat.S_ISREG(os.lstat("flags2").st_mode)
    assert whole("plain")
    assert renameat2("flags3", "fresh", NO_REPLACE) == 0
    assert whole("fresh")


def places() -> None:
    """Paths that are relative to a descriptor, to another folder, and that end in a slash."""
    top = os.open("places", os.O_RDONLY)
    os.rename("inner", "renamed", src_dir_fd=top, dst_dir_fd=top)
    os.chdir("places/renamed")
    os.rename("../../places2/", "../moved/")
    os.chdir("../..")
    assert whole("places/moved")
    os.rename(os.path.abspath("places/moved"), "moved-again")  # noqa: PTH100
    assert whole("moved-again")


def elsewhere() -> None:
    """Another file system is another file system, as everywhere."""
    assert refusal("elsewhere", f"/dev/shm/{os.getpid()}") == errno.EXDEV  # noqa: S108
    assert whole("elsewhere")
    shutil.move("elsewhere", "inside")
    subprocess.run(["mv", "inside", "by-mv"], check=True)
    assert whole("by-mv")


def threads() -> None:
    def go(number: int) -> None:
        os.rename(f"threads/{number}", f"threads/{number}.new")

    running = [threading.Thread(target=go, args=(number,)) for number in range(8)]
    for each in running:
        each.start()
    for each in running:
        each.join()
    assert sorted(os.listdir("threads")) == [f"{number}.new" for number in range(8)]
    assert all(whole(f"threads/{number}.new") for number in range(8))


def signals() -> None:
    """A program that is interrupted all the time renames once, and is told that it has."""
    came = []
    signal.signal(signal.SIGALRM, lambda *_: came.append(1))
    # As Go and most others do it; elsewhere the kernel may say, before anything is done, EINTR.
    signal.siginterrupt(signal.SIGALRM, False)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    os.rename("signals", "signalled")
    os.rename("signalled", "signals")
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert len(os.listdir("signals")) == 300


def killed() -> None:
    """Who asks is killed on the way: every file is still there, in one folder or the other."""
    asking = subprocess.Popen([sys.executable, "-c", "import os; os.rename('killed', 'gone')"])
    deadline = time.monotonic() + 30
    while not os.path.lexists("gone") and asking.poll() is None:
        assert time.monotonic() < deadline
    asking.kill()
    asking.wait()
    while os.path.lexists("killed"):
        assert time.monotonic() < deadline
        time.sleep(0.002)
    assert len(os.listdir("gone")) == 300


def not_ours() -> None:
    """What cannot be moved as a whole stays as a whole."""
    assert refusal("not_ours", "taken") in {errno.EPERM, errno.EACCES}
    assert whole("not_ours")
    assert not os.path.lexists("taken")
    assert stat.S_IMODE(os.lstat("not_ours").st_mode) == 0o500


CASES: tuple[Callable[[], None], ...] = (
    keeps, open_files, replaces, flags, places, elsewhere, threads, signals, killed, not_ours,
)  # fmt: skip

if __name__ == "__main__":
    top = os.getcwd()  # noqa: PTH109
    for case in CASES:
        if case.__name__ in sys.argv:
            os.chdir(top)
            case()
