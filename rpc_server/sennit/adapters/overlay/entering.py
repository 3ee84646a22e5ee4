"""Starts a program where a workspace is mounted: `python -I -S -P entering.py KEEPS PATHS... ARGV`.

PATHS are those of `Layers.paths`: LOWER, UPPER, WORK, LOCK. KEEPS is 1 for a program that makes a
sandbox inside and gives up itself what a namespace allows, 0 for one that is to have nothing of it.
The mount is gone with the last process that was started here.
"""
# Importing pathlib would take 10 ms of each start; what can be imported depends on sys.path.
# ruff: noqa: PLC0415, PTH100, PTH109, PTH120

from __future__ import annotations

import os
import sys

NOT_MOUNTED = "The workspace could not be mounted: "
_FAILED = 125


def main() -> None:
    """Mount and become the program; never returns."""
    here = os.path.abspath(__file__)
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(here)))))
    keeps, *arguments = map(os.fsencode, sys.argv[1:])
    lower, upper, work, lock, *argv = arguments
    try:
        enter(lower, upper, work, lock)
        if keeps == b"0":
            from sennit.adapters.platform.namespaces import give_up_capabilities

            give_up_capabilities()
    except OSError as error:
        said = f"{NOT_MOUNTED}{error.strerror} ({error.filename}).\n"
        os.write(2, said.encode())
        os._exit(_FAILED)
    become(argv)


def become(argv: list[bytes]) -> None:
    """Be the program from now on; never returns."""
    try:
        os.execve(argv[0], argv, os.environb)  # noqa: S606  an argv list without a shell is the point
    except OSError as error:
        said = f"{os.fsdecode(argv[0])} cannot be started: {error.strerror}.\n"
        os.write(2, os.fsencode(said))
    os._exit(_FAILED)


def enter(lower: bytes, upper: bytes, work: bytes, lock: bytes) -> None:
    """Mount the workspace for this process and be in its folder again. Raises OSError.

    ``lock`` is held, shared, by all that inherits the descriptor.
    """
    import fcntl

    from sennit.adapters.platform import kinship, namespaces, signals

    parent, folder = os.getppid(), os.getcwdb()
    held = os.open(lock, os.O_RDONLY)
    # Others hold it for themselves no longer than it takes to see whether somebody does.
    fcntl.flock(held, fcntl.LOCK_SH)
    os.set_inheritable(held, True)
    namespaces.enter()
    # The kernel may forget the tie when a process enters a namespace.
    if not kinship.die_with_parent(signals.KILL, parent):
        os._exit(_FAILED)
    namespaces.mount_overlay(lower, upper, work, upper)
    # The current folder is still the one that the mount hides.
    os.chdir(folder)


if __name__ == "__main__":
    main()
