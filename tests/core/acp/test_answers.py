from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sennit.core.acp.answers import (
    AuthMethod,
    Choice,
    NotOffered,
    abilities,
    mode_choice,
    model_choice,
    thinking_choice,
)

KEYS = ("protocolVersion", "agentCapabilities", "promptCapabilities", "sessionCapabilities", "id",
        "authMethods", "name", "modes", "availableModes", "currentModeId", "configOptions",
        "category", "options", "value", "currentValue", "mode", "model")  # fmt: skip
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.just("mode"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(values)
def test_any_answer_is_read_without_an_error(answer: object) -> None:
    abilities(answer)
    for choice_of in (mode_choice, model_choice, thinking_choice):
        choice_of("s", answer, "mode")


@pytest.mark.parametrize(
    ("told", "version"), [({}, 1), ({"protocolVersion": 1}, 1), ({"protocolVersion": 2}, 2),
                          ({"protocolVersion": "1"}, None), ({"protocolVersion": [1]}, None)]
)  # fmt: skip
def test_the_version_is_the_first_where_none_is_told(told: object, version: int | None) -> None:
    assert abilities(told).version == version


def test_what_it_can_do_is_what_it_says() -> None:
    told = {
        "protocolVersion": 1,
        "agentCapabilities": {
            "loadSession": True,
            "promptCapabilities": {"image": True},
            "sessionCapabilities": {"resume": {}, "close": None},
        },
        "authMethods": [{"id": "b", "name": "Browser"}, {"name": "no id"}, 7],
        "agentInfo": {"name": "x", "version": "2"},
    }
    able = abilities(told)
    assert (able.loads, able.images, able.embeds) == (True, True, False)
    assert (able.resumes, able.closes) == (True, False)
    assert able.auth == (AuthMethod("b", "Browser"),)
    assert (able.name, able.release) == ("x", "2")


MODES = {"modes": {"currentModeId": "ask", "availableModes": [{"id": "ask"}, {"id": "edit"}]}}
OPTIONS = {
    "configOptions": [
        {"id": "m", "category": "model", "currentValue": "small",
         "options": [{"options": [{"value": "small"}, {"value": "large"}]}]},
        {"id": "t", "category": "thought_level", "options": [{"value": "high"}]},
    ]
}  # fmt: skip


def test_a_mode_is_set_by_its_own_request() -> None:
    assert mode_choice("s", MODES, "edit") == Choice(
        "session/set_mode", {"sessionId": "s", "modeId": "edit"}
    )
    assert mode_choice("s", MODES, "ask") is None
    assert mode_choice("s", MODES, "yolo") == NotOffered("yolo", ("ask", "edit"))


def test_model_and_thinking_are_options_of_the_session_perhaps_in_groups() -> None:
    assert model_choice("s", OPTIONS, "large") == Choice(
        "session/set_config_option", {"sessionId": "s", "configId": "m", "value": "large"}
    )
    assert model_choice("s", OPTIONS, "small") is None
    assert thinking_choice("s", OPTIONS, "low") == NotOffered("low", ("high",))
    assert mode_choice("s", OPTIONS, "edit") == NotOffered("edit", ())
