"""Revisions as clients see them: files, units, conflicts, applications."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from attrs import define, field, frozen

from sennit.core.engine.following import lineage
from sennit.core.engine.rows import ApplicationRow, ProposalRow, RevisionRow
from sennit.core.engine.state import Tables
from sennit.core.objects import Entry, Hunk
from sennit.core.text import git_lines
from sennit.core.units import Unit
from sennit.core.uris import Side, display, file_uri, revision_uri
from sennit.core.views import exact_timestamp
from sennit_protocol.applications import ApplicationView, AppliedFile
from sennit_protocol.conflicts import LineRange
from sennit_protocol.ids import UnitId
from sennit_protocol.proposals import FileView, ProposalSummary, RevisionSummary, UnitKind, UnitView
from sennit_protocol.states import Decision, Integration, UnitFlag
from sennit_protocol.views import Notice

MOST_UNIT_TEXT = 8_000
"""Characters of a unit's text in a view; ``sennit/content`` has the whole."""


@frozen
class Looked:
    """What was computed about a revision: its units with flags, the blobs of their texts.

    ``preselected`` holds the units that a review interface may tick by itself.
    """

    units: tuple[Unit, ...]
    flags: Mapping[str, tuple[UnitFlag, ...]] = field(factory=dict)
    preselected: frozenset[str] = frozenset()
    blobs: Mapping[str, bytes] = field(factory=dict)


def proposal_summary(tables: Tables, proposal: ProposalRow) -> ProposalSummary:
    """One line of the list of proposals."""
    return revision_line(tables, proposal, tables.the(RevisionRow, proposal.revision))


def revision_line(tables: Tables, proposal: ProposalRow, revision: RevisionRow) -> ProposalSummary:
    """One line about a proposal at a revision of it."""
    task = tables.task(revision.ticket, revision.task)
    return ProposalSummary(
        id=proposal.id,
        revision=revision.id,
        ticket=revision.ticket,
        task=revision.task,
        order=task.order if revision.place is None else revision.place,
        integration=revision.integration,
        checks=revision.checks,
        review=revision.review,
        application=revision.application,
        agent=task.spec.agent.name,
        description=task.spec.description,
        files=revision.counts.files,
        lines_added=revision.counts.lines_added,
        lines_removed=revision.counts.lines_removed,
        flags=revision.flags,
        sequence=max(proposal.sequence, revision.sequence),
        number=revision.number,
    )


def revision_summaries(tables: Tables, proposal: ProposalRow) -> tuple[RevisionSummary, ...]:
    """All revisions of a proposal that are there, oldest first."""
    newest = tables.the(RevisionRow, proposal.revision)
    return tuple(
        RevisionSummary(
            id=one.id,
            number=one.number,
            ticket=one.ticket,
            task=one.task,
            at=exact_timestamp(one.created_at),
            integration=one.integration,
            files=one.counts.files,
        )
        for one in reversed(lineage(tables, newest))
    )


def file_views(
    revision: RevisionRow,
    looked: Looked,
    instead: Sequence[FileView] = (),
    hidden: frozenset[str] = frozenset(),
) -> tuple[FileView, ...]:
    """The files of a revision; what needs a careful look comes first.

    ``instead`` are shown in place of the units that are ``hidden``.
    """
    decided = dict(revision.decisions)
    views = [
        file_view(revision, Shown(looked, decided), tuple(units))
        for _, units in groupby(_left(looked, hidden), key=attrgetter("path"))
    ]
    return tuple(sorted([*instead, *views], key=_rank))


def _left(looked: Looked, hidden: frozenset[str]) -> Iterator[Unit]:
    return (unit for unit in looked.units if unit.id not in hidden)


_FOLDED = UnitFlag.GENERATED
_CAREFUL = frozenset({UnitFlag.SENSITIVE, UnitFlag.DELETION})


def _rank(view: FileView) -> tuple[bool, bool, int]:
    flags = {flag for unit in view.units for flag in unit.flags}
    deletes = any(unit.kind.value == UnitKind.DELETE.value for unit in view.units)
    careful = deletes or bool(flags & _CAREFUL)
    return _FOLDED in flags, not careful, -(view.lines_added + view.lines_removed)


@define
class Shown:
    """What the units of one file are shown from; each text is cut into lines once for all."""

    looked: Looked
    decided: Mapping[UnitId, Decision]
    sides: tuple[Side, Side] = (Side.BASE, Side.PROPOSED)
    _lines: dict[str, list[bytes]] = field(factory=dict)

    def blob(self, entry: Entry | None) -> bytes | None:
        """The content of an entry, where it is known."""
        return None if entry is None else self.looked.blobs.get(entry.id)

    def lines(self, entry: Entry | None, start: int, count: int) -> bytes:
        """Some lines of a text."""
        if entry is None:
            return b""
        if entry.id not in self._lines:
            self._lines[entry.id] = git_lines(self.blob(entry) or b"")
        return b"".join(self._lines[entry.id][start : start + count])


