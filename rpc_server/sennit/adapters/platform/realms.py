"""Where a pid and a start time mean something: on one machine, in one boot, in one namespace.

A container has pids of its own, and may have start times of its own (pid_namespaces(7),
time_namespaces(7)). What was written down elsewhere may be nobody's pid here, or a stranger's.
"""
# The shim loads this module, and importing pathlib would take 10 ms of each start.
# ruff: noqa: PTH115, PTH123

from __future__ import annotations

import os

# `zlib` would do, but this one is built in.
from binascii import crc32

_MACHINE, _BOOT, _PARTS = 0, 1, 4
_UNKNOWN = "0"
_SPELLED_BOOT = 12


def realm() -> str:
    """Name where this process is: pids and start times of two processes compare where it is equal.

    A few words of letters and digits, with dashes between. Empty where there is no ``/proc``.
    """
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip().replace("-", "")[:_SPELLED_BOOT]
        pids = _number(os.readlink("/proc/self/ns/pid"))
    except OSError:
        return ""
    try:
        times = _number(os.readlink("/proc/self/ns/time"))
    except FileNotFoundError:
        # The kernel has one time for all (before Linux 5.6).
        times = _UNKNOWN
    return f"{_machine()}-{boot}-{pids}-{times}"


def is_seen_whole() -> bool:
    """Whether ``/proc`` shows processes by the pids that they have here.

    One that was mounted outside of a container shows those that they have there.
    """
    try:
        return os.readlink("/proc/self") == str(os.getpid())
    except OSError:
        return False


def is_of_this_boot(other: str, here: str) -> bool:
    """Whether what is told of one realm happens under the kernel that also runs the other one."""
    return _parts(other)[_BOOT] == _parts(here)[_BOOT]


def is_of_this_machine(other: str, here: str) -> bool:
    """Whether two realms are known to be of one machine, as machine-id(5) tells machines."""
    machine = _parts(other)[_MACHINE]
    return machine == _parts(here)[_MACHINE] != _UNKNOWN


def _parts(name: str) -> list[str]:
    parts = name.split("-")
    return parts if len(parts) == _PARTS else [_UNKNOWN] * _PARTS


def _number(link: str) -> str:
    """Give what is in the brackets of ``pid:[4026531836]``."""
    return link.rpartition("[")[2].rstrip("]")


def _machine() -> str:
    # Programs should not tell this id to others as it is (machine-id(5)).
    try:
        with open("/etc/machine-id", "rb") as file:
            told = file.read().strip()
    except OSError:
        return _UNKNOWN
    return f"{crc32(b'sennit ' + told):08x}" if told else _UNKNOWN
