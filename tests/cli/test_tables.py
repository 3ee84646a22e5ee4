from __future__ import annotations

import io

import pytest
from rich.console import Console, RenderableType

from sennit.cli.agents_command import agents_table
from sennit.cli.cancel_command import cancel_report
from sennit.cli.doctor_command import doctor_table
from sennit.cli.drop_command import drop_report
from sennit.cli.gc_command import gc_report, retained_report
from sennit.cli.story_command import story_table
from sennit.cli.tables import duration, size
from sennit.cli.tickets_command import tickets_table
from sennit.cli.trust_command import trust_table
from sennit.core.counted import counted
from sennit_protocol.ids import TicketId
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
ITEM = RetainedItem("p_1", "proposal", TICKET, EVIL, 2048, "2020", "not applied")

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
