"""Rows, events and commands as JSON text, and back, exactly.

Bytes are written as text with the escapes of PEP 383, so that paths stay readable in the database
and every byte string comes back as it was. A member of a union carries the name of its class.
What this program does not know (a field, a class, a version of an event) is refused, not left out.
"""

from __future__ import annotations

import json
import re
import types
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

import attrs
from cattrs import Converter, transform_error
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn

from sennit.core.engine.step_values import Row

Body = dict[str, Any]
Upgrade = Callable[[Body], Body]
PlainT = TypeVar("PlainT")

_CLASS = "$class"
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


class UnreadableError(Exception):
    """Stored text is not a value of its class; ``newer`` if a later program has written it.

    Where it also ``lacks`` something, an earlier one may have written it as well.
    """

    def __init__(self, what: str, why: str, *, newer: bool = False, lacks: bool = False) -> None:
        super().__init__(f"{what}: {why}")
        self.newer = newer
        self.lacks = lacks


class Codec:
    """Knows the classes that are stored, by name.

    ``upgrades`` lead an event's body from the version in the key to the next one, by
    ``(TYPE, version)``. A class with a union whose members look alike when they are stored raises
    ``TypeError`` here, not at first use.
    """

    def __init__(
        self,
        rows: Iterable[type],
        events: Iterable[type],
        commands: Iterable[type],
        upgrades: Mapping[tuple[str, int], Upgrade] | None = None,
    ) -> None:
        self.tables: Mapping[str, type] = {table_name(row): row for row in rows}
        self._table_names = {row: name for name, row in self.tables.items()}
        self._events: dict[str, Any] = {cast("Any", event).TYPE: event for event in events}
        self._commands = {command.__name__: command for command in commands}
        self._upgrades = dict(upgrades or {})
        self._known = frozenset(
            (*self.tables.values(), *self._events.values(), *self._commands.values())
        )
        self._converter = _converter({cls.__name__: cls for cls in self._known})
        self._dump: dict[type, Callable[[Any], Any]] = {}
        seen: set[object] = set()
        for cls in self._known:
            _refuse_ambiguous(cls, seen)

    def complete(self) -> None:
        """Get ready for every class. Raises for those that cannot be stored.

        For tests of the classes: a class is made ready when it is met for the first time, for all
        together take a tenth of a server's start.
        """
        for cls in self._known:
            self._dump[cls] = self._converter.get_unstructure_hook(cls)
            self._converter.get_structure_hook(cls)

    def table(self, row: type) -> str:
        """The name of the table that holds rows of this class."""
        return self._table_names[row]

    def dump(self, value: object) -> str:
        """A row, event or command as JSON text in ASCII."""
        cls = type(value)
        return _encode((self._dump.get(cls) or self._dumper(cls))(value))

    def _dumper(self, cls: type) -> Callable[[Any], Any]:
        if cls not in self._known:
            raise TypeError(f"{cls.__name__} is none of the classes that are stored")
        self._dump[cls] = self._converter.get_unstructure_hook(cls)
        return self._dump[cls]

    def row(self, table: str, text: str) -> Row:
        """The row that was stored in a table. Raises ``UnreadableError``."""
        return cast("Row", self._load(table, self.tables[table], self._parse(table, text)))

    def command(self, name: str, text: str) -> object:
        """The command of that class name. Raises ``UnreadableError``."""
        if name not in self._commands:
            raise UnreadableError(f"command {name}", "is not known to this program", newer=True)
        return self._load(name, self._commands[name], self._parse(name, text))

    def event(self, type_: str, version: int, text: str) -> object:
        """The event of that type, led from its version to today's. Raises ``UnreadableError``."""
        what = f"event {type_} version {version}"
        cls = self._events.get(type_)
        if cls is None or version > cls.VERSION:
            raise UnreadableError(what, "is not known to this program", newer=True)
        body = self._parse(what, text)
        for old in range(version, cls.VERSION):
            if (type_, old) not in self._upgrades:
                raise UnreadableError(what, f"nothing leads from version {old} to {old + 1}")
            body = self._upgrades[type_, old](body)
        return self._load(what, cls, body)

    @staticmethod
    def _parse(what: str, text: str) -> Body:
        try:
            return cast("Body", json.loads(text))
        except ValueError as error:
            raise UnreadableError(what, f"is not JSON: {error}") from error

    def _load(self, what: str, cls: type, body: Body) -> object:
        try:
            return self._converter.structure(body, cls)
        except (ExceptionGroup, TypeError, ValueError, KeyError) as error:
            why = "; ".join(transform_error(error))
            newer, lacks = "extra fields" in why, "required field missing" in why
            raise UnreadableError(what, why, newer=newer, lacks=lacks) from error


def table_name(row: type) -> str:
    """The table of a row class: ``OpenDocumentRow`` is stored in ``row_open_document``."""
    stem = row.__name__.removesuffix("Row")
    return "row_" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", stem).lower()


