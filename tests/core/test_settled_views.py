"""Files that go in as a person has settled them, under the names that the agent's units have."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from sennit.core.engine.row_values import Counts, RepositoryRef
from sennit.core.engine.rows import RevisionRow
from sennit.core.objects import (
    MODE_FILE,
    ChangeKind,
    Conflict,
    ConflictKind,
    Entry,
    FileChange,
    Hunk,
)
from sennit.core.proposal_views import Looked
from sennit.core.resolutions import Held, Resolution
from sennit.core.settled_views import SettledChange, settled_files, whole
from sennit.core.units import Unit, units_of
from sennit_protocol.conflicts import LineRange, Take
from sennit_protocol.ids import ProposalId, RevisionId, TicketId, UnitId
from sennit_protocol.proposals import FileView
from sennit_protocol.states import Decision, UnitFlag

BASE, AGENT, MET, SETTLED = (Entry(MODE_FILE, digit * 40) for digit in "1234")
CONFLICT = Conflict(ConflictKind.CONTENT, b"f", BASE, MET, AGENT, paths=(b"f",))
RESOLUTION = Resolution(CONFLICT, Take.TEXT, (Held(b"f", SETTLED),))
REVISION = RevisionRow(
    id=RevisionId("r_x"),
    proposal=ProposalId("p_x"),
    ticket=TicketId("t_x"),
    task="one",
    repository=RepositoryRef("key", b"/repo"),
    base_commit="b" * 40,
    base_tree="c" * 40,
    commit="d" * 40,
    tree="e" * 40,
    counts=Counts(1, 1, 1),
    created_at=0,
)


def cut(before: Entry, after: Entry, *hunks: Hunk) -> tuple[Unit, ...]:
    change = FileChange(ChangeKind.MODIFY, b"f", b"f", before, after, hunks=hunks)
    return units_of("r_x", [change])


def hunk(line: int) -> Hunk:
    return Hunk(line, 1, line, 1)


def shown(
    mine: Sequence[Unit], settled: Sequence[Unit], *decided: tuple[UnitId, Decision]
) -> FileView:
    text = b"".join(b"%d\n" % number for number in range(20))
    blobs = {MET.id: text, SETTLED.id: text.upper()}
    looked = Looked(tuple(mine), {mine[0].id: (UnitFlag.SENSITIVE,)})
    change = SettledChange(RESOLUTION, tuple(settled), blobs)
    (view,) = settled_files(evolve(REVISION, decisions=decided), looked, [change])
    return view


def test_what_goes_in_has_the_names_of_what_the_agent_did() -> None:
    mine = cut(BASE, AGENT, hunk(2), hunk(7), hunk(9))
    view = shown(mine, cut(MET, SETTLED, hunk(3), hunk(8)))
    assert [unit.id for unit in view.units] == [mine[0].id, mine[1].id]
    assert [unit.before for unit in view.units] == [LineRange(3, 1), LineRange(8, 1)]
    assert {unit.flags for unit in view.units} == {(UnitFlag.SENSITIVE,)}
    assert view.base_uri is not None
    assert view.base_uri.endswith(f"side=ours&id={MET.id}")
    assert view.proposed_uri is not None
    assert view.proposed_uri.endswith(f"side=settled&id={SETTLED.id}")


def test_the_last_name_stands_for_all_hunks_that_have_none_of_their_own() -> None:
    mine = cut(BASE, AGENT, hunk(2), hunk(7))
    view = shown(mine, cut(MET, SETTLED, hunk(3), hunk(8), hunk(12)))
    assert [unit.before for unit in view.units] == [LineRange(3, 1), LineRange(8, 5)]
    assert view.units[1].before_text == "8\n9\n10\n11\n12\n"


def test_a_settled_file_is_undecided_unless_all_of_it_is_decided_alike() -> None:
    mine = cut(BASE, AGENT, hunk(2), hunk(7))
    settled = cut(MET, SETTLED, hunk(3))
    names = [UnitId(unit.id) for unit in mine]
    part = shown(mine, settled, (names[0], Decision.ACCEPTED))
    both = shown(mine, settled, *((name, Decision.ACCEPTED) for name in names))
    assert part.units[0].decision is Decision.UNDECIDED
    assert both.units[0].decision is Decision.ACCEPTED


def test_one_unit_of_a_settled_file_chooses_all_of_them() -> None:
    mine = cut(BASE, AGENT, hunk(2), hunk(7))
    other = FileChange(ChangeKind.CREATE, b"g", b"g", None, AGENT)
    units = (*mine, *units_of("r_x", [other]))
    assert whole(units, {mine[1].id}, [RESOLUTION]) == {unit.id for unit in mine}
    assert whole(units, {units[2].id}, [RESOLUTION]) == {units[2].id}
    assert whole(units, {mine[1].id}, []) == {mine[1].id}
