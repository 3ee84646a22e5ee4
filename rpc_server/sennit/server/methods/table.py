"""Which function answers which method."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from sennit.server import lsp_names
from sennit.server.jsonrpc import Context
from sennit.server.lsp.table import LSP_COMMANDS, LSP_REQUESTS
from sennit.server.methods.agents import agents
from sennit.server.methods.answer import answer
from sennit.server.methods.applying import apply, preview, undo
from sennit.server.methods.cancel import cancel
from sennit.server.methods.deciding import decide
from sennit.server.methods.dispatch import dispatch
from sennit.server.methods.doctor import doctor
from sennit.server.methods.following import follow
from sennit.server.methods.kept import drop, gc, retained
from sennit.server.methods.materialise import materialise
from sennit.server.methods.notifications import (
    did_apply,
    did_change_configuration,
    did_change_trust,
    document_changed,
    document_info,
)
from sennit.server.methods.overlapping import overlaps
from sennit.server.methods.preflight import preflight
from sennit.server.methods.proposals import proposal, proposals
from sennit.server.methods.resolving import resolve
from sennit.server.methods.steering import interrupt, steer
from sennit.server.methods.story import story
from sennit.server.methods.texts import content, output, run
from sennit.server.methods.tickets import ticket, tickets
from sennit.server.methods.trust import trust
from sennit.server.methods.waiting import wait
from sennit.server.services import Services

Request = Callable[[Services, Context, Any], Awaitable[object]]
Notification = Callable[[Services, Context, Any], Awaitable[None]]
Command = Callable[[Services, Context, tuple[object, ...]], Awaitable[object]]

REQUESTS: Mapping[str, Request] = {
    "sennit/dispatch": dispatch,
    "sennit/preflight": preflight,
    "sennit/tickets": tickets,
    "sennit/ticket": ticket,
    "sennit/wait": wait,
    "sennit/cancel": cancel,
    "sennit/answer": answer,
    "sennit/steer": steer,
    "sennit/interrupt": interrupt,
    "sennit/follow": follow,
    "sennit/proposals": proposals,
    "sennit/proposal": proposal,
    "sennit/decide": decide,
    "sennit/resolve": resolve,
    "sennit/overlaps": overlaps,
    "sennit/preview": preview,
    "sennit/apply": apply,
    "sennit/undo": undo,
    "sennit/content": content,
    "sennit/output": output,
    "sennit/run": run,
    "sennit/materialise": materialise,
    "sennit/agents": agents,
    "sennit/story": story,
    "sennit/retained": retained,
    "sennit/drop": drop,
    "sennit/gc": gc,
    "sennit/trust": trust,
    "sennit/doctor": doctor,
    **LSP_REQUESTS,
}

WITHOUT_SETTINGS = frozenset({
    "sennit/answer",
    "sennit/cancel",
    "sennit/doctor",
    "sennit/interrupt",
    "sennit/output",
    "sennit/run",
    "sennit/steer",
    "sennit/story",
    "sennit/ticket",
    "sennit/tickets",
    "sennit/trust",
    "sennit/wait",
})  # fmt: skip
"""What goes on while settings are wrong: to look, to answer, to end. It reads no store."""

NOTIFICATIONS: Mapping[str, Notification] = {
    "sennit/didApply": did_apply,
    "sennit/documentInfo": document_info,
    "sennit/didChangeTrust": did_change_trust,
    lsp_names.WORKSPACE_DID_CHANGE_CONFIGURATION: did_change_configuration,
    lsp_names.TEXT_DOCUMENT_DID_OPEN: document_changed,
    lsp_names.TEXT_DOCUMENT_DID_CHANGE: document_changed,
    lsp_names.TEXT_DOCUMENT_DID_SAVE: document_changed,
    lsp_names.TEXT_DOCUMENT_DID_CLOSE: document_changed,
}

COMMANDS: Mapping[str, Command] = LSP_COMMANDS
