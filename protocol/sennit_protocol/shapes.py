"""What a type of the protocol looks like in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, TypeGuard, Union, get_args, get_origin


def json_kind(value: object) -> str:
    """Say what JSON calls this value."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list() | tuple():
            return "an array"
        case _:
            return "an object"


def expected_kind(type_: object) -> str:
    """Say what JSON calls the values of this type; integers have a name of their own."""
    if is_enum(type_):
        return expected_kind(type(next(iter(type_)).value))
    if is_literal(type_):
        return expected_kind(type(plain(get_args(type_)[0])))
    if is_array(type_):
        return "an array"
    return _PRIMITIVE_KINDS.get(supertype(type_), "an object")


_PRIMITIVE_KINDS: Mapping[object, str] = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "a boolean",
}


def supertype(type_: object) -> object:
    """Give the type that a ``NewType`` is made from, and any other type as it is."""
    return getattr(type_, "__supertype__", type_)


def plain(choice: object) -> object:
    """Give the value of a member of an enum, and any other value as it is."""
    return choice.value if isinstance(choice, Enum) else choice


def members_of(union: object) -> tuple[Any, ...]:
    """Give the members of a union without ``None``."""
    return tuple(member for member in get_args(union) if member is not NoneType)


def is_nullable(type_: object) -> bool:
    """Tell whether null is a value of this type."""
    return is_union(type_) and NoneType in get_args(type_)


def is_any(type_: object) -> bool:
    """Tell whether any JSON value is a value of this type."""
    return type_ is object or type_ is Any


def is_enum(type_: object) -> TypeGuard[type[Enum]]:
    """Tell whether this is an enum."""
    return isinstance(type_, type) and issubclass(type_, Enum)


def is_literal(type_: object) -> bool:
    """Tell whether this is a closed list of values."""
    return get_origin(type_) is Literal


def is_array(type_: object) -> bool:
    """Tell whether this is a list, or a tuple of any length."""
    origin = get_origin(type_)
    return origin is list or (origin is tuple and get_args(type_)[1:] == (...,))


def is_mapping(type_: object) -> bool:
    """Tell whether this is an object with free keys."""
    return get_origin(type_) in {dict, Mapping} and get_args(type_)[0] is str


def is_union(type_: object) -> bool:
    """Tell whether this is a union."""
    return get_origin(type_) in {Union, UnionType}
