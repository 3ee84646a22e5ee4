"""Who started us: the ancestors of this process, and a handle to await the end of one."""

from __future__ import annotations

import os

from sennit.adapters.platform.processes import process


def ancestors() -> frozenset[int]:
    """List the processes that this one descends from, by pid, as far as they can be seen."""
    seen = os.getppid()
    found = set()
    # Nobody is above 1; 0 is a parent outside of this process namespace.
    while seen > 0 and (ancestor := process(seen)) is not None:
        found.add(seen)
        seen = ancestor.parent
    return frozenset(found)


def open_handle(pid: int) -> int | None:
    """Open a file descriptor that becomes readable when the process ends; ``None``: it is gone.

    The caller closes it. Raises ``OSError`` where the kernel has no such handles.
    """
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return None
