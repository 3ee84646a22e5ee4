"""What every command gets: the folder it is about, its terminal, and how to reach a server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn, TypeVar

import anyio
import click
from attrs import evolve, frozen
from rich.console import RenderableType
from rich.text import Text

from sennit.cli.calls import SHOW_MESSAGE, ServerHandler
from sennit.cli.client import Client, ClientOptions, connected
from sennit.cli.error_json import error_json
from sennit.cli.exits import Exit
from sennit.cli.failures import CommandError, RefusedError, first_failure
from sennit.cli.messages import Messages
from sennit.cli.names import Names
from sennit.cli.problems import problems_in, told, with_valid
from sennit.cli.prose import Prose
from sennit.cli.safe_text import safe_code
from sennit.cli.server_requests import handlers_for
from sennit.cli.terminal import Terminal

T = TypeVar("T")


@frozen
class Place:
    """The surroundings of one command. ``client`` says how the server is started."""

    client: ClientOptions
    terminal: Terminal
    verbose: bool = False

    @property
    def folder(self) -> Path:
        """The folder that the command is about, absolute."""
        return self.client.folder

    def converse(
        self,
        work: Callable[[Client], Awaitable[T]],
        *,
        as_json: bool,
        handlers: Mapping[str, ServerHandler] | None = None,
        left_behind: Callable[[], str] = lambda: "",
        waits: Callable[[], bool] = lambda: False,
    ) -> T:
        """Do ``work`` with a server of its own; ends the command where it fails.

        ``left_behind`` says what Ctrl-C leaves and how to go on with it. ``waits``: whether the
        command waits just now, so that what the server has to say is shown at once.
        """
        shown = Messages(self._note, waits)

        async def conversation() -> T:
            options = evolve(self.client, on_stderr=self._hear if self.verbose else None)
            answers = {
                **handlers_for(self.terminal),
                SHOW_MESSAGE: shown.hear,
                **(handlers or {}),
            }
            async with connected(options, answers) as client:
                return await work(client)

        try:
            answer = anyio.run(conversation)
        except (CommandError, KeyboardInterrupt, BaseExceptionGroup) as error:
            failure = first_failure(error)
            if isinstance(failure, KeyboardInterrupt):
                told = f"Interrupted. {left_behind()}".rstrip()
                self.fail(CommandError(told, Exit.INTERRUPTED), as_json=as_json)
            if not isinstance(failure, CommandError):
                raise
            self._note_all(shown.told(failure))
            self.fail(failure, as_json=as_json)
        self._note_all(shown.told(None))
        return answer

    def guarded(self, step: Callable[[], T], *, as_json: bool) -> T:
        """Do a step without a server; ends the command where it fails."""
        try:
            return step()
        except CommandError as error:
            self.fail(error, as_json=as_json)

    def request(
        self,
        method: str,
        params: object,
        result: type[T],
        *,
        as_json: bool,
        render: Callable[[T], RenderableType],
    ) -> T:
        """Ask one thing and show the answer."""

        async def as_given(_names: Names) -> object:
            return params

        return self.request_named(method, as_given, result, as_json=as_json, render=render)

    def request_named(
        self,
        method: str,
        params_of: Callable[[Names], Awaitable[object]],
        result: type[T],
        *,
        as_json: bool,
        render: Callable[[T], RenderableType],
    ) -> T:
        """Ask one thing about what the command line names, and show the answer."""

        async def work(client: Client) -> T:
            return await client.ask(method, await params_of(self.names(client)), result)

        answer = self.converse(work, as_json=as_json)
        if as_json:
            self.terminal.show_json(answer)
        else:
            self.terminal.show(render(answer))
        return answer

    def names(self, client: Client) -> Names:
        """Find with ``client`` what names of the command line mean here."""
        return Names(client, self.folder)

    def fail(self, error: CommandError, *, as_json: bool) -> NoReturn:
        """Show the error and end the command with its exit code."""
        if as_json:
            code = error.code if isinstance(error, RefusedError) else None
            self.terminal.show_json(error_json(error.message, error.exit_code, code, error.data))
        for line in f"sennit: {told_in_full(error)}".split("\n"):
            self.terminal.note(Prose(safe_code(line), style="red"))
        raise click.exceptions.Exit(error.exit_code)

    def _note_all(self, messages: Sequence[str]) -> None:
        for message in messages:
            self._note(message)

    def _note(self, message: str) -> None:
        for line in f"sennit: {message}".split("\n"):
            self.terminal.note(Prose(safe_code(line), style="red"))

    def _hear(self, text: str) -> None:
        self.terminal.note(Text(_lines(text.rstrip("\n")), style="dim"))


def told_in_full(error: CommandError) -> str:
    """Give what an error says: its text, and every problem that it lists with what is valid."""
    problems = problems_in(error.data)
    if not problems:
        return error.message
    # The text of such an error begins with what was not done, and goes on with some problems.
    headline, found, _ = error.message.partition(f": {told(problems[0])}")
    if not found:
        headline = error.message
    if len(problems) == 1 and found:
        return f"{headline}: {with_valid(problems[0])}"
    return "\n  ".join((f"{headline}:", *map(with_valid, problems)))


def _lines(text: str) -> str:
    return "\n".join(safe_code(line) for line in text.split("\n"))
