from __future__ import annotations

import io

import anyio
import pytest
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from sennit.cli.agents_command import agents_table
from sennit.cli.terminal import PIPE_COLUMNS, Terminal, standard_terminal
from sennit_protocol.upkeep import AgentsResult, AgentView
from tests.cli.scripting import Keyboard

LONG = "word " * 60


def test_in_a_pipe_nothing_is_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    agent = AgentView("fixer", "command", usable=True, description=LONG, source="x" * 150)
    terminal = standard_terminal()
    terminal.show(agents_table(AgentsResult((agent,))))
    shown = capsys.readouterr().out
    (row,) = (line for line in shown.splitlines() if line.startswith("fixer"))
    assert row.count("word") == 60
    assert row.count("x") == 151
    assert "─" not in shown
    terminal.show(Text(LONG), LONG)
    terminal.note(Text(LONG))
    terminal.note(LONG)
    told = capsys.readouterr()
    assert told.out.splitlines() == [LONG, LONG]
    assert told.err.splitlines() == [LONG, LONG]


@pytest.mark.anyio
async def test_ctrl_d_ends_one_answer_and_not_those_that_follow(keyboard: Keyboard) -> None:
    console = Console(file=io.StringIO(), width=PIPE_COLUMNS, markup=False)
    terminal = Terminal(console, console, interactive=True)
    with console.capture() as said:
        keyboard(b"\x04")
        assert await terminal.ask("Well?") is None
        keyboard(b"yes\n")
        assert await terminal.ask("Well?") == "yes"
    assert said.get().startswith("Well? \n")


@pytest.mark.anyio
async def test_a_question_is_asked_anew_below_what_is_said_while_it_stands_open(
    keyboard: Keyboard,
) -> None:
    console = Console(file=io.StringIO(), width=PIPE_COLUMNS, markup=False)
    terminal = Terminal(console, console, interactive=True)
    with console.capture() as said:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(terminal.ask, "Well?")
            await anyio.wait_all_tasks_blocked()
            terminal.note("Somebody else has answered.")
            keyboard(b"yes\n")
        terminal.note("Thanks.")
    assert said.get() == "Well? \nSomebody else has answered.\nWell? Thanks.\n"


def test_a_command_below_a_table_is_one_line_however_narrow_the_terminal() -> None:
    console = Console(file=io.StringIO(), width=30, force_terminal=True, markup=False)
    terminal = Terminal(console, console, interactive=True)
    command = "There are older ones: sennit tickets --before t_aaaaaaaaaa"
    with console.capture() as said:
        terminal.show(Group(Table("one"), Text(command)))
    assert command in said.get().splitlines()
