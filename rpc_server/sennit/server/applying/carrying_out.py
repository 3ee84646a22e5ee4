"""``RunApplication``, ``SettleApplication``: edits are sent, texts compared, files written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import assert_never

import anyio
import anyio.to_thread
from attrs import evolve, frozen
from lsprotocol import types
from sennit_protocol.states import ApplicationState
from sennit_protocol.views import Notice

from sennit.adapters.git.disk_write import commit, discard, settle
from sennit.core.disk_application import Outcome, TakenBack, Written
from sennit.core.edits import EditSet
from sennit.core.engine.commands import RunApplication, SettleApplication
from sennit.core.engine.events import ApplicationSettled, Event
from sennit.core.engine.rows import ApplicationRow, FileOutcome, Image
from sennit.core.engine.step_values import Issued
from sennit.core.text import PositionEncoding
from sennit.runtime.ports import Report
from sennit.server.applying.carrying import carrier_of
from sennit.server.applying.reversing import reversed_edit
from sennit.server.applying.values import Plan
from sennit.server.jsonrpc import ClientError, ClientGone, ClientTimeout
from sennit.server.open_documents import open_buffers
from sennit.server.services import Services
from sennit.server.workspace_edit import Shape, rounds

ANSWER_S = 30.0
"""How long the client may take to apply an edit; people may be asked to confirm it."""
CONFIRM_S = 600.0
SEEN_S = 3.0
LOOK_AGAIN_S = 0.02
"""How long after its answer the client may take to tell the texts that it has now."""


async def run_application(services: Services, issued: Issued, _report: Report) -> Event:
    """Carry the application out: the editor first, then what the server writes itself."""
    command: RunApplication = issued.command
    row = services.state.the(ApplicationRow, command.application)
    prepared = services.plans.pop(row.id, None)
    if prepared is None:
        # The process that had worked it out is gone, so nothing was written.
        return _settled(services, issued, row, ApplicationState.FAILED, ())
    by_editor = await _by_editor(services, row, prepared)
    if _failed(by_editor.outcomes):
        if prepared.staged is not None:
            await discard(prepared.staged.intention)
        return _told(services, issued, row, by_editor.outcomes, by_editor.notices)
    on_disk = await _on_disk(prepared)
    outcomes = (*by_editor.outcomes, *on_disk.outcomes)
    notices = (*by_editor.notices, *on_disk.notices)
    if _failed(on_disk.outcomes) and by_editor.outcomes:
        undone = await _take_back(services, row, prepared)
        outcomes, notices = (*undone.outcomes, *on_disk.outcomes), (*notices, *undone.notices)
    return _told(services, issued, row, outcomes, notices)


@frozen
class Seen:
    """What became of some files, and what a person should know."""

    outcomes: tuple[FileOutcome, ...] = ()
    notices: tuple[Notice, ...] = ()


def _failed(outcomes: Sequence[FileOutcome]) -> bool:
    return any(one.state is ApplicationState.FAILED for one in outcomes)


async def _by_editor(services: Services, row: ApplicationRow, plan: Plan) -> Seen:
    if not plan.editor.files:
        return Seen()
    label = None
    if row.offered:
        label = f"Sennit: {row.ticket} ({len(plan.editor.files)} files)"
    return await send(services, row, plan, label, ApplicationState.APPLIED)


async def send(
    services: Services,
    row: ApplicationRow,
    plan: Plan,
    label: str | None,
    goal: ApplicationState,
) -> Seen:
    """Send the editor's part and compare what the texts are then with what they are to be.

    ``goal`` is APPLIED for the texts after, FAILED for those before.
    """
    client = services.connection.client
    shape = Shape(
        carrier=carrier_of(client, row.target),
        encoding=PositionEncoding(client.position_encoding.value),
        top=row.repository.top,
        buffers=plan.buffers,
        label=label,
    )
    said: list[str] = []
    for edit in rounds(plan.editor, shape).edits:
        params = types.ApplyWorkspaceEditParams(edit=edit, label=label or f"Sennit {row.id}")
        limit = ANSWER_S if label is None else CONFIRM_S
        reply = await services.connection.request(types.WORKSPACE_APPLY_EDIT, params, limit)
        problem = _problem(reply)
        if problem is not None:
            said.append(problem)
            break
    return await _compared(services, row, said, goal)


def _problem(reply: object) -> str | None:
    match reply:
        case ClientError(message=message):
            return f"The editor refused the edit: {message}."
        case ClientTimeout(timeout_s=seconds):
            return f"The editor did not answer within {seconds:.0f} s."
        case ClientGone():
            return "The editor was gone before it answered."
        case types.ApplyWorkspaceEditResult(applied=False, failure_reason=reason):
            told = f": {reason}" if reason else " and gave no reason"
            return f"The editor did not apply the edit{told}."
        case _:
            return None


async def _compared(
    services: Services, row: ApplicationRow, said: list[str], goal: ApplicationState
) -> Seen:
    """Believe texts, not answers: wait a moment until each text is what it is to be."""
    images = [image for image in row.images if image.in_editor]
    deadline = services.clock.monotonic() + SEEN_S
    while True:
        looks = [await look_at(services, row, image) for image in images]
        refused = bool(said) and all(look is ApplicationState.FAILED for look in looks)
        over = services.clock.monotonic() >= deadline
        if refused or over or all(look is goal for look in looks):
            break
        await anyio.sleep(LOOK_AGAIN_S)
    outcomes = tuple(
        FileOutcome(image.path, look, _why(look, said))
        for image, look in zip(images, looks, strict=True)
    )
    return Seen(outcomes, tuple(map(Notice, said)))


def _why(look: ApplicationState, said: list[str]) -> str | None:
    if look is ApplicationState.APPLIED:
        return None
    if said:
        return " ".join(said)
    if look is ApplicationState.UNKNOWN:
        return (
            "The editor holds another text than was meant: a formatter, or what you typed"
            " meanwhile. Look at it."
        )
    return "The editor said that it applied the edit, but the text is as before."


async def look_at(services: Services, row: ApplicationRow, image: Image) -> ApplicationState:
    """Tell by the text itself whether a file was brought to its new state."""
    found = await _digest(services, row.repository.top + b"/" + image.path)
    if found == image.after_sha256:
        return ApplicationState.APPLIED
    if found == image.before_sha256:
        return ApplicationState.FAILED
    return ApplicationState.UNKNOWN


async def _digest(services: Services, path: bytes) -> str | None:
    buffer = open_buffers(services.connection, services.told).get(path)
    if buffer is not None and buffer.document.text is not None:
        return sha256(buffer.document.text.encode("utf-8", "surrogatepass")).hexdigest()
    return await anyio.to_thread.run_sync(_digest_on_disk, Path(os.fsdecode(path)))


def _digest_on_disk(path: Path) -> str | None:
    try:
        content = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return sha256(content).hexdigest()


async def _on_disk(plan: Plan) -> Seen:
    if plan.staged is None:
        return Seen()
    outcome = await commit(plan.staged)
    await discard(plan.staged.intention)
    return seen_on_disk(outcome, [step.path for step in plan.staged.intention.steps])


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
        case TakenBack(cause=cause, later=later, stuck=stuck):
            why = "" if cause is None else f" {os.fsdecode(cause.path)}: {cause.detail}."
            stays = {one.path: one.detail for one in stuck}
            outcomes = []
            for path in paths:
                message = f"Nothing was written to it.{why}"
                state = ApplicationState.FAILED
                if path in later:
                    state = ApplicationState.UNKNOWN
                    message = f"It holds somebody's later work, which was left as it is.{why}"
                elif path in stays:
                    state = ApplicationState.UNKNOWN
                    message = f"It could not be put back: {stays[path]}.{why}"
                outcomes.append(FileOutcome(path, state, message))
            return Seen(tuple(outcomes))
        case _:
            assert_never(outcome)


async def _take_back(services: Services, row: ApplicationRow, plan: Plan) -> Seen:
    """Reverse the editor's part, since the rest could not be written."""
    note = Notice("The rest could not be written, so the editor's part was taken back.")
    back = evolve(
        plan,
        editor=EditSet(tuple(map(reversed_edit, plan.editor.files))),
        buffers=open_buffers(services.connection, services.told),
    )
    seen = await send(services, row, back, None, ApplicationState.FAILED)
    return Seen(seen.outcomes, (note, *seen.notices))


