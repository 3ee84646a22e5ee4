"""Makes workspaces of whatever kind, and makes ready what the next ones are made from."""

from __future__ import annotations

import logging
from types import MappingProxyType
from typing import TYPE_CHECKING

from attrs import define, evolve

from sennit.adapters.git.files import in_thread
from sennit.adapters.git.records import write_record
from sennit.adapters.git.workspace import Making, checked_out, make_checkout
from sennit.adapters.workspaces.layers import Unlayered, layered
from sennit.adapters.workspaces.pristine import NotCloned, cloned, prepare_pristine
from sennit.adapters.workspaces.rules import rules_of
from sennit.adapters.workspaces.spares import give_up, new_spare, reuse, spares_of
from sennit.core.objects import GitFailed
from sennit.core.workspace_kinds import How, Plan, Refusal, WorkspaceKind, instead_of_layers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sennit.adapters.git.discovery import Repository
    from sennit.adapters.git.git import Git
    from sennit.adapters.git.records import Record
    from sennit.adapters.git.store import Store
    from sennit.adapters.git.workspace import Workspace
    from sennit.adapters.platform.lives import Owner
    from sennit.core.objects import Snapshot
    from sennit.core.workspace_kinds import Found

logger = logging.getLogger(__name__)

FROM_PRISTINE = frozenset({WorkspaceKind.REFLINK, WorkspaceKind.OVERLAY})
"""Kinds of workspaces that need the kept checkout."""


async def make_workspace(
    git: Git,
    store: Store,
    repository: Repository,
    snapshot: Snapshot,
    folder: Path,
    *,
    owner: Owner,
    plan: Plan,
    found: Found = MappingProxyType({}),
    include: Sequence[str] = (),
) -> Workspace | GitFailed:
    """Make a workspace as ``make_checkout`` does, of the kind that ``plan`` says.

    Where a layer cannot be had this time it is made in the next way that works by ``found``. What
    became of it is told in `Workspace.how`.
    """
    rules = await rules_of(git, repository)
    if isinstance(rules, GitFailed):
        return rules
    filling = _Filling(plan, found, rules)
    made = await make_checkout(
        git, store, repository, snapshot, folder, owner=owner, include=include, fill=filling.fill
    )
    if isinstance(made, GitFailed):
        return made
    return evolve(made, how=filling.how, meddled=filling.meddled)


async def prepare(
    git: Git,
    store: Store,
    repository: Repository,
    snapshot: Snapshot,
    workspaces: Path,
    *,
    owner: Owner,
    plan: Plan,
) -> GitFailed | None:
    """Make ready what the next workspace is made from: the kept checkout, or one spare folder."""
    quiet = git.configured(repository.neutral)
    rules = await rules_of(git, repository)
    if isinstance(rules, GitFailed):
        return rules
    if plan.new in FROM_PRISTINE:
        return await prepare_pristine(quiet, store, snapshot, rules)
    there = await in_thread("look for a spare", spares_of, store)
    if isinstance(there, GitFailed) or there or not plan.spare:
        return there if isinstance(there, GitFailed) else None
    new = Plan(spare=False, new=plan.new)
    folder = new_spare(workspaces)
    made = await make_workspace(git, store, repository, snapshot, folder, owner=owner, plan=new)
    if isinstance(made, GitFailed):
        return made
    return await in_thread("keep a spare", give_up, store, folder.name)


@define
class _Filling:
    """Fills one folder, and knows afterwards how."""

    _plan: Plan
    _found: Found
    _rules: str
    how: How | None = None
    meddled: tuple[bytes, ...] = ()

    async def fill(self, making: Making) -> Record | GitFailed:
        """Fill the folder in the way of the plan, or in the next one."""
        if self._plan.new is WorkspaceKind.OVERLAY:
            made = await layered(making, self._rules, self._hear)
            if not isinstance(made, Unlayered):
                # A layer is never used again: it holds no checkout that could be brought over.
                self.how = How(WorkspaceKind.OVERLAY, self._plan.refused)
                return made
            logger.info("%s is no layer: %s", making.record.name, made.why)
            self._plan = instead_of_layers(self._plan, self._found, made.why)
        if self._plan.spare:
            reused = await reuse(making, self._rules)
            if reused is not None:
                self.how = How(WorkspaceKind.POOL, self._plan.refused)
                return reused
        return await self._newly_filled(making)

    def _hear(self, meddled: tuple[bytes, ...]) -> None:
        self.meddled = meddled

    async def _newly_filled(self, making: Making) -> Record | GitFailed:
        kind, refused = self._plan.new, self._plan.refused
        filled: Record | NotCloned | GitFailed
        if kind is WorkspaceKind.REFLINK:
            filled = await cloned(making, self._rules, self._hear)
        else:
            filled = await checked_out(making)
        if isinstance(filled, NotCloned):
            refused += (Refusal(kind, filled.why),)
            kind, filled = WorkspaceKind.CHECKOUT, await checked_out(making)
        if isinstance(filled, GitFailed):
            return filled
        self.how = How(kind, refused)
        record = evolve(filled, rules=self._rules)
        written = await in_thread("write a record", write_record, making.store, record)
        return written if isinstance(written, GitFailed) else record
