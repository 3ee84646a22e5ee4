"""A network of its own for the job: loopback and nothing else."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys

CUT_OFF = "AGENTS_OF_TESTS_CUT_OFF"
"""How far the program has come: `loopback`, then `yes`; or `no` where nothing is allowed."""
_SIOCGIFFLAGS = 0x8913
_SIOCSIFFLAGS = 0x8914
_IFF_UP = 0x1


def cut_off(module: str, *arguments: str) -> bool:
    """Run this program again where only loopback is; gives whether the network is cut off.

    The first call does not return when the machine allows a namespace: the process becomes
    another one, twice. The first time it is root there, to raise loopback; the second time an
    ordinary user, since sandboxes inside sandboxes work for these alone.
    """
    again = [sys.executable, "-m", module, *arguments]
    match os.environ.get(CUT_OFF):
        case None if _allowed():
            os.environ[CUT_OFF] = "loopback"
            os.execvp("unshare", ["unshare", "-rn", *again])  # noqa: S606  no shell is wanted
        case None:
            return False
        case "loopback":
            _raise_loopback()
            os.environ[CUT_OFF] = "yes"
            user = ["--map-user=1000", "--map-group=1000"]
            os.execvp("unshare", ["unshare", *user, *again])  # noqa: S606  as above
        case _:
            pass
    return os.environ.get(CUT_OFF) == "yes"


def _allowed() -> bool:
    return shutil.which("unshare") is not None and subprocess.call(["unshare", "-rn", "true"]) == 0


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        name = b"lo".ljust(16, b"\0")
        told = fcntl.ioctl(any_socket, _SIOCGIFFLAGS, name + bytes(16))
        flags = struct.unpack_from("h", told, 16)[0] | _IFF_UP
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, name + struct.pack("h", flags) + bytes(14))
