"""Reads what one source says: a nested table of TOML or JSON, or environment variables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from attrs import field, frozen

from sennit.core.agents import COMMAND_LINE
from sennit.settings.keys import LATER, NAME, NOT_SETTINGS, TABLE, Key, LaterKey, Source
from sennit.settings.kinds import FOREIGN_NAMES, OUR_NAMES, Wrong
from sennit.settings.values import Given, Ignored, SettingsProblem


@frozen
class Layer:
    """What a source says, not yet looked at; ``lines`` tells where keys stand, as far as known.

    ``trusted`` counts for the repository's: whether keys that need trust are taken.
    """

    source: Source
    where: str
    values: Mapping[str, object]
    lines: Mapping[str, int] = field(factory=dict)
    trusted: bool = True


@frozen
class ReadLayer:
    """What a source says, and what is wrong with it."""

    given: tuple[Given, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    problems: tuple[SettingsProblem, ...] = ()


Finding = Given | Ignored | SettingsProblem
Branch = dict[str, "Branch | Key | LaterKey"]


def read_layer(layer: Layer) -> ReadLayer:
    """Read nested tables; every unknown key, bad value and forbidden key is a problem."""
    return _sorted_out(tuple(_findings(layer, _TREE, layer.values, ())))


def read_variables(environment: Mapping[str, str]) -> ReadLayer:
    """Read the variables that begin with `SENNIT_`; an empty one counts as absent."""
    return _sorted_out(
        tuple(
            _variable(name, text)
            for name, text in sorted(environment.items())
            if name.startswith("SENNIT_") and name not in NOT_SETTINGS and text
        )
    )


def _sorted_out(findings: Sequence[Finding]) -> ReadLayer:
    return ReadLayer(
        tuple(each for each in findings if isinstance(each, Given)),
        tuple(each for each in findings if isinstance(each, Ignored)),
        tuple(each for each in findings if isinstance(each, SettingsProblem)),
    )


def _tree() -> Branch:
    root: Branch = {}
    rows: tuple[Key | LaterKey, ...] = (*TABLE, *LATER)
    for key in rows:
        *sections, last = key.name.split(".")
        branch = root
        for section in sections:
            below = branch.setdefault(section, {})
            if not isinstance(below, dict):
                raise TypeError(f"{key.name} lies inside another key")
            branch = below
        branch[last] = key
    return root


_TREE = _tree()


def _findings(
    layer: Layer, branch: Branch, values: Mapping[str, object], above: tuple[str, ...]
) -> Iterator[Finding]:
    for part, raw in values.items():
        path = (*above, str(part))
        name = ".".join(path)
        if raw is None and layer.source is Source.CLIENT:
            continue  # A null of JSON on an optional key equals its absence.
        match branch.get(part, branch.get(NAME)):
            case None:
                yield _problem(layer, name, "is no setting", tuple(sorted(branch)))
            case LaterKey():
                yield _problem(layer, name, "is not available in this version")
            case Key() as key:
                yield _key(layer, key, name, raw)
            case below if NAME in branch and (problem := _bad_name(part)):
                yield _problem(layer, name, problem)
            case below if isinstance(raw, Mapping):
                yield from _findings(layer, below, raw, path)
            case below:
                yield _problem(layer, name, "is a section, not a value", tuple(sorted(below)))


def _bad_name(name: str) -> str | None:
    if name == COMMAND_LINE.name:
        return "is the name of a built-in agent; choose another"
    return None if re.fullmatch(OUR_NAMES, name) else _NO_NAME


def _bad_end(key: Key, name: str, raw: object) -> str | None:
    """What is wrong with the user's name that ends a key."""
    fixed, _, rest = key.name.partition(NAME)
    if rest or fixed == key.name:
        return None
    if isinstance(raw, Mapping):
        return "is a section, not a value; a name with a dot stands in quotes"
    if re.fullmatch(FOREIGN_NAMES if key.foreign else OUR_NAMES, name.removeprefix(fixed)):
        return None
    return "is no name: empty, too long or with a NUL" if key.foreign else _NO_NAME


_NO_NAME = "is no name: 1 to 64 of A-Za-z0-9_-"


def _key(layer: Layer, key: Key, name: str, raw: object) -> Finding:
    if layer.source not in key.set_by:
        setters = tuple(each.value for each in Source if each in key.set_by)
        return _problem(layer, name, f"cannot be set by the {layer.source}", setters)
    if problem := _bad_end(key, name, raw):
        return _problem(layer, name, problem)
    value = key.kind.read(raw)
    line = _line(layer, name)
    if isinstance(value, Wrong):
        return SettingsProblem(layer.where, name, value.message, value.valid, line)
    if key.repository_needs_trust and not layer.trusted:
        return Ignored(name, layer.where, line)
    return Given(key, name, value, layer.source, layer.where, line)


def _problem(layer: Layer, name: str, message: str, valid: tuple[str, ...] = ()) -> SettingsProblem:
    return SettingsProblem(layer.where, name, message, valid, _line(layer, name))


def _line(layer: Layer, name: str) -> int | None:
    """Find the line of a key, else that of the closest section around it."""
    while name:
        if name in layer.lines:
            return layer.lines[name]
        name = name.rpartition(".")[0]
    return None


_BY_VARIABLE = {
    key.variable: key for key in TABLE if Source.ENVIRONMENT in key.set_by and NAME not in key.name
}


def _variable(name: str, text: str) -> Finding:
    key = _BY_VARIABLE.get(name)
    if key is None:
        message = "is no variable of Sennit; unset it or correct its name"
        return SettingsProblem(name, "", message, tuple(_BY_VARIABLE))
    value = key.kind.read_text(text)
    if isinstance(value, Wrong):
        return SettingsProblem(name, key.name, value.message, value.valid)
    return Given(key, key.name, value, Source.ENVIRONMENT, name)


_SECTION = re.compile(r"\s*\[{1,2}([^\[\]]+)\]")
_ASSIGNMENT = re.compile(
    r"\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*="
)
_PART = re.compile(r"[\w-]+|\"[^\"]*\"|'[^']*'")


def lines_of(text: str) -> Mapping[str, int]:
    """Find the lines on which keys and sections of a TOML text stand, counted from 1.

    Only for messages: a text inside a multi-line string may be taken for a key.
    """
    lines: dict[str, int] = {}
    section: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if found := _SECTION.match(line):
            section = _parts(found[1])
            lines.setdefault(".".join(section), number)
        elif found := _ASSIGNMENT.match(line):
            lines.setdefault(".".join((*section, *_parts(found[1]))), number)
    return lines


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))
