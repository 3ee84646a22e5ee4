from __future__ import annotations

import pytest
from rich.text import Text

from sennit.cli.agents_command import agents_table
from sennit.cli.terminal import PIPE_COLUMNS, standard_terminal
from sennit_protocol.upkeep import AgentsResult, AgentView

LONG = "word " * 60


def test_in_a_pipe_tables_are_wrapped_and_lines_are_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    agent = AgentView("fixer", "command", usable=True, description=LONG, source="x" * 150)
    terminal = standard_terminal()
    terminal.show(agents_table(AgentsResult((agent,))))
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= PIPE_COLUMNS
    assert shown.count("word") == 60
    assert shown.count("x") == 151
    terminal.show(Text(LONG), LONG)
    terminal.note(Text(LONG))
    terminal.note(LONG)
    told = capsys.readouterr()
    assert told.out.splitlines() == [LONG, LONG]
    assert told.err.splitlines() == [LONG, LONG]
