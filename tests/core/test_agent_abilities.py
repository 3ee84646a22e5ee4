from __future__ import annotations

import pytest
from attrs import evolve

from sennit.core.agent_abilities import BY_OUTPUT, abilities
from sennit.core.agents import COMMAND_LINE, AgentKind, AgentSettings, OutputFormat
from sennit_protocol.upkeep import AgentAbilities

COMMAND = AgentSettings("x", AgentKind.COMMAND, ("x",))


@pytest.mark.parametrize("output", OutputFormat)
def test_nobody_answers_a_command(output: OutputFormat) -> None:
    found = abilities(evolve(COMMAND, output=output))
    assert found == BY_OUTPUT[output]
    assert (found.asks, found.steers, found.resumes) == (False, False, False)
    assert found.tells_usage or not found.tells_cost


def test_over_acp_an_agent_can_be_spoken_with() -> None:
    found = abilities(evolve(COMMAND, kind=AgentKind.ACP))
    assert found.asks
    assert found.steers
    assert found.resumes


@pytest.mark.parametrize("program", ["pi-acp", "/opt/bin/pi-acp"])
def test_what_was_measured_of_a_program_counts_under_any_name(program: str) -> None:
    found = abilities(AgentSettings("mine", AgentKind.ACP, (program, "--x")))
    assert (found.asks, found.tells_usage, found.resumes) == (False, False, True)


def test_a_program_that_copies_a_format_may_tell_less() -> None:
    qwen = AgentSettings("x", AgentKind.COMMAND, ("qwen",), output=OutputFormat.CLAUDE)
    assert not abilities(qwen).tells_cost


def test_a_command_line_tells_nothing() -> None:
    assert abilities(COMMAND_LINE) == AgentAbilities()
