from __future__ import annotations

import io

import pytest
from rich.console import Console

from sennit.cli.server_requests import answer_of_person
from sennit.cli.terminal import PIPE_COLUMNS, Terminal
from sennit_protocol.ids import QuestionId, TicketId
from sennit_protocol.told import AskParams, AskResult
from sennit_protocol.views import Question

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
    assert f"until {DEADLINE}" in lines[2]
    assert lines[3] == "  To answer it: sennit answer t_1 api TEXT --question q_1"
