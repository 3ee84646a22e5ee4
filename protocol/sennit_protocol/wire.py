"""The border between JSON values and the protocol's types: strict, and nothing is repaired.

``structure`` takes a JSON value as it was parsed and gives a value of the type, or raises a
``WireError`` that lists every problem at once. ``unstructure`` is its inverse. Fields are spelled
in camelCase on the wire; null on an optional key equals an absent key.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from math import isfinite
from typing import Any, NoReturn, TypeVar, cast, get_args, get_origin

import attrs
from cattrs import Converter
from cattrs.cols import homogenous_tuple_structure_factory, list_structure_factory
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
from cattrs.gen import make_mapping_structure_fn as make_mapping

from sennit_protocol.shapes import (
    expected_kind,
    is_any,
    is_array,
    is_enum,
    is_literal,
    is_mapping,
    is_nullable,
    is_union,
    json_kind,
    members_of,
    plain,
)
from sennit_protocol.wire_problems import (
    BadKeysError,
    BadValueError,
    WireError,
    camel_case,
    problems_of,
)

T = TypeVar("T")
Hook = Callable[[Any, Any], Any]
JSON_SAFE_INTEGER = 2**53 - 1
KIND = "kind"


def structure(value: object, type_: type[T]) -> T:
    """Read what another side asks of us: unknown keys are refused with the list of valid ones."""
    return _structure(_strict(), value, type_)


def structure_open(value: object, type_: type[T]) -> T:
    """Read what another side answers: unknown keys are left out, for answers may grow."""
    return _structure(_open(), value, type_)


def unstructure(value: object) -> object:
    """Give the JSON value of a value of the protocol's types.

    Optional keys that are ``None`` are left out. Raises ``TypeError`` for what has no place on
    the wire, ``bytes`` above all.
    """
    return _strict().unstructure(value)


def _structure(converter: Converter, value: object, type_: type[T]) -> T:
    try:
        return converter.structure(value, type_)
    except (BadValueError, BadKeysError, ExceptionGroup) as error:
        raise WireError(problems_of(error)) from error


@cache
def _strict() -> Converter:
    return _converter(_refuse_unknown_keys)


@cache
def _open() -> Converter:
    return _converter(_leave_unknown_keys)


KeyRule = Callable[[type, Mapping[str, object], tuple[str, ...]], tuple[BadValueError, ...]]


def _refuse_unknown_keys(
    cls: type, value: Mapping[str, object], known: tuple[str, ...]
) -> tuple[BadValueError, ...]:
    later: frozenset[str] = getattr(cls, "LATER_KEYS", frozenset())
    return tuple(
        BadValueError("is not available yet; leave it out", known, key)
        if key in later
        else BadValueError("is not a known key", known, key)
        for key in value
        if key not in known
    )


def _leave_unknown_keys(
    _cls: type, _value: Mapping[str, object], _known: tuple[str, ...]
) -> tuple[BadValueError, ...]:
    return ()


def _converter(key_rule: KeyRule) -> Converter:
    converter = Converter(detailed_validation=True)
    for primitive, hook in _PRIMITIVES.items():
        converter.register_structure_hook(primitive, hook)
    converter.register_structure_hook_func(is_any, lambda value, _: value)
    converter.register_structure_hook_func(is_enum, _enum)
    converter.register_structure_hook_func(is_literal, _literal)
    converter.register_structure_hook_factory(is_array, lambda t: _array_hook(converter, t))
    converter.register_structure_hook_factory(is_mapping, lambda t: _mapping_hook(converter, t))
    converter.register_structure_hook_factory(is_union, lambda t: _union_hook(converter, t))
    converter.register_structure_hook_factory(
        attrs.has, lambda cls: _object_hook(converter, cls, key_rule)
    )
    converter.register_unstructure_hook_factory(
        attrs.has, lambda cls: _object_unstructure(converter, cls)
    )
    converter.register_unstructure_hook(str, _unstructure_string)
    converter.register_unstructure_hook(bytes, _refuse_to_send)
    converter.register_unstructure_hook_func(lambda t: not _travels(t), _refuse_to_send)
    converter.register_unstructure_hook_func(is_any, lambda value: _by_its_class(converter, value))
    return converter


def _wrong(expected: str, value: object, valid: tuple[str, ...] = ()) -> BadValueError:
    return BadValueError(f"must be {expected}, not {json_kind(value)}", valid)


# Structuring: primitives, closed lists of values, arrays, objects, unions.


def _string(value: object, type_: type[str]) -> str:
    if type_ is not str:
        return _member(value, type_)
    if not isinstance(value, str):
        raise _wrong("a string", value)
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise BadValueError("must be valid Unicode, but holds half of a surrogate pair")
    return value


def _integer(value: object, type_: type[int]) -> int:
    if type_ is not int:
        return _member(value, type_)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong("an integer", value)
    if abs(value) > JSON_SAFE_INTEGER:
        raise BadValueError(f"must lie between -{JSON_SAFE_INTEGER} and {JSON_SAFE_INTEGER}")
    return value


def _boolean(value: object, _: object) -> bool:
    if not isinstance(value, bool):
        raise _wrong("a boolean", value, ("true", "false"))
    return value


def _number(value: object, _: object) -> float:
    # JSON has one type of number, so that 5 is a spelling of 5.0.
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong("a number", value)
    if not isfinite(value):
        raise BadValueError("must be a finite number")
    return float(value)


# Subclasses come after their base, for cattrs takes the first that fits.
_PRIMITIVES: Mapping[type, Hook] = {str: _string, int: _integer, bool: _boolean, float: _number}


def _member(value: object, type_: type[T]) -> T:
    # The dispatch of cattrs gives subclasses the hook of their base, so enums of strings and
    # integers arrive here.
    if not is_enum(type_):
        raise TypeError(f"{type_.__name__} has no place in the protocol's types")
    return cast("T", _enum(value, type_))


def _enum(value: object, cls: type[Enum]) -> Enum:
    for member in cls:
        if _same(member.value, value):
            return member
    raise _not_listed(value, tuple(str(member.value) for member in cls))


def _literal(value: object, type_: object) -> object:
    choices = get_args(type_)
    for choice in choices:
        if _same(plain(choice), value):
            return choice
    raise _not_listed(value, tuple(str(plain(choice)) for choice in choices))


def _not_listed(value: object, valid: tuple[str, ...]) -> BadValueError:
    got = f'"{value}"' if isinstance(value, str) else json_kind(value)
    return BadValueError(f"must be one of {', '.join(valid)}, not {got}", valid)


def _same(known: object, value: object) -> bool:
    return type(known) is type(value) and known == value


def _array_hook(converter: Converter, type_: type) -> Hook:
    # The hook that cattrs has for these types does the work once the value is known to be a list.
    factory = (
        homogenous_tuple_structure_factory if get_origin(type_) is tuple else list_structure_factory
    )
    inner: Hook = factory(type_, converter)

    def hook(value: object, cls: object) -> object:
        if not isinstance(value, list):
            raise _wrong("an array", value)
        return inner(value, cls)

    return hook


def _mapping_hook(converter: Converter, type_: type) -> Hook:
    inner: Hook = make_mapping(type_, converter, structure_to=dict, detailed_validation=True)

    def hook(value: object, cls: object) -> object:
        if not isinstance(value, dict):
            raise _wrong("an object", value)
        return inner(value, cls)

    return hook


def _object_hook(converter: Converter, cls: type, key_rule: KeyRule) -> Hook:
    attrs.resolve_types(cls)
    fields = attrs.fields(cls)
    keys = {field.name: camel_case(field.name) for field in fields}
    known = tuple(keys.values())
    optional = frozenset(keys[f.name] for f in fields if f.default is not attrs.NOTHING)
    renamed: dict[str, Any] = {name: override(rename=key) for name, key in keys.items()}
    inner: Hook = make_dict_structure_fn(
        cls, converter, _cattrs_detailed_validation=True, **renamed
    )

    def hook(value: object, type_: object) -> object:
        if not isinstance(value, dict):
            raise _wrong("an object", value)
        present = {k: v for k, v in value.items() if v is not None or k not in optional}
        unknown = key_rule(cls, value, known)
        if not unknown:
            return inner(present, type_)
        _raise_with_inner(inner, present, type_, unknown)

    return hook


def _raise_with_inner(
    inner: Hook, value: object, type_: object, unknown: tuple[BadValueError, ...]
) -> NoReturn:
    try:
        inner(value, type_)
    except ExceptionGroup as group:
        raise group.derive([*group.exceptions, BadKeysError(unknown)]) from None
    raise BadKeysError(unknown)


def _union_hook(converter: Converter, type_: object) -> Hook:
    members = members_of(type_)
    nullable = is_nullable(type_)
    if len(members) == 1:
        single = members[0]
        return lambda value, _: None if value is None else converter.structure(value, single)
    tagged = {tag: m for m in members if attrs.has(m) for tag in _tags(m)}
    objects = tuple(m for m in members if attrs.has(m))

    def hook(value: object, _: object) -> object:
        if value is None and nullable:
            return None
        if isinstance(value, dict) and len(objects) > 1:
            return converter.structure(value, _tagged_member(value, tagged))
        fitting = [m for m in members if _fits(value, m)]
        if len(fitting) != 1:
            expected = " or ".join(dict.fromkeys(expected_kind(m) for m in members))
            raise _wrong(expected, value)
        return converter.structure(value, fitting[0])

    return hook


def _tagged_member(value: dict[str, object], tagged: Mapping[object, type]) -> type:
    valid = tuple(str(tag) for tag in tagged)
    if KIND not in value:
        raise BadValueError(f"is missing; it must be one of {', '.join(valid)}", valid, KIND)
    kind = value[KIND]
    if not isinstance(kind, str) or kind not in tagged:
        problem = _not_listed(kind, valid)
        raise BadValueError(problem.message, valid, KIND)
    return tagged[kind]


def _tags(cls: type) -> tuple[object, ...]:
    """List the values of ``kind`` by which a member of a union is told from the others."""
    attrs.resolve_types(cls)
    for field in attrs.fields(cls):
        if field.name == KIND and is_literal(field.type):
            return tuple(plain(choice) for choice in get_args(field.type))
    return ()


def _fits(value: object, member: object) -> bool:
    """Tell whether the JSON kind of ``value`` is the one that ``member`` is made from."""
    expected = expected_kind(member)
    return json_kind(value) == ("a number" if expected == "an integer" else expected)


# Unstructuring.

_TRAVELLING = (str, int, float, bool, types.NoneType, list, tuple, dict, Mapping, Enum)


def _travels(type_: object) -> bool:
    """Whether values of this type have a place on the wire; parametrised types are looked into."""
    if not isinstance(type_, type):
        return True
    return attrs.has(type_) or type_ is object or issubclass(type_, _TRAVELLING)


def _refuse_to_send(value: object) -> NoReturn:
    raise TypeError(f"{type(value).__name__} never travels; give it a type of the protocol")


def _by_its_class(converter: Converter, value: object) -> object:
    if type(value) is object:
        _refuse_to_send(value)
    return converter.unstructure(value, unstructure_as=type(value))


def _unstructure_string(value: str) -> str:
    return str(value.value) if isinstance(value, Enum) else value


def _object_unstructure(converter: Converter, cls: type) -> Callable[[object], dict[str, object]]:
    attrs.resolve_types(cls)
    fields = attrs.fields(cls)
    renamed: dict[str, Any] = {f.name: override(rename=camel_case(f.name)) for f in fields}
    inner: Callable[[object], dict[str, object]] = make_dict_unstructure_fn(
        cls, converter, **renamed
    )
    optional = tuple(camel_case(f.name) for f in fields if f.default is not attrs.NOTHING)

    def hook(value: object) -> dict[str, object]:
        made = inner(value)
        for key in optional:
            if made[key] is None:
                del made[key]
        return made

    return hook
