from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sennit.core.acp.messages import Message, Stray, read_line

values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@pytest.mark.parametrize("line", ["", "  ", "\t", "\r"])
def test_an_empty_line_says_nothing(line: str) -> None:
    assert read_line(line) is None


@pytest.mark.parametrize(
    "line",
    ["42", "[1]", "null", "true", '"text"', "migrating ...", "{", '{"a":1', "[" * 100_000,
     '{"a":' * 100_000, "1" * 10_000],
    ids=lambda line: line[:12],
)  # fmt: skip
def test_what_is_no_object_is_a_stray_line(line: str) -> None:
    assert read_line(line) == Stray(line)


@given(values)
def test_every_json_value_is_a_message_or_a_stray_line(value: Any) -> None:
    read = read_line(json.dumps(value))
    assert isinstance(read, Message) == isinstance(value, dict)


@given(st.dictionaries(st.sampled_from(["id", "method", "result", "error", "x"]), values))
def test_every_answer_is_whole_or_none(body: dict[str, Any]) -> None:
    answer = Message(body).answer()
    if answer is None:
        return
    assert isinstance(answer["id"], int)
    assert not isinstance(answer["id"], bool)
    assert ("error" in answer) != ("result" in answer)
    error = answer.get("error")
    if error is not None:
        assert isinstance(error, dict)
        assert isinstance(error["code"], int)
        assert isinstance(error["message"], str)


@pytest.mark.parametrize("number", [[1], {}, None, True, 1.0, "1"])
def test_an_answer_with_an_id_that_we_never_gave_is_none(number: object) -> None:
    assert Message({"id": number, "result": 1}).answer() is None


def test_half_a_character_becomes_a_question_mark() -> None:
    read = read_line(r'{"a": "x\ud800y", "b": "\ud83d\ude00"}')
    assert isinstance(read, Message)
    assert read.body == {"a": "x?y", "b": "😀"}


def test_only_what_has_a_method_and_an_id_is_a_request() -> None:
    assert Message({"method": "a", "id": 0}).is_request
    assert not Message({"method": "a"}).is_request
    assert not Message({"method": "a", "id": None}).is_request
    assert not Message({"method": 7, "id": 1}).is_request
    assert not Message({"id": 1, "result": {}}).is_request