def file_view(revision: RevisionRow, shown: Shown, units: Sequence[Unit]) -> FileView:
    """One file with its units."""
    first = units[0]
    top = revision.repository.top
    path, old = top + b"/" + first.path, top + b"/" + first.old_path
    renamed = first.old_path != first.path
    hunks = [hunk for unit in units for hunk in _hunks_of(unit, shown.looked.blobs)]
    applied = frozenset(revision.applied_units)
    return FileView(
        path=display(first.path),
        uri=file_uri(path),
        units=tuple(_unit_view(shown, unit, applied) for unit in units),
        old_path=display(first.old_path) if renamed else None,
        old_uri=file_uri(old) if renamed else None,
        binary=any(unit.binary for unit in units),
        mode_before=_mode(first.before),
        mode_after=_mode(first.after),
        base_uri=_side_uri(revision, old, first.before, shown.sides[0]),
        proposed_uri=_side_uri(revision, path, first.after, shown.sides[1]),
        lines_added=sum(hunk.after_count for hunk in hunks),
        lines_removed=sum(hunk.before_count for hunk in hunks),
    )


def _hunks_of(unit: Unit, blobs: Mapping[str, bytes]) -> Iterator[Hunk]:
    if unit.hunk is not None:
        yield unit.hunk
    elif unit.kind is UnitKind.CREATE and unit.after is not None:
        yield Hunk(0, 0, 0, whole_lines(blobs.get(unit.after.id, b"")))
    elif unit.kind is UnitKind.DELETE and unit.before is not None:
        yield Hunk(0, whole_lines(blobs.get(unit.before.id, b"")), 0, 0)


_LOOKED_AT = 8000
"""Bytes at the beginning in which git looks for a NUL, which makes a file binary."""


def whole_lines(content: bytes) -> int:
    """How many lines a created or deleted file has; a binary file has none."""
    return 0 if b"\0" in content[:_LOOKED_AT] else len(git_lines(content))


def octal(entry: Entry) -> str:
    """Git's mode of an entry, as people know it."""
    return f"{entry.mode:06o}"


def _mode(entry: Entry | None) -> str | None:
    return None if entry is None else octal(entry)


def _side_uri(revision: RevisionRow, path: bytes, entry: Entry | None, side: Side) -> str | None:
    return None if entry is None else revision_uri(path, revision.id, side, entry.id)


def _unit_view(shown: Shown, unit: Unit, applied: frozenset[UnitId]) -> UnitView:
    before, after = _texts(shown, unit)
    hunk = unit.hunk
    return UnitView(
        id=UnitId(unit.id),
        kind=unit.kind,
        decision=shown.decided.get(UnitId(unit.id), Decision.UNDECIDED),
        preselected=unit.id in shown.looked.preselected,
        needs=UnitId(unit.needs[0]) if unit.needs else None,
        flags=shown.looked.flags.get(unit.id, ()),
        before=None if hunk is None else LineRange(hunk.before_start, hunk.before_count),
        after=None if hunk is None else LineRange(hunk.after_start, hunk.after_count),
        before_text=before,
        after_text=after,
        applied=unit.id in applied,
    )


def _texts(shown: Shown, unit: Unit) -> tuple[str | None, str | None]:
    hunk = unit.hunk
    if hunk is None:
        shows_whole = unit.kind in {UnitKind.CREATE, UnitKind.DELETE, UnitKind.LINK}
        sides = (shown.blob(unit.before), shown.blob(unit.after))
        return (_text(sides[0]), _text(sides[1])) if shows_whole else (None, None)
    old = shown.lines(unit.before, hunk.before_start, hunk.before_count)
    new = shown.lines(unit.after, hunk.after_start, hunk.after_count)
    return _text(old), _text(new)


def _text(data: bytes | None) -> str | None:
    if data is None or b"\0" in data:
        return None
    return data.decode("utf-8", "replace")[:MOST_UNIT_TEXT]


def application_view(tables: Tables, row: ApplicationRow) -> ApplicationView:
    """An application: what was meant, what was observed."""
    proposals = dict.fromkeys(
        revision.proposal
        for name in row.revisions
        if (revision := tables.get(RevisionRow, name)) is not None
    )
    return ApplicationView(
        id=row.id,
        state=row.state,
        target=row.target,
        at=exact_timestamp(row.at),
        ticket=row.ticket,
        proposals=tuple(proposals),
        files=applied_files(row),
        notices=row.notices,
        undoes=row.undoes,
        conflicts=row.conflicts,
        already_there=row.already_there,
    )


def applied_files(row: ApplicationRow) -> tuple[AppliedFile, ...]:
    """What was observed of each file, of those left alone too; before that, what is under way."""
    observed = {one.path: one for one in row.observed}
    paths = dict.fromkeys((*(image.path for image in row.images), *observed))
    files = []
    for path in paths:
        seen = observed.get(path)
        files.append(
            AppliedFile(
                path=display(path),
                uri=file_uri(row.repository.top + b"/" + path),
                state=row.state if seen is None else seen.state,
                message=None if seen is None else seen.message,
            )
        )
    return tuple(files)


def merge_notices(revision: RevisionRow) -> Iterator[Notice]:
    """What to know of how a revision was merged, beside how it stands."""
    if revision.integration is not Integration.CLEAN:
        return
    for path in revision.normalised:
        said = "Its line endings were changed as a whole; it was merged with those that it had."
        yield Notice(said, path=display(path))
    for path in revision.colliding:
        said = "Some systems cannot keep its name apart from another one."
        yield Notice(said, path=display(path))
