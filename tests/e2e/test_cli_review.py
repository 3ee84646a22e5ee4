from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli_process import (
    LINES,
    Desk,
    OnTerminal,
    a_desk,
    python,
    sed,
)

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return a_desk(tmp_path, {"a.txt": LINES, "b.txt": LINES}).trusted()


def proposals_after(desk: Desk, *arguments: str) -> list[Any]:
    return list(desk.sennit("run", *arguments, "--json").json["proposals"])


def pending(desk: Desk) -> int:
    return int(desk.sennit("tickets", "--json").json["tickets"][0].get("proposalsPending", 0))


def test_proposals_are_decided_about_by_name_and_applied_later(desk: Desk) -> None:
    script = "s/^line 5$/five/;s/^line 30$/thirty/"
    first, second = proposals_after(desk, *sed(script), *sed("s/^line 5$/FIVE/"))
    ticket, name = first["summary"]["ticket"], first["summary"]["id"]
    listed = desk.sennit("review", ticket)
    units = [unit["id"] for unit in first["files"][0]["units"]]
    assert all(unit in listed.out for unit in units)
    done = desk.sennit("review", ticket, "--accept", units[1], "--reject", units[0])
    assert done.code == 0, done.err
    assert "1 accepted, 1 rejected" in done.out
    assert f"sennit apply {ticket}" in done.err
    assert desk.sennit("review", second["summary"]["id"], "--reject", "all").code == 0
    assert pending(desk) == 1
    record = desk.sennit("output", ticket, second["summary"]["task"], "--record").out
    # Why it is no layer is told: so few files.
    why = r"^workspace +(?:checkout|reflink)\nnot by +overlay: the repository has 2 files"
    assert re.search(why, record, re.MULTILINE), record
    looked = desk.sennit("materialise", ticket, second["summary"]["task"])
    assert (Path(looked.out.removesuffix("\n")) / "a.txt").read_text() == LINES.replace(
        "line 5\n", "FIVE\n"
    )
    shown = desk.sennit("show", ticket).out
    assert "clean  partly accepted" in shown
    assert "conflict  rejected" in shown
    assert desk.sennit("apply", ticket).code == 0
    assert (desk.repository / "a.txt").read_text() == LINES.replace("line 30\n", "thirty\n")
    again = desk.sennit("review", name, "--reset", "--json").json["proposals"][0]
    assert again["summary"]["review"] == "offered"
    wrong = desk.sennit("review", ticket, "--accept", "nonsense")
    assert wrong.code == 2
    assert "a.txt" in wrong.err


def test_a_conflict_is_settled_by_name_or_in_a_review_on_a_terminal(desk: Desk) -> None:
    _, second = proposals_after(desk, *sed("s/^line 5$/five/"), *sed("s/^line 6$/six/"))
    name, ticket = second["summary"]["id"], second["summary"]["ticket"]
    several = desk.sennit("resolve", "@")
    assert (several.code, "command-2" in several.err) == (2, True)
    done = desk.sennit("resolve", name, "a.txt", "--take", "theirs")
    assert "goes in now" in done.out, done.err
    back = desk.sennit("resolve", name, "--take", "nothing").out
    assert "still in conflict: a.txt" in back
    assert "suggestion adjacentEdits: Take both" in back
    with OnTerminal(desk, "review", name) as terminal:
        terminal.wait_for("Accept the work of command-2 [y,n,a,d,s,c,j,q,?]?")
        terminal.type("c")
        terminal.wait_for("What settles a.txt [o,t,b,1,j,q,?]?")
        terminal.type("1")
        terminal.wait_for("goes in now")
        terminal.type("y")
        assert terminal.end() == 0, terminal.seen
    assert desk.sennit("apply", ticket, "--accept-all").code == 0
    text = (desk.repository / "a.txt").read_text()
    assert text == LINES.replace("line 5\n", "five\n").replace("line 6\n", "six\n")


def test_unfinished_work_is_adopted_in_a_review_on_a_terminal(desk: Desk) -> None:
    program = "open('a.txt', 'a').write('more\\n'); raise SystemExit(7)"
    (kept,) = proposals_after(desk, *python(program))
    name = kept["summary"]["id"]
    with OnTerminal(desk, "review", kept["summary"]["ticket"]) as terminal:
        terminal.wait_for("unfinished: what its run had done is kept; accepting it adopts it")
        terminal.wait_for("Adopt the unfinished work of command-1")
        terminal.type("y")
        assert terminal.end() == 0, terminal.seen
        assert "To apply what is accepted" in terminal.seen
    assert desk.sennit("apply", name).code == 0
    assert (desk.repository / "a.txt").read_text() == LINES + "more\n"


