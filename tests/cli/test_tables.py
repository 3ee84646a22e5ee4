from __future__ import annotations

import io
import time
from datetime import datetime
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from sennit.cli.agents_command import agents_table
from sennit.cli.cancel_command import cancel_report
from sennit.cli.doctor_command import doctor_table
from sennit.cli.drop_command import drop_report
from sennit.cli.gc_command import gc_report, retained_report
from sennit.cli.overlaps_command import overlaps_table
from sennit.cli.story_command import story_table
from sennit.cli.tables import ago, clock, day_and_time, duration, size
from sennit.cli.tickets_command import all_tickets, tickets_here
from sennit.cli.trust_command import trust_table
from sennit.core.counted import counted
from sennit_protocol.conflicts import LineRange
from sennit_protocol.ids import ProposalId, TicketId
from sennit_protocol.overlap import FileOverlap, Overlap, OverlapKind, OverlapsResult, Worker
from sennit_protocol.requests import CancelledTask, CancelResult, TicketsResult
from sennit_protocol.states import Stopped, TicketState, TrustState
from sennit_protocol.texts import StoryEvent, StoryResult
from sennit_protocol.upkeep import (
    AgentsResult,
    AgentView,
    DoctorLine,
    DoctorResult,
    DropResult,
    GcResult,
    Health,
    RetainedItem,
    RetainedResult,
    TrustedFolder,
    TrustResult,
)
from sennit_protocol.views import Notice, TicketSummary

EVIL = "[b]x\x1b[2J\n"
SHOWN = "[b]x\\x1b[2J\\n"
TICKET = TicketId("t_1")
WHEN = "2020-01-02T03:04:05Z"
ITEM = RetainedItem("p_1", "proposal", TICKET, EVIL, 2048, WHEN, "not applied")


def meeting(other: Worker, kind: OverlapKind, *starts: int) -> Overlap:
    lines = tuple(LineRange(start, 1) for start in starts)
    file = FileOverlap("a.py", "file:///a.py", kind, lines)
    return Overlap(Worker(TICKET, EVIL, ProposalId("p_1")), other, (file,))


LISTED = TicketsResult(
    (TicketSummary(TICKET, TicketState.RUNNING, 1, WHEN, label=EVIL),), more=True
)


REPORTS: list[RenderableType] = [
    tickets_here(Path("/"), LISTED),
    all_tickets(LISTED),
    agents_table(AgentsResult((AgentView(EVIL, "command", usable=False, problem="Missing."),))),
    doctor_table(DoctorResult((DoctorLine("git", Health.BAD, EVIL, "Install it."),))),
    trust_table(TrustResult((TrustedFolder(EVIL, TrustState.CHANGED, changed=(".envrc",)),))),
    story_table(StoryResult((StoryEvent(1, WHEN, "started", EVIL),), more=True)),
    retained_report(RetainedResult((ITEM,), 2048)),
    gc_report(GcResult(done=False, items=(ITEM,), freed_bytes=2048)),
    drop_report(DropResult(done=True, items=(), kept=(Notice(EVIL),))),
    overlaps_table(
        OverlapsResult((meeting(Worker(TICKET, "x"), OverlapKind.LINES, 4),), 1, (Notice(EVIL),))
    ),
    cancel_report(
        CancelResult(
            done=False,
            tasks=(CancelledTask(EVIL, Stopped.NEVER_STARTED, "nothing"),),
            state=TicketState.RUNNING,
        )
    ),
]


def printed(value: RenderableType, width: int = 200) -> str:
    console = Console(file=io.StringIO(), width=width, markup=False, highlight=False)
    with console.capture() as capture:
        console.print(value)
    return capture.get()


@pytest.mark.parametrize("report", REPORTS)
def test_no_text_of_others_acts_on_the_terminal(report: RenderableType) -> None:
    said = printed(report)
    assert SHOWN in said
    assert "\x1b" not in said


@pytest.mark.parametrize("report", REPORTS)
def test_no_report_is_wider_than_the_terminal(report: RenderableType) -> None:
    assert max(map(len, printed(report, 60).splitlines())) <= 60


