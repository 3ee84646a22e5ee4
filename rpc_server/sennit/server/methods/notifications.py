"""What the client tells: documents, trust, settings, what an edit really changed."""

from __future__ import annotations

from sennit.server import lsp_words as types
from sennit.server.applying.settling_later import settle_document, settle_reported
from sennit.server.jsonrpc import Context
from sennit.server.open_documents import saved_path
from sennit.server.services import Services
from sennit.server.settings_in_force import EVERYWHERE
from sennit_protocol.review import DidApplyParams, DocumentInfoParams
from sennit_protocol.told import DidChangeTrustParams


async def did_apply(services: Services, _context: Context, params: DidApplyParams) -> None:
    """Keep what the editor says that an edit has changed; texts are compared with it."""
    services.reports[params.application] = params
    await settle_reported(services, params.application)


async def document_info(services: Services, _context: Context, params: DocumentInfoParams) -> None:
    """Keep what only the editor knows of a document."""
    services.told[params.uri] = params
    path = saved_path(params.uri)
    if path is not None:
        services.sharer.touch(path)


async def did_change_trust(
    services: Services, context: Context, params: DidChangeTrustParams
) -> None:
    """Take the user's word about the folders of this window."""
    context.connection.set_trusted(trusted=params.trusted)
    services.client_trusts = params.trusted


async def did_change_configuration(
    services: Services, _context: Context, params: types.DidChangeConfigurationParams
) -> None:
    """Take the editor's settings; problems are answered by every request until mended."""
    services.settings.configuration = params.settings
    await services.settings.refresh(EVERYWHERE)


async def document_changed(services: Services, _context: Context, params: object) -> None:
    """Let other servers know whether the document is unsaved here; settle what waited for it."""
    document = getattr(params, "text_document", None)
    uri = getattr(document, "uri", None)
    path = saved_path(uri) if isinstance(uri, str) else None
    if path is not None:
        services.sharer.touch(path)
        await settle_document(services, path)
