"""Works an application out against the text as it is now; writes nothing of the user's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import anyio.to_thread
from attrs import evolve, frozen

from sennit.adapters.git.changes import changes_between
from sennit.adapters.git.disk_stage import Job, stage
from sennit.adapters.git.live import AcceptedRevision, Folded, fold_onto_live
from sennit.adapters.git.respelled import respelled_in
from sennit.core.disk_application import Staged, Unstageable
from sennit.core.edits import EditSet, FileEdit
from sennit.core.engine.rows import OpenDocumentRow, RepositoryRef
from sennit.core.objects import FileChange, GitFailed, LeftOut, LeftOutReason, Manifest, Snapshot
from sennit.core.shell_words import shell_word
from sennit.core.uris import display
from sennit.core.views import exact_timestamp
from sennit.server.applying.carrying import carrier_of
from sennit.server.applying.sharing import (
    Server,
    Share,
    Situation,
    freed_paths,
    respelled_paths,
    share,
    tangled_paths,
)
from sennit.server.applying.texts import Contents, contents_of, edit_of
from sennit.server.applying.unwritten import as_on_disk, to_take_away
from sennit.server.applying.values import Held, Part, Plan, Wish
from sennit.server.effects.basing import live_snapshot
from sennit.server.open_documents import Buffer, below, is_open, open_buffers, relative_to
from sennit.server.repositories import Opened
from sennit.server.services import Services
from sennit_protocol.ids import ApplicationId
from sennit_protocol.states import Target
from sennit_protocol.views import Notice

_LEFT_ALONE: Mapping[LeftOutReason, str] = {
    LeftOutReason.UNSAVED_ELSEWHERE: "It is unsaved in another editor. Save or close it there",
    LeftOutReason.UNKNOWN_TEXT: (
        "The text that your editor holds is not known: a change did not arrive, or it is open"
        " twice with two texts. Close it and open it again"
    ),
    LeftOutReason.UNKNOWN_ENCODING: "Its encoding is not known. Save it as UTF-8",
    LeftOutReason.CONFLICT_MARKERS: "It holds git's conflict markers. Resolve them",
    LeftOutReason.UNREADABLE: "It cannot be read. Make it readable",
    LeftOutReason.SPECIAL_FILE: "It is a socket, a pipe or a device. Move it away",
    LeftOutReason.REFUSED_BY_GIT: (
        "Git cannot read it: it is not in the encoding of its attributes, or a filter fails on it."
        " Mend that"
    ),
}

_MOST_NAMED = 3
"""How many obstacles of others a path is told of that cannot be written without them."""


@frozen
class _Sight:
    """The live text: the snapshot, and the buffers that it was taken with.

    ``unwritten``, ``as_written`` and ``respelled`` as in ``Live``; ``taken_away`` as in ``Job``.
    """

    opened: Opened
    live: Snapshot
    unwritten: frozenset[bytes]
    buffers: Mapping[bytes, Buffer]
    top: bytes
    as_written: frozenset[bytes] = frozenset()
    respelled: frozenset[bytes] = frozenset()
    taken_away: frozenset[bytes] = frozenset()


async def plan(
    services: Services, ref: RepositoryRef, name: ApplicationId, wish: Wish
) -> Plan | GitFailed:
    """Fold what is wanted onto the live text and say who does what."""
    # What other servers have told of unsaved documents must be known by now.
    await services.loop.catch_up()
    seen = services.loop.sequence
    at = services.clock.now_ms()
    opened = await services.repositories.open(ref, exact_timestamp(at))
    if isinstance(opened, GitFailed):
        return opened
    buffers = open_buffers(services.connection, services.told)
    documents = below(ref.top, (buffer.document for buffer in buffers.values()))
    live = await live_snapshot(services, opened, documents)
    if isinstance(live, GitFailed):
        return live
    held = _held(live.manifest)
    parts = tuple(_without(part, held) for part in wish.parts)
    found = await as_on_disk(services, opened, live, evolve(wish, parts=parts), at // 1000)
    if isinstance(found, GitFailed):
        return found
    live = found.snapshot
    sight = _Sight(
        opened, live, found.unwritten, buffers, ref.top, found.as_written, found.respelled
    )
    fold = await _fold(services, sight, parts, at // 1000)
    if isinstance(fold, GitFailed):
        return fold
    folded, changed_since = _without_what_was_applied(fold, parts)
    changes = await changes_between(services.git, opened.store, live.tree, folded.tree)
    if isinstance(changes, GitFailed):
        return changes
    taken_away = await to_take_away(services, opened, wish.absent_before, changes)
    if isinstance(taken_away, GitFailed):
        return taken_away
    sight = evolve(sight, taken_away=taken_away)
    touched = {path for part in wish.parts for unit in _wanted(part) for path in unit}
    told = tuple(Held(path, why) for path, why in held.items() if path in touched)
    made = await _assigned(services, sight, name, wish, folded, changes, told)
    if isinstance(made, GitFailed):
        return made
    made = _without_held(made, parts)
    notices = (*made.notices, *map(_changed_since, changed_since))
    return evolve(made, notices=notices, changed_since=changed_since, seen=seen)


def _without_held(made: Plan, parts: Sequence[Part]) -> Plan:
    """Let the units of files that are left alone count as not applied."""
    held = {one.path for one in made.held}
    left = {unit.id for part in parts for unit in part.units if held & {unit.path, unit.old_path}}
    kept = tuple(unit for unit in made.folded.applied if unit not in left)
    return evolve(made, folded=evolve(made.folded, applied=kept))


def _without_what_was_applied(
    folded: Folded, parts: Sequence[Part]
) -> tuple[Folded, tuple[bytes, ...]]:
    """Count as there what was applied before and is in conflict now, and name its paths.

    A dependent's own change of the same lines is such a conflict, or what the user typed since:
    whoever came later wins, and nothing has failed.
    """
    applied = {unit for part in parts for unit in part.applied}
    changed = {unit: one for unit, one in folded.conflicts.items() if unit in applied}
    if not changed:
        return folded, ()
    left = {unit: one for unit, one in folded.conflicts.items() if unit not in changed}
    there = evolve(folded, conflicts=left, already=(*folded.already, *changed))
    return there, tuple(sorted({one.path for one in changed.values()}))


def _changed_since(path: bytes) -> Notice:
    return Notice(
        "This was applied before, and the text there was changed since, by hand or by what was"
        " applied after it; it stays as it is. To have it anew, take the application back first.",
        path=display(path),
    )


def _held(manifest: Manifest) -> dict[bytes, str]:
    return {one.path: _why_left(one) for one in manifest.left_out if one.reason in _LEFT_ALONE}


def _why_left(one: LeftOut) -> str:
    return f"{_LEFT_ALONE[one.reason]}, then apply again. It was left alone."


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
    revisions = [
        AcceptedRevision(part.base_tree, part.units, part.accepted, part.resolutions)
        for part in parts
    ]
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
    trees = (sight.live.tree, folded.tree)
    contents = await contents_of(services, sight.opened, trees, changes)
    if isinstance(contents, GitFailed):
        return contents
    # To compare texts of many lines takes seconds, in which nobody else would be answered.
    edits = await anyio.to_thread.run_sync(_edits, sight, changes, contents)
    respelled = await anyio.to_thread.run_sync(respelled_paths, sight.top, edits)
    situation = _situation(services, sight, wish, edits, respelled)
    shares = [(edit, share(situation, edit)) for edit in edits]
    consent = [edit for edit, one in shares if one is Server.WRITES_WITH_CONSENT]
    draft = Plan(
        opened=sight.opened,
        target=wish.target,
        live=sight.live,
        folded=folded,
        changes=changes,
        editor=EditSet(tuple(one for _, one in shares if isinstance(one, FileEdit))),
        staged=None,
        buffers=sight.buffers,
        held=(*held, *(one for _, one in shares if isinstance(one, Held))),
        to_consent=tuple(edit.path for edit in consent),
        notices=(*_unused(folded), *_also_elsewhere(situation, shares)),
        revisions=wish.revisions,
    )
    if wish.target is Target.PATCH:
        return evolve(draft, editor=EditSet(()), held=held, to_consent=(), notices=_unused(folded))
    by_server = [edit for edit, one in shares if isinstance(one, Server)]
    job = _Job(tuple(by_server), situation.tangled, sight)
    refused = {one.path: one.reason for _, one in shares if isinstance(one, Held)}
    if job.tangled.intersection(refused):
        job, stuck = _stopped(job, refused)
        draft = evolve(draft, held=(*draft.held, *stuck))
    return await _staged(services, draft, name, job)


@frozen
class _Job:
    """What the server writes. What is tangled is written as a whole or not at all."""

    edits: tuple[FileEdit, ...]
    tangled: frozenset[bytes]
    sight: _Sight

    @property
    def paths(self) -> frozenset[bytes]:
        return frozenset(path for edit in self.edits for path in (edit.path, edit.old_path))

    def without(self, stopped: frozenset[bytes]) -> _Job:
        """What is left when some paths cannot be written: a rename needs both of its paths."""
        if stopped & self.tangled:
            stopped |= self.tangled
        kept = (edit for edit in self.edits if not {edit.path, edit.old_path} & stopped)
        return evolve(self, edits=tuple(kept))


def _edits(sight: _Sight, changes: Sequence[FileChange], contents: Contents) -> list[FileEdit]:
    return [edit_of(change, contents, _buffer(sight, change)) for change in changes]


def _buffer(sight: _Sight, change: FileChange) -> Buffer | None:
    return sight.buffers.get(sight.top + b"/" + change.old_path)


def _situation(
    services: Services,
    sight: _Sight,
    wish: Wish,
    edits: Sequence[FileEdit],
    respelled: frozenset[bytes],
) -> Situation:
    elsewhere = (
        relative_to(sight.top, row.path)
        for row in services.state.rows(OpenDocumentRow)
        if row.server != services.server
    )
    return Situation(
        top=sight.top,
        target=wish.target,
        carrier=carrier_of(services.connection.client, wish.target),
        rest=wish.rest,
        buffers=sight.buffers,
        elsewhere=frozenset(path for path in elsewhere if path is not None),
        tangled=tangled_paths(edits) | respelled,
        freed=freed_paths(edits),
        off_disk=sight.unwritten | sight.taken_away,
    )


def _unused(folded: Folded) -> tuple[Notice, ...]:
    """A resolution says how two changes go together, which nobody asks where one is not there."""
    return tuple(
        Notice(
            "The conflict that you settled here is not there: what it conflicted with is not part"
            " of the text. The change is applied as it was proposed. Accept and apply both"
            " proposals together to get the text that you settled on.",
            path=display(path),
        )
        for path in folded.unused
    )


def _also_elsewhere(
    situation: Situation, shares: Sequence[tuple[FileEdit, Share]]
) -> tuple[Notice, ...]:
    """Two editors with one file unsaved: the text here is changed, the other one is not."""
    return tuple(
        Notice(
            "It is unsaved in another editor too, whose text was left alone. Whoever saves last"
            " wins; look at both.",
            path=display(edit.path),
        )
        for edit, one in shares
        if isinstance(one, FileEdit)
        and edit.path in situation.elsewhere
        and is_open(situation.buffers, situation.top + b"/" + edit.path)
    )


async def _staged(
    services: Services, draft: Plan, name: ApplicationId, job: _Job
) -> Plan | GitFailed:
    if not job.edits:
        return draft
    to_stage = Job(
        name,
        draft.live.tree,
        draft.folded.tree,
        job.paths,
        job.sight.unwritten,
        job.sight.taken_away,
        job.sight.as_written,
    )
    staged = await stage(services.git, draft.opened.store, draft.opened.repository, to_stage)
    match staged:
        case GitFailed():
            return staged
        case Unstageable(troubles=troubles):
            left, held = _stopped(job, {one.path: one.detail for one in troubles})
            return await _staged(services, evolve(draft, held=(*draft.held, *held)), name, left)
        case Staged(collisions=collisions):
            notices = tuple(
                Notice(
                    "These names differ only by case or Unicode form, which some systems cannot"
                    f" keep apart: {', '.join(map(display, group))}"
                )
                for group in collisions
            )
            respelled = await anyio.to_thread.run_sync(respelled_in, staged.intention)
            known = job.sight.respelled
            said = tuple(_respelled(old, new) for old, new in respelled if old not in known)
            return evolve(draft, staged=staged, notices=(*draft.notices, *notices, *said))


def _respelled(old: bytes, new: bytes) -> Notice:
    """Git goes by its index, where the disk takes either spelling for the file."""
    return Notice(
        f"It was {display(old)}, which is the same name on this disk: git goes on with that, also"
        " after an undo. To commit the new spelling: git mv --"
        f" {shell_word(old)} {shell_word(new)}",
        path=display(new),
    )


def _stopped(job: _Job, told: Mapping[bytes, str]) -> tuple[_Job, tuple[Held, ...]]:
    """What can still be written, and what stays behind: all where a trouble names no path."""
    left = job.without((job.paths | job.tangled).intersection(told) or job.paths)
    staying = {edit.path for edit in left.edits}
    gone = sorted({edit.path: edit for edit in job.edits if edit.path not in staying}.items())
    whys = ((path, _why(job, told, edit).removesuffix(".")) for path, edit in gone)
    return left, tuple(Held(path, f"{why}. Nothing was written.") for path, why in whys)


def _why(job: _Job, told: Mapping[bytes, str], edit: FileEdit) -> str:
    """Say why an edit is not written: for its own sake, or for that of others that go with it."""
    if edit.path in told:
        return told[edit.path]
    others = told.keys() & {edit.old_path} or told.keys() & job.tangled or told.keys()
    few = [f"{display(path)}: {told[path]}" for path in sorted(others)[:_MOST_NAMED]]
    more = len(others) - _MOST_NAMED
    return "; ".join((*few, f"and {more} more like these") if more > 0 else few)
