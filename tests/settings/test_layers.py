from __future__ import annotations

import pytest

from sennit.settings.keys import Source
from sennit.settings.layers import Layer, lines_of, read_layer


def test_lines_are_found_for_sections_keys_and_quoted_names() -> None:
    text = """\
# a comment = 1
limits.tasks = 4

[task]
idleMs = 1
[agents."x-y"]
"argv" = [
  "a",
]
agents . other . argv = 1
"""
    assert lines_of(text) == {
        "limits.tasks": 2,
        "task": 4,
        "task.idleMs": 5,
        "agents.x-y": 6,
        "agents.x-y.argv": 7,
        "agents.x-y.agents.other.argv": 10,
    }


def test_a_key_in_an_inline_table_is_told_at_the_line_of_its_section() -> None:
    values = {"limits": {"tasks": 0}}
    layer = Layer(Source.USER, "config.toml", values, lines_of("\nlimits = {tasks = 0}\n"))
    assert [each.line for each in read_layer(layer).problems] == [2]


@pytest.mark.parametrize(
    ("source", "values", "name", "said"),
    [
        (Source.USER, {"agent": {"x y": 1}}, "limits.agent.x y", "1 to 64 of"),
        (Source.USER, {"model": {"": 1}}, "limits.model.", "is no name"),
        (Source.USER, {"model": {"m" * 1001: 1}}, f"limits.model.{'m' * 1001}", "too long"),
        (Source.USER, {"model": {"a": {"5": 1}}}, "limits.model.a", "stands in quotes"),
        (Source.USER, {"provider": {"us": 0}}, "limits.provider.us", "out of bounds"),
        (Source.USER, {"provider": {"us": True}}, "limits.provider.us", "not a whole number"),
        (Source.USER, {"provider": 1}, "limits.provider", "is a section"),
        (Source.REPOSITORY, {"agent": {"x": 1}}, "limits.agent.x", "cannot be set by"),
    ],
)
def test_what_is_wrong_with_a_named_limit_is_told_by_its_name(
    source: Source, values: object, name: str, said: str
) -> None:
    (problem,) = read_layer(Layer(source, "here", {"limits": values})).problems
    assert problem.name == name
    assert said in problem.message


def test_problems_of_one_layer_do_not_hide_each_other_nor_what_is_right() -> None:
    values = {"limits": {"tasks": 0, "tickets": 3, "x": 1}, "y": 2}
    read = read_layer(Layer(Source.CLIENT, "client", values))
    assert [each.name for each in read.problems] == ["limits.tasks", "limits.x", "y"]
    assert [(each.name, each.value) for each in read.given] == [("limits.tickets", 3)]
