from __future__ import annotations

import pytest

from sennit.cli.toml_text import line_of, parsed, places_of

TEXT = '''\
label = "l"

[defaults]
agent = "x"

[[tasks]]
id = "a"
prompt = """
id = "no key"
[[tasks]]
"""

[tasks.budget]
turns = 3

[[ tasks ]]  # the second
"id" = "b"
budget.turns = 4
'''


def test_keys_are_found_by_their_json_paths() -> None:
    assert dict(places_of(TEXT)) == {
        "label": 1,
        "defaults": 3,
        "defaults.agent": 4,
        "tasks": 6,
        "tasks[0]": 6,
        "tasks[0].id": 7,
        "tasks[0].prompt": 8,
        "tasks.budget": 13,
        "tasks[0].budget": 13,
        "tasks[0].budget.turns": 14,
        "tasks[1]": 16,
        "tasks[1].id": 17,
        "tasks[1].budget": 18,
    }


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("tasks[0].budget.turns", 14),
        ("tasks[0].budget.cost", 13),
        ("tasks[1].budget.turns", 18),
        ("tasks[1].attach[0].uri", 16),
        ("defaults.tools", 3),
        ("tasks[7].id", 6),
        ("nothing", None),
        ("", None),
    ],
)
def test_what_has_no_line_has_that_of_what_is_around_it(path: str, line: int | None) -> None:
    assert line_of(places_of(TEXT), path) == line


def test_after_a_slip_the_rest_is_read_on() -> None:
    read = parsed('a = 1\n[[tasks]]\nid = \n[[tasks]]\nid = "b"\n[[tasks]]\nid = "c\nx = 1\n')
    assert [slip.line for slip in read.slips] == [3, 7]
    assert read.values == {"a": 1, "tasks": [{}, {"id": "b"}, {}]}
    assert read.slips[0].message == "invalid value"


def test_a_wrong_header_takes_its_section_along() -> None:
    read = parsed('[[tasks]]\nid = "a"\n[[tasks]\nid = "b"\n[defaults]\nagent = "x"\n')
    assert [slip.line for slip in read.slips] == [3]
    assert read.values == {"tasks": [{"id": "a"}], "defaults": {"agent": "x"}}


@pytest.mark.parametrize("text", ["tasks = [", 'a = """', "a = {"])
def test_what_is_never_closed_ends_the_reading(text: str) -> None:
    read = parsed(text)
    assert read.values == {}
    assert len(read.slips) == 1


def test_what_is_right_has_no_slips() -> None:
    assert parsed(TEXT).slips == ()
