"""``sennit.server.open``: shows a text of a proposal, or the whole change, in the editor."""

from __future__ import annotations

import os
from pathlib import Path

import anyio.to_thread

from sennit.adapters.git.changes import patch
from sennit.adapters.git.trees import entries_at
from sennit.core.engine.rows import RevisionRow
from sennit.core.objects import GitFailed
from sennit.core.settled_views import paths_of
from sennit.core.uris import Side, display, file_uri, revision_uri
from sennit.server import lsp_names
from sennit.server import lsp_words as types
from sennit.server.errors import git_error, revision_or_error
from sennit.server.jsonrpc import Context
from sennit.server.lsp.arguments import OpenArgument, read_argument
from sennit.server.lsp.commands import OPEN, Arguments
from sennit.server.methods.proposals import opened_for
from sennit.server.open_documents import path_of, relative_to
from sennit.server.repositories import Opened
from sennit.server.services import Services
from sennit.server.settled import Settled, settled_of
from sennit_protocol.errors import ErrorCode, RpcError
from sennit_protocol.ids import ProposalId, RevisionId

SHOW_S = 10.0


async def open_text(services: Services, _context: Context, arguments: Arguments) -> object:
    """Show it where the client can; the answer names its URI."""
    argument = read_argument(OPEN, arguments, OpenArgument)
    if isinstance(argument, RpcError):
        return argument
    revision = revision_or_error(services, argument.proposal, argument.revision)
    if isinstance(revision, RpcError):
        return revision
    uri = await _uri(services, revision, argument)
    if isinstance(uri, RpcError):
        return uri
    shown = await _show(services, uri)
    return {"uri": uri, "shown": shown}


async def _uri(services: Services, revision: RevisionRow, argument: OpenArgument) -> str | RpcError:
    reads_texts = services.connection.client.abilities.text_contents
    path = None if argument.uri is None else path_of(argument.uri)
    if argument.uri is not None and path is None:
        message = f"{argument.uri!r} names no file. Name one of the proposal by its `uri`."
        return RpcError(ErrorCode.INVALID_PARAMS, message)
    if path is not None and reads_texts:
        if argument.side is not None:
            return revision_uri(path, revision.id, argument.side)
        return await _uri_of_what_goes_in(services, revision, path)
    # Editors that cannot read our texts can read a patch.
    return await _patch_file(services, revision)


async def _settled(services: Services, revision: RevisionRow) -> tuple[Opened, Settled] | RpcError:
    opened = await opened_for(services, revision)
    if isinstance(opened, RpcError):
        return opened
    settled = await settled_of(services, opened, revision)
    return git_error(settled) if isinstance(settled, GitFailed) else (opened, settled)


async def _uri_of_what_goes_in(
    services: Services, revision: RevisionRow, path: bytes
) -> str | RpcError:
    found = await _settled(services, revision)
    if isinstance(found, RpcError):
        return found
    opened, settled = found
    name = relative_to(revision.repository.top, path) or b""
    if not any(name in paths_of(one) for one in settled.resolutions):
        return revision_uri(path, revision.id, Side.PROPOSED)
    there = await entries_at(services.git, opened.store, settled.after, (name,))
    if isinstance(there, GitFailed):
        return git_error(there)
    if name not in there:
        message = f"{display(name)} is not there any more with the conflict settled as it is."
        return RpcError(ErrorCode.UNKNOWN_CONTENT, message)
    return revision_uri(path, revision.id, Side.SETTLED, there[name].id)


async def _patch_file(services: Services, revision: RevisionRow) -> str | RpcError:
    found = await _settled(services, revision)
    if isinstance(found, RpcError):
        return found
    opened, settled = found
    text = await patch(services.git, opened.store, settled.before, settled.after)
    if isinstance(text, GitFailed):
        return git_error(text)
    file = services.folders.looks / patch_name(revision.proposal, revision.id)
    await anyio.to_thread.run_sync(_write, file, text)
    return file_uri(os.fsencode(file))


def patch_name(proposal: ProposalId, revision: RevisionId) -> str:
    """The name of the file that shows a revision as a patch."""
    return f"{proposal}.{revision}.patch"


def _write(file: Path, text: bytes) -> None:
    file.write_bytes(text)


async def _show(services: Services, uri: str) -> bool:
    if not services.connection.client.abilities.show_document:
        services.connection.show_message(types.MessageType.Info, f"The text is at {uri}")
        return False
    params = types.ShowDocumentParams(uri=uri, take_focus=True)
    reply = await services.connection.request(lsp_names.WINDOW_SHOW_DOCUMENT, params, SHOW_S)
    return isinstance(reply, types.ShowDocumentResult) and reply.success
