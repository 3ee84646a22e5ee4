"""Sends an edit to the client, in one or two rounds, and waits until its texts have settled."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto

import anyio
import anyio.to_thread
from attrs import frozen

from sennit.core.edits import EditSet, FileEdit
from sennit.core.engine.rows import FileOutcome, Image, RepositoryRef
from sennit.core.objects import MODE_LINK
from sennit.core.uris import display
from sennit.server import lsp_names
from sennit.server import lsp_words as types
from sennit.server.applying.carrying import carrier_of
from sennit.server.applying.comparing import Look, held_digest, look_at
from sennit.server.jsonrpc import ClientError, ClientGone, ClientNonsense, ClientTimeout
from sennit.server.jsonrpc.lsp_types import lsp_converter
from sennit.server.open_documents import open_buffers
from sennit.server.services import Services
from sennit.server.workspace_edit import Edits, Shape, rounds, workspace_edit
from sennit_protocol.ids import ApplicationId
from sennit_protocol.states import ApplicationState, Target

FIRST_PAUSE_S = 0.01
LONGEST_PAUSE_S = 0.1


class Reply(Enum):
    """What the client said to the last edit that was sent."""

    ACCEPTED = auto()
    REFUSED = auto()
    SILENT = auto()


@frozen
class Errand:
    """An edit for the client: for which application, where, what becomes of each path.

    With ``label`` the client asks its user for a confirmation of every change.
    """

    application: ApplicationId
    repository: RepositoryRef
    files: EditSet
    images: tuple[Image, ...]
    label: str | None = None


@frozen
class Sent:
    """What became of an errand. ``rounds`` were done before the reply."""

    reply: Reply
    rounds: int
    outcomes: tuple[FileOutcome, ...]
    said: tuple[str, ...] = ()


async def send(services: Services, errand: Errand) -> Sent:
    """Send everything, then compare what the texts are with what they are to be."""
    reply, done, said = Reply.ACCEPTED, 0, list[str]()
    for files in rounds(errand.files):
        ready, stale = await _ready(services, errand, files, first=done == 0)
        said += stale
        if stale and not done:
            reply = Reply.REFUSED
            break
        answer = await _sent(services, errand, ready) if ready else None
        reply, problem = _read(answer)
        if problem is not None:
            said.append(problem)
            break
        done += 1
    looks = await _watched(services, errand, reply)
    if all(look is Look.AFTER for look in looks):
        # Whatever it has said: what it did is what counts.
        reply, said = Reply.ACCEPTED, []
    outcomes = tuple(
        _outcome(image, look, reply, said) for image, look in zip(errand.images, looks, strict=True)
    )
    return Sent(reply, done, outcomes, tuple(said))


async def _ready(
    services: Services, errand: Errand, files: Edits, *, first: bool
) -> tuple[Edits, list[str]]:
    """The files whose text is still what the edit was made for, and a word on each other one."""
    if not first:
        await _renames_seen(services, errand, files)
    ready, stale = [], []
    for edit in files:
        path = errand.repository.top + b"/" + edit.old_path
        if _is_link(edit) or await held_digest(services, None, path) == _digest(edit):
            ready.append(edit)
        else:
            stale.append(f"{display(edit.path)} has changed meanwhile; apply again.")
    return tuple(ready), stale


def _is_link(edit: FileEdit) -> bool:
    return edit.before is not None and edit.before.entry.mode == MODE_LINK


def _digest(edit: FileEdit) -> str | None:
    return None if edit.before is None else edit.before.sha256


async def _renames_seen(services: Services, errand: Errand, files: Edits) -> None:
    """Wait until the editor has told of the renames that it said it has done."""
    top = errand.repository.top
    paths = [top + b"/" + edit.path for edit in files if edit.before is not None]
    end = services.clock.monotonic() + services.limits.seen_s
    while services.clock.monotonic() < end:
        digests = [await held_digest(services, None, path) for path in paths]
        if None not in digests:
            return
        await anyio.sleep(FIRST_PAUSE_S)


async def _sent(services: Services, errand: Errand, files: Edits) -> object:
    client = services.connection.client
    shape = Shape(
        carrier=carrier_of(client, Target.EDITOR),
        encoding=client.position_encoding,
        top=errand.repository.top,
        buffers=open_buffers(services.connection, services.told),
        label=errand.label,
    )
    label = f"{errand.label or 'Sennit'} [{errand.application}]"
    edit = await anyio.to_thread.run_sync(workspace_edit, files, shape)
    params = types.ApplyWorkspaceEditParams(edit=edit, label=label)
    limits = services.limits
    seconds = limits.answer_s if errand.label is None else limits.confirm_s
    asked: object = params
    if client.sennit.apply_report:
        # Beside what LSP knows, for the `sennit/didApply` that is to come.
        asked = lsp_converter().unstructure(params) | {
            "sennit": {"application": errand.application}
        }
    return await services.connection.request(lsp_names.WORKSPACE_APPLY_EDIT, asked, seconds)


def _read(answer: object) -> tuple[Reply, str | None]:
    match answer:
        case ClientError(message=message):
            return Reply.REFUSED, f"The editor refused the edit: {message}."
        case ClientNonsense(message=message):
            return Reply.SILENT, f"Whether the edit was applied is not known: {message}."
        case ClientTimeout(timeout_s=seconds):
            return Reply.SILENT, f"The editor did not answer within {seconds:.0f} s."
        case ClientGone():
            return Reply.SILENT, "The editor was gone before it answered."
        case types.ApplyWorkspaceEditResult(applied=False, failure_reason=reason):
            told = f": {reason}" if reason else " and gave no reason"
            return Reply.REFUSED, f"The editor did not apply the edit{told}."
        case _:
            return Reply.ACCEPTED, None


async def _watched(services: Services, errand: Errand, reply: Reply) -> list[Look]:
    """Look until every text is what it is to be, or nothing more is to be expected."""
    limits = services.limits
    patience = limits.seen_s if reply is Reply.ACCEPTED else limits.quiet_s
    start = changed = services.clock.monotonic()
    pause, before = FIRST_PAUSE_S, list[Look]()
    while True:
        looks = [
            await look_at(services, errand.repository, errand.application, image)
            for image in errand.images
        ]
        now = services.clock.monotonic()
        changed = changed if looks == before else now
        before = looks
        arrived = Look.BEFORE not in looks and now - changed >= limits.quiet_s
        if _is_over(looks, reply) or arrived or now - start >= patience:
            return looks
        await anyio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_S)


def _is_over(looks: Sequence[Look], reply: Reply) -> bool:
    goal = Look.BEFORE if reply is Reply.REFUSED else Look.AFTER
    return all(look is goal for look in looks)


def _outcome(image: Image, look: Look, reply: Reply, said: Sequence[str]) -> FileOutcome:
    state = _state(look, reply)
    if state is ApplicationState.APPLIED:
        return FileOutcome(image.path, state)
    if said:
        return FileOutcome(image.path, state, " ".join(said))
    if look is Look.OTHER:
        message = (
            "The editor holds another text than was meant: a formatter has changed it, or you have"
            " typed meanwhile. Look at it; nothing was lost."
        )
    else:
        message = (
            "The editor said that it applied the edit and has told no new text. Look at it there;"
            " when its text is known, this is settled."
        )
    return FileOutcome(image.path, state, message)


def _state(look: Look, reply: Reply) -> ApplicationState:
    if look is Look.AFTER:
        return ApplicationState.APPLIED
    # What was typed into a text that the editor says it has not changed is the user's.
    return ApplicationState.FAILED if reply is Reply.REFUSED else ApplicationState.UNKNOWN
