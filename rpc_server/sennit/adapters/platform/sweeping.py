"""Ends every process that belongs to a run, until a scan proves that none is left."""

from __future__ import annotations

import os
import time

from sennit.adapters.platform import signals
from sennit.adapters.platform.processes import (
    ancestors,
    environment,
    family,
    last_pid,
    process,
    processes,
    signal_process,
    works_inside,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from sennit.adapters.platform.processes import Process

UNNAMED = 0
"""Stands among survivors for processes that replace each other faster than they can be named."""

_PAUSE_S = 0.002
_CHASES = 100
_LOOKS = 10


class Quarry:
    """Which processes belong to a run.

    `marks`: the environment entries that they carry, of which the second is unique on this
    machine and the first counts alone only where the second variable is missing. `folder`: real
    path of the workspace; who works inside belongs to the run; None when people work there too.
    `since`: start time (ticks) before which nothing of the run existed; what is older is spared,
    whatever it looks like.
    `root`: pid whose descendants belong to the run, or None. `reaper`: pid and start time of the
    first process of its sandbox, or None: the kernel lets it end last of all inside
    (pid_namespaces(7)), also of those that show no mark any more because they are being killed.
    """

    __slots__ = ("folder", "marks", "reaper", "root", "since", "spared")

    def __init__(
        self,
        marks: tuple[bytes, bytes],
        folder: bytes | None,
        since: int,
        root: int | None,
        reaper: tuple[int, int] | None = None,
    ) -> None:
        self.marks: Final = marks
        self.folder: Final = folder
        self.since: Final = since
        self.root: Final = root
        self.reaper: Final = reaper
        me = os.getpid()
        self.spared: Final = frozenset((me, *ancestors(me)))


class Swept:
    """What a sweep did: pids that were sent a kill, and pids that are still there."""

    __slots__ = ("killed", "survivors")

    def __init__(self, killed: frozenset[int], survivors: tuple[int, ...]) -> None:
        self.killed: Final = killed
        self.survivors: Final = survivors


def belonging(quarry: Quarry) -> dict[int, int]:
    """Living processes of the run: pid → start time."""
    table = list(processes())
    kin = set() if quarry.root is None else family(quarry.root, table)
    return {
        each.pid: each.start
        for each in table
        if not each.ended and (each.pid in kin or _is_marked(each, quarry))
    }


def sweep(quarry: Quarry, limit_ms: int, childless: Callable[[], bool]) -> Swept:
    """Kill what belongs to the run until nothing is left or `limit_ms` have passed.

    `childless` reaps and says whether the caller has no child left; where the caller adopts
    orphans this is the proof. Two empty scans in a row are the best that others can have.
    """
    enough = 1 if quarry.root == os.getpid() else 2
    deadline = time.monotonic() + limit_ms / 1000
    killed: set[int] = set()
    empty = 0
    while True:
        before = last_pid()
        left = belonging(quarry)
        killed |= _killed(left)
        killed |= _chased(quarry, before)
        alone = childless()
        empty = empty + 1 if alone and not left else 0
        if empty == enough:
            return Swept(frozenset(killed), ())
        if time.monotonic() > deadline:
            unnamed = () if alone else (UNNAMED,)
            return Swept(frozenset(killed), tuple(sorted(belonging(quarry))) or unnamed)
        if left:
            time.sleep(_PAUSE_S)


def _killed(found: dict[int, int]) -> set[int]:
    return {
        pid for pid, start in found.items() if signal_process(pid, start, signals.KILL) == "sent"
    }


def _chased(quarry: Quarry, seen: int) -> set[int]:
    """Kill processes that came after `seen` was the newest pid.

    A chain of processes, each of which forks the next and ends, is always elsewhere when a scan
    gets to where it was. Its next link has the newest pid, so it is looked for there.
    """
    killed: set[int] = set()
    for _ in range(_CHASES):
        last = last_pid()
        if last == seen:
            break
        for pid in range(seen + 1 if seen < last else 2, last + 1):
            found = process(pid)
            if found is None or found.ended:
                continue
            if _descends(found, quarry) or _is_marked(found, quarry):
                killed |= _killed({pid: found.start})
        seen = last
    return killed


def _descends(found: Process, quarry: Quarry) -> bool:
    return quarry.root is not None and quarry.root in {found.parent, *ancestors(found.parent)}


def _is_marked(found: Process, quarry: Quarry) -> bool:
    if found.pid in quarry.spared or found.start < quarry.since:
        return False
    if (found.pid, found.start) == quarry.reaper:
        return True
    entries = environment(found.pid)
    name, place = quarry.marks
    if place in entries or (name in entries and not _has(entries, place)):
        return True
    if quarry.folder is None or not works_inside(found.pid, quarry.folder):
        return False
    # Another run in the same workspace ends its own.
    return not _has(_once_started(found.pid, entries), name)


def _once_started(pid: int, entries: list[bytes]) -> list[bytes]:
    """Give the entries of a process, which shows none while a program takes its place."""
    for _ in range(_LOOKS):
        if any(entries):
            break
        time.sleep(_PAUSE_S)
        entries = environment(pid)
    return entries


def _has(entries: list[bytes], like: bytes) -> bool:
    """Whether the variable of the entry `like` is set, to whatever value."""
    variable = like.partition(b"=")[0] + b"="
    return any(each.startswith(variable) for each in entries)
