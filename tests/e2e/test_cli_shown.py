"""What lists and shown tickets look like, on terminals and in pipes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from attrs import evolve

from tests.e2e.cli_process import (
    Desk,
    OnTerminal,
    a_desk,
    sed,
)

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return a_desk(tmp_path, {"a.txt": "one\ntwo\n", "b.txt": "three\n"}).trusted()


def test_a_ticket_is_shown_with_a_line_for_each_task_and_its_proposal(desk: Desk) -> None:
    desk.sennit("run", *sed("s/o/0/", "a.txt"), *sed("s/th/TH/", "b.txt"), "--accept-all")
    shown = desk.sennit("show", "@").out
    assert shown.count("command-1") == 1
    heading, first, second = (line for line in shown.splitlines() if _OF_TABLE.match(line))
    assert heading.split() == ["task", "state", "agent", "proposal"]
    for column, cell in (("state", "completed"), ("agent", "command "), ("proposal", "p_")):
        assert heading.index(column) == first.index(cell) == second.index(cell)
    assert first.endswith("1 file, +2 -2  clean  accepted  applied")
    assert re.search(r"^  application\n  a_\w+  2 files  \S.*  applied$", shown, re.MULTILINE)


_OF_TABLE = re.compile(r"  (task|command-\d)  ")


def test_a_task_without_a_proposal_has_a_line_too(desk: Desk) -> None:
    desk.sennit("run", "--command", "false", *sed("s/o/0/", "a.txt"))
    shown = desk.sennit("show", "@").out
    assert re.search(r"^  command-1  failed +command$", shown, re.MULTILINE)
    assert "exit code 1" in shown


@pytest.fixture
def other(desk: Desk) -> Desk:
    """A second repository of the same user."""
    repository = desk.repository.with_name("other")
    repository.mkdir()
    other = evolve(desk, repository=repository)
    other.git("init", "--quiet")
    other.git("commit", "--quiet", "--allow-empty", "--message", "begin")
    return other.trusted()


def test_tickets_are_those_of_the_repository_here_and_all_where_asked_for(
    desk: Desk, other: Desk
) -> None:
    desk.sennit("run", "--command", "true", "--label", "at the desk")
    there = other.sennit("tickets").out
    assert "at the desk" not in there
    assert "sennit tickets --all" in there
    other.sennit("run", "--command", "true", "--label", "the other")
    here = desk.sennit("tickets").out
    assert "at the desk" in here
    assert "the other" not in here
    everywhere = desk.sennit("tickets", "--all").out
    assert re.search(
        rf"^t_.*{re.escape(str(desk.repository))}.*at the desk$", everywhere, re.MULTILINE
    )
    assert re.search(
        rf"^t_.*{re.escape(str(other.repository))}.*the other$", everywhere, re.MULTILINE
    )
    assert len(desk.sennit("tickets", "--json").json["tickets"]) == 2
    assert len(desk.sennit("tickets", "--json", "--here").json["tickets"]) == 1


def test_a_page_of_all_tickets_names_the_next_page_of_all(desk: Desk, other: Desk) -> None:
    for each in (desk, other):
        each.sennit("run", "--command", "true")
    (further,) = re.findall(
        r"sennit (tickets .*)", desk.sennit("tickets", "--all", "--limit", "1").out
    )
    assert str(desk.repository) in desk.sennit(*further.split()).out


def test_a_ticket_whose_work_was_undone_has_open_proposals_and_nothing_to_review(
    desk: Desk,
) -> None:
    desk.sennit("run", *sed("s/o/0/", "a.txt"), "--accept-all")
    desk.sennit("undo", "@")
    shown = desk.sennit("tickets").out
    assert "open" in shown.splitlines()[0].split()
    assert "review" not in shown


def test_in_a_narrow_terminal_no_id_and_no_time_is_broken(desk: Desk) -> None:
    narrow = evolve(desk, environment={**desk.environment, "COLUMNS": "62"})
    desk.sennit("run", *sed("s/o/0/", "a.txt"), "--label", "some words that need some room")
    for arguments in (["tickets"], ["gc", "--list"], ["story", "@"]):
        with OnTerminal(narrow, *arguments) as shown:
            assert shown.end() == 0
        assert max(map(len, shown.seen.splitlines())) <= 62
        ids = re.findall(r"\b[a-z]_[a-z2-7]+", shown.seen)
        assert {len(each) for each in ids} == {12}
        assert re.search(r"just now|\d\d:\d\d:\d\d", shown.seen)


def test_in_a_pipe_every_row_of_a_table_is_one_line(desk: Desk) -> None:
    label = "a label of many words " * 8
    desk.sennit("run", *sed("s/o/0/", "a.txt"), "--label", label)
    assert f"{label.strip()}\n" in desk.sennit("tickets").out
    events = desk.sennit("story", "@", "--json").json["events"]
    told = desk.sennit("story", "@").out.splitlines()
    # The headings, and the day, or two around midnight.
    assert len(told) in {len(events) + 2, len(events) + 3}
    assert not [line for line in told if line.endswith(" ")]


def test_what_does_not_fit_at_an_application_is_told_once(desk: Desk) -> None:
    desk.sennit("run", *sed("s/o/0/", "a.txt"), *sed("s/th/TH/", "b.txt"), "--no-apply")
    desk.sennit("review", "@", "--accept", "all")
    (desk.repository / "b.txt").write_text("typed\n")
    applied = desk.sennit("apply", "@").out
    assert re.match(r"Application a_\w+: partly applied, 1 file\n", applied)
    told = [line for line in applied.splitlines() if "b.txt" in line]
    assert [line.split(":")[0] for line in told] == ["  note", "  left out of command-2"]
