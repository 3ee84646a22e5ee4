"""What is applied already, and what the command line says of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli_process import Desk, a_desk

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

BEFORE = "A greeter.\n\nSays helo to everybody.\n"
AFTER = "A greeter.\n\nSays hello to everybody!\n"

TASKS = """
[[tasks]]
id = "spelling"
command = "sed -i s/helo/hello/ README.md"

[[tasks]]
id = "shout"
command = "sed -i s/everybody./everybody!/ README.md"
dependsOn = ["spelling"]
"""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return a_desk(tmp_path, {"README.md": BEFORE}).trusted()


def applied(desk: Desk, tmp_path: Path) -> Any:
    """Both tasks applied, of which the second changes the line of the first once more."""
    file = tmp_path / "tasks.toml"
    file.write_text(TASKS)
    done = desk.sennit("run", "--file", str(file), "--accept-all", "--json")
    assert done.code == 0, done.err
    assert (desk.repository / "README.md").read_text() == AFTER
    return done.json


def test_applying_again_says_that_it_is_applied_and_what_to_do(desk: Desk, tmp_path: Path) -> None:
    ticket = applied(desk, tmp_path)["ticket"]["id"]
    again = desk.sennit("apply", ticket)
    assert again.code == 0, again.out + again.err
    assert "Nothing to apply: 2 accepted changes" in again.out
    assert "README.md: This was applied before, and the text there was changed since" in again.out
    assert f"sennit undo {ticket}" in again.out
    assert (desk.repository / "README.md").read_text() == AFTER
    shown = desk.sennit("show", ticket, "--json").json
    assert [each["application"] for each in shown["proposals"]] == ["applied", "applied"]
    # What found nothing to do is neither shown nor what an undo takes back.
    assert ", 0 files" not in desk.sennit("show", ticket).out
    assert desk.sennit("undo", "--last").code == 0
    assert (desk.repository / "README.md").read_text() == BEFORE


def test_a_review_of_what_is_applied_does_not_tell_to_apply_it(desk: Desk, tmp_path: Path) -> None:
    ticket = applied(desk, tmp_path)["ticket"]["id"]
    reviewed = desk.sennit("review", ticket, "--accept", "all")
    assert reviewed.code == 0, reviewed.err
    assert "sennit apply" not in reviewed.err
    assert f"All that is accepted is applied. To take it back: sennit undo {ticket}" in reviewed.err
    assert desk.sennit("undo", ticket).code == 0
    assert f"sennit apply {ticket}" in desk.sennit("review", ticket, "--accept", "all").err


def test_what_is_accepted_after_an_application_waits_to_be_applied(desk: Desk) -> None:
    text = "".join(f"line {number}\n" for number in range(1, 41))
    (desk.repository / "a.txt").write_text(text)
    line = json.dumps("sed -i 's/^line 5$/five/;s/^line 30$/thirty/' a.txt")
    file = desk.repository.parent / "tasks.toml"
    file.write_text(f"[[tasks]]\nid = 'two'\ncommand = {line}\n")
    done = desk.sennit("run", "--file", str(file), "--json").json
    ticket = done["ticket"]["id"]
    first, second = [unit["id"] for unit in done["proposals"][0]["files"][0]["units"]]
    desk.sennit("review", ticket, "--accept", first)
    assert desk.sennit("apply", ticket).code == 0
    later = desk.sennit("review", ticket, "--accept", second)
    assert f"To apply what is accepted: sennit apply {ticket}" in later.err
    assert desk.sennit("apply", ticket).code == 0
    assert "thirty" in (desk.repository / "a.txt").read_text()


def test_what_the_user_typed_over_an_applied_change_stays(desk: Desk, tmp_path: Path) -> None:
    ticket = applied(desk, tmp_path)["ticket"]["id"]
    mine = AFTER.replace("hello to everybody!", "hi to all")
    (desk.repository / "README.md").write_text(mine)
    again = desk.sennit("apply", ticket, "--json")
    assert again.code == 0, again.err
    assert (again.json["state"], again.json["conflicts"]) == ("applied", [])
    assert (desk.repository / "README.md").read_text() == mine


def test_a_change_that_was_taken_out_by_hand_goes_in_again(desk: Desk, tmp_path: Path) -> None:
    ticket = applied(desk, tmp_path)["ticket"]["id"]
    (desk.repository / "README.md").write_text(BEFORE)
    assert desk.sennit("apply", ticket).code == 0
    assert (desk.repository / "README.md").read_text() == AFTER


def test_a_file_that_was_left_alone_is_not_shown_as_applied(desk: Desk) -> None:
    file = desk.repository.parent / "tasks.toml"
    line = json.dumps("sh -c 'echo agent > new.txt; echo more >> README.md'")
    file.write_text(f"[[tasks]]\nid = 'one'\ncommand = {line}\n")
    ticket = desk.sennit("run", "--file", str(file), "--json").json["ticket"]["id"]
    # A file that git ignores is in no snapshot, so the edit does not know of it.
    (desk.repository / ".git" / "info" / "exclude").write_text("new.txt\n")
    (desk.repository / "new.txt").write_text("mine\n")
    done = desk.sennit("apply", ticket, "--accept-all", "--json")
    assert (done.code, done.json["state"]) == (1, "partlyApplied"), done.out + done.err
    assert applied_by_path(desk) == {"new.txt": [False], "README.md": [True]}
    (desk.repository / "new.txt").unlink()
    assert desk.sennit("apply", ticket).code == 0
    assert applied_by_path(desk) == {"new.txt": [True], "README.md": [True]}


def applied_by_path(desk: Desk) -> dict[str, list[bool]]:
    """Whether each change of the newest ticket's task is in the text."""
    shown = desk.sennit("show", "@/one", "--json").json
    return {each["path"]: [unit["applied"] for unit in each["units"]] for each in shown["files"]}
