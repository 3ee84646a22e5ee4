from __future__ import annotations

import io

import pytest
from rich.console import Console, RenderableType

from sennit.cli.agents_command import agents_table
from sennit.cli.cancel_command import cancel_report
from sennit.cli.doctor_command import doctor_table
from sennit.cli.drop_command import drop_report
from sennit.cli.gc_command import gc_report, retained_report
from sennit.cli.overlaps_command import overlaps_table
from sennit.cli.story_command import story_table
from sennit.cli.tables import duration, size
from sennit.cli.tickets_command import tickets_table
from sennit.cli.trust_command import trust_table
from sennit.core.counted import counted
from sennit_protocol.ids import ProposalId, TicketId
from sennit_protocol.overlap import FileOverlap, Overlap, OverlapKind, OverlapsResult, Worker
from sennit_protocol.proposals import LineRange
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


REPORTS: list[RenderableType] = [
    tickets_table(
        TicketsResult(
            (TicketSummary(TICKET, TicketState.RUNNING, 1, "2020", label=EVIL),), more=True
        )
    ),
    agents_table(AgentsResult((AgentView(EVIL, "command", usable=False, problem="Missing."),))),
    doctor_table(DoctorResult((DoctorLine("git", Health.BAD, EVIL, "Install it."),))),
    trust_table(TrustResult((TrustedFolder(EVIL, TrustState.CHANGED, changed=(".envrc",)),))),
    story_table(StoryResult((StoryEvent(1, "2020", "started", EVIL),), more=True)),
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
    assert WHEN in printed(retained_report(RetainedResult((ITEM,), 2048)), 60)


def test_empty_lists_say_what_to_do() -> None:
    assert "sennit run" in printed(tickets_table(TicketsResult(())))
    assert "sennit trust grant" in printed(trust_table(TrustResult(())))


def test_a_preview_says_how_to_do_it() -> None:
    assert "--force" in printed(REPORTS[-1])
    assert "--confirm" in printed(REPORTS[6])


def test_amounts_are_spelled_for_people() -> None:
    assert [size(n) for n in (0, 1023, 2048, 5 * 2**30)] == ["0 B", "1023 B", "2.0 KiB", "5.0 GiB"]
    assert [duration(n) for n in (40, 59_900, 61_000)] == ["0.0 s", "59.9 s", "1:01 min"]
    assert [counted(1, "entry", "entries"), counted(2, "entry", "entries")] == [
        "1 entry",
        "2 entries",
    ]
