"""``TakeBase``: what the user sees, or the last commit, becomes a commit of the store."""

from __future__ import annotations

import os
from collections.abc import Sequence

from attrs import evolve

from sennit.adapters.git.base import take_snapshot
from sennit.adapters.git.durable import keep_on_disk
from sennit.adapters.git.head import head_snapshot
from sennit.adapters.git.held_up import looked_at
from sennit.adapters.git.promised import need_promised
from sennit.core.engine.commands import TakeBase
from sennit.core.engine.events import BaseFailed, BaseTaken, Event
from sennit.core.engine.rows import OpenDocumentRow
from sennit.core.engine.step_values import Issued
from sennit.core.objects import GitFailed, LeftOut, LeftOutReason, OpenDocument, Snapshot
from sennit.core.views import exact_timestamp
from sennit.runtime.ports import Report
from sennit.server.failures import git_failure
from sennit.server.open_documents import below, relative_to
from sennit.server.repositories import Opened
from sennit.server.services import Services
from sennit_protocol.tasks import BaseKind


async def take_base(services: Services, issued: Issued, _report: Report) -> Event:
    """Take the base and keep it from being collected."""
    command: TakeBase = issued.command
    snapshot = await _snapshot(services, command)
    if isinstance(snapshot, GitFailed):
        return services.event(
            BaseFailed,
            issued.id,
            base=command.base,
            ticket=command.ticket,
            failure=git_failure(snapshot),
        )
    return services.event(
        BaseTaken,
        issued.id,
        base=command.base,
        ticket=command.ticket,
        repository=command.repository,
        commit=snapshot.commit,
        tree=snapshot.tree,
        manifest=snapshot.manifest,
    )


async def _snapshot(services: Services, command: TakeBase) -> Snapshot | GitFailed:
    now = services.clock.now_ms()
    opened = await services.repositories.open(command.repository, exact_timestamp(now))
    if isinstance(opened, GitFailed):
        return opened
    if command.kind is BaseKind.HEAD:
        snapshot = await head_snapshot(services.git, opened.store, opened.repository)
    else:
        seen = services.seen.get(command.ticket)
        documents = below(command.repository.top, seen.documents.values() if seen else ())
        snapshot = await live_base(services, opened, documents)
    if isinstance(snapshot, GitFailed):
        return snapshot
    failed = await need_promised(services.git, opened.store, opened.repository, snapshot)
    if failed is not None:
        return failed
    name = f"bases/{command.base}"
    failed = await keep_on_disk(opened.store, name, snapshot.commit)
    return snapshot if failed is None else failed


async def live_base(
    services: Services, opened: Opened, documents: tuple[OpenDocument, ...]
) -> Snapshot | GitFailed:
    """As ``live_snapshot``; its manifest also tells what other editors hold newer texts of."""
    elsewhere = unsaved_elsewhere(services, documents, opened)
    snapshot = await live_snapshot(services, opened, documents)
    return snapshot if isinstance(snapshot, GitFailed) else _told(snapshot, elsewhere)


def _told(snapshot: Snapshot, elsewhere: frozenset[bytes]) -> Snapshot:
    """Say in the manifest which texts are those of the disk while another editor holds newer."""
    detail = "unsaved in another editor; the text on the disk was taken"
    left_out = tuple(
        LeftOut(path, LeftOutReason.UNSAVED_ELSEWHERE, detail) for path in sorted(elsewhere)
    )
    manifest = evolve(snapshot.manifest, left_out=snapshot.manifest.left_out + left_out)
    return evolve(snapshot, manifest=manifest)


async def live_snapshot(
    services: Services, opened: Opened, documents: tuple[OpenDocument, ...]
) -> Snapshot | GitFailed:
    """What the user sees now, with these buffers; those unsaved in other editors are left out."""
    elsewhere = unsaved_elsewhere(services, documents, opened)
    return await looked_at(
        os.fsencode(opened.repository.work_tree),
        lambda: take_snapshot(
            services.git,
            opened.store,
            opened.repository,
            documents,
            unsaved_elsewhere=elsewhere,
        ),
    )


def unsaved_elsewhere(
    services: Services, documents: Sequence[OpenDocument], opened: Opened
) -> frozenset[bytes]:
    """Paths, relative to the repository, that are open and unsaved in another server's editor."""
    top = os.fsencode(opened.repository.work_tree)
    mine = {document.path for document in documents}
    elsewhere = (
        relative_to(top, row.path)
        for row in services.state.rows(OpenDocumentRow)
        if row.server != services.server
    )
    return frozenset(path for path in elsewhere if path is not None and path not in mine)
