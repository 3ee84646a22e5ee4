"""Rows as clients see them: tickets, tasks, runs, bases."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime

from attrs import field, frozen

from sennit.core.engine.following import is_newest
from sennit.core.engine.indexes import QUESTIONS_OF
from sennit.core.engine.rows import (
    ApplicationRow,
    BaseRow,
    QuestionRow,
    RunReport,
    RunRow,
    TaskRow,
    TicketRow,
)
from sennit.core.engine.state import Tables
from sennit.core.objects import Manifest
from sennit.core.uris import display, file_uri
from sennit_protocol.ids import RunId, ServerId, TicketId
from sennit_protocol.manifests import LeftOutView, ManifestView
from sennit_protocol.states import (
    FINAL_TASK_STATES,
    UNDOABLE_STATES,
    ApplicationState,
    Integration,
    Review,
    Target,
)
from sennit_protocol.views import (
    ApplicationSummary,
    Following,
    Progress,
    Question,
    RunView,
    TaskView,
    TicketSummary,
    TicketView,
)

MOST_PATHS = 1000
"""Paths of each kind in the view of a base; the counts of longer lists are in its notices."""


MOST_NAMED = 20
"""Paths that the summary of an application names."""


MOST_CLOSED = 20
"""Questions that wait no more in the view of a task."""


@frozen
class Beside:
    """What is known beside the rows: progress of live runs, ends of outputs by task."""

    progress: Mapping[RunId, Progress] = field(factory=dict)
    results: Mapping[str, str] = field(factory=dict)


def timestamp(milliseconds: int | None) -> str | None:
    """RFC 3339 in UTC of milliseconds since 1970."""
    if milliseconds is None:
        return None
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def exact_timestamp(milliseconds: int) -> str:
    """RFC 3339 in UTC of milliseconds since 1970."""
    return timestamp(milliseconds) or ""


def ticket_sequence(tables: Tables, ticket: TicketRow) -> int:
    """The newest change of a ticket: of its own row, its tasks, its bases, its applications."""
    numbers = [ticket.sequence, *(task_sequence(tables, task) for task in tables.tasks(ticket))]
    numbers.extend(base.sequence for base in tables.bases(ticket.id))
    # A patch is an application that changes no revision.
    numbers.extend(row.sequence for row in tables.applications(ticket.id))
    return max(numbers)


def task_sequence(tables: Tables, task: TaskRow) -> int:
    """The newest change of a task: of its own row, its last run, its revision, its questions."""
    run, revision = tables.last_run(task), tables.revision_of(task)
    asked = [row for row in tables.find(QUESTIONS_OF, task.ticket) if row.task == task.id]
    rows = (task, run, revision, *asked)
    return max(row.sequence for row in rows if row is not None)


def ticket_summary(tables: Tables, ticket: TicketRow) -> TicketSummary:
    """One line of the list of tickets."""
    tasks = tables.tasks(ticket)
    return TicketSummary(
        id=ticket.id,
        state=ticket.state,
        sequence=ticket_sequence(tables, ticket),
        created_at=exact_timestamp(ticket.created_at),
        made=ticket.made,
        ended_at=timestamp(ticket.ended_at),
        label=ticket.label,
        tasks=len(tasks),
        tasks_final=sum(task.state in FINAL_TASK_STATES for task in tasks),
        proposals_pending=sum(
            revision.integration in {Integration.CLEAN, Integration.CONFLICT}
            and revision.application in _WAITING
            and revision.review is not Review.REJECTED
            and is_newest(tables, revision)
            for revision in tables.revisions(ticket)
        ),
        repositories=tuple(file_uri(top) for top in repositories_of(tables, ticket.id)),
        last_application=_last_application(tables, ticket.id),
        following=_followed_by_ticket(tables, ticket),
    )


def _followed_by_ticket(tables: Tables, ticket: TicketRow) -> Following | None:
    """What a ticket follows: a follow-up has one task. A task done again follows none but it."""
    found = (following_view(task) for task in tables.tasks(ticket))
    return next((one for one in found if one is not None and one.ticket != ticket.id), None)


def following_view(task: TaskRow) -> Following | None:
    """The work that a task follows."""
    one = task.spec.following
    return None if one is None else Following(one.ticket, one.task, one.proposal, one.revision)


_WAITING = frozenset({ApplicationState.NONE, ApplicationState.FAILED, ApplicationState.UNDONE})


def _last_application(tables: Tables, ticket: TicketId) -> ApplicationSummary | None:
    undoable = [
        row
        for row in tables.applications(ticket)
        # What found nothing to do has nothing to be taken back.
        if row.state in UNDOABLE_STATES and row.target is not Target.PATCH and row.images
    ]
    return application_summary(undoable[-1]) if undoable else None


def repositories_of(tables: Tables, ticket: TicketId) -> tuple[bytes, ...]:
    """The top levels of the repositories that a ticket works in, each once."""
    return tuple(dict.fromkeys(base.repository.top for base in tables.bases(ticket)))


def concerns(tables: Tables, ticket: TicketId, folder: bytes | None) -> bool:
    """Whether a ticket works in a repository at, above or below a folder; None is all folders."""
    if folder is None:
        return True
    return any(
        within(folder, top) or within(top, folder) for top in repositories_of(tables, ticket)
    )


def within(path: bytes, folder: bytes) -> bool:
    """Whether a path is a folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")


