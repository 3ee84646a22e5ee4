"""Decides every setting from what the sources say: later ones win, key by key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from attrs import evolve

from sennit.core.agents import AgentSettings, StopTimes
from sennit.core.named_limits import LimitOf, NamedLimit
from sennit.settings.agents_decided import agents_of, tool_servers_of
from sennit.settings.keys import NAME, TABLE, Source
from sennit.settings.layers import ReadLayer
from sennit.settings.values import (
    Given,
    Limits,
    LogSettings,
    Retention,
    ReviewSettings,
    Settings,
    SettingsProblems,
    TaskSettings,
    WorkspaceSettings,
)


def decided(layers: Sequence[ReadLayer]) -> Settings | SettingsProblems:
    """Lay the sources over the defaults, in the order in which they are given."""
    given = _in_table_order([*_defaults(), *(each for layer in layers for each in layer.given)])
    values = _values(given)
    agents, incomplete = agents_of(given, values)
    tool_servers, unstartable = tool_servers_of(given, values)
    settings = evolve(
        _settings(values, agents),
        tool_servers=tool_servers,
        given=given,
        ignored=tuple(each for layer in layers for each in layer.ignored),
    )
    problems = (*(each for layer in layers for each in layer.problems), *incomplete, *unstartable)
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


def _named_limits(values: Mapping[str, Any]) -> Iterator[NamedLimit]:
    for of in LimitOf:
        section = f"limits.{of}."
        for name in sorted(name for name in values if name.startswith(section)):
            yield NamedLimit(of, name.removeprefix(section), values[name])


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
            named=tuple(_named_limits(get)),
        ),
        task=TaskSettings(
            get["task.deadlineMs"],
            get["task.startMs"],
            get["task.idleMs"],
            get["task.retries"],
            get["task.runs"],
            get["task.graceTurns"],
            get["task.expectChanges"],
        ),
        ask_deadline_ms=get["ask.deadlineMs"],
        stop=StopTimes(get["stop.cancelMs"], get["stop.closeMs"], get["stop.termMs"]),
        workspace_include=get["workspace.include"],
        workspace=WorkspaceSettings(
            get["workspace.kind"],
            get["workspace.prepare"],
            get["workspace.spareBytes"],
            get["workspace.setup"] or (),
            get["workspace.setupMs"],
            get["workspace.setupFolders"],
        ),
        review=ReviewSettings(
            get["review.offer"],
            get["review.onConflict"],
            get["review.sensitive"],
            get["review.generated"],
        ),
        retention=Retention(get["retention.applied"], get["retention.dropped"]),
        log=LogSettings(get["log.level"], get["log.file"]),
        objects=get["objects"],
        store_path=get["store.path"],
        sandbox=get["sandbox"],
        agents=agents,
    )
