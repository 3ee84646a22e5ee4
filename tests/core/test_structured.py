import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sennit.core.structured import (
    MOST_LEVELS,
    Fitting,
    Unfitting,
    errors_of,
    found_in,
    repair_of,
    request_for,
    schema_problem,
)

SCHEMA = {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('first\n```json\n{"a": 1}\n```\nthen\n```\n{"a": 2}\n```\n', '{"a": 2}'),
        (' {"a": 3} ', '{"a": 3}'),
        ('````json\n{"a": 4, "b": "```"}\n````', '{"a": 4, "b": "```"}'),
        ("````\n```\n1\n```\n````\n```\n[5]\n````  \nthat is all", "[5]"),
        # The beginning of a long message is not kept: what ends first had begun there.
        ("code\n```\nprose\n```json\n[6]\n```", "[6]"),
        ("```json\r\n[7]\r\n```\r\n", "[7]"),
    ],
)
def test_the_last_fenced_block_is_the_result_or_the_whole_message(text: str, found: str) -> None:
    assert found_in(text) == Fitting(found)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("words", "the message is no JSON"),
        ("```\nwords\n```", "the last fenced block is no JSON"),
        ("```\n[1]", "the message is no JSON"),
        ('{"a": NaN}', "NaN is no number of JSON"),
        ("[-Infinity]", "-Infinity is no number of JSON"),
        ("1e999", "the number 1e999 is too large"),
        ("1" * 10_000, "the message is no JSON"),
        (r'"\ud800"', "surrogates not allowed"),
        ("[" * 100_000 + "]" * 100_000, "the message is no JSON"),
        ("[" * (MOST_LEVELS + 1) + "]" * (MOST_LEVELS + 1), "nested more than 100 levels deep"),
    ],
)
def test_what_nobody_could_be_given_is_no_result(text: str, why: str) -> None:
    found = found_in(text)
    assert isinstance(found, Unfitting)
    assert why in found.why
    assert found.why in repair_of(found)


@pytest.mark.parametrize("line", ["``` x\n", "```\n", "`\n", "```` x\n``` y\n", "``` \t\n"])
def test_a_message_of_fences_takes_no_time(line: str) -> None:
    began = time.process_time()
    assert isinstance(found_in(line * 50_000), Unfitting)
    assert time.process_time() - began < 5


def test_what_does_not_fit_is_told_with_its_places() -> None:
    assert errors_of({"a": 1}, SCHEMA) == []
    assert errors_of({"a": "x"}, SCHEMA) == ["$.a: 'x' is not of type 'integer'"]


def test_a_reference_is_never_fetched() -> None:
    [error] = errors_of(1, {"$ref": "http://localhost:1/schema"})
    assert "refers to what is not in it" in error


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"type": 3}, "is no JSON Schema"),
        ({"pattern": "("}, "is no JSON Schema"),
        ({"$ref": "http://localhost:1/schema"}, "refers to what is not in it"),
        ({"items": {"properties": {"a": {"$ref": "#/$defs/b"}}}}, "refers to what is not in it"),
        ({"$ref": "#"}, "refers to itself without end"),
        ({"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"$ref": "#"}}}, "without end"),
    ],
)
def test_a_schema_that_is_none_or_is_not_whole_is_told(schema: object, why: str) -> None:
    assert isinstance(schema, dict)
    assert why in (schema_problem(schema) or "")


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "string", "pattern": "^(a+)+$"},
        {"items": {"$ref": "#"}},
        {"$id": "http://a/b", "$ref": "#/$defs/c", "$defs": {"c": {"type": "string"}}},
        {"$ref": "c", "$id": "http://a/b", "$defs": {"c": {"$id": "c", "type": "string"}}},
        {"properties": {"a": {"$ref": "#name"}}, "$defs": {"c": {"$anchor": "name"}}},
    ],
)
def test_a_schema_may_refer_to_its_own_parts(schema: dict[str, object]) -> None:
    assert schema_problem(schema) is None
    assert json.dumps(schema) in request_for(json.dumps(schema))


@given(st.text())
def test_any_text_gives_a_result_or_a_reason(text: str) -> None:
    assert isinstance(found_in(text), Fitting | Unfitting)
