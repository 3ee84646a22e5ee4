from __future__ import annotations

import json
import os
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve

from tests.e2e.cli_process import (
    DEADLINE_S,
    LINES,
    Desk,
    OnTerminal,
    a_desk,
    eventually,
    python,
    sed,
)

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

MakeDesk = Callable[[], Desk]


@pytest.fixture
def untrusted(tmp_path: Path) -> Desk:
    return a_desk(tmp_path, {"a.txt": LINES, "b.txt": LINES})


@pytest.fixture
def desk(untrusted: Desk) -> Desk:
    return untrusted.trusted()


def test_a_command_is_run_accepted_applied_and_taken_back(desk: Desk) -> None:
    file = desk.repository / "a.txt"
    done = desk.really("run", *sed("s/^line 5$/five/"), "--accept-all", "--json")
    assert done.code == 0, done.err
    told = done.json
    assert told["ticket"]["state"] == "completed"
    assert told["application"]["state"] == "applied"
    assert set(told) == {"ticket", "proposals", "application", "interrupted", "exitCode"}
    assert file.read_text() == LINES.replace("line 5\n", "five\n")
    undone = desk.sennit("undo", told["application"]["id"])
    assert undone.code == 0, undone.err
    assert file.read_text() == LINES


def test_nothing_starts_in_a_folder_that_is_not_trusted(untrusted: Desk) -> None:
    done = untrusted.sennit("run", *sed("s/1/X/"), "--accept-all")
    assert done.code == 3
    assert done.err.count(f"sennit trust grant {untrusted.repository}") == 1
    assert f"{untrusted.repository} is not trusted" in done.err
    assert (untrusted.repository / "a.txt").read_text() == LINES
    assert untrusted.sennit("tickets", "--json").json["tickets"] == []


def test_trust_can_be_granted_listed_and_revoked(untrusted: Desk) -> None:
    assert untrusted.trusted().sennit("trust", "--json").json["folders"][0]["state"] == "trusted"
    assert untrusted.sennit("trust", "revoke").code == 0
    assert untrusted.sennit("run", *sed("s/1/X/")).code == 3


def test_without_a_person_nothing_is_accepted_and_later_commands_go_on(desk: Desk) -> None:
    done = desk.sennit("run", *sed("s/^line 5$/five/"))
    assert done.code == 0, done.err
    assert "+five" in done.out
    assert (desk.repository / "a.txt").read_text() == LINES
    ticket = desk.sennit("tickets", "--json").json["tickets"][0]["id"]
    shown = desk.sennit("show", ticket, "--json").json
    proposal = shown["proposals"][0]["id"]
    patch = desk.sennit("show", proposal, "--patch").out
    desk.git("apply", "--check", "-", data=patch.encode())
    assert desk.sennit("apply", ticket).code == 1
    assert desk.sennit("apply", ticket, "--accept-all").code == 0
    assert "five" in (desk.repository / "a.txt").read_text()


def test_a_conflict_is_explained_and_never_accepted_by_itself(desk: Desk) -> None:
    done = desk.sennit("run", *sed("s/^line 5$/five/"), *sed("s/^line 5$/FIVE/"), "--accept-all")
    assert done.code == 1
    assert "conflict in a.txt" in done.out
    assert "it collides with: command-1" in done.out
    assert "command-2 is in conflict: left for you to decide" in done.err
    assert (desk.repository / "a.txt").read_text() == LINES.replace("line 5\n", "five\n")


def test_a_patch_is_written_and_no_file_changed(desk: Desk, tmp_path: Path) -> None:
    patch = tmp_path / "changes.patch"
    done = desk.sennit("run", *sed("s/^line 5$/five/"), "--accept-all", "--patch", str(patch))
    assert done.code == 0, done.err
    assert (desk.repository / "a.txt").read_text() == LINES
    desk.git("apply", "--check", str(patch))


def test_a_cancel_of_what_has_ended_says_so(desk: Desk) -> None:
    ticket = desk.sennit("run", *sed("s/1/X/"), "--json").json["ticket"]["id"]
    for force in ([], ["--force"]):
        done = desk.sennit("cancel", ticket, *force)
        assert done.code == 0
        assert "Nothing to cancel: all of it has ended. The ticket is completed." in done.out


def test_a_file_names_tasks_with_dependencies(desk: Desk, tmp_path: Path) -> None:
    first = shlex.join([sys.executable, "-c", "open('new.txt', 'w').write('one\\n')"])
    then = shlex.join(["sed", "-i", "s/one/two/", "new.txt"])
    tasks = tmp_path / "tasks.toml"
    tasks.write_text(
        f"[[tasks]]\nid = 'first'\ncommand = {json.dumps(first)}\n"
        f"[[tasks]]\nid = 'then'\ncommand = {json.dumps(then)}\ndependsOn = ['first']\n"
    )
    done = desk.sennit("run", "--file", str(tasks), "--accept-all")
    assert done.code == 0, done.err
    assert (desk.repository / "new.txt").read_text() == "two\n"


