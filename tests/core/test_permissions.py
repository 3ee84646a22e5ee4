from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sennit.core.agents import Executing, Permissions
from sennit.core.permissions import (
    Allowed,
    MustAsk,
    Option,
    OptionKind,
    Place,
    Rejected,
    Wanted,
    option_for,
    rule,
)
from sennit_protocol.agents import ToolKind

CHANGES = (ToolKind.EDIT, ToolKind.DELETE, ToolKind.MOVE)
LOOKS = (ToolKind.READ, ToolKind.SEARCH, ToolKind.THINK)
OPERATORS = ";&|`$<>(){}\n\r\\!"

places = st.builds(Place, told=st.text(max_size=9), inside=st.booleans(), git=st.booleans())
policies = st.builds(
    Permissions,
    execute=st.sampled_from(Executing),
    commands=st.lists(st.sampled_from(["*", "git diff *", "make"]), max_size=3).map(tuple),
)
wishes = st.builds(
    Wanted,
    kind=st.none() | st.sampled_from(ToolKind),
    title=st.text(max_size=20),
    places=st.lists(places, max_size=4).map(tuple),
    command=st.none() | st.text(max_size=20),
)
options = st.lists(
    st.builds(
        Option,
        id=st.text(max_size=5),
        kind=st.sampled_from([*(kind.value for kind in OptionKind), "odd", ""]),
    )
)


@given(wishes, policies)
def test_no_change_of_a_place_outside_or_of_git_is_allowed(
    wanted: Wanted, policy: Permissions
) -> None:
    bad = any(not place.inside or place.git for place in wanted.places)
    ruling = rule(wanted, policy)
    if wanted.kind in CHANGES and bad:
        assert isinstance(ruling, Rejected)


@given(wishes, policies)
def test_no_change_is_allowed_that_tells_no_place(wanted: Wanted, policy: Permissions) -> None:
    if wanted.kind in CHANGES and not wanted.places:
        assert isinstance(rule(wanted, policy), MustAsk)


@given(wishes, policies)
def test_what_is_no_change_no_look_and_no_command_is_never_allowed(
    wanted: Wanted, policy: Permissions
) -> None:
    if wanted.kind not in {*CHANGES, *LOOKS, ToolKind.EXECUTE}:
        assert not isinstance(rule(wanted, policy), Allowed)


@given(wishes, policies)
def test_no_look_outside_is_allowed_without_a_question(wanted: Wanted, policy: Permissions) -> None:
    if wanted.kind in LOOKS and not all(place.inside for place in wanted.places):
        assert isinstance(rule(wanted, policy), MustAsk)


@given(
    st.text(max_size=10),
    st.sampled_from(OPERATORS),
    st.text(max_size=10),
    st.sampled_from([("*",), ("git *",), ("git diff *", "*")]),
)
def test_no_glob_allows_a_command_with_a_shell_operator(
    before: str, operator: str, after: str, globs: tuple[str, ...]
) -> None:
    command = f"git diff {before}{operator}{after}"
    wanted = Wanted(ToolKind.EXECUTE, "run it", command=command)
    assert isinstance(rule(wanted, Permissions(Executing.DENY, globs)), Rejected)
    assert isinstance(rule(wanted, Permissions(Executing.ASK, globs)), MustAsk)


@given(options, st.booleans())
def test_an_answer_that_counts_always_is_never_chosen(offered: list[Option], yes: bool) -> None:  # noqa: FBT001  drawn
    ruling = Allowed("x") if yes else Rejected("x")
    wanted = OptionKind.ALLOW_ONCE if yes else OptionKind.REJECT_ONCE
    first = next((each.id for each in offered if each.id and each.kind == wanted), None)
    assert option_for(offered, ruling) == first


@pytest.mark.parametrize(
    ("execute", "command", "expected"),
    [
        (Executing.ASK, "git diff --stat", Allowed),
        (Executing.DENY, "git diff --stat", Allowed),
        (Executing.ASK, "git push", MustAsk),
        (Executing.DENY, "git push", Rejected),
        (Executing.ALLOW, "git push; rm -r x", Allowed),
        (Executing.DENY, "GIT DIFF x", Rejected),
        (Executing.ASK, "xgit diff x", MustAsk),
        (Executing.ALLOW, None, MustAsk),
        (Executing.ASK, None, MustAsk),
        (Executing.DENY, None, Rejected),
        (Executing.DENY, "", Rejected),
    ],
)
def test_a_command_is_judged_by_the_list_and_then_by_the_policy(
    execute: Executing, command: str | None, expected: type
) -> None:
    wanted = Wanted(ToolKind.EXECUTE, "git diff by its title only", command=command)
    assert isinstance(rule(wanted, Permissions(execute, ("git diff *",))), expected)


def test_no_glob_allows_a_command_that_is_not_told() -> None:
    wanted = Wanted(ToolKind.EXECUTE, "run it")
    assert isinstance(rule(wanted, Permissions(Executing.ASK, ("*",))), MustAsk)


def test_long_lists_of_places_are_told_in_short() -> None:
    there = tuple(Place(f"/{number}", inside=False) for number in range(9))
    ruling = rule(Wanted(ToolKind.EDIT, "edit", there), Permissions())
    assert isinstance(ruling, Rejected)
    assert "/0, /1, /2 and 6 more" in ruling.why


def test_other_things_about_the_outside_only_are_refused() -> None:
    out, inside = Place("/x", inside=False), Place("a", inside=True)
    policy = Permissions()
    for kind in (ToolKind.OTHER, None):
        assert isinstance(rule(Wanted(kind, "x", (out,)), policy), Rejected)
        assert isinstance(rule(Wanted(kind, "x", (out, inside)), policy), MustAsk)
        assert isinstance(rule(Wanted(kind, "x"), policy), MustAsk)


def test_a_long_path_is_told_in_part() -> None:
    wanted = Wanted(ToolKind.EDIT, "write", (Place("/" + "p" * 5_000, inside=False),))
    ruling = rule(wanted, Permissions())
    assert isinstance(ruling, Rejected)
    assert ruling.why.endswith("p … (4801 more characters)")


def test_an_answer_without_a_name_is_never_chosen() -> None:
    offered = [Option("", OptionKind.ALLOW_ONCE), Option("a", OptionKind.ALLOW_ONCE)]
    assert option_for(offered, Allowed("")) == "a"
    assert option_for(offered[:1], Allowed("")) is None


@pytest.mark.parametrize(
    ("command", "is_allowed"),
    [
        ("cat a.txt", True), ("bash -lc cat a b", True), ("rg --files src", True),
        ("find . -name x", True), ("ls -la", True), ("/bin/sh -c ls", True),
        ("rm -rf src", False), ("bash -lc rm a", False), ("python evil.py", False),
        ("find . -delete", False), ("find . -exec rm a", False), ("rg --pre ./x y", False),
        ("tree -o a.txt", False), ("cat a; rm a", False), ("sh -c", False), ("bash", False),
        ("", False), ("sed -i s/a/b/ a", False), ("env cat a", False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", LOOKS)
def test_a_command_that_is_called_a_look_has_to_be_one(
    command: str,
    is_allowed: bool,  # noqa: FBT001  a column
    kind: ToolKind,
) -> None:
    wanted = Wanted(kind, "look", command=command)
    ruling = rule(wanted, Permissions(Executing.DENY))
    assert isinstance(ruling, Allowed if is_allowed else Rejected)
