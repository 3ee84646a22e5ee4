"""Names on the command line: beginnings of ids, `@`, `TICKET/TASK`, and what does not exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli_process import (
    LINES,
    Desk,
    a_desk,
    python,
    sed,
)

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return a_desk(tmp_path, {"a.txt": LINES, "b.txt": LINES}).trusted()


def ran(desk: Desk, *arguments: str) -> Any:
    return desk.sennit("run", *arguments, "--json").json


def beginning(name: str, *others: str) -> str:
    """The shortest beginning of an id that none of the others has."""
    return next(
        name[:length]
        for length in range(3, len(name) + 1)
        if not any(other.startswith(name[:length]) for other in others)
    )


def test_an_id_may_be_cut_off_in_every_command(desk: Desk) -> None:
    done = ran(desk, *sed("s/^line 5$/five/"))
    ticket, proposal = done["ticket"]["id"], done["proposals"][0]["summary"]["id"]
    run = done["ticket"]["tasks"][0]["runs"][0]["id"]
    short_ticket, short_proposal = ticket[:4], proposal[:4]
    for arguments in (
        ["show", short_ticket],
        ["show", short_proposal],
        ["story", short_ticket],
        ["overlaps", short_ticket],
        ["materialise", short_ticket],
        ["output", short_ticket, "command-1", "--run", run[:4], "--record"],
        ["review", short_proposal, "--accept", "all"],
        ["cancel", short_ticket],
        ["cancel", f"{short_ticket}/command-1"],
        ["tickets", "--before", short_ticket],
        ["apply", short_ticket],
    ):
        ended = desk.sennit(*arguments)
        assert ended.code == 0, (arguments, ended.err)
    assert "five" in (desk.repository / "a.txt").read_text()
    applied = desk.sennit("show", ticket, "--json").json["ticket"]["applications"][0]["id"]
    assert desk.sennit("undo", applied[:4]).code == 0
    assert (desk.repository / "a.txt").read_text() == LINES
    dropped = desk.sennit("drop", short_ticket, "--confirm", "--json")
    assert [each["id"] for each in dropped.json["items"]] == [ticket], dropped.err


def test_a_beginning_of_several_ids_names_them(desk: Desk) -> None:
    script = ["--label", "which one"]
    tickets: list[str] = []
    # There are 32 first letters, so that two of 33 tickets begin alike; most often sooner.
    while len({each[:3] for each in tickets}) == len(tickets):
        tickets.append(ran(desk, *sed("s/^line 5$/five/"), *script)["ticket"]["id"])
    same = [each for each in tickets if each[:3] == tickets[-1][:3]]
    ended = desk.sennit("show", tickets[-1][:3], "--json")
    assert ended.code == 2
    message = ended.json["error"]["message"]
    assert all(each in message for each in same)
    assert "which one" in message
    assert desk.sennit("show", beginning(same[0], *same[1:])).code == 0


def test_the_newest_ticket_here_is_an_at_sign_and_a_task_names_its_proposal(desk: Desk) -> None:
    ran(desk, *sed("s/^line 5$/five/"))
    newest = ran(desk, "--task", "x=true", "--agent", "command", *sed("s/^line 9$/nine/"))
    name = newest["ticket"]["id"]
    assert desk.sennit("show", "@", "--json").json["ticket"]["id"] == name
    shown = desk.sennit("show", "@/command-1", "--json").json
    assert shown["summary"]["task"] == "command-1"
    assert "+nine" in desk.sennit("show", f"{name[:5]}/command-1").out
    ended = desk.sennit("output", "@")
    assert ended.code == 2
    assert f"{name}/x, {name}/command-1" in ended.err
    assert desk.sennit("apply", "@/command-1", "--accept-all").code == 0
    assert (desk.repository / "a.txt").read_text() == LINES.replace("line 9\n", "nine\n")


def test_an_undo_of_a_ticket_takes_its_last_application_back(desk: Desk) -> None:
    done = ran(desk, *sed("s/^line 5$/five/"), "--accept-all")
    ticket = done["ticket"]["id"]
    undone = desk.sennit("undo", ticket)
    assert undone.code == 0, undone.err
    assert f"Undo of {done['application']['id']}: taken back, 1 file" in undone.out
    assert (desk.repository / "a.txt").read_text() == LINES
    again = desk.sennit("undo", ticket, "--json")
    assert again.code == 1
    assert f"sennit undo {done['application']['id']}" not in again.json["error"]["message"]
    redone = desk.sennit("undo", again.json["error"]["message"].rpartition(" ")[2])
    assert redone.code == 0, redone.err
    assert "five" in (desk.repository / "a.txt").read_text()
    assert desk.sennit("undo", ticket).code == 0
    assert (desk.repository / "a.txt").read_text() == LINES
    nothing = ran(desk, *sed("s/^line 5$/five/"))["ticket"]["id"]
    refused = desk.sennit("undo", nothing)
    assert (refused.code, "is applied" in refused.err) == (1, True)


def test_what_is_named_and_not_there_is_wrong_use_and_says_what_there_is(desk: Desk) -> None:
    done = ran(desk, *sed("s/^line 5$/five/"))
    ticket = done["ticket"]["id"]
    unknown = "t_aaaaaaaaaa"
    for arguments in (
        ["show", unknown], ["show", "p_aaaaaaaaaa"], ["show", f"{ticket}/nobody"],
        ["story", unknown], ["story", ticket, "nobody"], ["cancel", unknown],
        ["cancel", ticket, "--task", "nobody"], ["output", unknown, "x"],
        ["output", ticket, "nobody"],
        ["output", ticket, "command-1", "--run", "n_aaaaaaaaaa"], ["materialise", ticket, "nobody"],
        ["answer", ticket, "nobody", "yes"], ["answer", unknown, "x", "yes"],
        ["review", unknown], ["review", ticket, "--accept", "nobody"], ["apply", unknown],
        ["resolve", "p_aaaaaaaaaa"], ["resolve", unknown], ["undo", "a_aaaaaaaaaa"],
        ["undo", unknown], ["drop", unknown], ["follow", unknown],
        ["follow", f"{ticket}/nobody", "again"], ["overlaps", unknown],
        ["run", "words", "--agent", "nobody"],
    ):  # fmt: skip
        ended = desk.sennit(*arguments, "--json")
        assert ended.code == 2, (arguments, ended.out, ended.err)
        assert ended.json["exitCode"] == 2
        assert ended.json["error"]["message"]


def test_what_is_there_and_in_no_state_for_it_ends_with_1(desk: Desk) -> None:
    done = ran(desk, *sed("s/^line 5$/five/"))
    ticket, proposal = done["ticket"]["id"], done["proposals"][0]["summary"]["id"]
    for arguments in (
        ["apply", ticket], ["apply", proposal], ["undo", "--last"], ["undo", ticket],
        ["resolve", proposal, "--take", "ours"], ["resolve", ticket, "--take", "ours"],
        ["answer", ticket, "command-1", "yes"],
    ):  # fmt: skip
        ended = desk.sennit(*arguments, "--json")
        assert ended.code == 1, (arguments, ended.out, ended.err)
        assert ended.json["exitCode"] == 1
        assert ended.json["error"]["message"]


def test_a_program_that_wrote_nothing_is_told(desk: Desk) -> None:
    ticket = ran(desk, "--command", "true", *python("import sys; sys.stderr.write('oh')"))
    name = ticket["ticket"]["id"]
    silent = desk.sennit("output", name, "command-1")
    assert (silent.code, silent.out) == (0, "")
    assert silent.err == "command-1 wrote nothing to standard output.\n"
    followed = desk.sennit("output", name, "command-1", "--follow")
    assert followed.err == silent.err
    elsewhere = desk.sennit("output", name, "command-2")
    assert elsewhere.err.endswith("What it wrote to standard error: --stderr\n")
    assert desk.sennit("output", name, "command-2", "--stderr").out == "oh"
    as_json = desk.sennit("output", name, "command-1", "--json")
    assert (as_json.json["text"], as_json.err) == ("", "")


def test_a_ticket_shows_what_was_applied_of_it(desk: Desk) -> None:
    done = ran(desk, *sed("s/^line 5$/five/"), "--accept-all")
    application = done["application"]["id"]
    shown = desk.sennit("show", done["ticket"]["id"]).out
    assert re.search(rf"^  {application}  1 file  (just now|.* ago)  applied$", shown, re.MULTILINE)
