"""The git engine at work on one repository, as the server calls it."""

from __future__ import annotations

import os
from collections.abc import Awaitable
from pathlib import Path
from typing import TypeVar

import anyio
from attrs import frozen

from sennit.adapters.git.base import take_snapshot
from sennit.adapters.git.capture import Captured, capture
from sennit.adapters.git.discovery import Repository, Trust, discover
from sennit.adapters.git.git import Git, git_for
from sennit.adapters.git.merges import merge_trees
from sennit.adapters.git.store import Store, open_store
from sennit.adapters.git.workspace import Workspace
from sennit.adapters.platform.lives import Owner, owner_of
from sennit.adapters.workspaces.making import make_workspace
from sennit.adapters.workspaces.spares import Room, Spared, release_workspace
from sennit.core.objects import GitFailed, Merged, Snapshot
from sennit.core.workspace_kinds import Plan, WorkspaceKind

Value = TypeVar("Value")
DATE = 1_700_000_000
SPARES, SPARE_BYTES = 64, 1 << 40
AT_ONCE = 4
"""As ``limits.tasks`` is by default."""


@frozen
class Ours:
    """A repository with its store, and the folder in which workspaces are made."""

    git: Git
    repository: Repository
    store: Store
    folder: Path
    owner: Owner
    plan: Plan

    async def snapshot(self) -> Snapshot:
        """What the user sees."""
        return _of(Snapshot, await take_snapshot(self.git, self.store, self.repository))

    async def workspace(self, name: str, base: Snapshot) -> Workspace:
        """Make a workspace, by a folder of an earlier task where one is free."""
        made = await make_workspace(
            self.git,
            self.store,
            self.repository,
            base,
            self.folder / name,
            owner=self.owner,
            plan=self.plan,
        )
        return _of(Workspace, made)

    async def capture(self, workspace: Workspace) -> Captured:
        """Take what a workspace holds."""
        return _of(Captured, await capture(self.git, self.store, workspace, date=DATE))

    async def give_back(self, workspace: Workspace) -> None:
        """Be done with a workspace."""
        room = Room(SPARES, SPARE_BYTES)
        _of(Spared, await release_workspace(self.store, workspace.name, self.owner, room))

    async def merge(self, base: str, ours: str, theirs: str) -> str:
        """Merge three trees."""
        merged = await merge_trees(self.git, self.store, base, ours, theirs, DATE)
        return _of(Merged, merged).tree


async def open_ours(source: Path, state: Path) -> Ours:
    """Open a repository with a new store, whose folder is on the same disk."""
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    plain = git_for("git", os.environ)
    git = Git(plain.program, {**plain.environment, **quiet}, plain.limits)
    repository = _of(Repository, await discover(git, source, Trust.TRUSTED))
    store = _of(Store, await open_store(git, repository, state / "stores"))
    owner = owner_of(os.getpid())
    if owner is None:
        raise SystemExit("This process cannot find itself under /proc.")
    plan = Plan(spare=True, new=WorkspaceKind.CHECKOUT)
    return Ours(git, repository, store, state / "workspaces", owner, plan)


async def at_once(*calls: Awaitable[Value]) -> list[Value]:
    """Do several things, as many at a time as a server does by default."""
    answers: dict[int, Value] = {}
    limit = anyio.CapacityLimiter(AT_ONCE)

    async def one(number: int, call: Awaitable[Value]) -> None:
        async with limit:
            answers[number] = await call

    async with anyio.create_task_group() as group:
        for number, call in enumerate(calls):
            group.start_soon(one, number, call)
    return [answers[number] for number in range(len(calls))]


def _of(kind: type[Value], found: object) -> Value:
    if isinstance(found, GitFailed) or not isinstance(found, kind):
        raise SystemExit(f"The benchmark cannot go on: {found}")
    return found
