"""``RunApplication``, ``SettleApplication``: edits are sent, texts compared, files written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from attrs import frozen

from sennit.adapters.git.disk_write import commit, discard, settle
from sennit.core.counted import counted
from sennit.core.disk_application import Intention, Outcome, TakenBack, Written
from sennit.core.engine.commands import RunApplication, SettleApplication
from sennit.core.engine.events import ApplicationSettled, Event
from sennit.core.engine.rows import ApplicationRow, FileOutcome, Image, RevisionRow
from sennit.core.engine.step_values import Issued
from sennit.core.objects import GitFailed
from sennit.core.uris import display
from sennit.runtime.ports import Report
from sennit.server.applying.comparing import Look, look_at
from sennit.server.applying.images import editor_images
from sennit.server.applying.planning import plan
from sennit.server.applying.sending import Errand, Reply, Sent, send
from sennit.server.applying.values import Plan
from sennit.server.applying.wishing import wish_to_undo
from sennit.server.services import Services
from sennit_protocol.errors import RpcError
from sennit_protocol.ids import ApplicationId
from sennit_protocol.states import ApplicationState
from sennit_protocol.views import Notice

NOT_WRITTEN = "Nothing was written to it, since the editor did not do its part."


async def run_application(services: Services, issued: Issued, _report: Report) -> Event:
    """Carry the application out: the editor first, then what the server writes itself."""
    command: RunApplication = issued.command
    row = services.state.the(ApplicationRow, command.application)
    prepared = services.plans.pop(row.id, None)
    if prepared is None:
        # The process that had worked it out is gone, so nothing was written.
        await _discard(row.intention)
        seen = Seen(tuple(_not_done(image.path) for image in row.images))
        return _settled(services, issued, row, state_of(seen.outcomes), seen)
    seen = await _carried_out(services, row, prepared)
    left = tuple(
        FileOutcome(path, ApplicationState.FAILED, reason)
        for path, reason in left_out(prepared).items()
    )
    state = state_of((*seen.outcomes, *left))
    if prepared.folded.conflicts and state is ApplicationState.APPLIED:
        state = ApplicationState.PARTLY_APPLIED
    if state is not ApplicationState.UNKNOWN:
        services.reports.pop(row.id, None)
    whole = Seen((*seen.outcomes, *left), seen.notices)
    return _settled(services, issued, row, state, whole)


@frozen
class Seen:
    """What became of some files, and what a person should know."""

    outcomes: tuple[FileOutcome, ...] = ()
    notices: tuple[Notice, ...] = ()


def left_out(prepared: Plan) -> dict[bytes, str]:
    """The paths that an application leaves alone, and why: held ones, and those in conflict."""
    changed = {path for change in prepared.changes for path in (change.path, change.old_path)}
    reasons = {
        conflict.path: "It does not go together with the text as it is now, and was left out."
        for conflict in prepared.folded.conflicts.values()
        if conflict.path not in changed
    }
    return reasons | {one.path: one.reason for one in prepared.held}


async def _carried_out(services: Services, row: ApplicationRow, prepared: Plan) -> Seen:
    sent = await _by_editor(services, row, prepared)
    by_editor = Seen(sent.outcomes, tuple(map(Notice, sent.said)))
    if sent.reply is Reply.REFUSED and not sent.rounds:
        if not _any_applied(sent.outcomes):
            services.refused.add(row.id)
    elif sent.reply is Reply.REFUSED:
        # The first of two rounds is done: the editor is brought back to where it was.
        by_editor = await _taken_back(services, row, by_editor)
    if sent.reply is not Reply.ACCEPTED:
        unwritten = await _discard_stage(prepared)
        return Seen((*by_editor.outcomes, *map(_not_done, unwritten)), by_editor.notices)
    on_disk = await _on_disk(prepared)
    if not _all_applied(on_disk.outcomes) and by_editor.outcomes:
        by_editor = await _taken_back(services, row, by_editor)
    return Seen((*by_editor.outcomes, *on_disk.outcomes), (*by_editor.notices, *on_disk.notices))


def _any_applied(outcomes: Sequence[FileOutcome]) -> bool:
    return any(one.state is ApplicationState.APPLIED for one in outcomes)


def _all_applied(outcomes: Sequence[FileOutcome]) -> bool:
    return all(one.state is ApplicationState.APPLIED for one in outcomes)


async def _by_editor(services: Services, row: ApplicationRow, prepared: Plan) -> Sent:
    if not prepared.editor.files:
        return Sent(Reply.ACCEPTED, 0, ())
    errand = Errand(
        row.id,
        row.repository,
        prepared.editor,
        tuple(image for image in row.images if image.in_editor),
        label=label_of(services, row) if row.offered else None,
    )
    return await send(services, errand)


def label_of(services: Services, row: ApplicationRow) -> str:
    """What a person reads who is to confirm an offered edit."""
    revision = None if not row.revisions else services.state.get(RevisionRow, row.revisions[0])
    what = str(row.ticket)
    if revision is not None:
        said = services.state.task(row.ticket, revision.task).spec.description
        what = f"{revision.task}, {said}" if said else revision.task
    return f"Sennit: {what} ({counted(len(row.images), 'file')})"


async def _discard(intention: Intention | None) -> None:
    if intention is not None:
        await discard(intention)


async def _discard_stage(prepared: Plan) -> tuple[bytes, ...]:
    """Throw away what was staged; gives the paths that are not written then."""
    if prepared.staged is None:
        return ()
    await discard(prepared.staged.intention)
    return tuple(step.path for step in prepared.staged.intention.steps)


def _not_done(path: bytes) -> FileOutcome:
    return FileOutcome(path, ApplicationState.FAILED, NOT_WRITTEN)


async def _on_disk(prepared: Plan) -> Seen:
    if prepared.staged is None:
        return Seen()
    outcome = await commit(prepared.staged)
    paths = [step.path for step in prepared.staged.intention.steps]
    await _be_done(prepared.staged.intention, outcome)
    return seen_on_disk(outcome, paths)


async def _be_done(intention: Intention, outcome: Outcome) -> None:
    """Throw away what was staged, unless it is all that there is of a file of the user."""
    if not (isinstance(outcome, TakenBack) and outcome.stuck):
        await discard(intention)


def seen_on_disk(outcome: Outcome, paths: Sequence[bytes]) -> Seen:
    """What a write to the disk came to, file by file."""
    match outcome:
        case Written(later=later):
            changed = "Somebody has changed it again since; that was left as it is."
            return Seen(
                tuple(
                    FileOutcome(path, ApplicationState.APPLIED, changed if path in later else None)
                    for path in paths
                )
            )
        case TakenBack():
            return Seen(tuple(_taken_back_on_disk(outcome, path) for path in paths))
        case _:
            assert_never(outcome)


def _taken_back_on_disk(outcome: TakenBack, path: bytes) -> FileOutcome:
    cause = outcome.cause
    why = "" if cause is None else f" {display(cause.path)}: {cause.detail}."
    stays = {one.path: one.detail for one in outcome.stuck}
    if cause is not None and path == cause.path:
        # It stopped the write before its own turn came to anything.
        message = f"Nothing was written to it: {cause.detail}."
        return FileOutcome(path, ApplicationState.FAILED, message)
    if path in outcome.later:
        message = f"It holds somebody's later work, which was left as it is.{why}"
        return FileOutcome(path, ApplicationState.UNKNOWN, message)
    if path in stays:
        message = f"It could not be put back: {stays[path]}.{why}"
        return FileOutcome(path, ApplicationState.UNKNOWN, message)
    return FileOutcome(path, ApplicationState.FAILED, f"Nothing was written to it.{why}")


async def _taken_back(services: Services, row: ApplicationRow, done: Seen) -> Seen:
    """Reverse the editor's part by merging, since the rest of the application failed."""
    reverse = await _reverse(services, row)
    if isinstance(reverse, str):
        message = f"The rest could not be written, and this could not be taken back: {reverse}"
        return Seen(done.outcomes, (*done.notices, Notice(message)))
    sent = Sent(Reply.ACCEPTED, 0, ())
    if reverse.editor.files:
        images = tuple(image for edit in reverse.editor.files for image in editor_images(edit))
        sent = await send(services, Errand(row.id, row.repository, reverse.editor, images))
    stuck = {one.path: one for one in sent.outcomes if one.state is not ApplicationState.APPLIED}
    left = left_out(reverse)
    outcomes = tuple(_after_taking_back(one, stuck, left) for one in done.outcomes)
    note = Notice("The rest could not be done, so the editor's part was taken back.")
    return Seen(outcomes, (*done.notices, note, *map(Notice, sent.said)))