def test_overlaps_are_told_in_words_with_the_ticket_where_there_are_several() -> None:
    there = Worker(TICKET, "near", ProposalId("p_2"))
    alone = printed(overlaps_table(OverlapsResult((meeting(there, OverlapKind.LINES, 4, 7),))))
    assert "near (p_2)" in alone
    assert "lines 5, 8" in alone
    assert TICKET not in alone
    far = Worker(TicketId("t_2"), "far")
    pairs = (meeting(there, OverlapKind.WHOLE_FILE), meeting(far, OverlapKind.SAME_FILE))
    both = printed(overlaps_table(OverlapsResult(pairs)))
    for said in ("t_1/near (p_2)", "t_2/far (running)", "the whole file", "other lines of it"):
        assert said in both


def test_a_time_is_never_broken_in_two() -> None:
    assert ago(WHEN) in printed(retained_report(RetainedResult((ITEM,), 2048)), 60)


def test_empty_lists_say_what_to_do() -> None:
    assert "sennit run" in printed(all_tickets(TicketsResult(())))
    here = printed(tickets_here(Path("/x\x1b"), TicketsResult(())))
    assert "/x\\x1b" in here
    assert "sennit tickets --all" in here
    assert "sennit trust grant" in printed(trust_table(TrustResult(())))


def test_how_far_a_cancelled_task_had_come_is_told_in_words() -> None:
    assert "never started" in printed(REPORTS[-1])


def test_when_trust_was_granted_is_told_as_people_tell_it() -> None:
    folder = TrustedFolder("/x", TrustState.TRUSTED, granted_at=WHEN)
    assert ago(WHEN) in printed(trust_table(TrustResult((folder,))))
    assert WHEN not in printed(trust_table(TrustResult((folder,))))


def test_a_preview_says_how_to_do_it() -> None:
    assert "--force" in printed(REPORTS[-1])
    assert "--confirm" in printed(REPORTS[7])


def test_amounts_are_spelled_for_people() -> None:
    assert [size(n) for n in (0, 1023, 2048, 5 * 2**30)] == ["0 B", "1023 B", "2.0 KiB", "5.0 GiB"]
    assert [duration(n) for n in (40, 59_900, 61_000)] == ["0.0 s", "59.9 s", "1:01 min"]
    assert [counted(1, "entry", "entries"), counted(2, "entry", "entries")] == [
        "1 entry",
        "2 entries",
    ]


@pytest.mark.parametrize(
    ("now", "told"),
    [
        ("2020-01-02T03:04:00Z", "just now"),
        ("2020-01-02T03:05:04Z", "just now"),
        ("2020-01-02T03:05:05Z", "1 min ago"),
        ("2020-01-02T05:04:04Z", "1 h ago"),
        ("2020-01-04T03:04:05Z", "2 d ago"),
        ("2020-03-02T03:04:05Z", "2020-01-02"),
    ],
)
def test_a_time_is_told_by_how_long_ago_it_was(
    now: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_zone(monkeypatch, "UTC")
    assert ago(WHEN, datetime.fromisoformat(now)) == told


def test_clocks_are_those_of_here(monkeypatch: pytest.MonkeyPatch) -> None:
    in_zone(monkeypatch, "XYZ-05:30")
    assert clock("2020-01-02T03:04:05.678Z") == "2020-01-02 08:34"
    assert day_and_time("2020-01-02T18:30:00Z") == ("2020-01-03", "00:00:00")


def test_a_story_tells_a_day_before_the_first_event_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    in_zone(monkeypatch, "UTC")
    times = ("2020-01-02T23:59:58Z", "2020-01-02T23:59:59Z", "2020-01-03T00:00:00Z")
    events = tuple(StoryEvent(1, at, "runStarted", "runs") for at in times)
    told = printed(story_table(StoryResult(events))).splitlines()[2:]
    assert [line.split() for line in told] == [
        ["2020-01-02"],
        ["1", "23:59:58", "runs"],
        ["1", "23:59:59", "runs"],
        ["2020-01-03"],
        ["1", "00:00:00", "runs"],
    ]


def in_zone(monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    """Let the clocks of this test go as in a time zone."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()


def test_a_cancel_that_another_server_was_only_asked_for_is_not_told_as_done() -> None:
    task = CancelledTask("one", Stopped.IN_THE_MIDDLE, "kept")
    result = CancelResult(done=False, tasks=(task,), state=TicketState.RUNNING, asked=True)
    told = printed(cancel_report(result))
    assert "was asked to cancel it; it is running" in told
    assert "--force" not in told
