"""Reads fields of JSON that may be anything: what is not of the wanted kind counts as absent."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

_LARGEST = 2**53
_SURROGATE = re.compile(r"\\+u[dD][89a-fA-F]")


def object_of(line: str) -> Mapping[str, object] | None:
    """Give the JSON object that the line is; None for everything else."""
    if not line.lstrip().startswith("{"):
        return None
    try:
        value = readable_json(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def readable_json(line: str) -> Any:  # noqa: ANN401  any JSON
    """Read JSON as what can be written down: it may hold halves of characters, which cannot."""
    value = json.loads(line)
    if _SURROGATE.search(line):
        return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    return value


def within(value: object, *keys: str) -> object:
    """Go down through objects, None where there is no such way."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def mapping(value: object, *keys: str) -> Mapping[str, object]:
    """Give the object at the end of the keys, else an empty one."""
    found = within(value, *keys)
    return found if isinstance(found, Mapping) else {}


def array(value: object, *keys: str) -> list[object]:
    """Give the list at the end of the keys, else an empty one."""
    found = within(value, *keys)
    return found if isinstance(found, list) else []


def text(value: object, *keys: str) -> str:
    """Give the text at the end of the keys, else ""."""
    found = within(value, *keys)
    return found if isinstance(found, str) else ""


def count(value: object, *keys: str) -> int | None:
    """Give the number of things at the end of the keys, None where there is no sensible one."""
    found = within(value, *keys)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    if isinstance(found, float) and not (isfinite(found) and found.is_integer()):
        return None
    return int(found) if 0 <= found <= _LARGEST else None


def money(value: object, *keys: str) -> float | None:
    """Give the amount at the end of the keys, None where there is no sensible one."""
    found = within(value, *keys)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return float(found) if 0 <= found <= _LARGEST else None


def first_text(value: object, *names: str) -> str:
    """Give the first text under these names that is not empty, else ""."""
    return next((found for name in names if (found := text(value, name))), "")


def without(total: int | None, part: int | None) -> int | None:
    """Take a part out of a total that contains it."""
    return None if total is None else max(0, total - (part or 0))
