from __future__ import annotations

import pytest

from sennit.core.agent_definitions import (
    AgentDefinition,
    BadDefinition,
    Briefing,
    NoSuchRole,
    Wish,
    briefing,
    by_name,
    definition_of,
    instructions,
)
from sennit.core.agents import AgentKind, AgentSettings
from sennit.core.builtin_definitions import BUILT_IN_DEFINITIONS

WHOLE = """\
---
name: fixer
description: Fixes things.
model: opus
tools: Read, Edit
thinking: high
color: red
---

You fix things.
"""


def good(text: str) -> AgentDefinition:
    found = definition_of(text, "fixer.md")
    assert isinstance(found, AgentDefinition), found
    return found


def test_a_definition_is_read_and_keys_of_others_are_left_alone() -> None:
    assert good(WHOLE) == AgentDefinition(
        name="fixer",
        description="Fixes things.",
        prompt="You fix things.",
        model="opus",
        tools=("Read", "Edit"),
        thinking="high",
        source="fixer.md",
    )


def test_a_model_that_is_inherited_is_none() -> None:
    assert good(WHOLE.replace("opus", "inherit")).model is None


@pytest.mark.parametrize(
    ("tools", "read_only"),
    [
        ("Read, Grep, Glob", True),
        ("read_file", True),
        ("Read, Bash", False),
        ("Read, mcp__x", False),
        ("", False),
    ],
)
def test_who_has_tools_only_to_look_must_not_write(tools: str, *, read_only: bool) -> None:
    assert good(WHOLE.replace("Read, Edit", tools)).read_only is read_only


def test_a_definition_may_say_that_it_only_reads() -> None:
    assert good(WHOLE.replace("color: red", "readOnly: true")).read_only


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("You fix things.", "head"),
        (WHOLE.replace("name: fixer\n", ""), "no `name`"),
        (WHOLE.replace("fixer", "a b"), "a b"),
        (WHOLE.replace("fixer", "x" * 65), "64"),
        (WHOLE.replace("You fix things.", " "), "no prompt"),
    ],
)
def test_what_is_no_definition_says_why(text: str, reason: str) -> None:
    found = definition_of(text, "x.md")
    assert isinstance(found, BadDefinition)
    assert reason in found.reason


def test_the_first_definition_of_a_name_wins() -> None:
    one, other = good(WHOLE), good(WHOLE.replace("opus", "haiku"))
    assert by_name([one, *BUILT_IN_DEFINITIONS, other]) == (one, *BUILT_IN_DEFINITIONS)


def test_four_roles_are_built_in_and_two_of_them_only_read() -> None:
    assert [each.name for each in BUILT_IN_DEFINITIONS] == [
        "explore", "review", "implement", "verify"
    ]  # fmt: skip
    assert [each.name for each in BUILT_IN_DEFINITIONS if each.read_only] == ["explore", "review"]


FIXER = AgentDefinition("fixer", "", "You fix.", model="opus", tools=("Read",), thinking="high")
WRITER = AgentSettings("writer", AgentKind.ACP, ("w",), roles=("implement",), model_class="large")
READER = AgentSettings("reader", AgentKind.ACP, ("r",), roles=("fixer", "review"))


def briefed(wish: Wish) -> Briefing | NoSuchRole:
    return briefing(wish, [FIXER, *BUILT_IN_DEFINITIONS], [WRITER, READER])


def test_a_role_brings_its_definition_and_an_agent_that_has_it() -> None:
    assert briefed(Wish(role="fixer")) == Briefing("reader", "opus", "You fix.", ("Read",), "high")


def test_the_tasks_own_word_goes_first_and_its_system_prompt_comes_after() -> None:
    wish = Wish("fixer", "mine", "haiku", None, "Be brief.", ("Edit",), "low")
    assert briefed(wish) == Briefing("mine", "haiku", "You fix.\n\nBe brief.", ("Edit",), "low")


def test_an_agent_is_chosen_by_role_and_class_of_model_or_none_fits() -> None:
    assert briefed(Wish(model_class="large")) == Briefing("writer")
    found = briefed(Wish(role="review", model_class="large"))
    assert isinstance(found, Briefing)
    assert found.agent is None
    assert found.read_only


def test_who_names_neither_role_nor_agent_gets_none() -> None:
    assert briefed(Wish(system_prompt="Be brief.")) == Briefing(None, system_prompt="Be brief.")


def test_a_role_that_nobody_defined_says_which_there_are() -> None:
    found = briefed(Wish(role="cook"))
    assert isinstance(found, NoSuchRole)
    assert found.valid == ("fixer", "explore", "review", "implement", "verify")


def test_how_to_work_stands_before_what_to_do() -> None:
    assert instructions(Briefing("x")) is None
    text = instructions(Briefing("x", None, "You fix.", ("Read",), read_only=True))
    assert text is not None
    assert text.startswith("You fix.\n\nUse only these tools: Read.\n\nDo not change any file")
    assert text.endswith("The task:")
