"""Answers to what the server asks a command line: questions of agents, progress, messages."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from sennit.cli.calls import CANCEL_REQUEST, ServerHandler
from sennit.cli.prose import Prose
from sennit.cli.safe_text import safe_line
from sennit.cli.tables import clock
from sennit.cli.terminal import Terminal
from sennit_protocol.wire import structure_open, unstructure

if TYPE_CHECKING:
    from sennit_protocol.told import AskParams, AskResult

NO_EDITOR = (
    "the command line holds no open documents; apply to disk (`sennit apply`) or from an editor"
)

TAKEN_BACK = "the question is taken back: it was answered elsewhere, or no answer is waited for."


def handlers_for(terminal: Terminal) -> Mapping[str, ServerHandler]:
    """Give the answers of an ordinary command."""

    async def ask(params: Any) -> object:  # noqa: ANN401  a JSON value
        # Few commands are asked anything; the others need not load what questions are made of.
        from sennit_protocol.told import AskParams  # noqa: PLC0415  see above

        return unstructure(await answer_of_person(terminal, structure_open(params, AskParams)))

    async def taken_back(request: Any) -> object:  # noqa: ANN401  a JSON value
        if request["method"] == "sennit/ask":
            from sennit_protocol.told import AskParams  # noqa: PLC0415  see above

            task = safe_line(structure_open(request["params"], AskParams).task)
            terminal.note(f"{task}: {TAKEN_BACK}")
        return None

    return {
        "sennit/ask": ask,
        CANCEL_REQUEST: taken_back,
        "workspace/applyEdit": _refuse_edit,
        "workspace/configuration": _no_configuration,
        "window/workDoneProgress/create": _agree,
        "client/registerCapability": _agree,
        "client/unregisterCapability": _agree,
        "window/showMessageRequest": _agree,
        "window/showDocument": _show_nothing,
        "workspace/codeLens/refresh": _agree,
        "workspace/diagnostic/refresh": _agree,
        "workspace/textDocumentContent/refresh": _agree,
    }


async def answer_of_person(terminal: Terminal, asked: AskParams) -> AskResult:
    """Put an agent's question to the person; without one it stays open for others to answer."""
    from sennit_protocol.told import AskResult  # noqa: PLC0415  as above

    question = asked.question
    asks = f"{safe_line(asked.task)} asks: {safe_line(question.text)}"
    terminal.note(Prose(asks, style="bold"))
    answer = None
    if terminal.interactive:
        answer = await _typed(terminal, question.options)
    if answer is None:
        why = "It was not answered" if terminal.interactive else "Nobody can be asked"
        for told in how_to_answer(asked, why):
            terminal.note(Text(told))
    return AskResult(answer)


async def _typed(terminal: Terminal, options: Sequence[str]) -> str | None:
    """What the person has answered; None for an empty line and at the end of input."""
    if not options:
        return await terminal.ask("Answer (empty: leave it open):") or None
    for number, option in enumerate(options, start=1):
        terminal.note(f"  {number}  {safe_line(option)}")
    while line := await terminal.ask("Number (empty: leave it open):"):
        meant = _option(line.strip(), options)
        if meant is not None:
            return meant
        terminal.note(f"Please answer with a number from 1 to {len(options)}, or its words.")
    return None


def _option(said: str, options: Sequence[str]) -> str | None:
    """The option that is meant by its words, or by its number.

    Other text was perhaps meant for somebody else, such as a command that was pasted here.
    """
    alike = [option for option in options if option.strip().casefold() == said.casefold()]
    if len(alike) == 1:
        return alike[0]
    if said.isdecimal() and 0 < int(said) <= len(options):
        return options[int(said) - 1]
    return None


def how_to_answer(asked: AskParams, why: str) -> tuple[str, ...]:
    """Tell somebody who has not answered here how to answer, and by when."""
    question = asked.question
    task = shlex.quote(f"{asked.ticket}/{asked.task}")
    options = f"  Options: {', '.join(map(safe_line, question.options))}"
    until = f" until {clock(question.deadline)}" if question.deadline else ""
    waits = f"  {why} here. The question waits{until}; then the program is told"
    command = f"sennit answer {task} TEXT --question {question.id}"
    return (
        *((options,) if question.options else ()),
        f"{waits} that there is no answer.",
        f"  To answer it: {safe_line(command)}",
    )


async def _refuse_edit(_: object) -> object:
    return {"applied": False, "failureReason": NO_EDITOR}


async def _agree(_: object) -> object:
    return None


async def _show_nothing(_: object) -> object:
    return {"success": False}


async def _no_configuration(params: Any) -> object:  # noqa: ANN401  a JSON value
    items = params.get("items", []) if isinstance(params, dict) else []
    return [None for _ in items]
