"""Which files of a folder are open in processes of this user, and who works in a folder."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def open_below(folder: Path) -> frozenset[Path]:
    """Give the files below a folder, as a real path, that some process of this user has open.

    Processes that may not be looked at are passed over; where there is no ``/proc`` all are.
    """
    top = f"{folder.resolve()}/"
    found: set[Path] = set()
    for process in Path("/proc").glob("[0-9]*"):
        found.update(Path(name) for name in _open_in(process) if name.startswith(top))
    return frozenset(found)


def at_work_in(folder: Path) -> tuple[int, ...]:
    """Give the other processes of this user that are in a folder, or have anything of it open.

    What may not be looked at is passed over, as in ``open_below``.
    """
    inside = f"{folder.resolve()}/"
    found = [
        int(process.name)
        for process in Path("/proc").glob("[0-9]*")
        if any(f"{name}/".startswith(inside) for name in (*_current(process), *_open_in(process)))
    ]
    return tuple(sorted(set(found) - {os.getpid()}))


def _current(process: Path) -> Iterator[str]:
    with suppress(OSError):
        yield os.readlink(process / "cwd")  # noqa: PTH115  a text, not a path


def _open_in(process: Path) -> Iterator[str]:
    try:
        opened = list((process / "fd").iterdir())
    except OSError:
        # It ended, or it is somebody else's.
        return
    for each in opened:
        # Closed meanwhile, as the listing itself is.
        with suppress(OSError):
            yield os.readlink(each)  # noqa: PTH115  a text, not a path
