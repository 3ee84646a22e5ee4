"""Ctrl-C at a question, and questions that somebody else answers meanwhile."""

from __future__ import annotations

import shlex
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.cli_process import Desk, OnTerminal, a_desk

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

LINES = "".join(f"line {number}\n" for number in range(1, 41))
CHANGED = LINES.replace("line 5\n", "five\n")
SED = ["--command", shlex.join(["sed", "-i", "s/^line 5$/five/", "a.txt"])]
REVIEW = "[y,n,a,d,s,j,q,?]?"
ASK = f"{shlex.quote(sys.executable)} -m sennit.ask_client 'Which greeting?'"
AT_ONCE_S = 15.0
"""Far below the 30 s that an answer is waited for which cannot come."""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return a_desk(tmp_path, {"a.txt": LINES}).trusted()


def text(desk: Desk) -> str:
    return (desk.repository / "a.txt").read_text()


def asking(options: str = "") -> list[str]:
    return ["--command", shlex.join(["sh", "-c", f"{ASK} {options} > a.txt"])]


@pytest.mark.parametrize("name", ["run", "follow"])
def test_ctrl_c_at_the_review_ends_at_once_and_says_how_to_go_on(desk: Desk, name: str) -> None:
    if name == "follow":
        assert desk.sennit("run", *SED, "--accept-all", "--no-apply").code == 0
    given = SED if name == "run" else ["@"]
    with OnTerminal(desk, name, *given, begin=Desk.program) as terminal:
        terminal.wait_for(REVIEW)
        begun = time.monotonic()
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.end() == 130, terminal.seen
        assert time.monotonic() - begun < AT_ONCE_S
        told = " ".join(terminal.seen.split())
    ticket = desk.sennit("tickets", "--json").json["tickets"][0]["id"]
    assert f"No file was changed. To decide: sennit review {ticket}" in told
    assert text(desk) == LINES
    assert desk.sennit("apply", ticket, "--accept-all").code == 0
    assert text(desk) == CHANGED


def test_ctrl_c_in_a_later_review_says_how_to_go_on(desk: Desk) -> None:
    assert desk.sennit("run", *SED).code == 0
    with OnTerminal(desk, "review", "@") as terminal:
        terminal.wait_for(REVIEW)
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.end() == 130, terminal.seen
        assert "To go on: sennit review @" in " ".join(terminal.seen.split())


def test_ctrl_c_twice_at_the_review_ends_at_once_too(desk: Desk) -> None:
    with OnTerminal(desk, "run", *SED) as terminal:
        terminal.wait_for(REVIEW)
        begun = time.monotonic()
        for _ in range(2):
            terminal.process.send_signal(signal.SIGINT)
        assert terminal.end() == 130, terminal.seen
        assert time.monotonic() - begun < AT_ONCE_S
        assert "Traceback" not in terminal.seen
    assert text(desk) == LINES


def test_ctrl_c_before_anything_is_started_says_where_to_look(desk: Desk) -> None:
    untrusted = a_desk_without_trust(desk)
    with OnTerminal(untrusted, "run", *SED) as terminal:
        terminal.wait_for("Programs named by it will run")
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.end() == 130, terminal.seen
        assert "`sennit tickets` lists it" in " ".join(terminal.seen.split())


def a_desk_without_trust(desk: Desk) -> Desk:
    assert desk.sennit("trust", "revoke").code == 0
    return desk


@pytest.mark.parametrize(
    ("options", "prompt"), [("--option Hi --option Hello", "Number"), ("", "Answer")]
)
def test_a_question_that_is_answered_elsewhere_is_taken_back(
    desk: Desk, options: str, prompt: str
) -> None:
    with OnTerminal(desk, "run", *asking(options)) as terminal:
        terminal.wait_for(f"{prompt} (empty: leave it open):")
        answered = desk.sennit("answer", "@", "command-1", "Hello")
        assert answered.code == 0, answered.err
        terminal.wait_for("command-1: the question is taken back: it was answered elsewhere: Hello")
        terminal.wait_for(REVIEW)
        terminal.type("y")
        assert terminal.end() == 0, terminal.seen
        assert f"{prompt} (empty: leave it open): \n" in terminal.seen
    assert text(desk) == "Hello\n"


def test_a_question_of_a_ticket_that_is_cancelled_is_taken_back(desk: Desk) -> None:
    with OnTerminal(desk, "run", *asking()) as terminal:
        terminal.wait_for("Answer (empty: leave it open):")
        terminal.process.send_signal(signal.SIGINT)
        terminal.wait_for("Cancelling")
        terminal.wait_for("command-1: the question is taken back: the run is being stopped.")
        terminal.wait_for("Adopt the unfinished work of command-1")
        terminal.type("q")
        assert terminal.end() == 130, terminal.seen


def test_the_second_of_two_questions_stays_when_the_first_is_answered_elsewhere(
    desk: Desk,
) -> None:
    with OnTerminal(desk, "run", *asking(), *asking(), "--max-concurrent", "2") as terminal:
        terminal.wait_for("Answer (empty: leave it open):")
        for number in (1, 2):
            if f"command-{number} asks" not in terminal.seen:
                terminal.wait_for(f"command-{number} asks")
        first = (
            "command-1"
            if terminal.seen.index("command-1 asks") < terminal.seen.index("command-2 asks")
            else "command-2"
        )
        assert desk.sennit("answer", "@", first, "Hello").code == 0
        terminal.wait_for(f"{first}: the question is taken back")
        terminal.wait_for("Answer (empty: leave it open):")
        terminal.type("Salut")
        terminal.wait_for("[y,n")
        terminal.type("q")
        terminal.end()
        assert "Salut" in desk.sennit("show", "@").out + terminal.seen


@pytest.mark.parametrize("words", [["@/command-1", "Good day"], ["@", "command-1", "Good day"],
                                   ["@", "Good day"]])  # fmt: skip
def test_a_task_is_answered_by_one_name_or_two_or_as_the_only_one(
    desk: Desk, words: list[str]
) -> None:
    with OnTerminal(desk, "run", *asking(), "--accept-all") as terminal:
        terminal.wait_for("Answer (empty: leave it open):")
        done = desk.sennit("answer", *words)
        assert done.code == 0, done.err
        assert terminal.end() == 0, terminal.seen
    assert text(desk) == "Good day\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["@", "a", "b", "c"], "sennit answer @/TASK"),
        (["@/command-1", "Good", "day"], "in quotes where it has several words"),
        (["@", "a", "b", "c"], "in quotes where it has several words"),
        (["@/command-1"], "Missing argument 'TEXT"),
    ],
)
def test_an_answer_that_names_no_task_or_is_several_words_is_refused(
    desk: Desk, words: list[str], told: str
) -> None:
    done = desk.sennit("answer", *words)
    assert (done.code, told in done.err) == (2, True), done.err
