"""Files that are still as an application has written them, to take it back exactly.

What git makes of their bytes may have changed with the rules that the application itself brought:
that is no edit of the user's, and must not be merged as one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import anyio.to_thread
from attrs import evolve

from sennit.adapters.git.raw_trees import REGULAR
from sennit.adapters.git.trees import entries_at
from sennit.core.engine.rows import Image
from sennit.core.objects import Entry, GitFailed, Snapshot
from sennit.server.applying.amending import Amended, amended_at, unsaved_in
from sennit.server.applying.comparing import held_digest
from sennit.server.applying.values import Wish
from sennit.server.repositories import Opened
from sennit.server.services import Services


async def with_what_was_written(
    services: Services, opened: Opened, live: Snapshot, wish: Wish, at: int
) -> Amended | GitFailed:
    """Take files that hold exactly what the application wrote for what it meant.

    The paths are those that git reads otherwise.
    """
    if not wish.written:
        return Amended(live)
    (part,) = wish.parts
    meant = await entries_at(services.git, opened.store, part.base_tree, wish.written.keys())
    if isinstance(meant, GitFailed):
        return meant
    read = await entries_at(services.git, opened.store, live.tree, meant.keys())
    if isinstance(read, GitFailed):
        return read
    unsaved = unsaved_in(live)
    changes = {
        path: evolve(entry, id=meant[path].id)
        for path, entry in read.items()
        if _are_files(entry, meant[path])
        and entry.id != meant[path].id
        and await _is_as_written(services, opened, path, wish.written[path], unsaved)
    }
    return await amended_at(services, opened, live, changes, at)


def _are_files(one: Entry, other: Entry) -> bool:
    return one.mode in REGULAR and other.mode in REGULAR


async def _is_as_written(
    services: Services, opened: Opened, path: bytes, image: Image, unsaved: frozenset[bytes]
) -> bool:
    full = os.fsencode(opened.repository.work_tree) + b"/" + path
    if image.in_editor:
        return await held_digest(services, None, full) == image.after_sha256
    return path not in unsaved and (
        await anyio.to_thread.run_sync(_digest, full) == image.after_sha256
    )


def _digest(path: bytes) -> str | None:
    try:
        return sha256(Path(os.fsdecode(path)).read_bytes()).hexdigest()
    except OSError:
        # What cannot be read is not known to be as it was written.
        return None


def images_after(images: tuple[Image, ...]) -> Mapping[bytes, Image]:
    """Give the paths at which an application left a file, and what of it."""
    return {image.path: image for image in images if image.after_sha256 is not None}
