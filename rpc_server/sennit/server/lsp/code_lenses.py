"""``textDocument/codeLens``: what waits for a decision in a file, with a click to decide it."""

from __future__ import annotations

from collections.abc import Iterator

from sennit.core.counted import counted
from sennit.core.uris import file_uri
from sennit.server import lsp_words as types
from sennit.server.jsonrpc import Context
from sennit.server.lsp.arguments import (
    ApplyArgument,
    FileArgument,
    OpenArgument,
    UnitsArgument,
    as_argument,
)
from sennit.server.lsp.commands import ACCEPT, ACCEPT_FILE, APPLY, OPEN, REJECT
from sennit.server.lsp.pending import PendingFile, pending_in
from sennit.server.open_documents import path_of
from sennit.server.services import Services
from sennit_protocol.ids import UnitId

MOST_UNITS = 200
"""More lenses than this in one file are of no use to anybody."""


async def code_lenses(
    services: Services, _context: Context, params: types.CodeLensParams
) -> list[types.CodeLens]:
    """The lenses of a file: some at its head, one at each undecided hunk."""
    path = path_of(params.text_document.uri)
    if path is None:
        return []
    applies = not services.connection.client.sennit.review
    return [
        lens
        for file in await pending_in(services, path)
        for lens in (*_head(file, path, applies=applies), *_hunks(file, applies=applies))
    ]


def _head(file: PendingFile, path: bytes, *, applies: bool) -> Iterator[types.CodeLens]:
    revision, uri = file.revision, file_uri(path)
    proposal, name = revision.proposal, revision.id
    if file.units:
        title = f"Sennit, {revision.task}: {counted(len(file.units), 'change')}"
        yield _lens(0, title, OPEN, OpenArgument(proposal, name, uri))
        yield _lens(0, "Accept file", ACCEPT_FILE, FileArgument(proposal, name, uri, apply=applies))
        yield _lens(0, "Reject file", REJECT, UnitsArgument(proposal, name, files=(uri,)))
    if file.accepted:
        title = f"Sennit, {revision.task}: apply {counted(file.accepted, 'accepted change')}"
        yield _lens(0, title, APPLY, ApplyArgument(ticket=revision.ticket))


def _hunks(file: PendingFile, *, applies: bool) -> Iterator[types.CodeLens]:
    revision = file.revision
    for one in file.units[:MOST_UNITS]:
        hunk = one.unit.hunk
        if hunk is None:
            continue
        title = f"Accept change of {revision.task} (+{hunk.after_count} -{hunk.before_count})"
        units = (UnitId(one.unit.id),)
        argument = UnitsArgument(revision.proposal, revision.id, units, apply=applies)
        yield _lens(one.line, title, ACCEPT, argument)


def _lens(line: int, title: str, command: str, argument: object) -> types.CodeLens:
    place = types.Position(line=line, character=0)
    return types.CodeLens(
        range=types.Range(start=place, end=place),
        command=types.Command(title=title, command=command, arguments=as_argument(argument)),
    )
