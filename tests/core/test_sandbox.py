from __future__ import annotations

import pytest
from attrs import evolve

from sennit.core.agents import COMMAND_LINE, AgentKind, AgentSettings, Sandboxing
from sennit.core.sandbox import (
    FRESH,
    Confined,
    Confinement,
    LeftOut,
    SandboxMissing,
    SandboxReady,
    Unconfined,
    below,
    outermost,
    overlaps,
    recorded,
    sandbox_arguments,
    shown,
    wanted,
    why_off,
    why_unusable,
)

AGENT = AgentSettings(name="fixer", kind=AgentKind.COMMAND, argv=("fix",))
REQUIRED, PREFERRED, OFF = Sandboxing.REQUIRED, Sandboxing.PREFERRED, Sandboxing.OFF
MADE = Confinement("/usr/bin/bwrap", "/state/workspaces/r-1")


@pytest.mark.parametrize(
    ("own", "general", "counts"),
    [
        (None, PREFERRED, PREFERRED),
        (None, REQUIRED, REQUIRED),
        (None, OFF, OFF),
        (OFF, REQUIRED, OFF),
        (REQUIRED, OFF, REQUIRED),
        (PREFERRED, OFF, PREFERRED),
    ],
)
def test_the_word_of_an_agent_goes_before_the_general_one(
    own: Sandboxing | None, general: Sandboxing, counts: Sandboxing
) -> None:
    assert wanted(evolve(AGENT, sandbox=own), general) is counts


@pytest.mark.parametrize(
    ("general", "counts"), [(PREFERRED, OFF), (REQUIRED, REQUIRED), (OFF, OFF)]
)
def test_what_a_person_typed_is_confined_only_where_everything_has_to_be(
    general: Sandboxing, counts: Sandboxing
) -> None:
    assert wanted(COMMAND_LINE, general) is counts
    assert why_off(COMMAND_LINE) != why_off(AGENT)


def test_only_an_agent_that_requires_a_sandbox_is_unusable_without_one() -> None:
    missing = SandboxMissing("It is not there.", "Install it.")
    ready = SandboxReady("/usr/bin/bwrap", "bubblewrap 1")
    assert why_unusable(PREFERRED, missing) is None
    assert why_unusable(OFF, missing) is None
    assert why_unusable(REQUIRED, ready) is None
    told = why_unusable(REQUIRED, missing)
    assert told is not None
    assert "It is not there." in told.problem
    assert told.advice == "Install it."


def test_folders_are_compared_by_components() -> None:
    assert below("/a/b", "/a")
    assert below("/a", "/")
    assert not below("/ab", "/a")
    assert not below("/a", "/a")
    assert overlaps("/a", "/a/b")
    assert overlaps("/a/b", "/a")
    assert overlaps("/a", "/a")
    assert not overlaps("/a/b", "/a/c")


def test_only_what_a_fresh_folder_hides_is_shown_once() -> None:
    temporary = FRESH[0]
    outer = f"{temporary}/a"
    found = shown([f"{outer}/b", "/home/me", outer, temporary, "/run/x", f"{temporary}file"])
    assert found == ("/run/x", outer)


def test_the_outermost_folder_of_a_hidden_path_is_named() -> None:
    assert outermost("/var/tmp/a/b/c") == "/var/tmp/a"  # noqa: S108  a name
    assert outermost("/run/a") == "/run/a"
    assert outermost("/home/a/b") is None
    assert outermost("/run") is None


def test_root_is_somebody_else_inside() -> None:
    assert "--unshare-user" not in sandbox_arguments(MADE, "/", None)
    told = sandbox_arguments(evolve(MADE, is_root=True), "/", None)
    assert told[told.index("--uid") + 1] != "0"


def test_what_may_be_written_is_mounted_over_what_may_not() -> None:
    made = evolve(MADE, writable=("/home/me/.agent",), shown=("/tmp/repo",))  # noqa: S108  a name
    told = sandbox_arguments(made, "/state/workspaces/r-1/sub", "/state/runs/r-1/exchange")
    places = [told.index(each) for each in ("/", "/tmp", "/tmp/repo", "/home/me/.agent")]  # noqa: S108  names
    places += [told.index("/state/workspaces/r-1"), told.index("/state/runs/r-1/exchange")]
    assert places == sorted(places)
    assert told[told.index("/state/workspaces/r-1") - 1] == "--bind"
    assert told[-3:] == ("--chdir", "/state/workspaces/r-1/sub", "--")
    assert told[told.index("/tmp/repo") - 1] == "--ro-bind-try"  # noqa: S108  a name


def test_a_reading_run_has_a_workspace_that_is_read_only() -> None:
    told = sandbox_arguments(evolve(MADE, read_only=True), MADE.workspace, None)
    assert told[told.index(MADE.workspace) - 1] == "--ro-bind"
    assert "--bind" not in told


def test_the_record_says_what_was_in_force_and_why_not() -> None:
    left = LeftOut("~/x", "It is a file.")
    made = evolve(MADE, writable=("/w",), read_only=True)
    record = recorded(Confined(PREFERRED, made, (left,)))
    assert (record.in_force, record.why, record.read_only) == (True, "", True)
    assert (record.writable, record.left_out) == (("/w",), (left,))
    nothing = recorded(Unconfined(PREFERRED, "Not installed."))
    assert (nothing.in_force, nothing.why, nothing.wanted) == (False, "Not installed.", PREFERRED)
