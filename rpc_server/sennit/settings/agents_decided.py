"""Makes the agents from what the sources say of them, over those that are built in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from sennit.core.agents import COMMAND_LINE, AgentSettings, Permissions, StopTimes, ToolServer
from sennit.settings.builtin_agents import BUILT_IN
from sennit.settings.keys import NAME, TABLE
from sennit.settings.values import Given, SettingsProblem

_AGENT = f"agents.{NAME}."
_TOOL_SERVER = f"mcp.{NAME}."


def agents_of(
    given: Sequence[Given], values: Mapping[str, object]
) -> tuple[Mapping[str, AgentSettings], tuple[SettingsProblem, ...]]:
    """Make the agents whose program is known; the others are problems, where they begin.

    What is built in counts for each key that no source gives.
    """
    first: dict[str, Given] = {}
    for each in given:
        if each.key.name.startswith(_AGENT):
            first.setdefault(each.name.split(".")[1], each)
    agents = {COMMAND_LINE.name: COMMAND_LINE}
    problems = []
    for name in sorted({*first, *BUILT_IN}):
        read = _read(name, values)
        if read["argv"] is None:
            problems.append(_without_program("agents", "an agent", name, first[name]))
        else:
            agents[name] = _agent(name, read, values)
    return agents, tuple(problems)


def tool_servers_of(
    given: Sequence[Given], values: Mapping[str, object]
) -> tuple[tuple[ToolServer, ...], tuple[SettingsProblem, ...]]:
    """Make the tool servers whose program is known; the others are problems, where they begin."""
    first: dict[str, Given] = {}
    for each in given:
        if each.key.name.startswith(_TOOL_SERVER):
            first.setdefault(each.name.split(".")[1], each)
    made, problems = [], []
    for name, begin in sorted(first.items()):
        argv = cast("tuple[str, ...] | None", values.get(f"mcp.{name}.argv"))
        env = cast("Mapping[str, str]", values.get(f"mcp.{name}.env") or {})
        if argv is None:
            problems.append(_without_program("mcp", "a tool server", name, begin))
        else:
            made.append(ToolServer(name, argv, env))
    return tuple(made), tuple(problems)


def _without_program(section: str, what: str, name: str, begin: Given) -> SettingsProblem:
    message = f"is missing: {what} needs its program and arguments, as a list"
    return SettingsProblem(begin.where, f"{section}.{name}.argv", message, (), begin.line)


def _read(name: str, values: Mapping[str, object]) -> Mapping[str, Any]:
    """Give the keys of one agent, below its name; env, passEnv and litter add to built-in ones."""
    known = BUILT_IN.get(name, {})
    read: dict[str, Any] = {}
    for key in TABLE:
        if key.name.startswith(_AGENT):
            short = key.name.removeprefix(_AGENT)
            read[short] = values.get(f"agents.{name}.{short}", known.get(short, key.default))
    read["env"] = {**cast("Mapping[str, str]", known.get("env") or {}), **(read["env"] or {})}
    pass_env = (*cast("Iterable[str]", known.get("passEnv", ())), *read["passEnv"])
    read["passEnv"] = tuple(dict.fromkeys(pass_env))
    litter = (*cast("Iterable[str]", known.get("litter", ())), *read["litter"])
    read["litter"] = tuple(dict.fromkeys(litter))
    return read


def _agent(name: str, read: Mapping[str, Any], values: Mapping[str, object]) -> AgentSettings:
    # The kinds in the table have read every value, so that its type is the one its key has here;
    # a test goes through all of them.
    return AgentSettings(
        name=name,
        kind=read["kind"],
        argv=read["argv"],
        prompt_as=read["prompt"],
        env=read["env"],
        pass_env=read["passEnv"],
        polite=read["polite"],
        stop=_stop(read, values),
        output=read["output"],
        mode=read["mode"],
        model=read["model"],
        permissions=Permissions(read["permissions.execute"], read["permissions.commands"]),
        sandbox=read["sandbox"],
        state_folders=read["stateFolders"],
        roles=read["roles"],
        model_class=read["modelClass"],
        provider=read["provider"],
        sign_in=read["signIn"],
        description=read["description"],
        auth_method=read["authMethod"],
        resume_argv=read["resumeArgv"] or (),
        litter=read["litter"],
    )


def _stop(agent: Mapping[str, Any], values: Mapping[str, object]) -> StopTimes | None:
    """Give an agent's own times, each the general one where it names none."""
    rungs = ("stop.cancelMs", "stop.closeMs", "stop.termMs")
    if all(agent[rung] is None for rung in rungs):
        return None
    general = cast("Mapping[str, Any]", values)
    times = [general[rung] if agent[rung] is None else agent[rung] for rung in rungs]
    return StopTimes(*times)
