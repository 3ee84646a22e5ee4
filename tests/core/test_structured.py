import json

from hypothesis import given
from hypothesis import strategies as st

from sennit.core.structured import (
    Fitting,
    Unfitting,
    repair_of,
    request_for,
    result_of,
    schema_problem,
)

SCHEMA = json.dumps({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}})


def test_the_last_fenced_block_is_the_result() -> None:
    text = 'first\n```json\n{"a": 1}\n```\nthen\n```\n{"a": 2}\n```\n'
    assert result_of(text, SCHEMA) == Fitting('{"a": 2}')


def test_a_message_without_a_block_is_the_result_itself() -> None:
    assert result_of(' {"a": 3} ', SCHEMA) == Fitting('{"a": 3}')


def test_a_longer_fence_may_hold_shorter_ones() -> None:
    text = '````json\n{"a": 4, "b": "```"}\n````'
    assert isinstance(result_of(text, SCHEMA), Fitting)


def test_what_does_not_fit_is_told_with_its_places() -> None:
    found = result_of('{"a": "x"}', SCHEMA)
    assert isinstance(found, Unfitting)
    assert "$.a" in found.why
    assert found.why in repair_of(found)


def test_a_reference_is_never_fetched() -> None:
    found = result_of("1", json.dumps({"$ref": "http://localhost:1/schema"}))
    assert isinstance(found, Unfitting)
    assert "refers to what is not in it" in found.why


def test_a_schema_that_is_none_is_told() -> None:
    assert schema_problem({"type": 3}) is not None
    assert schema_problem({"type": "string"}) is None
    assert SCHEMA in request_for(SCHEMA)


@given(st.text())
def test_any_text_gives_a_result_or_a_reason(text: str) -> None:
    assert isinstance(result_of(text, SCHEMA), Fitting | Unfitting)
