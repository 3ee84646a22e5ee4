"""``sennit.server.delegate``: lines of a file become a task for an agent."""

from __future__ import annotations

import os

import anyio.to_thread

from sennit.adapters.agents.catalogue import catalogue
from sennit.core.agents import COMMAND_LINE
from sennit.core.uris import display, file_uri
from sennit.server import lsp_names
from sennit.server import lsp_words as types
from sennit.server.jsonrpc import Context
from sennit.server.lsp.arguments import DelegateArgument, read_argument
from sennit.server.lsp.commands import DELEGATE, Arguments, no_agent
from sennit.server.methods.dispatch import dispatch
from sennit.server.open_documents import path_of
from sennit.server.services import Services
from sennit.settings.builtin_agents import BUILT_IN
from sennit_protocol.errors import RpcError
from sennit_protocol.tasks import DispatchParams, Task

LONGEST_DESCRIPTION = 80


async def delegate(services: Services, context: Context, arguments: Arguments) -> object:
    """Dispatch one task; the user chooses the agent where there are several."""
    argument = read_argument(DELEGATE, arguments, DelegateArgument)
    if isinstance(argument, RpcError):
        return argument
    agent = argument.agent or await _agent(services)
    if agent is None:
        return no_agent()
    path = path_of(argument.uri)
    folder = None if path is None else file_uri(os.path.dirname(path))  # noqa: PTH120  paths are bytes
    task = Task(
        id="delegated",
        prompt=argument.prompt,
        description=argument.prompt.partition("\n")[0][:LONGEST_DESCRIPTION],
        agent=agent,
        cwd=folder,
    )
    result = await dispatch(services, context, DispatchParams((task,)))
    if not isinstance(result, RpcError):
        services.connection.show_message(
            types.MessageType.Info, f"Sennit: {agent} works on it as {result.ticket}."
        )
    return result


async def agents_for_words(services: Services) -> tuple[str, ...]:
    """The agents that take a task in words: configured ones, and known ones that are installed."""
    agents = services.settings.of(b"").agents
    entries = await anyio.to_thread.run_sync(catalogue, tuple(agents.values()), services.environ)
    return tuple(
        entry.name
        for entry in entries
        if entry.name != COMMAND_LINE.name and (entry.found or entry.name not in BUILT_IN)
    )


async def _agent(services: Services) -> str | None:
    names = await agents_for_words(services)
    if len(names) <= 1:
        return names[0] if names else None
    params = types.ShowMessageRequestParams(
        type=types.MessageType.Info,
        message="Which agent is to do it?",
        actions=[types.MessageActionItem(name) for name in names],
    )
    reply = await services.connection.request(
        lsp_names.WINDOW_SHOW_MESSAGE_REQUEST, params, services.limits.confirm_s
    )
    title = reply.title if isinstance(reply, types.MessageActionItem) else None
    return title if title in names else None


def prompt_for_diagnostic(uri: str, diagnostic: types.Diagnostic) -> str:
    """The task that a diagnostic makes."""
    source = f" ({diagnostic.source})" if diagnostic.source else ""
    code = "" if diagnostic.code is None else f" [{diagnostic.code}]"
    return (
        f"Solve this problem at {_place(uri, diagnostic.range)}: {diagnostic.message}{code}{source}"
    )


def prompt_for_comment(uri: str, line: int, text: str) -> str:
    """The task that a comment asks for."""
    return f"Do what the comment at {_path(uri)}:{line + 1} asks for, then remove it: {text}"


def prompt_for_selection(uri: str, range_: types.Range) -> str:
    """The task for lines that the user has selected."""
    return f"Finish and mend the code at {_place(uri, range_)}."


def _place(uri: str, range_: types.Range) -> str:
    first, last = range_.start.line + 1, range_.end.line + 1
    return f"{_path(uri)}:{first}" + (f"-{last}" if last > first else "")


def _path(uri: str) -> str:
    path = path_of(uri)
    return uri if path is None else display(path)
