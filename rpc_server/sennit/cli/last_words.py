"""What a program said before it failed."""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator

from attrs import evolve

from sennit.cli.client import Client
from sennit.cli.safe_text import safe_line
from sennit_protocol.ids import TicketId
from sennit_protocol.states import FailureKind
from sennit_protocol.texts import OutputParams, OutputResult, Stream
from sennit_protocol.views import TaskView, TicketView

LINES = 5
"""As many lines of a program are shown with its failure."""
_BYTES = 4096
_SAID_BY_PROGRAM = frozenset({FailureKind.EXIT, FailureKind.SIGNAL})
"""Other failures say themselves what went wrong."""


def has_last_words(task: TaskView) -> bool:
    """Whether the reason of its failure stands in what its program wrote."""
    return task.failure is not None and task.failure.kind in _SAID_BY_PROGRAM


def to_see_errors(ticket: TicketId, task: TaskView) -> str:
    """Name the command that shows what a program wrote to standard error."""
    return safe_line(f"sennit output {shlex.quote(f'{ticket}/{task.id}')} --stderr")


async def last_words(client: Client, view: TicketView) -> AsyncIterator[str]:
    """Show the end of what each failed program wrote, and how to see all of it.

    That is of standard error, or of standard output where there is nothing else.
    """
    for task in view.tasks:
        if has_last_words(task):
            for line in await _of_task(client, view.id, task):
                yield line


async def _of_task(client: Client, ticket: TicketId, task: TaskView) -> list[str]:
    name = safe_line(task.id)
    params = OutputParams(ticket, task.id, stream=Stream.STDERR, limit=_BYTES)
    said, option = await client.ask("sennit/output", params, OutputResult), " --stderr"
    if not said.text.strip():
        params = evolve(params, stream=Stream.STDOUT)
        said, option = await client.ask("sennit/output", params, OutputResult), ""
    if not said.text.strip():
        return [f"{name} wrote nothing."]
    lines = [safe_line(line) for line in said.text.rstrip().split("\n")[-LINES:]]
    command = f"sennit output {shlex.quote(f'{ticket}/{task.id}')}{option}"
    return [*(f"{name} | {line}" for line in lines), f"To see all of it: {safe_line(command)}"]
