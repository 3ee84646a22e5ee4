"""LSP's own types: lenient to unknown keys, but nothing is coerced into another type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, get_origin

import cattrs
from cattrs.cols import list_structure_factory

from sennit_protocol.errors import Problem
from sennit_protocol.shapes import json_kind
from sennit_protocol.wire_problems import BadValueError, problems_of

_WORDS = {str: "a string", bool: "a boolean", int: "an integer", float: "a number"}

LSP_ERRORS = (cattrs.BaseValidationError, cattrs.StructureHandlerNotFoundError, ValueError,
              TypeError, KeyError, AttributeError)  # fmt: skip
"""What lsprotocol's hooks raise for values that do not fit."""


@cache
def lsp_converter() -> cattrs.Converter:
    """Make the one converter of LSP's types."""
    # As `sennit.server.lsp_words` has it: not before it is needed.
    from lsprotocol.converters import get_converter  # noqa: PLC0415

    converter = cattrs.Converter(detailed_validation=True)
    for primitive, check in (
        (str, _is_string), (bool, _is_boolean), (int, _is_integer), (float, _is_number),
    ):  # fmt: skip
        converter.register_structure_hook(primitive, _checked(primitive, check))
    converter.register_structure_hook_factory(_is_sequence, lambda t: _array(converter, t))
    return get_converter(converter)


def lsp_problems(error: BaseException) -> tuple[Problem, ...]:
    """List what is wrong with a value of LSP, with JSON paths."""
    return problems_of(error)


def _checked(primitive: type, check: Callable[[object], bool]) -> Callable[[Any, Any], Any]:
    def hook(value: object, type_: type) -> object:
        if not check(value):
            raise BadValueError(f"must be {_WORDS[primitive]}, not {json_kind(value)}")
        # Enums of strings and integers have this hook too.
        return value if type_ is primitive else type_(value)

    return hook


def _is_string(value: object) -> bool:
    return isinstance(value, str)


def _is_boolean(value: object) -> bool:
    return isinstance(value, bool)


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_sequence(type_: object) -> bool:
    return get_origin(type_) in {Sequence, list}


def _array(converter: cattrs.Converter, type_: type) -> Callable[[Any, Any], Any]:
    inner = list_structure_factory(type_, converter)

    def hook(value: object, cls: object) -> object:
        if not isinstance(value, list):
            raise BadValueError(f"must be an array, not {json_kind(value)}")
        return inner(value, cls)

    return hook
