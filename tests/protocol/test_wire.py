from __future__ import annotations

import json
from enum import StrEnum
from typing import ClassVar, Literal, NewType

import pytest
from attrs import field, frozen
from hypothesis import given
from hypothesis import strategies as st

from sennit_protocol.errors import Problem
from sennit_protocol.wire import structure, structure_open, unstructure
from sennit_protocol.wire_problems import WireError, camel_case

Name = NewType("Name", str)


class Colour(StrEnum):
    RED = "red"
    DARK_BLUE = "darkBlue"


@frozen
class Point:
    line: int
    character: int = 0


@frozen
class Circle:
    radius: float
    kind: Literal["circle"] = "circle"


@frozen
class Square:
    side: int
    corners: tuple[Point, ...] = ()
    kind: Literal["square"] = "square"


@frozen
class Tree:
    name: Name
    children: tuple[Tree, ...] = ()
    by_name: dict[str, Tree] = field(factory=dict)


@frozen
class Everything:
    LATER_KEYS: ClassVar[frozenset[str]] = frozenset({"someDay"})

    text: str
    nothing: str | None
    dry_run: bool = False
    colour: Colour = Colour.RED
    colours: tuple[Colour, ...] = ()
    agents: list[str] | None = None
    token: str | int | None = None
    shape: Circle | Square | None = None
    tree: Tree | None = None
    limits: dict[str, int] = field(factory=dict)
    anything: object = None
    ratio: float | None = None
    from_: str | None = None


GOOD: dict[str, object] = {"text": "a", "nothing": None}


def problems(value: object, type_: type = Everything) -> tuple[Problem, ...]:
    with pytest.raises(WireError) as caught:
        structure(value, type_)
    return caught.value.problems


def paths(value: object, type_: type = Everything) -> list[str]:
    return sorted(problem.path for problem in problems(value, type_))


def test_every_problem_is_told_at_once_with_its_path() -> None:
    value = {
        "text": {},
        "dryRun": "false",
        "agents": "abc",
        "colours": ["red", "green", 3],
        "tree": {"name": "a", "children": [{"name": "b"}, {"name": 1, "x": 2}]},
        "limits": {"a": 1, "b": "2"},
        "extra": 1,
    }
    assert paths(value) == [
        "agents",
        "colours[1]",
        "colours[2]",
        "dryRun",
        "extra",
        "limits.b",
        "nothing",
        "text",
        "tree.children[1].name",
        "tree.children[1].x",
    ]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("text", 1),
        ("text", {}),
        ("text", None),
        ("text", "\ud800"),
        ("dryRun", 0),
        ("dryRun", "true"),
        ("agents", "abc"),
        ("agents", {"0": "a"}),
        ("agents", [1]),
        ("token", True),
        ("token", 1.0),
        ("token", []),
        ("limits", []),
        ("limits", {"a": True}),
        ("limits", {"a": 2**53}),
        ("ratio", "1"),
        ("ratio", True),
        ("ratio", float("inf")),
        ("colour", "RED"),
        ("colour", 1),
        ("shape", {"radius": 1}),
        ("shape", {"kind": "triangle"}),
        ("shape", {"kind": ["circle"]}),
        ("shape", "circle"),
        ("tree", []),
    ],
)
def test_nothing_is_coerced(key: str, value: object) -> None:
    told = problems(GOOD | {key: value})
    assert len(told) == 1
    assert told[0].path.startswith(key)


def test_an_enum_lists_what_is_valid() -> None:
    (problem,) = problems(GOOD | {"colour": "green"})
    assert problem.valid == ("red", "darkBlue")
    assert problem.message == 'must be one of red, darkBlue, not "green"'


def test_an_unknown_key_is_refused_with_the_valid_ones() -> None:
    (problem,) = problems({"line": 1, "col": 2}, Point)
    assert problem == Problem("col", "is not a known key", ("line", "character"))


def test_a_key_of_a_later_version_is_told_apart() -> None:
    (problem,) = problems(GOOD | {"someDay": 1})
    assert "not available yet" in problem.message


