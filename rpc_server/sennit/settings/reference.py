"""The reference page and the JSON schemas, made from the table of settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sennit.settings.keys import LATER, NAME, TABLE, Key, Source
from sennit.settings.kinds import FOREIGN_NAMES, OUR_NAMES

_INTRODUCTION = """\
# Settings

<!-- Made by scripts/generate_settings.py from rpc_server/sennit/settings/keys.py. -->

Each key can be set in several places; later ones win, key by key:

1. the defaults below;
2. your `config.toml`, in the platform's configuration folder (Linux: `~/.config/sennit`) or in the
   folder that `SENNIT_CONFIG_DIR` names;
3. `.sennit.toml` at the top level of the repository, only for the keys that say so;
4. environment variables;
5. the client: `initializationOptions`, then `workspace/didChangeConfiguration` (its part `sennit`,
   if it has one);
6. the call, for the few keys that a call or task has too.

A dot in a key is a table in TOML and an object in JSON: `limits.tasks` is `tasks = 4` under
`[limits]`. Durations are whole milliseconds, in TOML too. Lists in environment variables are
separated by colons; an empty variable counts as absent. `sennit config --explain` tells where each
value comes from.

A key that is unknown, wrong or not allowed where it stands is an error that names the file, the key
and what is valid. Everything else goes on; dispatching waits until it is mended.
"""
_TRUST = """
## Trust

What a repository says about keys marked *after trust* is ignored, and listed as such, until you
have trusted the folder (`sennit trust`) with the content of `.sennit.toml` as it is. A changed file
asks again. Lists marked *adds* are added to yours: a repository cannot empty them.
"""


def settings_page() -> str:
    """Write the reference page, in Markdown."""
    later = ", ".join(f"`{each.name}`" for each in LATER)
    return "".join(
        (
            _INTRODUCTION,
            _TRUST,
            *(f"\n{section}" for section in _sections()),
            f"\n## Not available in this version\n\n{later}.\n",
        )
    )


def _sections() -> Iterator[str]:
    names = dict.fromkeys(key.name.split(".")[0] for key in TABLE)
    for name in names:
        keys = (key for key in TABLE if key.name.split(".")[0] == name)
        yield f"## `{name}`\n" + "".join(f"\n{_entry(key)}" for key in keys)


def _entry(key: Key) -> str:
    facts = [
        f"- valid: {key.kind.told}" + (f", in {key.unit}" if key.unit else ""),
        f"- default: {_default(key)}",
        f"- set by: {', '.join(_setters(key))}",
    ]
    if Source.ENVIRONMENT in key.set_by:
        facts.append(f"- variable: `{key.variable}`")
    if key.starts_programs:
        facts.append("- can start a program")
    return f"### `{key.name}`\n\n{key.description}\n\n" + "\n".join(facts) + "\n"


def _default(key: Key) -> str:
    if key.default is None or key.default == ():
        return "none"
    if isinstance(key.default, tuple):
        return ", ".join(f"`{each}`" for each in key.default)
    return f"`{key.kind.shown(key.default)}`"


def _setters(key: Key) -> Iterator[str]:
    for source in Source:
        if source not in key.set_by:
            continue
        notes = []
        if source is Source.REPOSITORY:
            notes += ["after trust"] if key.repository_needs_trust else []
            notes += ["adds"] if key.repository_adds else []
        yield source.value + (f" ({', '.join(notes)})" if notes else "")
    if key.in_call:
        yield f"call (`{key.in_call}`)"


def settings_schema(source: Source) -> Mapping[str, object]:
    """Make the JSON Schema of what one source may set."""
    titles = {Source.USER: "config.toml of Sennit", Source.REPOSITORY: ".sennit.toml"}
    root: dict[str, object] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": titles.get(source, f"Settings of Sennit, as the {source} sets them"),
    }
    properties: dict[str, object] = {}
    for key in TABLE:
        if source in key.set_by:
            _place(properties, key.name.split("."), _schema_of(key))
    return {**root, **_object(properties, "")}


def _schema_of(key: Key) -> dict[str, object]:
    unit = f" In {key.unit}." if key.unit else ""
    default = {} if key.default is None else {"default": _json(key.default)}
    return {"description": key.description + unit, **key.kind.schema, **default}


def _json(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


_Tree = dict[str, object]


def _place(properties: _Tree, parts: list[str], schema: _Tree) -> None:
    """Put a key's schema where its name says, making the objects on the way."""
    first, *rest = parts
    if not rest:
        properties[first] = schema
        return
    below = properties.setdefault(first, {})
    if isinstance(below, dict):
        _place(below, rest, schema)


_NAMES = {
    key.name.partition(NAME)[0]: FOREIGN_NAMES if key.foreign else OUR_NAMES
    for key in TABLE
    if NAME in key.name
}
"""What may stand for `NAME`, by what stands before it."""


def _object(tree: Mapping[str, object], above: str) -> _Tree:
    """Turn the tree of keys into a schema: an inner node is one without a description."""
    members: _Tree = {}
    for name, each in tree.items():
        is_inner = isinstance(each, dict) and not isinstance(each.get("description"), str)
        below = _object(each, f"{above}{name}.") if isinstance(each, dict) and is_inner else each
        members[name] = below
    if set(members) == {NAME}:
        names = {"pattern": f"^{_NAMES[above]}$"}
        return {"type": "object", "propertyNames": names, "additionalProperties": members[NAME]}
    return {"type": "object", "properties": members, "additionalProperties": False}