def test_a_moved_head_holds_files_and_no_patch_and_tells_the_option(
    desk: Desk, tmp_path: Path
) -> None:
    text = "one\ntwo\n"
    (made,) = proposals_after(desk, *python(f"open('new.txt', 'w').write({text!r})"))
    assert (made["summary"]["linesAdded"], made["summary"]["linesRemoved"]) == (2, 0)
    ticket = made["summary"]["ticket"]
    desk.git("commit", "--quiet", "--allow-empty", "--message", "moved")
    patch = tmp_path / "made.patch"
    done = desk.sennit("apply", ticket, "--accept-all", "--patch", str(patch))
    assert done.code == 0, done.err
    assert f"The patch is in {patch}: 1 file, +2 -0." in done.out
    held = desk.sennit("apply", ticket)
    assert held.code == 1
    assert "--confirm-moved" in held.err
    assert not (desk.repository / "new.txt").exists()
    applied = desk.sennit("apply", ticket, "--confirm-moved", "--json").json
    undone = desk.sennit("undo", applied["id"])
    assert "To take the undo back: sennit undo a_" in undone.out


def test_the_settings_say_what_follows_a_conflict_unless_the_call_does(desk: Desk) -> None:
    (desk.repository.parent / "config").mkdir(exist_ok=True)
    config = desk.repository.parent / "config" / "config.toml"
    config.write_text('[review]\nonConflict = "follow"\n')
    both = (*sed("s/^line 5$/five/"), *sed("s/^\\(line 5\\|five\\)$/FIVE/"))
    followed = desk.sennit("run", *both, "--json").json
    assert [each["id"] for each in followed["ticket"]["tasks"]][2:] == ["command-2-again"]
    aside = desk.sennit("run", *both, "--on-conflict", "setAside", "--json").json
    assert [each["id"] for each in aside["ticket"]["tasks"]][2:] == []


def test_what_is_valid_is_told_with_what_is_wrong(desk: Desk) -> None:
    done = desk.sennit("run", "words", "--agent", "nobody")
    assert done.code == 2
    assert "names no agent" in done.err
    assert "Valid: command" in done.err
    (desk.repository.parent / "config").mkdir(exist_ok=True)
    (desk.repository.parent / "config" / "config.toml").write_text("[limits]\nnonsense = 1\n")
    refused = desk.sennit("run", *sed("s/1/X/"))
    assert "nonsense" in refused.err
    assert "Valid: " in refused.err
    config = desk.sennit("config")
    assert config.code == 1
    assert "nonsense" in config.err
    assert "the defaults count" not in config.out
    explained = desk.sennit("config", "--explain").out
    row = r"^limits\.messageBytes  .*  default  Size of one message .* is refused\.$"
    assert re.search(row, explained, re.MULTILINE)


def test_the_story_names_folders_and_short_ids(desk: Desk) -> None:
    (made,) = proposals_after(desk, *sed("s/^line 5$/five/"))
    told = desk.sennit("story", made["summary"]["ticket"], "--json").json
    lines = [each["message"] for each in told["events"]]
    assert f"takes the base of {desk.repository}" in lines
    assert not [line for line in lines if any(len(word) == 40 for word in line.split())], (
        json.dumps(lines)
    )


def test_a_follow_up_on_a_ticket_of_an_ended_server_is_run_and_reviewed_like_a_run(
    desk: Desk,
) -> None:
    (first,) = proposals_after(desk, *sed("s/^line 5$/five/"))
    ticket = first["summary"]["ticket"]
    line = shlex.join(["sed", "-i", "s/^line 30$/thirty/", "a.txt"])
    done = desk.sennit("follow", ticket, line, "--accept-all")
    assert done.code == 0, done.err
    expected = LINES.replace("line 5\n", "five\n").replace("line 30\n", "thirty\n")
    assert (desk.repository / "a.txt").read_text() == expected
    shown = desk.sennit("show", ticket).out
    assert "followed by t_" in shown
    assert pending(desk) == 0
    several = desk.sennit("run", *sed("s/x/y/"), *sed("s/x/y/"), "--json").json["ticket"]["id"]
    refused = desk.sennit("follow", several, "true")
    assert refused.code == 2
    assert f"{several}/command-2" in refused.err