def _told(
    services: Services,
    issued: Issued,
    row: ApplicationRow,
    outcomes: Sequence[FileOutcome],
    notices: Sequence[Notice] = (),
) -> Event:
    return _settled(services, issued, row, state_of(outcomes), outcomes, notices)


def state_of(outcomes: Sequence[FileOutcome]) -> ApplicationState:
    """What became of an application, by what became of its files."""
    states = {one.state for one in outcomes}
    if states <= {ApplicationState.APPLIED}:
        return ApplicationState.APPLIED
    if states == {ApplicationState.FAILED}:
        return ApplicationState.FAILED
    if ApplicationState.APPLIED in states:
        return ApplicationState.PARTLY_APPLIED
    return ApplicationState.UNKNOWN


def _settled(
    services: Services,
    issued: Issued,
    row: ApplicationRow,
    state: ApplicationState,
    outcomes: Sequence[FileOutcome],
    notices: Sequence[Notice] = (),
) -> Event:
    return services.event(
        ApplicationSettled,
        issued.id,
        application=row.id,
        state=state,
        observed=tuple(outcomes),
        notices=tuple(notices),
    )


async def settle_application(services: Services, issued: Issued, _report: Report) -> Event:
    """Tell by comparing what became of an application whose server died; nothing is sent again."""
    command: SettleApplication = issued.command
    row = services.state.the(ApplicationRow, command.application)
    outcomes: list[FileOutcome] = []
    if row.intention is not None:
        outcome = await settle(row.intention)
        await discard(row.intention)
        paths = [step.path for step in row.intention.steps]
        outcomes.extend(seen_on_disk(outcome, paths).outcomes)
    in_editor = [image for image in row.images if image.in_editor]
    outcomes.extend([await _settled_by_disk(services, row, image) for image in in_editor])
    return _told(services, issued, row, outcomes)


async def _settled_by_disk(services: Services, row: ApplicationRow, image: Image) -> FileOutcome:
    look = await look_at(services, row, image)
    if look is ApplicationState.APPLIED:
        return FileOutcome(image.path, look)
    message = (
        "The server ended before the editor had told what it did. The file on the disk is"
        " not the new text; the editor may hold it unsaved. Look at it there."
    )
    return FileOutcome(image.path, ApplicationState.UNKNOWN, message)
