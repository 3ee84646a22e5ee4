"""Which function answers which request of plain LSP, and which command."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from sennit.server import lsp_names
from sennit.server.jsonrpc import Context
from sennit.server.lsp import commands
from sennit.server.lsp.code_actions import code_actions
from sennit.server.lsp.code_lenses import code_lenses
from sennit.server.lsp.delegating import delegate
from sennit.server.lsp.opening import open_text
from sennit.server.lsp.texts import document_content
from sennit.server.services import Services

LSP_REQUESTS: Mapping[str, Callable[[Services, Context, Any], Awaitable[object]]] = {
    lsp_names.TEXT_DOCUMENT_CODE_ACTION: code_actions,
    lsp_names.TEXT_DOCUMENT_CODE_LENS: code_lenses,
    lsp_names.WORKSPACE_TEXT_DOCUMENT_CONTENT: document_content,
}

LSP_COMMANDS: Mapping[str, Callable[[Services, Context, tuple[object, ...]], Awaitable[object]]] = {
    commands.ACCEPT: commands.accept,
    commands.ACCEPT_FILE: commands.accept_file,
    commands.ANSWER: commands.give_answer,
    commands.APPLY: commands.apply_accepted,
    commands.CANCEL: commands.cancel_tasks,
    commands.DELEGATE: delegate,
    commands.FOLLOW: commands.follow_up,
    commands.OPEN: open_text,
    commands.REJECT: commands.reject,
    commands.UNDO: commands.undo_application,
}
