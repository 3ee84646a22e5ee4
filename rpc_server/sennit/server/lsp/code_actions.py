"""``textDocument/codeAction``: decide about changes at the cursor, delegate what is there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attrs import frozen

from sennit.core.counted import counted
from sennit.core.text import lsp_lines
from sennit.core.uris import file_uri
from sennit.server import lsp_words as types
from sennit.server.jsonrpc import Context
from sennit.server.lsp.arguments import (
    DelegateArgument,
    FileArgument,
    OpenArgument,
    UnitsArgument,
    as_argument,
)
from sennit.server.lsp.commands import ACCEPT, ACCEPT_FILE, DELEGATE, OPEN, REJECT
from sennit.server.lsp.conflicts_shown import SOURCE
from sennit.server.lsp.delegating import (
    agents_for_words,
    prompt_for_comment,
    prompt_for_diagnostic,
    prompt_for_selection,
)
from sennit.server.lsp.pending import PendingFile, PendingUnit, pending_in
from sennit.server.open_documents import path_of
from sennit.server.services import Services
from sennit_protocol.ids import UnitId

_TO_DO = re.compile(r"\b(?:TODO|FIXME)\b.*")
MOST_TITLE = 60


@frozen
class _Action:
    title: str
    command: str
    argument: object
    kind: str = ""
    diagnostics: tuple[types.Diagnostic, ...] = ()


async def code_actions(
    services: Services, _context: Context, params: types.CodeActionParams
) -> list[types.CodeAction | types.Command]:
    """What can be done at a range, of the kinds that the client asks for."""
    path = path_of(params.text_document.uri)
    if path is None:
        return []
    actions = [
        action
        for file in await pending_in(services, path)
        for action in _decisions(services, file, path, params.range)
    ]
    if await agents_for_words(services):
        actions += _delegations(services, params)
    wanted = params.context.only
    literal = _takes_literals(services)
    return [
        _as_code_action(action) if literal else _as_command(action)
        for action in actions
        if wanted is None or any(_is_kind(action.kind, only) for only in wanted)
    ]


def _is_kind(kind: str, only: str) -> bool:
    return not only or kind == only or kind.startswith(f"{only}.")


def _takes_literals(services: Services) -> bool:
    return services.connection.client.abilities.code_action_literals


def _decisions(
    services: Services, file: PendingFile, path: bytes, range_: types.Range
) -> Iterator[_Action]:
    revision, uri = file.revision, file_uri(path)
    proposal, name = revision.proposal, revision.id
    applies = not services.connection.client.sennit.review
    for one in file.units:
        if one.unit.hunk is not None and _touches(one, range_):
            units = (UnitId(one.unit.id),)
            accepts = UnitsArgument(proposal, name, units, apply=applies)
            yield _Action(f"Accept this change of {revision.task}", ACCEPT, accepts)
            rejects = UnitsArgument(proposal, name, units)
            yield _Action(f"Reject this change of {revision.task}", REJECT, rejects)
    if file.units:
        accepts_file = FileArgument(proposal, name, uri, apply=applies)
        title = f"Accept {counted(len(file.units), 'change')} of {revision.task} in this file"
        yield _Action(title, ACCEPT_FILE, accepts_file)
        title = f"Reject all changes of {revision.task} in this file"
        yield _Action(title, REJECT, UnitsArgument(proposal, name, files=(uri,)))
        title = f"Show the proposal of {revision.task}"
        yield _Action(title, OPEN, OpenArgument(proposal, name, uri))


def _touches(one: PendingUnit, range_: types.Range) -> bool:
    return range_.start.line <= one.line + one.count and range_.end.line >= one.line


def _delegations(services: Services, params: types.CodeActionParams) -> Iterator[_Action]:
    uri, range_ = params.text_document.uri, params.range
    for diagnostic in params.context.diagnostics:
        if diagnostic.source != SOURCE:
            yield _Action(
                f"Delegate to an agent: {_short(diagnostic.message)}",
                DELEGATE,
                DelegateArgument(uri, prompt_for_diagnostic(uri, diagnostic)),
                types.CodeActionKind.QuickFix,
                (diagnostic,),
            )
    for line, text in _comments(services, uri, range_):
        prompt = prompt_for_comment(uri, line, text)
        title = f"Delegate to an agent: {_short(text)}"
        yield _Action(title, DELEGATE, DelegateArgument(uri, prompt))
    if range_.start != range_.end:
        prompt = prompt_for_selection(uri, range_)
        yield _Action("Delegate the selection to an agent", DELEGATE, DelegateArgument(uri, prompt))


def _comments(services: Services, uri: str, range_: types.Range) -> Iterator[tuple[int, str]]:
    document = services.connection.documents.get(uri)
    lines: Sequence[str] = lsp_lines((document.text if document else None) or "")
    for number in range(range_.start.line, min(range_.end.line + 1, len(lines))):
        found = _TO_DO.search(lines[number])
        if found is not None:
            yield number, found.group().rstrip()


def _short(text: str) -> str:
    line = text.partition("\n")[0]
    return line if len(line) <= MOST_TITLE else f"{line[: MOST_TITLE - 1]}…"


def _as_command(action: _Action) -> types.Command:
    return types.Command(action.title, action.command, arguments=as_argument(action.argument))


def _as_code_action(action: _Action) -> types.CodeAction:
    return types.CodeAction(
        title=action.title,
        kind=action.kind,
        diagnostics=list(action.diagnostics) or None,
        command=_as_command(action),
    )
