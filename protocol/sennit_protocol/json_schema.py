"""JSON Schema of the protocol's types, with the descriptions of their docstrings and fields."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import get_args

import attrs

from sennit_protocol.describe import DESCRIPTION
from sennit_protocol.members import meanings_of
from sennit_protocol.methods import Method, Sender
from sennit_protocol.shapes import (
    is_any,
    is_array,
    is_enum,
    is_literal,
    is_mapping,
    is_nullable,
    is_union,
    members_of,
    plain,
    supertype,
)
from sennit_protocol.wire_problems import camel_case

Schema = dict[str, object]
_CODE = re.compile(r"``([^`]+)``")
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_for(closed: Iterable[type], opened: Iterable[type] = ()) -> Schema:
    """Make a schema with one definition for each type that is reached.

    The types reached from ``closed`` refuse unknown keys, as requests do; those that are reached
    only from ``opened`` allow them, as answers may grow.
    """
    strict = _reached(closed)
    found = strict | _reached(opened)
    definitions = {name: _definition(found[name], name in strict) for name in sorted(found)}
    return {"$schema": DIALECT, "$defs": definitions}


def protocol_schema(methods: Mapping[str, Method]) -> Schema:
    """Make the schema of all methods; ``methods`` in it tells which definition is for what."""
    available = [method for method in methods.values() if method.available]
    asked = [m for m in available if m.sender is Sender.CLIENT]
    told = [m for m in available if m.sender is Sender.SERVER]
    closed = [m.params for m in asked]
    opened = [m.result for m in available if m.result] + [m.params for m in told]
    table = {m.name: _row(m) for m in available}
    return schema_for(closed, opened) | {"methods": table}


def type_schema(type_: object) -> Schema:
    """Make the schema of a value of one type, which refers to the definitions of others."""
    type_ = supertype(type_)
    if is_any(type_):
        return {}
    if is_union(type_):
        return _union(type_)
    if get_args(type_):
        return _parametrised(type_)
    if type_ in _PRIMITIVES:
        return {"type": _PRIMITIVES[type_]}
    return {"$ref": f"#/$defs/{getattr(type_, '__name__', type_)}"}


def _parametrised(type_: object) -> Schema:
    if is_literal(type_):
        return {"enum": [plain(choice) for choice in get_args(type_)]}
    inner = type_schema(get_args(type_)[1 if is_mapping(type_) else 0])
    if is_array(type_):
        return {"type": "array", "items": inner}
    return {"type": "object", "additionalProperties": inner}


_PRIMITIVES: Mapping[object, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
}


def description_of(cls: type) -> str:
    """Give the docstring of a type, its code marked as in Markdown and members by their values."""
    return _CODE.sub(_marked, inspect.cleandoc(cls.__doc__ or ""))


def description_of_values(cls: type[Enum]) -> str:
    """Give the docstring of an enum with a line for each of its values."""
    lines = [f"- `{value}`: {meaning}" for value, meaning in meanings_of(cls).items()]
    return "\n".join([description_of(cls), "", *lines])


def _marked(code: re.Match[str]) -> str:
    text = code[1]
    return f"`{camel_case(text.lower())}`" if text.isupper() else f"`{text}`"


def is_optional(field: attrs.Attribute[object]) -> bool:
    """Tell whether a key may be absent."""
    return field.default is not attrs.NOTHING


def types_in(type_: object) -> Iterable[type]:
    """List the classes and enums that a type names, not those that they name in turn."""
    type_ = supertype(type_)
    if is_literal(type_):
        return
    if get_args(type_):
        for argument in get_args(type_):
            yield from types_in(argument)
    elif isinstance(type_, type) and (attrs.has(type_) or is_enum(type_)):
        yield type_


def types_of_methods(methods: Iterable[Method]) -> list[type]:
    """List all types that the messages of these methods are made of, by name."""
    found = _reached(cls for method in methods for cls in (method.params, method.result) if cls)
    return [found[name] for name in sorted(found)]


def fields_of(cls: type) -> tuple[attrs.Attribute[object], ...]:
    """List the fields of a class with their types resolved."""
    attrs.resolve_types(cls)
    return tuple(attrs.fields(cls))


def _union(type_: object) -> Schema:
    choices = [type_schema(member) for member in members_of(type_)]
    if is_nullable(type_):
        choices.append({"type": "null"})
    return choices[0] if len(choices) == 1 else {"anyOf": choices}


def _reached(roots: Iterable[type]) -> dict[str, type]:
    found: dict[str, type] = {}
    waiting = list(roots)
    while waiting:
        cls = waiting.pop()
        known = found.setdefault(cls.__name__, cls)
        if known is not cls:
            raise ValueError(f"two types of the protocol are called {cls.__name__}")
        if attrs.has(cls):
            inside = [inner for field in fields_of(cls) for inner in types_in(field.type)]
            waiting += [inner for inner in inside if found.get(inner.__name__) is not inner]
    return found


def _definition(cls: type, strict: bool) -> Schema:  # noqa: FBT001  private, two callers
    if is_enum(cls):
        return _enum(cls)
    fields = fields_of(cls)
    made: Schema = {
        "description": description_of(cls),
        "type": "object",
        "properties": {camel_case(field.name): _property(field) for field in fields},
        "required": [camel_case(field.name) for field in fields if not is_optional(field)],
    }
    if strict:
        made["additionalProperties"] = False
    return made


def _enum(cls: type[Enum]) -> Schema:
    return {"description": description_of_values(cls), "enum": [member.value for member in cls]}


def _property(field: attrs.Attribute[object]) -> Schema:
    made = type_schema(field.type)
    if is_optional(field) and made and not is_nullable(field.type):
        made = {"anyOf": [made, {"type": "null"}]}
    description = field.metadata.get(DESCRIPTION)
    return made | ({"description": description} if description else {})


def _row(method: Method) -> Schema:
    row: Schema = {"params": type_schema(method.params), "sender": method.sender.value}
    return row | ({} if method.result is None else {"result": type_schema(method.result)})
