"""Decisions that are carried over to a follow-up change no file until somebody says so."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.e2e.cli_process import Desk, OnTerminal, a_desk

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

LINES = "".join(f"line {number}\n" for number in range(1, 41))
CHANGED = LINES.replace("line 5\n", "five\n").replace("line 30\n", "thirty\n")
SED = ["--command", shlex.join(["sed", "-i", "s/^line 5$/five/;s/^line 30$/thirty/", "a.txt"])]
QUESTION = "[y,n,a,d,s,j,q,?]?"
END_OF_INPUT = b"\x04"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return a_desk(tmp_path, {"a.txt": LINES}).trusted()


@pytest.fixture
def undone(desk: Desk) -> Desk:
    """A desk whose newest ticket was accepted and applied, and taken back."""
    assert desk.sennit("run", *SED, "--accept-all").code == 0
    assert desk.sennit("undo", "@").code == 0
    assert text(desk) == LINES
    return desk


def text(desk: Desk) -> str:
    return (desk.repository / "a.txt").read_text()


def test_without_a_person_a_follow_up_applies_nothing_and_says_what_waits(undone: Desk) -> None:
    done = undone.sennit("follow", "@")
    assert done.code == 0, done.err
    assert text(undone) == LINES
    assert "Changes: 2 accepted, and no file was changed." in done.err
    assert "Nothing is accepted" not in done.err
    assert "Application" not in done.out
    told = done.err.partition("To apply what is accepted: sennit ")[2].splitlines()[0]
    assert undone.sennit(*told.split()).code == 0
    assert text(undone) == CHANGED


def test_nor_does_it_as_json_or_after_a_run_that_was_not_to_apply(desk: Desk) -> None:
    assert desk.sennit("run", *SED, "--accept-all", "--no-apply").code == 0
    done = desk.sennit("follow", "@", "--json")
    assert (done.code, done.json.get("application")) == (0, None), done.err
    assert text(desk) == LINES
    assert done.json["proposals"][0]["summary"]["review"] == "accepted"


@pytest.mark.parametrize("option", ["--reject-all", "--no-apply"])
def test_what_was_decided_and_not_applied_is_told(undone: Desk, option: str) -> None:
    done = undone.sennit("follow", "@", option)
    assert text(undone) == LINES
    rejects = option == "--reject-all"
    said = "2 rejected" if rejects else "2 accepted"
    assert f"Changes: {said}, and no file was changed." in done.err
    assert ("sennit apply" in done.err) is not rejects


def test_to_accept_all_applies_what_was_carried_over(undone: Desk) -> None:
    assert undone.sennit("follow", "@", "--accept-all").code == 0
    assert text(undone) == CHANGED


@pytest.mark.parametrize("keys", [b"q\n", b"j\n", b"s\nq\n", b"s\nj\nj\n", END_OF_INPUT])
def test_who_leaves_the_review_undecided_changes_no_file(undone: Desk, keys: bytes) -> None:
    with OnTerminal(undone, "follow", "@") as terminal:
        terminal.wait_for(QUESTION)
        terminal.press(keys)
        assert terminal.end() == 0, terminal.seen
        assert "no file was changed" in terminal.seen
    assert text(undone) == LINES


def test_what_is_accepted_in_the_review_is_applied_and_nothing_else(undone: Desk) -> None:
    with OnTerminal(undone, "follow", "@") as terminal:
        terminal.wait_for(QUESTION)
        terminal.type("s")
        terminal.wait_for("Accept this change to a.txt")
        terminal.type("j")
        terminal.wait_for("Accept this change to a.txt")
        terminal.type("y")
        assert terminal.end() == 0, terminal.seen
    assert text(undone) == LINES.replace("line 30\n", "thirty\n")


def test_who_accepts_one_and_leaves_then_has_it_accepted_and_not_applied(desk: Desk) -> None:
    other = ["--command", shlex.join(["sed", "-i", "s/^line 15$/fifteen/", "a.txt"])]
    with OnTerminal(desk, "run", *SED, *other) as terminal:
        terminal.wait_for(QUESTION)
        terminal.type("y")
        terminal.wait_for(QUESTION)
        terminal.type("q")
        assert terminal.end() == 0, terminal.seen
        assert "Changes: 2 accepted, 1 undecided, and no file was changed." in terminal.seen
    assert text(desk) == LINES
    assert desk.sennit("apply", "@").code == 0
    assert text(desk) == CHANGED


def test_a_command_that_was_pasted_is_no_answer(desk: Desk) -> None:
    with OnTerminal(desk, "run", *SED) as terminal:
        for pasted in ("sennit run", "apply", "yn", "a all"):
            terminal.wait_for(QUESTION)
            terminal.type(pasted)
            terminal.wait_for("Please answer with one of: y, n")
        terminal.wait_for(QUESTION)
        terminal.type("YES")
        assert terminal.end() == 0, terminal.seen
    assert text(desk) == CHANGED


def test_a_patch_that_was_not_written_is_told(desk: Desk, tmp_path: Path) -> None:
    patch = tmp_path / "none.patch"
    done = desk.sennit("run", "--command", "true", "--accept-all", "--patch", str(patch))
    assert done.code == 0, done.err
    assert f"There is nothing to apply, and no patch was written to {patch}." in done.err
    assert not patch.exists()


def test_a_patch_that_cannot_be_written_is_told_before_anything_is_started(desk: Desk) -> None:
    missing = desk.repository / "missing" / "x.patch"
    done = desk.sennit("run", *SED, "--accept-all", "--patch", str(missing))
    assert (done.code, f"there is no folder {missing.parent}" in done.err) == (2, True)
    assert desk.sennit("tickets", "--json").json["tickets"] == []
