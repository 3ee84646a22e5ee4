from __future__ import annotations

import pytest
from rich.text import Text

from sennit.cli.agents_command import agents_table
from sennit.cli.terminal import standard_terminal
from sennit_protocol.upkeep import AgentsResult, AgentView

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
