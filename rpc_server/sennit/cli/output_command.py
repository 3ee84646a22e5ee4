"""`sennit output`."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable

import anyio
import click
from attrs import evolve, frozen

from sennit.cli.client import Client
from sennit.cli.names import Names
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.run_records import record_table
from sennit.cli.safe_text import safe_code, safe_line
from sennit.cli.streams import nobody_reads
from sennit_protocol.texts import OutputParams, OutputResult, RunParams, RunResult, Stream

_GLANCE_S = 0.3


@click.command("output")
@click.argument("ticket", metavar="TICKET[/TASK]")
@click.argument("task", required=False)
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
    task: str | None,
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
    _refuse_contradictions(errors=errors, raw=raw, record=record, follow=follow, as_json=as_json)
    asked = _Asked(ticket, task, run_id)
    if record:
        place.request_named(
            "sennit/run", asked.run, RunResult, as_json=as_json, render=record_table
        )
        return
    stream = Stream.STDERR if errors else Stream.RAW if raw else Stream.STDOUT
    if follow:
        _written(place, asked, stream, _follow, as_json=as_json)
        return
    result = _written(place, asked, stream, _once, as_json=as_json)
    if as_json:
        place.terminal.show_json(result)
    else:
        _write(result.text)


def _refuse_contradictions(
    *, errors: bool, raw: bool, record: bool, follow: bool, as_json: bool
) -> None:
    if errors and raw:
        raise click.UsageError("--stderr and --raw exclude each other.")
    if record and (errors or raw or follow):
        raise click.UsageError("--record is not about what was written.")
    if follow and as_json:
        raise click.UsageError("--follow writes text as it comes, and --json one value at the end.")


def _written(
    place: Place, asked: _Asked, stream: Stream, show: _Show, *, as_json: bool
) -> OutputResult:
    """Ask for what was written; says where it is nothing."""

    async def work(client: Client) -> _Shown:
        found = await asked.run(place.names(client))
        return await show(client, OutputParams(found.ticket, found.task, found.run, stream))

    shown = place.converse(work, as_json=as_json)
    if not as_json and not shown.result.total:
        place.terminal.note(_silent(shown))
    return shown.result


@frozen
class _Asked:
    """Whose output is wanted, as it was typed."""

    ticket: str
    task: str | None
    run_id: str | None

    async def run(self, names: Names) -> RunParams:
        """Find the run."""
        ticket, task = await names.task(self.ticket, self.task)
        run = await names.run(ticket, task, self.run_id) if self.run_id else None
        return RunParams(ticket, task, run)


@frozen
class _Shown:
    """The last page that was shown, whose it is, and how many bytes lie in standard error."""

    params: OutputParams
    result: OutputResult
    in_errors: int = 0


_Show = Callable[[Client, OutputParams], Awaitable[_Shown]]


async def _once(client: Client, params: OutputParams) -> _Shown:
    result = await client.ask("sennit/output", params, OutputResult)
    return await _with_errors(client, _Shown(params, result))


async def _with_errors(client: Client, shown: _Shown) -> _Shown:
    """Look into standard error too, where there is nothing else."""
    if shown.result.total or shown.params.stream is Stream.STDERR:
        return shown
    errors = evolve(shown.params, stream=Stream.STDERR, offset=None)
    result = await client.ask("sennit/output", errors, OutputResult)
    return evolve(shown, in_errors=result.total)


async def _follow(client: Client, params: OutputParams) -> _Shown:
    offset = 0
    while True:
        page = await client.ask("sennit/output", evolve(params, offset=offset), OutputResult)
        _write(page.text)
        at_end = page.next_offset >= page.total
        if nobody_reads() or (at_end and not page.running):
            return await _with_errors(client, _Shown(params, page))
        offset = page.next_offset
        if at_end:
            await anyio.sleep(_GLANCE_S)


def _silent(shown: _Shown) -> str:
    """Say that there is nothing, which looks like a mistake otherwise."""
    params = shown.params
    stream = "standard error" if params.stream is Stream.STDERR else "standard output"
    when = "has written nothing" if shown.result.running else "wrote nothing"
    so_far = " so far" if shown.result.running else ""
    said = f"{safe_line(params.task)} {when} to {stream}{so_far}."
    return f"{said} What it wrote to standard error: --stderr" if shown.in_errors else said


def _write(text: str) -> None:
    """Write text as it is to a file or a pipe, and harmless to a terminal."""
    if sys.stdout.isatty():
        text = "\n".join(safe_code(line) for line in text.split("\n"))
    sys.stdout.write(text)
    sys.stdout.flush()
