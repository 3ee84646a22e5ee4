from __future__ import annotations

from sennit_protocol.conflicts import ConflictView, LineRange
from sennit_protocol.ids import ProposalId, RevisionId, TicketId, UnitId
from sennit_protocol.proposals import FileView, ProposalSummary, ProposalView, UnitKind, UnitView
from sennit_protocol.states import (
    ApplicationState,
    Checks,
    Decision,
    Integration,
    Review,
    UnitFlag,
)


def a_hunk(
    name: str = "u1",
    start: int = 3,
    before: str = "old\n",
    after: str = "new\n",
    *,
    decision: Decision = Decision.UNDECIDED,
    conflict: str | None = None,
    applied: bool = False,
    flags: tuple[UnitFlag, ...] = (),
) -> UnitView:
    return UnitView(
        UnitId(name),
        UnitKind.HUNK,
        decision,
        preselected=True,
        before=LineRange(start, before.count("\n")),
        after=LineRange(start, after.count("\n")),
        before_text=before,
        after_text=after,
        conflict=conflict,
        applied=applied,
        flags=flags,
    )


def a_file(path: str, *units: UnitView, base_uri: str | None = None) -> FileView:
    return FileView(path, f"file:///place/{path}", units, base_uri=base_uri)


def a_proposal(
    task: str,
    *files: FileView,
    integration: Integration = Integration.CLEAN,
    conflicts: tuple[ConflictView, ...] = (),
    review: Review = Review.OFFERED,
) -> ProposalView:
    summary = ProposalSummary(
        ProposalId(f"p_{task}"),
        RevisionId(f"r_{task}"),
        TicketId("t_1"),
        task,
        0,
        integration,
        Checks.UNCHECKED,
        review,
        ApplicationState.NONE,
        "command",
        files=len(files),
        lines_added=1,
        lines_removed=1,
    )
    return ProposalView(summary, "base", files, conflicts, files_total=len(files))


def a_conflict(path: str) -> ConflictView:
    return ConflictView("content", path, f"file:///place/{path}", "Both change line 1.",
                        with_tasks=("first",))  # fmt: skip
