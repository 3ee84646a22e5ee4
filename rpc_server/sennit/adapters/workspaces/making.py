"""Makes workspaces of whatever kind, and makes ready what the next ones are made from."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from attrs import evolve

from sennit.adapters.git.files import in_thread
from sennit.adapters.git.records import write_record
from sennit.adapters.git.workspace import Making, checked_out, make_checkout
from sennit.adapters.workspaces.layers import layered
from sennit.adapters.workspaces.pristine import cloned, prepare_pristine
from sennit.adapters.workspaces.rules import rules_of
from sennit.adapters.workspaces.spares import give_up, new_spare, reuse, spares_of
from sennit.core.objects import GitFailed
from sennit.core.workspace_kinds import Plan, WorkspaceKind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sennit.adapters.git.discovery import Repository
    from sennit.adapters.git.git import Git
    from sennit.adapters.git.records import Owner, Record
    from sennit.adapters.git.store import Store
    from sennit.adapters.git.workspace import Workspace
    from sennit.core.objects import Snapshot

_FROM_PRISTINE = frozenset({WorkspaceKind.REFLINK, WorkspaceKind.OVERLAY})


async def make_workspace(
    git: Git,
    store: Store,
    repository: Repository,
    snapshot: Snapshot,
    folder: Path,
    *,
    owner: Owner,
    plan: Plan,
    include: Sequence[str] = (),
) -> Workspace | GitFailed:
    """Make a workspace as ``make_checkout`` does, of the kind that ``plan`` says."""
    rules = await rules_of(git, repository)
    if isinstance(rules, GitFailed):
        return rules
    fill = partial(_filled, plan=plan, rules=rules)
    return await make_checkout(
        git, store, repository, snapshot, folder, owner=owner, include=include, fill=fill
    )


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
    if plan.new in _FROM_PRISTINE:
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


async def _filled(making: Making, *, plan: Plan, rules: str) -> Record | GitFailed:
    if plan.spare:
        reused = await reuse(making, rules)
        if reused is not None:
            return reused
    filled = await _newly_filled(making, plan.new, rules)
    if isinstance(filled, GitFailed) or filled.lower:
        # A layer is never used again: it holds no checkout that could be brought over.
        return filled
    record = evolve(filled, rules=rules)
    written = await in_thread("write a record", write_record, making.store, record)
    return written if isinstance(written, GitFailed) else record


async def _newly_filled(making: Making, kind: WorkspaceKind, rules: str) -> Record | GitFailed:
    match kind:
        case WorkspaceKind.OVERLAY:
            return await layered(making, rules)
        case WorkspaceKind.REFLINK:
            return await cloned(making, rules)
        case _:
            return await checked_out(making)
