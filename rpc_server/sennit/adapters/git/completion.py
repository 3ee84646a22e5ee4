"""Keeps when a workspace was complete: nothing that it began with is newer, all later work is.

The moment is one by the clock of its disk, and nobody works there before that clock has ticked. So
what an agent does at once, also where times are of whole seconds, has another time than what it
found.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.disk_clock import has_ticked, tells_changes, touched
from sennit.adapters.git.files import in_thread, read_if_there, write_private
from sennit.adapters.git.records import index_file, read_record, since_file, with_those_within

if TYPE_CHECKING:
    from pathlib import Path

    from sennit.adapters.git.store import Store
    from sennit.core.objects import GitFailed

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_TELLS = b"changes"
_FIRST_NS = 1_000_000_000
"""The first time of an index that git heeds."""


async def was_complete(store: Store, name: str) -> GitFailed | None:
    """Say that a workspace is complete now: what is older was not written by its agent."""
    return await in_thread("note when a workspace was complete", _note, store, name)


@frozen
class Completion:
    """When a workspace was complete, in nanoseconds by the clock of its disk.

    ``tells_changes``: whether each later change there has a later time, whatever programs set.
    """

    since_ns: int
    tells_changes: bool


def complete_since(store: Store, name: str) -> Completion:
    """Give when a workspace was complete. Raises OSError."""
    moment, _, tells = (read_if_there(since_file(store, name)) or b"").partition(b" ")
    if moment.isdigit():
        return Completion(int(moment), tells == _TELLS)
    # Noted by nobody: then what is of the very moment of its index may be of either.
    return Completion(index_file(store, name).stat().st_ctime_ns - 1, tells_changes=True)


def _note(store: Store, name: str) -> None:
    record = read_record(store, name)
    if record is None:
        return
    try:
        top = os.open(record.folder, _FOLDER)
    except (FileNotFoundError, NotADirectoryError):
        # A set-up may have removed it, which whoever looks at it next tells.
        return
    try:
        tells = tells_changes(top)
        moment = touched(top)
        for one in with_those_within(store):
            if read_record(one, name) is not None:
                noted = b"%d %s" % (moment, _TELLS if tells else b"edits")
                write_private(since_file(one, name), noted)
                _make_not_later(index_file(one, name), moment if tells else _FIRST_NS)
        has_ticked(top, moment)
    finally:
        os.close(top)


def _make_not_later(index: Path, moment: int) -> None:
    """Have git read files that were written in the last second, though the store's clock is ahead.

    It compares whole seconds, and the time of an index with those of the files that it names. Where
    times tell nothing it reads every one.
    """
    status = index.stat()
    if status.st_mtime_ns > moment:
        os.utime(index, ns=(status.st_atime_ns, moment))
