from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from sennit.core.engine.row_values import Counts, RepositoryRef
from sennit.core.engine.rows import RevisionRow
from sennit.core.objects import MODE_FILE, ChangeKind, Entry, FileChange, Hunk
from sennit.core.proposal_views import Looked, file_views
from sennit.core.units import units_of
from sennit_protocol.ids import ProposalId, RevisionId, TicketId, UnitId
from sennit_protocol.states import Decision

OLD, NEW = Entry(MODE_FILE, "1" * 40), Entry(MODE_FILE, "2" * 40)


class Counted(Mapping[str, bytes]):
    """Blobs that count how often one was read."""

    def __init__(self, blobs: dict[str, bytes]) -> None:
        self._blobs = blobs
        self.reads = 0

    def __getitem__(self, name: str) -> bytes:
        self.reads += 1
        return self._blobs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._blobs)

    def __len__(self) -> int:
        return len(self._blobs)


def revision(*decisions: tuple[UnitId, Decision]) -> RevisionRow:
    return RevisionRow(
        id=RevisionId("r_x"),
        proposal=ProposalId("p_x"),
        ticket=TicketId("t_x"),
        task="task-1",
        repository=RepositoryRef("key", b"/repo"),
        base_commit="b" * 40,
        base_tree="c" * 40,
        commit="d" * 40,
        tree="e" * 40,
        counts=Counts(1, 200, 200),
        created_at=0,
        decisions=decisions,
    )


def test_the_text_of_a_file_is_cut_once_however_many_hunks_it_has() -> None:
    count = 200
    old = b"".join(b"old %d\nsame\n" % number for number in range(count))
    hunks = tuple(Hunk(2 * number, 1, 2 * number, 1) for number in range(count))
    change = FileChange(ChangeKind.MODIFY, b"a.txt", b"a.txt", OLD, NEW, hunks=hunks)
    units = units_of("r_x", [change])
    blobs = Counted({OLD.id: old, NEW.id: old.replace(b"old", b"new")})

    (view,) = file_views(
        revision((UnitId(units[7].id), Decision.ACCEPTED)), Looked(units, blobs=blobs)
    )

    assert blobs.reads == 2
    assert [unit.before_text for unit in view.units] == [f"old {n}\n" for n in range(count)]
    assert [unit.after_text for unit in view.units] == [f"new {n}\n" for n in range(count)]
    accepted = [n for n, unit in enumerate(view.units) if unit.decision is Decision.ACCEPTED]
    assert accepted == [7]


@pytest.mark.parametrize("kind", [ChangeKind.CREATE, ChangeKind.DELETE, ChangeKind.MODIFY])
@pytest.mark.parametrize("binary", [True, False])
def test_a_file_is_binary_however_it_was_changed(kind: ChangeKind, *, binary: bool) -> None:
    before = None if kind is ChangeKind.CREATE else OLD
    after = None if kind is ChangeKind.DELETE else NEW
    hunks = (Hunk(0, 1, 0, 1),) if kind is ChangeKind.MODIFY and not binary else ()
    change = FileChange(kind, b"a", b"a", before, after, binary, hunks)
    units = units_of("r_x", [change])
    (view,) = file_views(revision(), Looked(units, blobs={OLD.id: b"o\n", NEW.id: b"n\n"}))
    assert view.binary is binary
