"""A result that has to fit a JSON Schema: asked for, found in what the agent says, checked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, NoReturn

from attrs import frozen

MOST_LEVELS = 100
"""How deep a result may be nested: who reads it may read no deeper."""
_FENCE = re.compile(r"(`{3,})([^`]*)")
_MOST_ERRORS = 10
_LONGEST_ERROR = 300
_ENDLESS = "refers to itself without end"


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
        lost = _lost_reference(schema)
        if lost is not None:
            return f"refers to what is not in it: {lost[:_LONGEST_ERROR]}"
        # A value that no keyword but references says much of: what has no end shows with any.
        errors_of(None, schema)
    except SchemaError as error:
        place = "/".join(map(str, error.path))
        where = f" (at {place})" if place else ""
        return f"is no JSON Schema: {error.message[:_LONGEST_ERROR]}{where}"
    except RecursionError:
        return f"{_ENDLESS}, or is nested too deeply"
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


def found_in(text: str) -> Fitting | Unfitting:
    """Find the result in an agent's last message: the last fenced block, else the whole of it.

    Whether it fits its schema is not known yet.
    """
    block = _last_block(text)
    told = text if block is None else block
    try:
        value = json.loads(told, parse_constant=_no_number, parse_float=_number)
        if _levels(value) > MOST_LEVELS:
            return Unfitting(f"the result is nested more than {MOST_LEVELS} levels deep")
        whole = json.dumps(value, ensure_ascii=False)
        # Half of a surrogate pair is no text that could be written down.
        whole.encode()
    except (ValueError, RecursionError) as error:
        where = "the message" if block is None else "the last fenced block"
        return Unfitting(f"{where} is no JSON: {error}")
    return Fitting(whole)


def errors_of(value: object, schema: Any) -> list[str]:  # noqa: ANN401  any JSON
    """Tell what of a value does not fit; nothing when it fits.

    The patterns of a schema may take for ever, and nothing can end that but the end of the process.
    """
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


def _lost_reference(schema: Mapping[str, object]) -> str | None:
    """Find a reference that leads out of a schema, or nowhere in it."""
    from referencing import Registry  # noqa: PLC0415  slow, seldom needed
    from referencing.exceptions import Unresolvable  # noqa: PLC0415  slow, seldom needed
    from referencing.jsonschema import DRAFT202012  # noqa: PLC0415  slow, seldom needed

    resource = DRAFT202012.create_resource(schema)
    registry: Registry[Any] = Registry().with_resource(resource.id() or "", resource)
    waiting = [(resource, registry.resolver(resource.id() or ""))]
    while waiting:
        found, resolver = waiting.pop()
        for reference in _references(found.contents):
            try:
                resolver.lookup(reference)
            except Unresolvable:
                return reference
        waiting += [(each, resolver.in_subresource(each)) for each in found.subresources()]
    return None


def _references(contents: object) -> Iterator[str]:
    if isinstance(contents, Mapping):
        for key in ("$ref", "$dynamicRef"):
            if isinstance(reference := contents.get(key), str):
                yield reference


def _last_block(text: str) -> str | None:
    """Give what stands in the last fenced block; None where there is none that ends."""
    lines = text.split("\n")
    fence, first = "", 0
    block: tuple[int, int] | None = None
    for number, line in enumerate(lines):
        found = _FENCE.fullmatch(line.rstrip())
        if found is None:
            continue
        ticks, language = found.groups()
        if not fence or (language and ticks == fence):
            # JSON has no such line, so that what seemed to be a beginning was none.
            fence, first = ticks, number + 1
        elif not language and len(ticks) >= len(fence):
            fence, block = "", (first, number)
    return None if block is None else "\n".join(lines[slice(*block)])


def _levels(value: object) -> int:
    """How deep lists and objects lie in each other; counts no further than the most plus one."""
    level, depth = [value], 0
    while level and depth <= MOST_LEVELS:
        inner: list[object] = []
        for each in level:
            if isinstance(each, dict):
                inner += each.values()
            elif isinstance(each, list):
                inner += each
        level, depth = [each for each in inner if isinstance(each, dict | list)], depth + 1
    return depth


def _number(written: str) -> float:
    number = float(written)
    if not isfinite(number):
        raise ValueError(f"the number {written[:_LONGEST_ERROR]} is too large")
    return number


def _no_number(written: str) -> NoReturn:
    raise ValueError(f"{written} is no number of JSON")
