"""Files whose conflict a person has settled, as what goes in there instead of the agent's change.

Such a file is decided as a whole: with a part of its changes the sides that were settled would not
meet again. Its units keep the names of the agent's, so that decisions mean the same whether the
conflict is settled or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from attrs import evolve, field, frozen

from sennit.core.engine.rows import RevisionRow
from sennit.core.objects import Hunk
from sennit.core.proposal_views import Looked, Shown, file_view
from sennit.core.resolutions import Resolution
from sennit.core.units import Unit
from sennit.core.uris import Side, display, file_uri, revision_uri
from sennit_protocol.conflicts import LineRange
from sennit_protocol.ids import UnitId
from sennit_protocol.proposals import FileView, SettledView, UnitKind, UnitView
from sennit_protocol.states import Decision, UnitFlag
from sennit_protocol.views import Notice


@frozen
class SettledChange:
    """What goes in at the paths of one conflict, against what it met there, as units."""

    resolution: Resolution
    units: tuple[Unit, ...] = ()
    blobs: Mapping[str, bytes] = field(factory=dict)

    @property
    def paths(self) -> frozenset[bytes]:
        """The paths that the conflict is about."""
        return paths_of(self.resolution)


def paths_of(resolution: Resolution) -> frozenset[bytes]:
    """The paths of the conflict that a resolution settles."""
    return frozenset({resolution.path, *resolution.conflict.paths})


def touching(units: Iterable[Unit], paths: frozenset[bytes]) -> tuple[Unit, ...]:
    """The units at some paths."""
    return tuple(unit for unit in units if paths & {unit.path, unit.old_path})


def whole(units: Sequence[Unit], chosen: set[str], settled: Sequence[Resolution]) -> set[str]:
    """Choose all units of a file that goes in as it was settled, where one of them is chosen."""
    found = set(chosen)
    for one in settled:
        mine = {unit.id for unit in touching(units, paths_of(one))}
        if mine & chosen:
            found |= mine
    return found


def hidden_by(looked: Looked, settled: Iterable[Resolution]) -> frozenset[str]:
    """The units of the agent that something else goes in for."""
    return frozenset(unit.id for one in settled for unit in touching(looked.units, paths_of(one)))


def settled_files(
    revision: RevisionRow, looked: Looked, changes: Sequence[SettledChange]
) -> tuple[FileView, ...]:
    """The files of a revision that go in as they were settled."""
    return tuple(view for change in changes for view in _views(revision, looked, change))


def _views(revision: RevisionRow, looked: Looked, change: SettledChange) -> Iterator[FileView]:
    mine = touching(looked.units, change.paths)
    if not mine:
        return
    together = _Together.of(revision, looked, mine)
    shown = _named(change.units, [unit.id for unit in mine])
    if not shown:
        yield _nothing(revision, change.resolution, mine, together)
        return
    texts = Shown(
        Looked(
            shown,
            {unit.id: together.flags for unit in shown},
            frozenset(unit.id for unit in shown if together.preselected),
            change.blobs,
        ),
        {UnitId(unit.id): together.decision for unit in shown},
        (Side.OURS, Side.SETTLED),
    )
    for _, units in groupby(shown, key=attrgetter("path")):
        view = file_view(revision, texts, tuple(units))
        yield evolve(view, settled=_settled(revision, change.resolution, mine[0]))


@frozen
class _Together:
    """What is true of all units of a settled file at once."""

    decision: Decision
    preselected: bool
    flags: tuple[UnitFlag, ...]

    @classmethod
    def of(cls, revision: RevisionRow, looked: Looked, units: Sequence[Unit]) -> _Together:
        decided = dict(revision.decisions)
        said = {decided.get(UnitId(unit.id), Decision.UNDECIDED) for unit in units}
        flags = dict.fromkeys(flag for unit in units for flag in looked.flags.get(unit.id, ()))
        return cls(
            decision=said.pop() if len(said) == 1 else Decision.UNDECIDED,
            preselected=all(unit.id in looked.preselected for unit in units),
            flags=tuple(flags),
        )


def _named(units: Sequence[Unit], names: Sequence[str]) -> tuple[Unit, ...]:
    """Give units the names of the agent's; where there are more, one stands for all that follow."""
    if len(units) > len(names):
        kept, rest = units[: len(names) - 1], units[len(names) - 1 :]
        units = (*kept, _spanning(rest))
    return tuple(evolve(unit, id=name, needs=()) for unit, name in zip(units, names, strict=False))


def _spanning(units: Sequence[Unit]) -> Unit:
    """One unit from the first hunk to the last of a text; of other things the first tells most."""
    hunks = [unit.hunk for unit in units if unit.hunk is not None and unit.path == units[0].path]
    if len(hunks) < len(units):
        return units[0]
    first, last = hunks[0], hunks[-1]
    return evolve(
        units[0],
        hunk=Hunk(
            first.before_start,
            last.before_start + last.before_count - first.before_start,
            first.after_start,
            last.after_start + last.after_count - first.after_start,
        ),
    )


def _nothing(
    revision: RevisionRow, resolution: Resolution, mine: Sequence[Unit], together: _Together
) -> FileView:
    """A file of which nothing goes in: what is there already stays."""
    first = mine[0]
    path = revision.repository.top + b"/" + first.path
    there = resolution.entry
    uri = None if there is None else revision_uri(path, revision.id, Side.SETTLED, there.id)
    nowhere = LineRange(0, 0)
    unit = UnitView(
        UnitId(first.id), UnitKind.HUNK, together.decision, together.preselected,
        flags=together.flags, before=nowhere, after=nowhere, before_text="", after_text="",
        applied=first.id in revision.applied_units,
    )  # fmt: skip
    return FileView(
        path=display(first.path),
        uri=file_uri(path),
        units=(unit,),
        base_uri=uri,
        proposed_uri=uri,
        settled=_settled(revision, resolution, first),
    )


def _settled(revision: RevisionRow, resolution: Resolution, first: Unit) -> SettledView:
    top = revision.repository.top + b"/"
    left = first.after
    before = first.before
    return SettledView(
        take=resolution.take,
        suggestion=resolution.suggestion,
        agent_uri=None
        if left is None
        else revision_uri(top + first.path, revision.id, Side.PROPOSED),
        agent_base_uri=None
        if before is None
        else revision_uri(top + first.old_path, revision.id, Side.BASE),
    )


def settled_notices(files: Iterable[FileView]) -> tuple[Notice, ...]:
    """What to know of files that go in as they were settled."""
    return tuple(Notice(_TOGETHER, path=file.path) for file in files if file.settled is not None)


_TOGETHER = (
    "Its conflict is settled: this is what goes in on top of what it collided with. Accept and"
    " apply both; alone, it goes in as the agent left it."
)
