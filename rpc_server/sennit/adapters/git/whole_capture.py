"""Captures a workspace in which special files lie where git reads files of its own.

A pipe there would make git wait for ever, and a socket or a device would have it take all that is
ignored. None of them holds anything: what the base has at such a path is put back, and the capture
is made anew. Of a pipe that lies elsewhere, what leads git there is put away.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve

from sennit.adapters.git.capture import (
    MESSAGE,
    Capture,
    Captured,
    Unchanged,
    WorkspaceGone,
    capture,
    peek,
)
from sennit.adapters.git.disk import below
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.held_up import RULE_FILES, HeldUp, looked_at, unless_held_up
from sennit.adapters.git.records import index_file, read_record, with_those_within
from sennit.adapters.git.stage import nul_ended
from sennit.adapters.git.workspace import CHECKOUT
from sennit.core.objects import GitFailed, LeftOut, LeftOutReason

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store
    from sennit.adapters.git.workspace import Workspace

_MOST_TRIES = 4
_DETAIL = "neither a file nor a link; it was removed, since git would have read it"
_LEAD = "it leads to {path}, a pipe at which git waits for ever; it was removed"


async def capture_whole(
    git: Git,
    store: Store,
    workspace: Workspace,
    *,
    date: int,
    message: str = MESSAGE,
    litter: Sequence[str] = (),
) -> Capture:
    """Capture as `capture` does; special files that are in the way of that are put away before."""
    root = os.fsencode(workspace.folder)
    put_away: tuple[LeftOut, ...] = ()
    for _ in range(_MOST_TRIES):
        taken = await unless_held_up(
            root,
            lambda: capture(git, store, workspace, date=date, message=message, litter=litter),
        )
        found = _held_up(taken) if isinstance(taken, HeldUp) else _in_place_of_rules(taken)
        if not isinstance(taken, HeldUp) and not found:
            return _telling(taken, put_away)
        failed = await _put_right(git, store, workspace, [one.path for one in found])
        if failed is not None:
            return failed
        put_away += found
    names = ", ".join(os.fsdecode(one.path) for one in put_away)
    said = f"something goes on to make special files where git reads its own: {names}"
    return GitFailed("capture a workspace", None, said, "End what still runs there.")


async def peek_whole(
    git: Git, store: Store, workspace: Workspace
) -> str | WorkspaceGone | GitFailed:
    """Look as `peek` does; while an agent is at work nothing is put away."""
    return await looked_at(os.fsencode(workspace.folder), lambda: peek(git, store, workspace))


def _held_up(held: HeldUp) -> tuple[LeftOut, ...]:
    leads = {pipe.lead: pipe.path for pipe in held.pipes}
    return tuple(_special(lead, path) for lead, path in leads.items())


def _special(lead: bytes, path: bytes) -> LeftOut:
    detail = _DETAIL if path == lead else _LEAD.format(path=os.fsdecode(path))
    return LeftOut(lead, LeftOutReason.SPECIAL_FILE, detail)


def _in_place_of_rules(taken: Capture) -> tuple[LeftOut, ...]:
    match taken:
        case Captured(left_out=left_out) | Unchanged(left_out=left_out):
            special = (one.path for one in left_out if one.reason is LeftOutReason.SPECIAL_FILE)
            rules = (path for path in special if path.rpartition(b"/")[2] in RULE_FILES)
            return tuple(_special(path, path) for path in rules)
        case WorkspaceGone() | GitFailed():
            return ()


def _telling(taken: Capture, put_away: tuple[LeftOut, ...]) -> Capture:
    match taken:
        case Captured() | Unchanged():
            return evolve(taken, left_out=taken.left_out + put_away)
        case WorkspaceGone() | GitFailed():
            return taken


async def _put_right(
    git: Git, store: Store, workspace: Workspace, paths: Sequence[bytes]
) -> GitFailed | None:
    """Remove special files, and put back what the base has there: its rules hold on."""
    root = workspace.folder
    removed = await in_thread("remove special files", _remove, os.fsencode(root), paths)
    if isinstance(removed, GitFailed):
        return removed
    for one in with_those_within(store):
        record = read_record(one, workspace.name)
        if record is None:
            continue
        above = os.fsencode(record.folder) + b"/"
        full = (below(os.fsencode(root), path) for path in paths)
        mine = [path.removeprefix(above) for path in full if path.startswith(above)]
        failed = await _put_back(git, one, record.folder, index_file(one, workspace.name), mine)
        if failed is not None:
            return failed
    return None


def _remove(root: bytes, paths: Iterable[bytes]) -> None:
    for path in paths:
        Path(os.fsdecode(below(root, path))).unlink(missing_ok=True)


async def _put_back(
    git: Git, store: Store, folder: Path, index: Path, paths: Sequence[bytes]
) -> GitFailed | None:
    place = store.over(folder, index)
    if not paths:
        return None
    listed = await git.run(["ls-files", "-z", "--", *paths], place)
    if isinstance(listed, GitFailed) or not listed.stdout:
        return listed if isinstance(listed, GitFailed) else None
    known = [path for path in listed.stdout.split(b"\0") if path]
    asked = ["checkout-index", "-q", "-f", "-z", "--stdin"]
    quiet = git.configured(store.neutral)
    done = await quiet.run(asked, place, stdin=nul_ended(known), config=CHECKOUT)
    return done if isinstance(done, GitFailed) else None
