from __future__ import annotations

import io

import pytest
from rich.console import Console

from sennit.cli.server_requests import answer_of_person
from sennit.cli.tables import clock
from sennit.cli.terminal import PIPE_COLUMNS, Terminal
from sennit_protocol.ids import QuestionId, TicketId
from sennit_protocol.told import AskParams, AskResult
from sennit_protocol.views import Question
from tests.cli.scripting import Keyboard

DEADLINE = "2020-01-01T00:10:00.000Z"


@pytest.mark.anyio
async def test_where_nobody_can_be_asked_the_exact_answer_and_the_deadline_are_told() -> None:
    console = Console(file=io.StringIO(), width=PIPE_COLUMNS, markup=False)
    question = Question(QuestionId("q_1"), "Which\x1b?", ("one", "two"), DEADLINE)
    asked = AskParams(TicketId("t_1"), "api", question)
    with console.capture() as said:
        terminal = Terminal(console, console, interactive=False)
        assert await answer_of_person(terminal, asked) == AskResult()
    lines = said.get().splitlines()
    assert lines[0] == "api asks: Which\\x1b?"
    assert "one, two" in lines[1]
    assert f"until {clock(DEADLINE)};" in lines[2]
    assert lines[3] == "  To answer it: sennit answer t_1/api TEXT --question q_1"


@pytest.mark.anyio
@pytest.mark.parametrize("typed", [b"\n", b"\x04"])
@pytest.mark.parametrize("options", [(), ("one", "two")])
async def test_a_question_that_a_person_leaves_open_tells_how_to_answer_it(
    typed: bytes, options: tuple[str, ...], keyboard: Keyboard
) -> None:
    console = Console(file=io.StringIO(), width=PIPE_COLUMNS, markup=False)
    asked = AskParams(TicketId("t_1"), "api", Question(QuestionId("q_1"), "Which?", options))
    keyboard(typed)
    with console.capture() as said:
        terminal = Terminal(console, console, interactive=True)
        assert await answer_of_person(terminal, asked) == AskResult()
    assert "It was not answered here." in said.get()
    assert "sennit answer t_1/api TEXT --question q_1" in said.get()


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        (b"2\n", "Hello there"),
        (b"hello THERE\n", "Hello there"),
        (b"3\n", "3"),
        (b"git status\n1\n", "3"),
        (b"4\n\n", None),
    ],
)
async def test_an_option_is_chosen_by_its_words_or_its_number_and_nothing_else(
    typed: bytes, answer: str | None, keyboard: Keyboard
) -> None:
    console = Console(file=io.StringIO(), width=PIPE_COLUMNS, markup=False)
    question = Question(QuestionId("q_1"), "Which?", ("3", "Hello there"))
    keyboard(typed)
    terminal = Terminal(console, console, interactive=True)
    asked = AskParams(TicketId("t_1"), "api", question)
    assert await answer_of_person(terminal, asked) == AskResult(answer)
