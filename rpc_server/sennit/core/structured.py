"""A result that has to fit a JSON Schema: asked for, found in what the agent says, checked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from attrs import frozen

_FENCED = re.compile(r"^(`{3,})[^\n`]*\n(.*?)\n\1\s*$", re.DOTALL | re.MULTILINE)
_MOST_ERRORS = 10
_LONGEST_ERROR = 300


@frozen
class Fitting:
    """A value that fits, as JSON text."""

    json: str


@frozen
class Unfitting:
    """Why there is no value that fits, for the agent and for people."""

    why: str


def schema_problem(schema: Mapping[str, object]) -> str | None:
    """Tell why something is no JSON Schema that can be used; None when it is one."""
    from jsonschema import Draft202012Validator, SchemaError  # noqa: PLC0415  slow, seldom needed

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        place = "/".join(map(str, error.path))
        where = f" (at {place})" if place else ""
        return f"is no JSON Schema: {error.message[:_LONGEST_ERROR]}{where}"
    return None


def request_for(schema: str) -> str:
    """What an agent is told, after its prompt."""
    return (
        "End your work with one message that holds your result as JSON in one fenced block "
        "(three backticks and `json`), and nothing after it. It has to fit this JSON Schema:\n\n"
        f"{schema}"
    )


def repair_of(found: Unfitting) -> str:
    """What an agent is told whose result does not fit; it is told once."""
    return (
        f"Your result cannot be used: {found.why}\n\nSend it again, whole and corrected, as JSON "
        "in one fenced block and nothing after it. Change no files."
    )


def result_of(text: str, schema: str) -> Fitting | Unfitting:
    """Find the result in an agent's last message: the last fenced block, else the whole of it."""
    blocks = _FENCED.findall(text)
    told = blocks[-1][1] if blocks else text
    try:
        value = json.loads(told)
    except (ValueError, RecursionError) as error:
        where = "the last fenced block" if blocks else "the message"
        return Unfitting(f"{where} is no JSON: {error}")
    errors = _errors(value, json.loads(schema))
    if errors:
        return Unfitting("\n".join(errors))
    return Fitting(json.dumps(value, ensure_ascii=False))


def _errors(value: object, schema: Any) -> list[str]:  # noqa: ANN401  any JSON
    from jsonschema import Draft202012Validator  # noqa: PLC0415  slow, seldom needed
    from referencing import Registry  # noqa: PLC0415  slow, seldom needed
    from referencing.exceptions import Unresolvable  # noqa: PLC0415  slow, seldom needed

    # A registry of its own keeps references from being fetched from anywhere.
    registry: Registry[Any] = Registry()
    found = []
    try:
        for error in Draft202012Validator(schema, registry=registry).iter_errors(value):
            found.append(f"{error.json_path}: {error.message[:_LONGEST_ERROR]}")
            if len(found) >= _MOST_ERRORS:
                break
    except Unresolvable as error:
        return [f"the schema refers to what is not in it: {error}"]
    return found
