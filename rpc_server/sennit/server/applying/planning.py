"""Works an application out against the text as it is now; writes nothing of the user's."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import anyio.to_thread
from attrs import evolve, frozen
from sennit_protocol.ids import ApplicationId
from sennit_protocol.states import Target
from sennit_protocol.views import Notice

from sennit.adapters.git.changes import changes_between
from sennit.adapters.git.disk_stage import Job, stage
from sennit.adapters.git.live import AcceptedRevision, Folded, fold_onto_live
from sennit.adapters.git.work_tree_texts import WorkTreeText, text_of, work_tree_contents
from sennit.core.disk_application import PathTrouble, Staged, Unstageable
from sennit.core.edits import EditSet, FileEdit, Image, file_edit
from sennit.core.engine.rows import RepositoryRef
from sennit.core.objects import Entry, FileChange, GitFailed, LeftOutReason, Manifest, Snapshot
from sennit.core.uris import display
from sennit.core.views import exact_timestamp
from sennit.server.applying.carrying import Carrier, carrier_of
from sennit.server.applying.values import Held, Part, Plan, Wish
from sennit.server.effects.basing import live_snapshot
from sennit.server.open_documents import Buffer, below, open_buffers
from sennit.server.repositories import Opened
from sennit.server.services import Services

_LEFT_ALONE = frozenset({
    LeftOutReason.UNSAVED_ELSEWHERE,
    LeftOutReason.UNKNOWN_TEXT,
    LeftOutReason.UNKNOWN_ENCODING,
    LeftOutReason.CONFLICT_MARKERS,
    LeftOutReason.UNREADABLE,
    LeftOutReason.SPECIAL_FILE,
})  # fmt: skip


@frozen
class _Sight:
    """The live text: the snapshot, and the buffers that it was taken with."""

    opened: Opened
    live: Snapshot
    buffers: Mapping[bytes, Buffer]


async def plan(
    services: Services, ref: RepositoryRef, name: ApplicationId, wish: Wish
) -> Plan | GitFailed:
    """Fold what is wanted onto the live text and say who does what."""
    buffers = open_buffers(services.connection, services.told)
    at = services.clock.now_ms()
    opened = await services.repositories.open(ref, exact_timestamp(at))
    if isinstance(opened, GitFailed):
        return opened
    documents = below(ref.top, (buffer.document for buffer in buffers.values()))
    live = await live_snapshot(services, opened, documents)
    if isinstance(live, GitFailed):
        return live
    sight = _Sight(opened, live, buffers)
    held = _held(live.manifest)
    parts = tuple(_without(part, held) for part in wish.parts)
    folded = await _fold(services, sight, parts, at // 1000)
    if isinstance(folded, GitFailed):
        return folded
    changes = await changes_between(services.git, opened.store, live.tree, folded.tree)
    if isinstance(changes, GitFailed):
        return changes
    touched = {path for part in wish.parts for unit in _wanted(part) for path in unit}
    told = tuple(Held(path, why) for path, why in held.items() if path in touched)
    return await _assigned(services, sight, name, wish, folded, changes, told)


def _held(manifest: Manifest) -> dict[bytes, str]:
    return {
        one.path: f"left alone ({one.reason.value}): {one.detail}"
        for one in manifest.left_out
        if one.reason in _LEFT_ALONE
    }


def _wanted(part: Part) -> Iterable[tuple[bytes, bytes]]:
    return ((unit.path, unit.old_path) for unit in part.units if unit.id in part.accepted)


def _without(part: Part, held: Mapping[bytes, str]) -> Part:
    kept = frozenset(
        unit.id
        for unit in part.units
        if unit.id in part.accepted and unit.path not in held and unit.old_path not in held
    )
    # Who needs a unit that stays behind stays behind too.
    needs = {unit.id: unit.needs for unit in part.units}
    while True:
        fit = frozenset(one for one in kept if all(need in kept for need in needs[one]))
        if fit == kept:
            return evolve(part, accepted=kept)
        kept = fit


async def _fold(
    services: Services, sight: _Sight, parts: Sequence[Part], at: int
) -> Folded | GitFailed:
    revisions = [AcceptedRevision(part.base_tree, part.units, part.accepted) for part in parts]
    return await fold_onto_live(services.git, sight.opened.store, sight.live.tree, revisions, at)


async def _assigned(
    services: Services,
    sight: _Sight,
    name: ApplicationId,
    wish: Wish,
    folded: Folded,
    changes: tuple[FileChange, ...],
    held: tuple[Held, ...],
) -> Plan | GitFailed:
    texts = await _texts(services, sight, folded, changes)
    if isinstance(texts, GitFailed):
        return texts
    carrier = carrier_of(services.connection.client, wish.target)
    edits = [_edit(sight, change, texts) for change in changes]
    shares = [_share(sight, carrier, edit) for edit in edits]
    editor = EditSet(tuple(share for share in shares if isinstance(share, FileEdit)))
    refused = tuple(share for share in shares if isinstance(share, Held))
    draft = Plan(
        opened=sight.opened,
        target=wish.target,
        live=sight.live,
        folded=folded,
        changes=changes,
        editor=editor,
        staged=None,
        buffers=sight.buffers,
        held=(*held, *refused),
        revisions=wish.revisions,
        before_text={
            edit.path: edit.before.text
            for edit in editor.files
            if edit.before is not None and edit.before.text is not None
        },
        after_text={
            edit.path: None if edit.after is None else edit.after.text for edit in editor.files
        },
    )
    if wish.target is Target.PATCH:
        return draft
    return await _staged(services, draft, name)


@frozen
class _Texts:
    """Contents before (of buffers or the disk) and after (as a checkout would write them)."""

    before: Mapping[bytes, bytes]
    after: Mapping[bytes, bytes]


async def _texts(
    services: Services, sight: _Sight, folded: Folded, changes: Sequence[FileChange]
) -> _Texts | GitFailed:
    opened = sight.opened
    wanted = [change.path for change in changes if _is_file(change.after)]
    after = await work_tree_contents(
        services.git, opened.store, opened.repository, folded.tree, wanted
    )
    if isinstance(after, GitFailed):
        return after
    paths = [change.old_path for change in changes if _is_file(change.before)]
    top = Path(opened.repository.work_tree)
    before = await anyio.to_thread.run_sync(_on_disk, top, paths)
    return _Texts(before, after)


def _is_file(entry: Entry | None) -> bool:
    return entry is not None and entry.mode in {0o100644, 0o100755}


def _on_disk(top: Path, paths: Sequence[bytes]) -> dict[bytes, bytes]:
    found = {}
    for path in paths:
        try:
            found[path] = (top / os.fsdecode(path)).read_bytes()
        except OSError:
            # What is not there or cannot be read has no text; the stage says why where it counts.
            continue
    return found


def _edit(sight: _Sight, change: FileChange, texts: _Texts) -> FileEdit:
    top = os.fsencode(sight.opened.repository.work_tree)
    buffer = sight.buffers.get(top + b"/" + change.old_path)
    told = None if buffer is None else buffer.document.encoding
    on_disk = texts.before.get(change.old_path)
    after_bytes = texts.after.get(change.path)
    after = None if after_bytes is None else text_of(after_bytes, on_disk, told)
    before = _before(buffer, on_disk, told)
    return file_edit(
        change,
        _image(change.before, on_disk, before),
        _image(change.after, after_bytes, after.text if after is not None else None),
    )


def _before(buffer: Buffer | None, on_disk: bytes | None, told: str | None) -> str | None:
    if buffer is not None:
        return buffer.document.text
    text: WorkTreeText | None = None if on_disk is None else text_of(on_disk, None, told)
    return None if text is None else text.text


def _image(entry: Entry | None, content: bytes | None, text: str | None) -> Image | None:
    if entry is None:
        return None
    raw = text.encode("utf-8", "surrogatepass") if text is not None else content
    return Image(entry, sha256(raw or b"").hexdigest(), text)


def _share(sight: _Sight, carrier: Carrier, edit: FileEdit) -> FileEdit | Held | None:
    """Who does it: an edit for the editor, None for the server, or nobody and why."""
    top = os.fsencode(sight.opened.repository.work_tree)
    is_open = any(top + b"/" + path in sight.buffers for path in (edit.path, edit.old_path))
    if carrier.carries(edit):
        return edit
    if not is_open or edit.kind.value == "mode":
        return None
    what = display(edit.path)
    return Held(
        edit.path,
        f"{what} is open in your editor, which cannot carry this change ({edit.kind.value})."
        " Close it there, then apply again.",
    )


async def _staged(services: Services, draft: Plan, name: ApplicationId) -> Plan | GitFailed:
    by_editor = {path for edit in draft.editor.files for path in (edit.path, edit.old_path)}
    refused = {held.path for held in draft.held}
    rest = {path for change in draft.changes for path in (change.path, change.old_path)}
    only = frozenset(rest - by_editor - refused)
    if not only:
        return draft
    staged = await stage(
        services.git,
        draft.opened.store,
        draft.opened.repository,
        Job(name, draft.live.tree, draft.folded.tree, only),
    )
    match staged:
        case GitFailed():
            return staged
        case Unstageable(troubles=troubles):
            held = _stopped(only, troubles)
            return await _staged(services, evolve(draft, held=(*draft.held, *held)), name)
        case Staged(collisions=collisions):
            notices = tuple(
                Notice(
                    "These names differ only by case or Unicode form, which some systems cannot"
                    f" keep apart: {', '.join(map(display, group))}"
                )
                for group in collisions
            )
            return evolve(draft, staged=staged, notices=(*draft.notices, *notices))


def _stopped(only: frozenset[bytes], troubles: Sequence[PathTrouble]) -> tuple[Held, ...]:
    """The paths that stay behind; all of them where a trouble names none of them."""
    told = {one.path: f"{one.trouble.value}: {one.detail}" for one in troubles}
    named = only & told.keys()
    if named:
        return tuple(Held(path, told[path]) for path in sorted(named))
    reason = "; ".join(told.values())
    return tuple(Held(path, reason) for path in sorted(only))
