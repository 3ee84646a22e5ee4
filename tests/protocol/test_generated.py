from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

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
