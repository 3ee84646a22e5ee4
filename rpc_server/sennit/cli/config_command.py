"""`sennit config`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from sennit.adapters.trust import TrustStore
from sennit.cli.exits import Exit
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.problems import with_valid
from sennit.cli.safe_text import safe_line
from sennit.cli.tables import cells, filled, table
from sennit.settings.decided import effective
from sennit.settings.keys import Source
from sennit.settings.kinds import Variables
from sennit.settings.reader import (
    REPOSITORY_FILE,
    Sources,
    config_folder,
    read_settings,
    state_folder,
)
from sennit.settings.values import Given, Settings, SettingsProblem, SettingsProblems


@click.command("config")
@click.option(
    "--explain",
    is_flag=True,
    help="Every key with its source and meaning; those with a name in them where they are set.",
)
@json_option
@click.pass_context
def command(ctx: click.Context, *, explain: bool, as_json: bool) -> None:
    """Show the settings that count here; exit 1 when a file or a variable is wrong."""
    place: Place = ctx.obj
    read = read_settings(sources_of(place.folder, os.environ))
    problems, settings = _parted(read)
    if as_json:
        place.terminal.show_json(config_json(settings, problems))
    else:
        for line in (*_ignored(settings), *_problems(problems)):
            place.terminal.note(line)
        place.terminal.show(_explained(settings) if explain else _set(settings, problems))
    ctx.exit(Exit.PARTLY if problems else Exit.FINE)


def sources_of(folder: Path, environment: Mapping[str, str]) -> Sources:
    """Name the places that settings of ``folder`` come from, as the server would read them."""
    top = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)
    store = TrustStore(state_folder(environment))

    def is_trusted(sha256: str) -> bool:
        return top is not None and store.accepts_file(
            os.fsencode(top), os.fsencode(REPOSITORY_FILE), sha256
        )

    return Sources(config_folder(environment), top, is_trusted, environment)


def config_json(settings: Settings, problems: Sequence[SettingsProblem]) -> dict[str, object]:
    """Give the settings, what waits for trust, and what is wrong as one JSON value."""
    return {
        "settings": {each.name: _given_json(each) for each in effective(settings)},
        "ignored": [{"name": each.name, "where": each.where} for each in settings.ignored],
        "problems": [each.as_problem() for each in problems],
    }


def _parted(
    read: Settings | SettingsProblems,
) -> tuple[Sequence[SettingsProblem], Settings]:
    match read:
        case SettingsProblems():
            return read.problems, read.meanwhile
        case Settings():
            return (), read


def _given_json(given: Given) -> dict[str, object]:
    return {
        "value": _to_show(given),
        "source": given.source.value,
        "where": given.where,
        "line": given.line,
    }


def _set(settings: Settings, problems: Sequence[SettingsProblem]) -> Table | str:
    rows = [
        cells(each.name, _spelled(each), _where(each))
        for each in effective(settings)
        if each.source is not Source.DEFAULT
    ]
    if not rows and problems:
        return "Nothing else is set. No task is started before what is wrong is mended."
    if not rows:
        return "Nothing is set, so the defaults count. `sennit config --explain` lists them."
    return filled(table("setting", "value", "set by"), rows)


_WIDEST_VALUE = 40


def _explained(settings: Settings) -> Table:
    rows = [
        cells(each.name, _spelled(each), _where(each), each.key.description)
        for each in effective(settings)
    ]
    made = table("!setting", "value", "set by", "meaning")
    # One long list of a value would push all meanings far to the right, where nothing limits them.
    made.columns[1].max_width = _WIDEST_VALUE
    return filled(made, rows)


def _where(given: Given) -> str:
    if given.source is Source.DEFAULT:
        return "default"
    return given.where if given.line is None else f"{given.where}:{given.line}"


def _spelled(given: Given) -> str:
    value = _to_show(given)
    if value is None:
        return "none"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value} {given.key.unit}" if given.key.unit else str(value)


def _to_show(given: Given) -> object:
    """The value as JSON knows it; of variables the names alone, since values may be secret."""
    if isinstance(given.key.kind, Variables) and isinstance(given.value, Mapping):
        return list(given.value)
    return _plain(given.value)


def _plain(value: object) -> object:
    """Give a setting's value as JSON knows it."""
    match value:
        case Enum():
            return value.value
        case Mapping():
            return {str(key): _plain(each) for key, each in value.items()}
        case tuple() | list() | frozenset():
            return [_plain(each) for each in value]
        case _:
            return value if value is None or isinstance(value, bool | int | float) else str(value)


def _ignored(settings: Settings) -> Iterator[Text]:
    for each in settings.ignored:
        text = f"{each.where}: {each.name} does not count until the folder is trusted"
        yield Text(f"{safe_line(text)} (sennit trust grant)", style="yellow")


def _problems(problems: Sequence[SettingsProblem]) -> Iterator[Text]:
    for each in problems:
        yield Text(safe_line(with_valid(each.as_problem())), style="red")
