"""LSP over two file descriptors; the only package that knows pygls."""

from __future__ import annotations

from sennit.core.text import PositionEncoding
from sennit.server.jsonrpc.client import Client, SennitOptions
from sennit.server.jsonrpc.connection import Connection
from sennit.server.jsonrpc.documents import Document, Documents
from sennit.server.jsonrpc.handlers import (
    CommandHandler,
    Context,
    Handlers,
    NotificationHandler,
    RequestHandler,
)
from sennit.server.jsonrpc.outgoing import (
    ClientError,
    ClientFailure,
    ClientGone,
    ClientNonsense,
    ClientTimeout,
)
from sennit.server.jsonrpc.progress import Progress
from sennit.server.jsonrpc.serving import Served, open_connection
from sennit.server.jsonrpc.text_positions import OutOfText, offset_of

__all__ = (
    "Client",
    "ClientError",
    "ClientFailure",
    "ClientGone",
    "ClientNonsense",
    "ClientTimeout",
    "CommandHandler",
    "Connection",
    "Context",
    "Document",
    "Documents",
    "Handlers",
    "NotificationHandler",
    "OutOfText",
    "PositionEncoding",
    "Progress",
    "RequestHandler",
    "SennitOptions",
    "Served",
    "offset_of",
    "open_connection",
)
