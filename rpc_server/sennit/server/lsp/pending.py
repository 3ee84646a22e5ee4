"""What waits for a decision in one file: units of proposals, at the lines where they are now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from sennit.adapters.git.trees import read_blobs
from sennit.core.engine.rows import ProposalRow, RevisionRow
from sennit.core.objects import GitFailed
from sennit.core.text_edits import TextEdit, text_edits
from sennit.core.units import Unit
from sennit.core.views import exact_timestamp
from sennit.server.open_documents import open_buffers, relative_to
from sennit.server.repositories import Opened
from sennit.server.services import Services
from sennit_protocol.ids import UnitId
from sennit_protocol.states import ApplicationState, Decision, Integration, Review

_SHOWN = frozenset({Integration.CLEAN, Integration.CONFLICT})


@frozen
class PendingUnit:
    """A unit that was not decided, and the lines that it is about in the text as it is now."""

    unit: Unit
    line: int
    count: int


@frozen
class PendingFile:
    """One file of one revision: what is undecided, and how much is accepted and not applied."""

    revision: RevisionRow
    units: tuple[PendingUnit, ...]
    accepted: int


def pending_revisions(services: Services) -> Iterator[RevisionRow]:
    """The newest revision of each proposal that waits for a decision or an application."""
    for proposal in services.state.rows(ProposalRow):
        revision = services.state.get(RevisionRow, proposal.revision)
        if (
            revision is not None
            and revision.integration in _SHOWN
            and revision.application is not ApplicationState.APPLYING
            and revision.review is not Review.REJECTED
            and not _is_through(revision)
        ):
            yield revision


def _is_through(revision: RevisionRow) -> bool:
    """Whether every unit is in the text: told by the row alone, for history is long."""
    if revision.integration is not Integration.CLEAN or revision.review is not Review.ACCEPTED:
        return False
    accepted = {unit for unit, said in revision.decisions if said is Decision.ACCEPTED}
    return accepted <= set(revision.applied_units)


async def pending_in(services: Services, path: bytes) -> tuple[PendingFile, ...]:
    """What waits in the file at an absolute path, oldest proposals first."""
    found: list[PendingFile] = []
    waiting = sorted(pending_revisions(services), key=lambda row: row.turn)
    for repository in dict.fromkeys(row.repository for row in waiting):
        relative = relative_to(repository.top, path)
        if relative is None:
            continue
        at = exact_timestamp(services.clock.now_ms())
        opened = await services.repositories.open(repository, at)
        if isinstance(opened, GitFailed):
            continue
        here = [row for row in waiting if row.repository == repository]
        for revision in await services.revisions.touching(services, opened, here, relative):
            file = await _file(services, opened, revision, relative)
            found += [] if file is None else [file]
    return tuple(sorted(found, key=lambda file: file.revision.turn))


async def _file(
    services: Services, opened: Opened, revision: RevisionRow, relative: bytes
) -> PendingFile | None:
    units = await services.revisions.units(
        services, opened, revision.id, revision.base_tree, revision.tree
    )
    if isinstance(units, GitFailed):
        return None
    said = dict(revision.decisions)
    here = [unit for unit in units if relative in {unit.path, unit.old_path}]
    undecided = [unit for unit in here if UnitId(unit.id) not in said]
    accepted = sum(
        said.get(UnitId(unit.id)) is Decision.ACCEPTED and unit.id not in revision.applied_units
        for unit in here
    )
    if not undecided and not accepted:
        return None
    moves = await _moves(services, opened, revision, undecided)
    return PendingFile(revision, tuple(_placed(unit, moves) for unit in undecided), accepted)


async def _moves(
    services: Services, opened: Opened, revision: RevisionRow, units: Sequence[Unit]
) -> tuple[TextEdit, ...]:
    """How the open text differs from the base that the units' lines count in."""
    hunk = next((unit for unit in units if unit.hunk is not None and unit.before), None)
    if hunk is None or hunk.before is None:
        return ()
    buffers = open_buffers(services.connection, services.told)
    buffer = buffers.get(revision.repository.top + b"/" + hunk.old_path)
    if buffer is None or buffer.document.text is None:
        return ()
    blobs = await read_blobs(services.git, opened.store, frozenset({hunk.before.id}))
    if isinstance(blobs, GitFailed):
        return ()
    base = blobs[hunk.before.id].decode("utf-8", "replace")
    return text_edits(base, buffer.document.text)


def _placed(unit: Unit, moves: Sequence[TextEdit]) -> PendingUnit:
    if unit.hunk is None:
        return PendingUnit(unit, 0, 0)
    line = moved_line(unit.hunk.before_start, moves)
    return PendingUnit(unit, line, unit.hunk.before_count)


def moved_line(line: int, edits: Sequence[TextEdit]) -> int:
    """Where a line of the text before the edits is after them."""
    moved = line
    for edit in edits:
        begins_at_end = edit.end.line == line and edit.end.character == 0
        if edit.end.line < line or (begins_at_end and edit.start.line <= line):
            moved += edit.new_text.count("\n") - (edit.end.line - edit.start.line)
    return max(moved, 0)
