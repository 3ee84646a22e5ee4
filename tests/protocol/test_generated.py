from __future__ import annotations

import json
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

import attrs
import jsonschema
import pytest

from sennit_protocol.describe import DESCRIPTION, says
from sennit_protocol.errors import DATA
from sennit_protocol.json_schema import fields_of, types_of_methods
from sennit_protocol.members import meanings_of
from sennit_protocol.methods import METHODS

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "protocol/sennit_protocol/schema/sennit.schema.json").read_text())


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    ("params", "valid"),
    [
        ({"tasks": [{"id": "a", "prompt": "b"}]}, True),
        ({"tasks": [{"id": "a", "prompt": "b", "base": None, "agent": None}]}, True),
        ({"tasks": [{"id": "a"}]}, False),
        ({"tasks": [{"id": "a", "prompt": "b", "x": 1}]}, False),
        ({"tasks": [{"id": "a", "prompt": "b", "base": "x"}]}, False),
        ({"tasks": "a"}, False),
    ],
)
def test_the_schema_says_what_the_wire_says(params: object, valid: bool) -> None:  # noqa: FBT001
    schema = SCHEMA | SCHEMA["methods"]["sennit/dispatch"]["params"]
    assert jsonschema.Draft202012Validator(schema).is_valid(params) is valid


def test_answers_may_grow_and_requests_may_not() -> None:
    assert SCHEMA["$defs"]["DispatchParams"]["additionalProperties"] is False
    assert "additionalProperties" not in SCHEMA["$defs"]["TicketView"]


def test_the_page_has_every_method() -> None:
    page = (ROOT / "docs/protocol.md").read_text()
    assert [name for name in SCHEMA["methods"] if f"### `{name}`" not in page] == []


# Those of errors are the type of no message.
TYPES = (
    *types_of_methods(method for method in METHODS.values() if method.available),
    *DATA,
)


def says_nothing(cls: type) -> Iterator[str]:
    if issubclass(cls, Enum):
        yield from (value for value, meaning in meanings_of(cls).items() if not meaning)
    elif attrs.has(cls):
        yield from (field.name for field in fields_of(cls) if not field.metadata.get(DESCRIPTION))


@pytest.mark.parametrize("cls", TYPES, ids=lambda cls: cls.__name__)
def test_every_key_and_every_value_says_what_it_means(cls: type) -> None:
    assert list(says_nothing(cls)) == []


def test_no_row_of_the_page_lacks_its_meaning() -> None:
    page = (ROOT / "docs/protocol.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert [row for row in rows if row.split("|")[-2].strip() == ""] == []
    assert {row.count("|") for row in rows} <= {3, 5}


class Undocumented(Enum):
    """An enum of which one value says nothing."""

    TOLD = "told"
    """This one says something."""
    UNTOLD = "untold"


@attrs.frozen
class HalfDocumented:
    """A type of which one key says nothing."""

    told: int = attrs.field(metadata=says("This one says something."))
    untold: int


def test_a_key_that_says_nothing_is_found() -> None:
    assert list(says_nothing(HalfDocumented)) == ["untold"]


def test_a_value_without_a_text_below_it_is_found() -> None:
    assert meanings_of(Undocumented) == {"told": "This one says something.", "untold": ""}
    assert list(says_nothing(Undocumented)) == ["untold"]