def test_a_program_that_does_not_exist_is_a_clear_error(desk: Desk) -> None:
    done = desk.sennit("run", "--command", "no-such-program-here --fix")
    assert done.code == 1
    assert "no-such-program-here" in done.err


def test_a_program_that_fails_is_told_and_its_work_is_kept(desk: Desk) -> None:
    program = "open('a.txt', 'a').write('more\\n'); raise SystemExit(7)"
    done = desk.sennit("run", *python(program), "--accept-all", "--json")
    assert done.code == 1
    assert done.json["ticket"]["tasks"][0]["failure"]["exitCode"] == 7
    assert [each["summary"]["integration"] for each in done.json["proposals"]] == ["retained"]
    assert (desk.repository / "a.txt").read_text() == LINES


def test_names_of_any_bytes_travel_and_are_shown_unharmed(desk: Desk) -> None:
    name = b"caf\xe9 \x1b[2J.txt"
    path = Path(os.fsdecode(os.fsencode(desk.repository) + b"/" + name))
    path.write_text(LINES)
    program = f"open({name!r}, 'a').write('more\\n')"
    done = desk.sennit("run", *python(program), "--accept-all")
    assert done.code == 0, done.err
    assert path.read_text() == LINES + "more\n"
    assert "\x1b" not in done.out + done.err


def slow_program(started: Path) -> list[str]:
    return python(
        "import time\nopen('a.txt', 'a').write('half done\\n')\n"
        f"open({str(started)!r}, 'w').close()\ntime.sleep(100)"
    )


def test_ctrl_c_cancels_with_capture_and_leaves_130(desk: Desk, tmp_path: Path) -> None:
    started = tmp_path / "started"
    with desk.started("run", *slow_program(started), "--json") as process:
        eventually(started)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=DEADLINE_S)
        assert process.returncode == 130, err
        assert b"Cancelling" in err
        told = json.loads(out)
        assert told["interrupted"] is True
        assert told["ticket"]["tasks"][0]["state"] == "cancelled"
        assert [each["summary"]["integration"] for each in told["proposals"]] == ["retained"]
        assert (desk.repository / "a.txt").read_text() == LINES


def test_another_process_can_cancel(desk: Desk, tmp_path: Path) -> None:
    started = tmp_path / "started"
    with desk.begun("run", *slow_program(started), "--json") as running:
        eventually(started)
        ticket = desk.sennit("tickets", "--json").json["tickets"][0]["id"]
        preview = desk.sennit("cancel", ticket, "--json").json
        assert (preview["done"], preview["tasks"][0]["stopped"]) == (False, "inTheMiddle")
        assert desk.sennit("cancel", ticket, "--force").code == 0
        done = running.ended()
        assert done.code == 1, done.err
        assert done.json["ticket"]["state"] == "cancelled"


@pytest.mark.parametrize(
    "arguments",
    [["tickets"], ["agents"], ["doctor"], ["gc"], ["gc", "--list"], ["config"], ["trust"],
     ["overlaps"]],
)  # fmt: skip
def test_every_list_can_be_one_json_object(desk: Desk, arguments: list[str]) -> None:
    told = desk.sennit(*arguments, "--json")
    assert isinstance(told.json, dict)
    # What the doctor finds is the machine's.
    assert told.code == 0 or arguments == ["doctor"]
    assert told.out.isascii()


def test_story_and_output_tell_what_happened(desk: Desk) -> None:
    done = desk.sennit("run", *python("print('hello from the task')"), "--json")
    ticket = done.json["ticket"]["id"]
    assert "command-1" in desk.sennit("story", ticket).out
    assert desk.sennit("output", ticket, "command-1").out == "hello from the task\n"
    assert desk.sennit("output", ticket, "command-1", "--follow").out == "hello from the task\n"
    assert desk.sennit("output", ticket, "nonsense").code == 2


def test_the_last_application_is_undone_by_its_place(desk: Desk) -> None:
    assert desk.sennit("run", *sed("s/^line 5$/five/"), "--accept-all").code == 0
    done = desk.sennit("undo", "--last")
    assert done.code == 0, done.err
    assert (desk.repository / "a.txt").read_text() == LINES


def test_a_second_undo_of_the_last_takes_the_undo_back(desk: Desk) -> None:
    changed = LINES.replace("line 5\n", "five\n")
    assert desk.sennit("run", *sed("s/^line 5$/five/"), "--accept-all").code == 0
    assert (desk.repository / "a.txt").read_text() == changed
    for expected in (LINES, changed):
        done = desk.sennit("undo", "--last")
        assert done.code == 0, done.err
        assert str(desk.repository) in done.err
        assert (desk.repository / "a.txt").read_text() == expected