async def _reverse(services: Services, row: ApplicationRow) -> Plan | str:
    """The plan that takes an application back, or why there is none."""
    wish = await wish_to_undo(services, row, row.target)
    if isinstance(wish, RpcError):
        return wish.message
    made = await plan(services, row.repository, ApplicationId(f"{row.id}-back"), wish)
    if isinstance(made, GitFailed):
        return made.stderr
    await _discard_stage(made)
    return made


def _after_taking_back(
    one: FileOutcome, stuck: dict[bytes, FileOutcome], left: dict[bytes, str]
) -> FileOutcome:
    if one.path in stuck or one.path in left:
        message = "It could not be taken back, for it has changed since. Undo it by hand."
        return FileOutcome(one.path, ApplicationState.UNKNOWN, message)
    message = "It was taken back, since the rest could not be done."
    return FileOutcome(one.path, ApplicationState.FAILED, message)


def state_of(outcomes: Sequence[FileOutcome]) -> ApplicationState:
    """What became of an application, by what became of its files."""
    states = {one.state for one in outcomes}
    if states <= {ApplicationState.APPLIED}:
        return ApplicationState.APPLIED
    if states == {ApplicationState.FAILED}:
        return ApplicationState.FAILED
    if ApplicationState.APPLIED in states and ApplicationState.UNKNOWN not in states:
        return ApplicationState.PARTLY_APPLIED
    return ApplicationState.UNKNOWN


