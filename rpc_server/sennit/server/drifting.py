"""Notices that the user's repository changes while tasks run; nothing fails for it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import anyio
import anyio.to_thread
from attrs import define, evolve, field, frozen

from sennit.adapters.git.discovery import Repository, Trust
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.git import Git
from sennit.adapters.git.held_up import looked_at
from sennit.adapters.git.names_by_disk import by_disk, without_ignored
from sennit.adapters.git.ref_storage import refs_are_files
from sennit.adapters.git.status import Status, read_status
from sennit.core.engine.events import DriftSeen
from sennit.core.engine.rows import ApplicationRow, BaseRow, RepositoryRef, RunRow, TicketRow
from sennit.core.engine.step_values import Put
from sennit.core.objects import GitFailed
from sennit.core.uris import display
from sennit.server.services import Services
from sennit_protocol.ids import TicketId
from sennit_protocol.states import FINAL_TICKET_STATES, RunState

LOOK_S = 3.0
_MS = 1_000_000
_JUST_MS = 10_000
"""What an application that began so much earlier writes may come now."""
MOST_NAMES = 5


@frozen
class View:
    """What of a repository is compared. ``files`` are those that differ from the index or HEAD."""

    head: str | None
    branch: bytes | None
    refs: str
    config: str
    hooks: str
    files: dict[bytes, tuple[int, int] | None]


@define(eq=False)
class _Watched:
    ticket: TicketId
    repository: RepositoryRef
    before: View
    told: set[str] = field(factory=set)


@define(eq=False)
class DriftWatcher:
    """Looks at the repositories of this server's open tickets, at run ends and now and then."""

    _services: Services
    _watched: dict[str, _Watched] = field(factory=dict, init=False)
    _wake: anyio.Event = field(factory=anyio.Event, init=False)

    async def run(self) -> None:
        """Look until cancelled."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._follow)
            while True:
                with anyio.move_on_after(LOOK_S):
                    await self._wake.wait()
                self._wake = anyio.Event()
                await self._look_at_all()

    async def _follow(self) -> None:
        with self._services.loop.changes() as batches:
            async for batch in batches:
                rows = [change.row for change in batch.changes if isinstance(change, Put)]
                if any(self._is_new_base(row) or _has_ended(row) for row in rows):
                    self._wake.set()

    def _is_new_base(self, row: object) -> bool:
        return (
            isinstance(row, BaseRow) and row.commit is not None and _key(row) not in self._watched
        )

    async def _look_at_all(self) -> None:
        views: dict[str, View | None] = {}
        for key, base in self._bases():
            name = base.repository.key
            if name not in views:
                views[name] = await self._look(base.repository)
            seen = views[name]
            if seen is not None:
                await self._compare(key, base, seen)
        self._forget_settled()

    def _bases(self) -> Iterator[tuple[str, BaseRow]]:
        for base in tuple(self._services.state.rows(BaseRow)):
            ticket = self._services.state.get(TicketRow, base.ticket)
            mine = ticket is not None and ticket.owner == self._services.server
            key = _key(base)
            settled = ticket is None or ticket.state in FINAL_TICKET_STATES
            # A settled ticket is looked at once more: its last run may have ended just now.
            if mine and base.commit is not None and (not settled or key in self._watched):
                yield key, base

    def _forget_settled(self) -> None:
        for key, watched in tuple(self._watched.items()):
            ticket = self._services.state.get(TicketRow, watched.ticket)
            if ticket is None or ticket.state in FINAL_TICKET_STATES:
                del self._watched[key]

    async def _compare(self, key: str, base: BaseRow, seen: View) -> None:
        watched = self._watched.get(key)
        if watched is None:
            since_ns = self._began(base) * _MS
            watched = _Watched(base.ticket, base.repository, as_at_the_base(base, seen, since_ns))
            self._watched[key] = watched
        for kind, message in _differences(watched.before, seen, self._written_by_us(base)):
            if kind in watched.told:
                continue
            watched.told.add(kind)
            await self._services.tell(
                DriftSeen,
                ticket=base.ticket,
                repository=base.repository,
                head_moved=kind == "head",
                message=f"{display(base.repository.top)} changed while tasks ran: {message}",
            )

    def _written_by_us(self, base: BaseRow) -> frozenset[bytes]:
        """What was applied since the ticket began, or was just being applied then."""
        ticket = self._services.state.get(TicketRow, base.ticket)
        began, made = self._began(base) - _JUST_MS, 0 if ticket is None else ticket.made
        return frozenset(
            image.path
            for row in self._services.state.rows(ApplicationRow)
            # The clock may have been set back since.
            if row.repository == base.repository and (row.at >= began or row.made >= made)
            for image in row.images
        )

    def _began(self, base: BaseRow) -> int:
        ticket = self._services.state.get(TicketRow, base.ticket)
        return 0 if ticket is None else ticket.created_at

    async def _look(self, ref: RepositoryRef) -> View | None:
        # No filter of the user is run every few seconds: a file that only a filter makes equal
        # differs in every look in the same way.
        repository = await self._services.repositories.find(ref.top, Trust.UNTRUSTED)
        if not isinstance(repository, Repository):
            return None
        git = self._services.git.configured(repository.neutral)
        top = os.fsencode(repository.work_tree)
        status = await looked_at(top, lambda: _status(git, repository))
        if isinstance(status, GitFailed):
            return None
        listed = await _listed_refs(git, repository)
        if isinstance(listed, GitFailed):
            return None
        return await anyio.to_thread.run_sync(_view, repository, status, listed)


async def _listed_refs(git: Git, repository: Repository) -> bytes | GitFailed | None:
    """Give the refs as git lists them where they are no files; None where their files tell."""
    files = await in_thread("look at HEAD", refs_are_files, repository.git_dir)
    if isinstance(files, GitFailed) or files:
        return files if isinstance(files, GitFailed) else None
    listed = await git.run(["for-each-ref"], repository.place)
    return listed if isinstance(listed, GitFailed) else listed.stdout


async def _status(git: Git, repository: Repository) -> Status | GitFailed:
    place = await by_disk(repository.place)
    if isinstance(place, GitFailed):
        return place
    status = await read_status(git, place)
    if isinstance(status, GitFailed) or place == repository.place:
        return status
    return await without_ignored(git, repository.place, status)


def _key(base: BaseRow) -> str:
    return f"{base.ticket}/{base.repository.key}"


def _has_ended(row: object) -> bool:
    return isinstance(row, RunRow) and row.state is RunState.ENDED


def as_at_the_base(base: BaseRow, seen: View, since_ns: int) -> View:
    """Give the first look without what has changed since the base was taken, at ``since_ns``.

    A file that differs, which the base does not say of it, is a change only where it was written
    since: filters of the user, which no look runs, make files equal too.
    """
    manifest = base.manifest
    if manifest is None:
        return seen
    named = {*manifest.staged, *manifest.modified, *manifest.deleted, *manifest.untracked}
    named |= {one.path for one in manifest.left_out}
    files = {
        path: stamp
        for path, stamp in seen.files.items()
        if path in named or manifest.in_progress or not _is_later(stamp, since_ns)
    }
    return evolve(seen, head=manifest.head, branch=manifest.branch, files=files)


def _is_later(stamp: tuple[int, int] | None, since_ns: int) -> bool:
    return stamp is None or stamp[0] > since_ns


def _differences(before: View, now: View, ours: frozenset[bytes]) -> Iterator[tuple[str, str]]:
    """What has changed, each kind once, with the words for it."""
    moved = (before.head, before.branch) != (now.head, now.branch)
    if moved:
        yield "head", f"HEAD is at {_where(now)} and was at {_where(before)}."
    if before.config != now.config:
        yield "config", "its configuration differs."
    if before.hooks != now.hooks:
        yield "hooks", "its hooks differ."
    if before.refs != now.refs and not moved:
        yield "refs", "branches or tags differ."
    changed = sorted(
        path
        for path in before.files.keys() | now.files.keys()
        if before.files.get(path, _CLEAN) != now.files.get(path, _CLEAN) and path not in ours
    )
    # After a commit or a switch of branches the same paths differ from another commit.
    if changed and not moved:
        yield "files", f"files were saved: {_named(changed)}."


_CLEAN = (0, -1)


def _where(view: View) -> str:
    commit = "no commit" if view.head is None else view.head[:12]
    return commit if view.branch is None else f"{commit} ({display(view.branch)})"


def _named(paths: list[bytes]) -> str:
    more = len(paths) - MOST_NAMES
    names = ", ".join(map(display, paths[:MOST_NAMES]))
    return f"{names} and {more} more" if more > 0 else names


def _view(repository: Repository, status: Status, listed_refs: bytes | None) -> View:
    top = os.fsencode(repository.work_tree)
    paths = [one.path for one in status.tracked] + [one.path for one in status.unmerged]
    common = repository.common_dir
    return View(
        head=status.head,
        branch=status.branch,
        refs=_digest([common / "packed-refs", *_below(common / "refs")])
        if listed_refs is None
        else hashlib.sha256(listed_refs).hexdigest(),
        config=_digest([common / "config", repository.git_dir / "config.worktree"]),
        hooks=_digest(_below(common / "hooks")),
        files={path: _stamp(top + b"/" + path) for path in (*paths, *status.untracked)},
    )


def _below(folder: Path) -> list[Path]:
    return [Path(place) / name for place, _, names in os.walk(folder) for name in sorted(names)]


def _digest(files: Iterable[Path]) -> str:
    told = hashlib.sha256()
    for file in sorted(files):
        told.update(f"{file}\0{_stamp(os.fsencode(file))}\n".encode(errors="surrogateescape"))
    return told.hexdigest()


def _stamp(path: bytes) -> tuple[int, int] | None:
    try:
        status = os.lstat(path)
    except OSError:
        # Away, or not to be looked at: either way not what it was.
        return None
    return status.st_mtime_ns, status.st_size