def ticket_view(
    tables: Tables, ticket: TicketRow, here: ServerId, beside: Beside, since: int | None = None
) -> TicketView:
    """A ticket in full; with ``since`` only the tasks that have changed after that sequence."""
    tasks = [
        task
        for task in tables.tasks(ticket)
        if since is None or task_sequence(tables, task) > since
    ]
    return TicketView(
        id=ticket.id,
        state=ticket.state,
        sequence=ticket_sequence(tables, ticket),
        created_at=exact_timestamp(ticket.created_at),
        made=ticket.made,
        ended_at=timestamp(ticket.ended_at),
        label=ticket.label,
        tasks=tuple(task_view(tables, task, beside) for task in tasks),
        bases=tuple(
            manifest_view(base.repository.top, base.manifest) for base in _taken(tables, ticket)
            if base.manifest is not None
        ),
        notices=ticket.notices,
        applications=tuple(
            application_summary(row) for row in tables.applications(ticket.id)
        ),
        owned=ticket.owner == here,
        following=_followed_by_ticket(tables, ticket),
    )  # fmt: skip


def application_summary(row: ApplicationRow) -> ApplicationSummary:
    """One line about an application."""
    paths = tuple(dict.fromkeys(image.path for image in row.images))
    return ApplicationSummary(
        id=row.id,
        state=row.state,
        target=row.target,
        at=exact_timestamp(row.at),
        files=len(paths),
        paths=tuple(map(display, paths[:MOST_NAMED])),
        undoes=row.undoes,
        undone_by=row.undone_by,
    )


def _taken(tables: Tables, ticket: TicketRow) -> tuple[BaseRow, ...]:
    return tuple(base for base in tables.bases(ticket.id) if base.manifest is not None)


def task_view(tables: Tables, task: TaskRow, beside: Beside) -> TaskView:
    """One task with its runs, its question, its progress."""
    runs = tuple(tables.the(RunRow, run) for run in task.runs)
    revision = tables.revision_of(task)
    questions = tuple(map(question_view, tables.open_questions(task)))
    return TaskView(
        id=task.id,
        state=task.state,
        agent=task.spec.agent.name,
        description=task.spec.description,
        queued_for=task.queued_for,
        waiting_for=task.waiting_for,
        depends_on=task.spec.depends_on,
        cwd=file_uri(task.spec.folder),
        runs=tuple(run_view(run) for run in runs),
        progress=beside.progress.get(runs[-1].id) if runs else None,
        question=questions[0] if questions else None,
        questions=questions,
        closed_questions=tuple(map(question_view, tables.closed_questions(task)[-MOST_CLOSED:])),
        proposal=task.proposal,
        revision=None if revision is None else revision.id,
        failure=task.failure,
        flags=task.flags,
        notices=task.notices,
        result_text=beside.results.get(task.id),
        structured=_structured(runs[-1].report) if runs else None,
        stopped=task.stopped,
        following=following_view(task),
        followed_by=task.followed_by,
    )


def _structured(report: RunReport | None) -> object | None:
    if report is None or report.structured is None:
        return None
    value: object = json.loads(report.structured)
    return value


def run_view(run: RunRow) -> RunView:
    """One run."""
    return RunView(
        id=run.id,
        state=run.state,
        started_at=timestamp(run.started_at),
        ended_at=timestamp(run.ended_at),
        failure=run.failure,
        written_bytes=run.output_bytes,
        usage=None if run.report is None else run.report.usage,
        tools=0 if run.report is None else run.report.tools,
        session=run.session,
        resumed=run.resumed,
    )


def question_view(question: QuestionRow) -> Question:
    """A question with its deadline."""
    return Question(
        id=question.id,
        text=question.text,
        options=question.options,
        deadline=timestamp(question.deadline_at),
        answer=question.answer,
        permission=question.permission,
        closed=None if question.closed is None else question.closed.reason,
    )


def manifest_view(top: bytes, manifest: Manifest) -> ManifestView:
    """What a base holds, with long lists capped."""

    def names(paths: tuple[bytes, ...]) -> tuple[str, ...]:
        return tuple(display(path) for path in paths[:MOST_PATHS])

    return ManifestView(
        repository=file_uri(top),
        head=manifest.head,
        branch=None if manifest.branch is None else display(manifest.branch),
        staged=names(manifest.staged),
        modified=names(manifest.modified),
        deleted=names(manifest.deleted),
        untracked=names(manifest.untracked),
        unsaved=names(tuple(unsaved.path for unsaved in manifest.unsaved)),
        left_out=tuple(
            LeftOutView(display(one.path), one.reason.value, one.detail)
            for one in manifest.left_out[:MOST_PATHS]
        ),
        left_out_ignored=manifest.left_out_ignored,
        in_progress=manifest.in_progress,
    )