def test_a_missing_key_is_named() -> None:
    assert problems({}, Point) == (Problem("line", "is missing"),)


def test_null_on_an_optional_key_equals_absent() -> None:
    nulls = dict.fromkeys(
        ["dryRun", "colour", "colours", "agents", "shape", "limits", "anything", "from"]
    )
    assert structure(GOOD | nulls, Everything) == structure(GOOD, Everything)


def test_answers_may_have_grown() -> None:
    assert structure_open({"line": 1, "col": 2}, Point) == Point(1)
    with pytest.raises(WireError):
        structure_open({"line": "1", "col": 2}, Point)


def test_a_union_is_told_apart_by_its_kind() -> None:
    value = structure(GOOD | {"shape": {"kind": "square", "side": 2}}, Everything)
    assert value.shape == Square(2)
    (problem,) = problems(GOOD | {"shape": {"side": 2}})
    assert problem.path == "shape.kind"
    assert problem.valid == ("circle", "square")


def test_problems_inside_a_union_have_the_whole_path() -> None:
    bad = {"kind": "square", "side": 1, "corners": [{"line": "1"}]}
    assert paths(GOOD | {"shape": bad}) == ["shape.corners[0].line"]


def test_the_value_itself_may_be_wrong() -> None:
    assert problems([], Point) == (Problem("", "must be an object, not an array"),)
    assert problems(None, Point)[0].message == "must be an object, not null"


def test_optional_keys_without_a_value_do_not_travel_and_required_ones_do() -> None:
    sent = unstructure(Everything(text="a", nothing=None))
    assert sent == {
        "text": "a",
        "nothing": None,
        "dryRun": False,
        "colour": "red",
        "colours": [],
        "limits": {},
    }


def test_the_kind_of_a_union_travels() -> None:
    assert unstructure(Everything(text="a", nothing=None, shape=Circle(1.5)))["shape"] == {  # type: ignore[index]
        "radius": 1.5,
        "kind": "circle",
    }


@pytest.mark.parametrize("value", [b"x", [b"x"], {"a": (b"x",)}, {1, 2}])
def test_what_has_no_place_on_the_wire_raises(value: object) -> None:
    with pytest.raises(TypeError, match="never travels"):
        unstructure(Everything(text="a", nothing=None, anything=value))


@pytest.mark.parametrize(
    ("name", "key"),
    [("deadline_ms", "deadlineMs"), ("from_", "from"), ("id", "id"), ("a_b_c", "aBC")],
)
def test_fields_travel_in_camel_case(name: str, key: str) -> None:
    assert camel_case(name) == key


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
names = st.text(st.characters(exclude_categories=["Cs"])).map(Name)
trees = st.recursive(
    st.builds(Tree, names),
    lambda inner: st.builds(
        Tree, names, st.lists(inner).map(tuple), st.dictionaries(names.map(str), inner)
    ),
    max_leaves=8,
)
points = st.builds(Point, st.integers(-(2**50), 2**50), st.integers(0, 100))
shapes = st.builds(Circle, st.floats(allow_nan=False, allow_infinity=False)) | st.builds(
    Square, st.integers(0, 9), st.lists(points).map(tuple)
)


@given(
    st.builds(
        Everything,
        text=names,
        nothing=st.none() | names,
        colours=st.lists(st.sampled_from(Colour)).map(tuple),
        token=st.none() | names | st.integers(0, 5),
        shape=st.none() | shapes,
        tree=st.none() | trees,
    )
)
def test_what_was_sent_is_read_back_as_it_was(value: Everything) -> None:
    assert structure(json.loads(json.dumps(unstructure(value))), Everything) == value


@given(json_values)
def test_any_json_value_is_either_read_or_refused_with_problems(value: object) -> None:
    told: tuple[Problem, ...] | None = None
    try:
        structure(value, Everything)
    except WireError as error:
        told = error.problems
    assert told is None or told
