"""``textDocument/publishDiagnostics`` for conflicts; ``workspace/codeLens/refresh`` beside it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import anyio
from attrs import define, field

from sennit.core.conflict_views import conflict_message
from sennit.core.engine.rows import ProposalRow, RevisionRow
from sennit.core.engine.step_values import Change, Delete, Put
from sennit.core.objects import Conflict
from sennit.core.uris import file_uri
from sennit.server import lsp_names
from sennit.server import lsp_words as types
from sennit.server.lsp.pending import pending_revisions
from sennit.server.open_documents import open_buffers, path_of, relative_to
from sennit.server.services import Services
from sennit_protocol.states import ApplicationState

SOURCE = "sennit"
QUIET_S = 0.1
REFRESH_S = 5.0

_RESOLVED = frozenset({ApplicationState.APPLIED, ApplicationState.PARTLY_APPLIED})

Shown: TypeAlias = "dict[str, tuple[types.Diagnostic, ...]]"


@define(eq=False)
class ConflictsShown:
    """Follows proposals: shows their conflicts, clears them, and has lenses asked for anew."""

    _services: Services
    _shown: Shown = field(factory=dict, init=False)

    async def run(self) -> None:
        """Follow the state until cancelled."""
        async with anyio.create_task_group() as group:
            with self._services.loop.changes() as batches:
                async for batch in batches:
                    if _concerns_proposals(batch.changes):
                        self._show()
                        group.start_soon(self._refresh)
                        await anyio.sleep(QUIET_S)

    def _show(self) -> None:
        now = self._wanted()
        for uri in {*self._shown, *now}:
            if self._shown.get(uri, ()) != now.get(uri, ()):
                self._services.connection.notify(
                    lsp_names.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS,
                    types.PublishDiagnosticsParams(uri=uri, diagnostics=list(now.get(uri, ()))),
                )
        self._shown = now

    def _wanted(self) -> Shown:
        buffers = open_buffers(self._services.connection, self._services.told)
        found: dict[str, list[types.Diagnostic]] = {}
        for revision in pending_revisions(self._services):
            if revision.application in _RESOLVED:
                continue
            for conflict in revision.conflicts:
                path = revision.repository.top + b"/" + conflict.path
                if self._is_here(path):
                    buffer = buffers.get(path)
                    uri = file_uri(path) if buffer is None else buffer.uri
                    found.setdefault(uri, []).append(_diagnostic(revision, conflict))
        return {uri: tuple(diagnostics) for uri, diagnostics in found.items()}

    def _is_here(self, path: bytes) -> bool:
        """Whether a file belongs to this window: other windows show their own conflicts."""
        folders = (path_of(folder.uri) for folder in self._services.connection.client.folders)
        return any(
            folder is not None and relative_to(folder.rstrip(b"/"), path) is not None
            for folder in folders
        )

    async def _refresh(self) -> None:
        if self._services.connection.client.abilities.code_lens_refresh:
            await self._services.connection.request(
                lsp_names.WORKSPACE_CODE_LENS_REFRESH, None, REFRESH_S
            )


def _concerns_proposals(changes: Iterable[Change]) -> bool:
    for change in changes:
        match change:
            case Put(row=RevisionRow() | ProposalRow()):
                return True
            case Delete(table=table) if table in {RevisionRow, ProposalRow}:
                return True
            case _:
                continue
    return False


def _diagnostic(revision: RevisionRow, conflict: Conflict) -> types.Diagnostic:
    region = next(iter(conflict.regions), None)
    first = 0 if region is None else region.base_start
    last = first if region is None else first + region.base_count
    return types.Diagnostic(
        range=types.Range(start=types.Position(first, 0), end=types.Position(last, 0)),
        message=conflict_message(revision, conflict),
        severity=types.DiagnosticSeverity.Warning,
        code=conflict.kind.value,
        source=SOURCE,
    )
