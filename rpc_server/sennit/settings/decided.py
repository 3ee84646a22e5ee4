"""Decides every setting from what the sources say: later ones win, key by key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from attrs import evolve

from sennit.core.agents import COMMAND_LINE, AgentKind, AgentSettings, Polite, PromptAs, StopTimes
from sennit.settings.keys import NAME, TABLE, Source
from sennit.settings.layers import ReadLayer
from sennit.settings.values import (
    Given,
    Limits,
    LogSettings,
    Retention,
    ReviewSettings,
    Settings,
    SettingsProblem,
    SettingsProblems,
    TaskSettings,
)


def decided(layers: Sequence[ReadLayer]) -> Settings | SettingsProblems:
    """Lay the sources over the defaults, in the order in which they are given."""
    given = _in_table_order([*_defaults(), *(each for layer in layers for each in layer.given)])
    values = _values(given)
    agents, incomplete = _agents(given, values)
    settings = evolve(
        _settings(values, agents),
        given=given,
        ignored=tuple(each for layer in layers for each in layer.ignored),
    )
    problems = (*(each for layer in layers for each in layer.problems), *incomplete)
    return SettingsProblems(problems, settings) if problems else settings


def default_settings() -> Settings:
    """Give the settings of somebody who has set nothing."""
    settings = decided(())
    return settings.meanwhile if isinstance(settings, SettingsProblems) else settings


def effective(settings: Settings) -> tuple[Given, ...]:
    """Name for each key what counts in the end: the last one that was given, with its source."""
    return tuple({given.name: given for given in settings.given}.values())


def _defaults() -> Iterable[Given]:
    for key in TABLE:
        if NAME not in key.name:
            yield Given(key, key.name, key.default, Source.DEFAULT, "built in")


def _in_table_order(given: Sequence[Given]) -> tuple[Given, ...]:
    place = {key.name: index for index, key in enumerate(TABLE)}
    return tuple(sorted(given, key=lambda each: place[each.key.name]))


def _values(given: Iterable[Given]) -> dict[str, object]:
    values: dict[str, object] = {}
    for each in given:
        before = values.get(each.name)
        adds = each.key.repository_adds and each.source is Source.REPOSITORY
        if adds and isinstance(before, tuple) and isinstance(each.value, tuple):
            values[each.name] = tuple(dict.fromkeys((*before, *each.value)))
        else:
            values[each.name] = each.value
    return values


def _settings(values: Mapping[str, object], agents: Mapping[str, AgentSettings]) -> Settings:
    # The kinds in the table have read every value, so that its type is the one its key has here;
    # a test goes through all of them.
    get = cast("Mapping[str, Any]", values)
    return Settings(
        limits=Limits(
            tasks=get["limits.tasks"],
            tickets=get["limits.tickets"],
            tasks_per_call=get["limits.tasksPerCall"],
            message_bytes=get["limits.messageBytes"],
            store_bytes=get["limits.storeBytes"],
            output_view_chars=get["limits.output.viewChars"],
            output_file_bytes=get["limits.output.fileBytes"],
        ),
        task=TaskSettings(get["task.deadlineMs"], get["task.idleMs"], get["task.expectChanges"]),
        ask_deadline_ms=get["ask.deadlineMs"],
        stop=StopTimes(get["stop.cancelMs"], get["stop.closeMs"], get["stop.termMs"]),
        workspace_include=get["workspace.include"],
        review=ReviewSettings(
            get["review.offer"], get["review.sensitive"], get["review.generated"]
        ),
        retention=Retention(get["retention.applied"], get["retention.dropped"]),
        log=LogSettings(get["log.level"], get["log.file"]),
        store_path=get["store.path"],
        agents=agents,
        agent_descriptions={
            name: text
            for name in agents
            if (text := get.get(f"agents.{name}.description")) is not None
        },
    )


def _agents(
    given: Sequence[Given], values: Mapping[str, object]
) -> tuple[Mapping[str, AgentSettings], tuple[SettingsProblem, ...]]:
    """Make the agents whose program is known; the others are problems, where they begin."""
    first: dict[str, Given] = {}
    for each in given:
        if each.key.name.startswith(_AGENT):
            first.setdefault(each.name.split(".")[1], each)
    agents = {COMMAND_LINE.name: COMMAND_LINE}
    problems = []
    for name in sorted(first):
        if f"agents.{name}.argv" in values:
            agents[name] = _agent(name, values)
        else:
            begin = first[name]
            message = "is missing: an agent needs its program and arguments, as a list"
            problems.append(
                SettingsProblem(begin.where, f"agents.{name}.argv", message, (), begin.line)
            )
    return agents, tuple(problems)


_AGENT = f"agents.{NAME}."


def _agent(name: str, values: Mapping[str, object]) -> AgentSettings:
    get = {
        key.name.removeprefix(_AGENT): values.get(key.name.replace(NAME, name), key.default)
        for key in TABLE
        if key.name.startswith(_AGENT)
    }
    read = cast("Mapping[str, Any]", get)
    return AgentSettings(
        name=name,
        kind=cast("AgentKind", read["kind"]),
        argv=read["argv"],
        prompt_as=cast("PromptAs", read["prompt"]),
        env=read["env"] or {},
        pass_env=read["passEnv"],
        polite=cast("Polite", read["polite"]),
        stop=_stop(read, values),
    )


def _stop(agent: Mapping[str, Any], values: Mapping[str, object]) -> StopTimes | None:
    """Give an agent's own times, each the general one where it names none."""
    rungs = ("stop.cancelMs", "stop.closeMs", "stop.termMs")
    if all(agent[rung] is None for rung in rungs):
        return None
    general = cast("Mapping[str, Any]", values)
    times = [general[rung] if agent[rung] is None else agent[rung] for rung in rungs]
    return StopTimes(*times)
