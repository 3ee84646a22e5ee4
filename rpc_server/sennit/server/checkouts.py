"""Checkouts of `sennit materialise`: they are the user's, so they are told of and never removed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread

from sennit.adapters.git.collectable import size_of
from sennit.core.counted import counted, spelled_size
from sennit.core.shell_words import shell_word
from sennit.core.uris import display
from sennit.core.views import exact_timestamp
from sennit_protocol.upkeep import DoctorLine, Health, RetainedItem

if TYPE_CHECKING:
    from sennit.server.services import Services

KIND = "checkout"
PREFIX = "look-"
"""Of the names of their folders; what else lies beside them is no checkout."""
_REASON = "of `sennit materialise`, and yours: delete it when you are done with it, in {looks}"


async def checkouts(services: Services) -> tuple[RetainedItem, ...]:
    """Tell of each one that is there, by the name of its folder."""
    return await anyio.to_thread.run_sync(_found, services.folders.looks)


def _found(looks: Path) -> tuple[RetainedItem, ...]:
    folders = sorted(looks.glob(f"{PREFIX}*"))
    return tuple(item for item in map(_item, folders) if item is not None)


def _item(folder: Path) -> RetainedItem | None:
    try:
        made = folder.lstat().st_mtime_ns // 1_000_000
    except FileNotFoundError:
        # Its user has just deleted it.
        return None
    return RetainedItem(
        id=display(os.fsencode(folder.name)),
        kind=KIND,
        bytes=size_of(folder),
        at=exact_timestamp(made),
        reason=_REASON.format(looks=folder.parent),
    )


async def checkouts_line(services: Services) -> DoctorLine | None:
    """Tell `sennit doctor` what they take; None where there are none."""
    items = await checkouts(services)
    if not items:
        return None
    room = spelled_size(sum(item.bytes for item in items))
    looks = services.folders.looks
    word = shell_word(os.fsencode(looks))
    message = (
        f"{counted(len(items), 'checkout')} of `sennit materialise` in {looks}: {room}. What is"
        " there is yours, so that nothing of it is collected."
    )
    advice = f"Delete those that you are done with: rm -r -- {word}/NAME"
    return DoctorLine("workspaces", Health.GOOD, message, advice)