def test_the_last_application_is_that_of_this_repository_and_no_patch(
    desk: Desk, tmp_path: Path
) -> None:
    assert desk.sennit("run", *sed("s/^line 5$/five/"), "--accept-all").code == 0
    patch = desk.sennit(
        "run", *sed("s/^line 9$/nine/"), "--accept-all", "--patch", str(tmp_path / "p")
    )
    assert (patch.code, "already present" in patch.out) == (0, False), patch.out
    (tmp_path / "elsewhere").mkdir()
    other = evolve(desk, repository=tmp_path / "elsewhere")
    other.git("init", "--quiet")
    refused = other.sennit("undo", "--last")
    assert refused.code == 1
    assert str(other.repository) in refused.err
    assert "five" in (desk.repository / "a.txt").read_text()
    assert desk.sennit("undo", "--last").code == 0
    assert (desk.repository / "a.txt").read_text() == LINES


def test_a_patch_is_not_written_to_a_file_that_is_called_like_standard_output(desk: Desk) -> None:
    done = desk.sennit("run", *sed("s/x/y/"), "--accept-all", "--patch", "-")
    assert (done.code, "name a file" in done.err) == (2, True)


def test_what_was_left_out_is_named_once_with_its_paths(desk: Desk) -> None:
    (desk.repository / ".gitignore").write_text("*.log\n")
    done = desk.sennit("run", "--command", "touch one.log two.log a.new", "--reject-all", "--json")
    proposal = done.json["ticket"]["tasks"][0]["proposal"]
    shown = desk.sennit("show", proposal)
    assert "one.log, two.log: ignored: " in shown.out, shown.out


def test_files_that_an_agent_moves_to_where_git_ignores_them_are_named(desk: Desk) -> None:
    (desk.repository / ".gitignore").write_text("build/*\n")
    (desk.repository / "out").mkdir()
    (desk.repository / "out/made.txt").write_text("made\n")
    done = desk.sennit("run", "--command", "mv out build", "--reject-all", "--json")
    proposal = done.json["ticket"]["tasks"][0]["proposal"]
    shown = desk.sennit("show", proposal)
    assert "build/made.txt: ignored: " in shown.out, shown.out


def test_a_person_decides_hunk_by_hunk(desk: Desk) -> None:
    script = "s/^line 5$/five/;s/^line 30$/thirty/"
    with OnTerminal(desk, "run", *sed(script)) as terminal:
        terminal.wait_for("[y,n,a,d,s,j,q,?]?")
        terminal.type("s")
        terminal.wait_for("Accept this change to a.txt (1/2)")
        terminal.type("n")
        terminal.wait_for("Accept this change to a.txt (2/2)")
        terminal.type("y")
        assert terminal.end() == 0, terminal.seen
        assert (desk.repository / "a.txt").read_text() == LINES.replace("line 30\n", "thirty\n")


def test_a_person_is_asked_for_trust_once(untrusted: Desk) -> None:
    line = sed("s/^line 5$/five/")
    with OnTerminal(untrusted, "run", *line, begin=Desk.program) as terminal:
        terminal.wait_for("Programs named by it will run")
        terminal.type("y")
        terminal.wait_for("[y,n,a,d,s,j,q,?]?")
        terminal.type("y")
        assert terminal.end() == 0, terminal.seen
        assert "five" in (untrusted.repository / "a.txt").read_text()
        assert untrusted.sennit("trust", "--json").json["folders"][0]["state"] == "trusted"


def test_a_person_who_does_not_trust_starts_nothing(untrusted: Desk) -> None:
    with OnTerminal(untrusted, "run", *sed("s/^line 5$/five/")) as terminal:
        terminal.wait_for("Programs named by it will run")
        terminal.type("n")
        assert terminal.end() == 3
        told = " ".join(terminal.seen.split())
        assert "is not trusted, so nothing was started." in told
        assert told.count("Nothing was started") == 1
        assert (untrusted.repository / "a.txt").read_text() == LINES


QUESTION = (
    f"{shlex.quote(sys.executable)} -m sennit.ask_client 'Which word?' --option one --option two"
    " > a.txt"
)
ASKING = ["--command", shlex.join(["sh", "-c", QUESTION])]


def test_a_person_answers_a_question_of_a_program(desk: Desk) -> None:
    with OnTerminal(desk, "run", *ASKING, "--accept-all") as terminal:
        terminal.wait_for("Which word?")
        terminal.wait_for("Number")
        terminal.type("2")
        assert terminal.end() == 0, terminal.seen
        assert (desk.repository / "a.txt").read_text() == "two\n"


@pytest.mark.slow
def test_the_demo_proves_what_it_claims(desk: Desk, tmp_path: Path) -> None:
    picture = tmp_path / "demo.svg"
    done = desk.really("demo", "--json", "--svg", str(picture))
    assert done.code == 0, done.err
    assert len(done.json["proofs"]) == 7
    assert all(each["holds"] for each in done.json["proofs"])
    assert "claims hold" in picture.read_text().replace("&#160;", " ")
