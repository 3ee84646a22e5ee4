"""Tells whether somebody else has written into the kept checkout, in which nobody works.

Agents without a sandbox can. Every file is looked at, so it is done only once such a one has run;
what is read as the base of a task would else be what another one made of it.
"""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

from sennit.adapters.git.records import index_file, read_record
from sennit.adapters.unconfined import were_unconfined
from sennit.adapters.workspaces.stripping import differing, folders_in
from sennit.core.uris import display

if TYPE_CHECKING:
    from sennit.adapters.git.records import Record
    from sennit.adapters.git.store import Store

logger = logging.getLogger(__name__)

_MOST_NAMED = 20


def meddled_with(store: Store, kept: Record) -> tuple[bytes, ...]:
    """Name paths of the kept checkout that are not as they were written. Raises OSError."""
    if not were_unconfined(store.lives):
        return ()
    index = index_file(store, kept.name).read_bytes()
    folders = folders_in(index, store.object_format)
    found = differing(os.fsencode(kept.folder), folders, _MOST_NAMED)
    if found:
        named = ", ".join(map(display, found))
        logger.warning("Somebody has changed files in %s: %s", kept.folder, named)
    return tuple(found)


def meddled_below(store: Store, name: str) -> tuple[bytes, ...]:
    """Name the same of what a workspace is a layer over; nothing for another workspace."""
    record = read_record(store, name)
    if record is None or not record.lower:
        return ()
    kept = read_record(store, os.path.basename(record.lower))  # noqa: PTH119  a name of ours
    return () if kept is None else meddled_with(store, kept)
