"""``workspace/textDocumentContent`` (LSP 3.18): the text behind a ``sennit:`` URI."""

from __future__ import annotations

from sennit.server import lsp_words as types
from sennit.server.jsonrpc import Context
from sennit.server.methods.texts import content
from sennit.server.services import Services
from sennit_protocol.errors import RpcError
from sennit_protocol.texts import ContentParams


async def document_content(
    services: Services, context: Context, params: types.TextDocumentContentParams
) -> types.TextDocumentContentResult | RpcError:
    """The same text as ``sennit/content`` gives."""
    found = await content(services, context, ContentParams(params.uri))
    return found if isinstance(found, RpcError) else types.TextDocumentContentResult(found.text)