def _converter(registry: Mapping[str, type]) -> Converter:
    converter = Converter(detailed_validation=True, forbid_extra_keys=True)
    for primitive in (str, int, bool):
        converter.register_structure_hook(primitive, _primitive)
    converter.register_structure_hook(bytes, _bytes)
    converter.register_unstructure_hook(bytes, lambda raw: raw.decode("utf-8", "surrogateescape"))
    converter.register_structure_hook_factory(
        attrs.has, lambda cls: _structure_object(converter, cls)
    )
    converter.register_unstructure_hook_factory(
        attrs.has, lambda cls: make_dict_unstructure_fn(cls, converter)
    )
    converter.register_structure_hook_factory(_is_union, lambda t: _read_union(converter, t))
    converter.register_unstructure_hook_factory(_is_union, lambda _: _write_tagged(converter))
    converter.register_structure_hook_func(
        _is_any, lambda value, _: _read_tagged(converter, registry, value)
    )
    converter.register_unstructure_hook_func(_is_any, _write_tagged(converter))
    return converter


def _structure_object(converter: Converter, cls: type) -> Callable[[Any, Any], Any]:
    inner: Callable[[Any, Any], Any] = make_dict_structure_fn(
        cls, converter, _cattrs_forbid_extra_keys=True, _cattrs_detailed_validation=True
    )

    def hook(value: object, type_: object) -> object:
        if not isinstance(value, dict):
            raise TypeError(f"must be an object for {cls.__name__}, not {value!r}")
        return inner(value, type_)

    return hook


def _primitive(value: object, type_: type) -> object:
    # cattrs takes an enum for the primitive that it is a subclass of.
    return type_(value) if issubclass(type_, Enum) else _only(value, type_)


def _only(value: object, type_: type[PlainT]) -> PlainT:
    if type(value) is not type_:
        raise TypeError(f"must be of type {type_.__name__}, not {value!r}")
    return value


def _bytes(value: object, _: object) -> bytes:
    return _only(value, str).encode("utf-8", "surrogateescape")


# Unions: a class is told by its name, everything else by what it is in JSON.


def _is_any(type_: object) -> bool:
    return type_ is Any or type_ is object


def _is_union(type_: object) -> bool:
    # A union of one type with None is an option, which cattrs knows.
    return get_origin(type_) in {Union, types.UnionType} and len(_members(type_)) > 1


def _members(type_: object) -> tuple[Any, ...]:
    return tuple(member for member in get_args(type_) if member is not types.NoneType)


def _write_tagged(converter: Converter) -> Callable[[Any], Any]:
    def hook(value: object) -> object:
        cls = type(value)
        body = converter.unstructure(value, cls)
        return {_CLASS: cls.__name__, **body} if attrs.has(cls) else body

    return hook


def _read_tagged(converter: Converter, registry: Mapping[str, type], value: object) -> object:
    if not isinstance(value, dict):
        return value
    name = value.get(_CLASS)
    if not isinstance(name, str) or name not in registry:
        raise ValueError(f"class {name!r} is not known to this program")
    body = {key: part for key, part in value.items() if key != _CLASS}
    return cast("object", converter.structure(body, registry[name]))


def _read_union(converter: Converter, type_: object) -> Callable[[Any, Any], Any]:
    members = _members(type_)
    classes = {member.__name__: member for member in members if attrs.has(member)}
    plain = _plain_members(type_)
    nullable = len(members) != len(get_args(type_))

    def hook(value: object, _: object) -> object:
        if value is None and nullable:
            return None
        if isinstance(value, dict) and dict not in plain:
            return _read_tagged(converter, classes, value)
        if type(value) not in plain:
            raise TypeError(f"must be one of {type_}, not {value!r}")
        return converter.structure(value, plain[type(value)])

    return hook


def _plain_members(type_: object) -> dict[type, Any]:
    """The members of a union that are no classes of ours, by what they are in JSON."""
    plain: dict[type, Any] = {}
    for member in _members(type_):
        if not attrs.has(member) and plain.setdefault(_json_type(member), member) is not member:
            raise TypeError(f"{type_} cannot be stored: two of its members look alike in JSON")
    return plain


def _refuse_ambiguous(type_: Any, seen: set[object]) -> None:  # noqa: ANN401  whatever a field has
    """Look at all unions that values of this type can hold; ``seen`` are those that are known."""
    if get_origin(type_) is Literal or type_ in seen:
        return
    seen.add(type_)
    if _is_union(type_):
        _plain_members(type_)
    if isinstance(type_, type) and attrs.has(type_):
        parts = tuple(field.type for field in attrs.fields(attrs.resolve_types(type_)))
    else:
        parts = get_args(type_)
    for part in parts:
        _refuse_ambiguous(part, seen)


def _json_type(member: object) -> type:
    """The type of the value that ``json`` makes of a member of a union."""
    if get_origin(member) is Literal:
        return type(get_args(member)[0])
    if isinstance(member, type) and issubclass(member, Enum):
        return int if issubclass(member, int) else str
    plain = getattr(member, "__supertype__", member)
    match get_origin(plain) or plain:
        case found if found in {str, bytes}:
            return str
        case found if found in {int, bool, float}:
            return cast("type", found)
        case found if found in {tuple, list, frozenset}:
            return list
        case _:
            return dict
