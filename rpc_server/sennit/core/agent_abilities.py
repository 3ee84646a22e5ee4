"""What can be done with an agent, by its kind, by what it writes and by what was measured."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from sennit.core.agents import AgentKind, AgentSettings, OutputFormat
from sennit_protocol.upkeep import AgentAbilities

OVER_ACP = AgentAbilities(
    asks=True, steers=True, resumes=True, tells_tools=True, tells_usage=True, tells_cost=True
)
"""At most: what an agent that nobody has measured does not offer is known once it has started."""

_WITHOUT_COST = evolve(OVER_ACP, tells_cost=False)
_WITHOUT_USAGE = evolve(_WITHOUT_COST, tells_usage=False)

MEASURED: Mapping[str, AgentAbilities] = {
    "claude-agent-acp": OVER_ACP,
    "codex-acp": _WITHOUT_COST,
    "gemini": _WITHOUT_COST,
    "kimi": _WITHOUT_USAGE,
    "opencode": OVER_ACP,
    "pi-acp": evolve(_WITHOUT_USAGE, asks=False),
    "qwen": _WITHOUT_COST,
}
"""Over ACP, by the name of the program."""

BY_OUTPUT: Mapping[OutputFormat, AgentAbilities] = {
    OutputFormat.TEXT: AgentAbilities(),
    OutputFormat.CLAUDE: AgentAbilities(tells_tools=True, tells_usage=True, tells_cost=True),
    OutputFormat.CODEX: AgentAbilities(tells_tools=True, tells_usage=True),
    OutputFormat.GEMINI: AgentAbilities(tells_tools=True, tells_usage=True),
    OutputFormat.OPENCODE: AgentAbilities(tells_tools=True, tells_usage=True, tells_cost=True),
    OutputFormat.PI: AgentAbilities(tells_tools=True, tells_usage=True, tells_cost=True),
    OutputFormat.KIMI: AgentAbilities(tells_tools=True),
}
"""Of agents of kind `command`: nobody answers them; `resume_argv` lets them go on."""


def abilities(agent: AgentSettings) -> AgentAbilities:
    """Tell what can be done with the agent, as far as that is known before it starts."""
    program = agent.argv[0].rpartition("/")[2] if agent.argv else ""
    if agent.kind is AgentKind.ACP:
        return MEASURED.get(program, OVER_ACP)
    known = BY_OUTPUT[agent.output]
    if agent.output is OutputFormat.CLAUDE and program == "qwen":
        # It writes the same format without the cost.
        known = evolve(known, tells_cost=False)
    # A format that tells no session gives nothing to go on with.
    tells_session = agent.output is not OutputFormat.TEXT
    return evolve(known, resumes=bool(agent.resume_argv) and tells_session)