def _settled(
    services: Services, issued: Issued, row: ApplicationRow, state: ApplicationState, seen: Seen
) -> Event:
    return services.event(
        ApplicationSettled,
        issued.id,
        application=row.id,
        state=state,
        observed=seen.outcomes,
        notices=seen.notices,
    )


async def settle_application(services: Services, issued: Issued, _report: Report) -> Event:
    """Tell by comparing what became of an application whose server died; nothing is sent again."""
    command: SettleApplication = issued.command
    row = services.state.the(ApplicationRow, command.application)
    outcomes: list[FileOutcome] = []
    if row.intention is not None:
        outcome = await settle(row.intention)
        await _be_done(row.intention, outcome)
        paths = [step.path for step in row.intention.steps]
        outcomes.extend(seen_on_disk(outcome, paths).outcomes)
    in_editor = [image for image in row.images if image.in_editor]
    outcomes.extend([await _settled_by_disk(services, row, image) for image in in_editor])
    return _settled(services, issued, row, state_of(outcomes), Seen(tuple(outcomes)))


async def _settled_by_disk(services: Services, row: ApplicationRow, image: Image) -> FileOutcome:
    if await look_at(services, row.repository, row.id, image) is Look.AFTER:
        return FileOutcome(image.path, ApplicationState.APPLIED)
    message = (
        "The server ended before the editor had told what it did. The file on the disk is"
        " not the new text; the editor may hold it unsaved. Look at it there."
    )
    return FileOutcome(image.path, ApplicationState.UNKNOWN, message)
