"""`sennit output`."""

from __future__ import annotations

import sys

import anyio
import click
from attrs import evolve

from sennit.cli.client import Client
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.run_records import record_table
from sennit.cli.safe_text import safe_code
from sennit_protocol.ids import RunId, TicketId
from sennit_protocol.texts import OutputParams, OutputResult, RunParams, RunResult, Stream

_GLANCE_S = 0.3


@click.command("output")
@click.argument("ticket")
@click.argument("task")
@click.option("--run", "run_id", metavar="RUN", help="The last run unless given.")
@click.option("--stderr", "errors", is_flag=True, help="Its standard error instead.")
@click.option("--raw", is_flag=True, help="The exact bytes of its standard output.")
@click.option("--record", is_flag=True, help="How it was run instead: folder, kind, sandbox.")
@click.option("--follow", is_flag=True, help="Go on until the program has ended.")
@json_option
@click.pass_obj
def command(
    place: Place,
    *,
    ticket: str,
    task: str,
    run_id: str | None,
    errors: bool,
    raw: bool,
    record: bool,
    follow: bool,
    as_json: bool,
) -> None:
    """Show what an agent wrote: its end, or all of it as it comes with --follow.

    Of agents that write for programs, that is what they told, in words; --raw shows the rest too.
    """
    if errors and raw:
        raise click.UsageError("--stderr and --raw exclude each other.")
    if record and (errors or raw or follow):
        raise click.UsageError("--record is not about what was written.")
    if record:
        asked = RunParams(TicketId(ticket), task, RunId(run_id) if run_id else None)
        place.request("sennit/run", asked, RunResult, as_json=as_json, render=record_table)
        return
    stream = Stream.STDERR if errors else Stream.RAW if raw else Stream.STDOUT
    params = OutputParams(TicketId(ticket), task, RunId(run_id) if run_id else None, stream)
    if follow and not as_json:
        place.converse(lambda client: _follow(client, params), as_json=as_json)
        return

    async def once(client: Client) -> OutputResult:
        return await client.ask("sennit/output", params, OutputResult)

    result = place.converse(once, as_json=as_json)
    if as_json:
        place.terminal.show_json(result)
    else:
        _write(result.text)


async def _follow(client: Client, params: OutputParams) -> None:
    offset = 0
    while True:
        page = await client.ask("sennit/output", evolve(params, offset=offset), OutputResult)
        _write(page.text)
        at_end = page.next_offset >= page.total
        if at_end and not page.running:
            return
        offset = page.next_offset
        if at_end:
            await anyio.sleep(_GLANCE_S)


def _write(text: str) -> None:
    """Write text as it is to a file or a pipe, and harmless to a terminal."""
    if sys.stdout.isatty():
        text = "\n".join(safe_code(line) for line in text.split("\n"))
    sys.stdout.write(text)
    sys.stdout.flush()
