"""Processes as the kernel shows them: identity, ancestry, environment, folder; signals to them.

A process is identified by its pid and its start time (clock ticks since boot), because pids
are used again. Across a restart of the machine the boot id has to agree as well.
"""
# The shim loads this module, and importing pathlib would take 10 ms of each start.
# ruff: noqa: PTH115, PTH116, PTH123, PTH208

from __future__ import annotations

import os
import time

from sennit.adapters.platform import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    Sent = Literal["sent", "gone", "refused"]

# Fields of /proc/PID/stat counted after the closing parenthesis of the name (proc(5)).
_STATE, _PARENT, _SESSION, _START = 0, 1, 3, 19
_ENDED = (b"Z", b"X")


class Process:
    """One line of the process table at one instant; `ended` is true for a zombie."""

    __slots__ = ("ended", "parent", "pid", "session", "start")

    def __init__(self, pid: int, stat: bytes) -> None:
        fields = stat[stat.rindex(b")") + 2 :].split()
        self.pid = pid
        self.ended = fields[_STATE] in _ENDED
        self.parent = int(fields[_PARENT])
        self.session = int(fields[_SESSION])
        self.start = int(fields[_START])


def boot_id() -> str:
    """Name of this boot of the machine; another one means that every process recorded is gone."""
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return file.read().strip()


def ticks_now() -> int:
    """Return the present in the unit of start times, rounded down."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))


def process(pid: int) -> Process | None:
    """Return the process with this pid, zombies included, or None."""
    try:
        with open(f"/proc/{pid}/stat", "rb", 0) as file:
            return Process(pid, file.read())
    except (FileNotFoundError, ProcessLookupError):
        return None


def start_time(pid: int) -> int | None:
    """Start time of the process with this pid, or None if there is none."""
    found = process(pid)
    return None if found is None else found.start


def own_start_time() -> int:
    """Start time of this process; 0 where there is no process file system."""
    try:
        with open("/proc/self/stat", "rb", 0) as file:
            return Process(0, file.read()).start
    except FileNotFoundError:
        return 0


def is_alive(pid: int, start: int) -> bool:
    """Whether exactly this process still runs; neither a zombie nor a successor does."""
    found = process(pid)
    return found is not None and not found.ended and found.start == start


def last_pid() -> int:
    """Return the pid that was given out last."""
    with open("/proc/loadavg", "rb", 0) as file:
        return int(file.read().rsplit(None, 1)[1])


def processes() -> Iterator[Process]:
    """Every process that can be seen, zombies included."""
    for name in os.listdir("/proc"):
        if name.isdecimal():
            found = process(int(name))
            if found is not None:
                yield found


def environment(pid: int) -> list[bytes]:
    """Return the entries (b"NAME=value") that the process was started with.

    Empty when they may not be read (another user's process).
    """
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []


def carries(pid: int, marker: bytes) -> bool:
    """Whether the process was started with the environment entry `marker` (b"NAME=value")."""
    return marker in environment(pid)


def works_inside(pid: int, folder: bytes) -> bool:
    """Whether the current folder of the process is `folder` (a real path) or below, also deleted.

    Only processes of this user count: a stranger's shell is not ours to end.
    """
    try:
        if os.stat(f"/proc/{pid}").st_uid != os.geteuid():
            return False
        current = os.readlink(f"/proc/{pid}/cwd".encode())
    except OSError:
        return False
    return current in {folder, folder + b" (deleted)"} or current.startswith(folder + b"/")


def family(root: int, table: list[Process]) -> set[int]:
    """Pids in `table` that descend from the process `root`, without itself."""
    children: dict[int, list[int]] = {}
    for entry in table:
        children.setdefault(entry.parent, []).append(entry.pid)
    found: set[int] = set()
    waiting = [root]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in found:
                found.add(child)
                waiting.append(child)
    return found


def children(pid: int) -> tuple[int, ...]:
    """Pids of the processes that this one started and that it has not reaped; none when it is gone.

    What its other threads started is not among them.
    """
    try:
        with open(f"/proc/{pid}/task/{pid}/children", "rb", 0) as file:
            return tuple(map(int, file.read().split()))
    except ProcessLookupError:
        return ()
    except FileNotFoundError:
        # It is gone, or the kernel was built without these files.
        return tuple(each.pid for each in processes() if each.parent == pid)


def descendants(pid: int) -> tuple[tuple[int, int], ...]:
    """Every living descendant of a process as (pid, start time)."""
    table = list(processes())
    kin = family(pid, table)
    return tuple((each.pid, each.start) for each in table if each.pid in kin and not each.ended)


def carrying(marker: bytes) -> tuple[tuple[int, int], ...]:
    """Every living process that was started with `marker`, as (pid, start time)."""
    return tuple(
        (each.pid, each.start)
        for each in processes()
        if not each.ended and carries(each.pid, marker)
    )


def working_inside(folder: bytes) -> tuple[tuple[int, int], ...]:
    """Every living process of this user whose folder is `folder` or below, as (pid, start time)."""
    return tuple(
        (each.pid, each.start)
        for each in processes()
        if not each.ended and works_inside(each.pid, folder)
    )


def ancestors(pid: int) -> tuple[int, ...]:
    """Pids of parent, grandparent and so on, as far as can be seen."""
    found: list[int] = []
    entry = process(pid)
    while entry is not None and entry.parent > 0:
        found.append(entry.parent)
        entry = process(entry.parent)
    return tuple(found)


def signal_process(pid: int, start: int, number: int) -> Sent:
    """Send a signal to exactly this process: never to a successor of its pid.

    "gone": it does not exist any more; "refused": it belongs to somebody else.
    """
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return "gone"
    try:
        # Read after opening: the start time then speaks of the process behind the handle.
        if not is_alive(pid, start):
            return "gone"
        signals.send(handle, number)
    except ProcessLookupError:
        return "gone"
    except PermissionError:
        return "refused"
    finally:
        os.close(handle)
    return "sent"
