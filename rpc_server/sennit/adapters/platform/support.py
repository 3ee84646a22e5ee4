"""Says whether this machine lets us own processes for certain."""
# The shim loads this module, and importing pathlib would take 10 ms of each start.
# ruff: noqa: PTH123

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


class Unsupported:
    """This system cannot do what is asked; `why` is for a person."""

    __slots__ = ("why",)

    def __init__(self, why: str) -> None:
        self.why: Final = why

    def __repr__(self) -> str:
        return f"Unsupported({self.why!r})"


class Supported:
    """Processes can be found, identified and ended for certain."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Supported()"


def process_control(system: str = sys.platform, proc: str = "/proc") -> Supported | Unsupported:
    """Whether programs can be run so that nothing of them escapes.

    `system` is a value of `sys.platform`, `proc` the mount point of the process file system.
    """
    if system != "linux":
        return Unsupported(
            f"Running agents needs Linux (this is {system}): no other system is tested yet. "
            "Reviewing and applying works; to run agents, start the server on Linux, in WSL "
            "or in a container."
        )
    try:
        with open(f"{proc}/self/stat", "rb", 0) as file:
            seen_as = file.read().partition(b" ")[0]
    except OSError as error:
        return Unsupported(
            f"Running agents needs {proc}, which cannot be read here ({error.strerror}): "
            "mount it (`mount -t proc proc /proc`) or allow it in the container."
        )
    if seen_as != b"%d" % os.getpid():
        return Unsupported(
            f"Running agents needs the {proc} of this PID namespace, and the one mounted here is "
            "another's: mount it (`mount -t proc proc /proc`, or `unshare --mount-proc`)."
        )
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError as error:
        return Unsupported(
            f"Running agents needs the system call pidfd_open ({error.strerror}): use Linux 5.3 "
            "or later, and a container profile that allows it."
        )
    return Supported()
