"""Which configured agents work on this machine, and what to do about those that do not."""

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from attrs import frozen

from sennit.adapters.platform.support import Unsupported, process_control
from sennit.adapters.runs.environment import agent_environment
from sennit.core.agents import AgentKind, AgentSettings
from sennit.core.shell_words import shell_word


@frozen
class CatalogueEntry:
    """One agent; `program` is its full path, None when it is found only when it runs.

    `problem` and `advice` are for a person, both "" when it is usable. `found`: its program is
    there, as far as that can be known before it runs.
    """

    name: str
    kind: AgentKind
    program: Path | None
    usable: bool
    problem: str = ""
    advice: str = ""
    found: bool = True


def catalogue(
    agents: Iterable[AgentSettings], environ: Mapping[str, str]
) -> tuple[CatalogueEntry, ...]:
    """Look for the program of each agent where the agent itself would be looked for; blocks."""
    control = process_control()
    if isinstance(control, Unsupported):
        return tuple(
            CatalogueEntry(each.name, each.kind, None, usable=False, problem=control.why)
            for each in agents
        )
    return tuple(_entry(each, environ) for each in agents)


def _entry(agent: AgentSettings, environ: Mapping[str, str]) -> CatalogueEntry:
    if not agent.argv:
        return CatalogueEntry(agent.name, agent.kind, None, usable=True)
    program = agent.argv[0]
    if "/" in program and not program.startswith("/"):
        # Relative to each workspace, which does not exist yet.
        return CatalogueEntry(agent.name, agent.kind, None, usable=True)
    path = agent_environment(environ, agent.pass_env, agent.env)["PATH"]
    found = shutil.which(program, path=path)
    if found is not None:
        return CatalogueEntry(agent.name, agent.kind, Path(found), usable=True)
    problem, advice = _why_not(agent, path)
    return CatalogueEntry(
        agent.name,
        agent.kind,
        None,
        usable=False,
        problem=problem,
        advice=advice,
        found=False,
    )


def _why_not(agent: AgentSettings, path: str) -> tuple[str, str]:
    program = agent.argv[0]
    folders = [""] if program.startswith("/") else path.split(os.pathsep)
    there = next((each for each in folders if Path(each, program).exists()), None)
    if there is not None:
        file = Path(there, program)
        word = shell_word(os.fsencode(file))
        return f"{file} is not executable.", f"Make it executable: chmod +x -- {word}"
    where = "" if program.startswith("/") else " in the folders of PATH"
    return (
        f"The program {program!r} of the agent {agent.name!r} was not found{where}.",
        f"Install it, or set `agents.{agent.name}.argv` to its full path.",
    )
