"""Laws of units that are accepted and folded, over trees that hypothesis makes up."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from sennit.adapters.git.live import AcceptedRevision, accepted_tree, fold_onto_live
from sennit.core.objects import Merged
from sennit.core.text import git_lines
from sennit.core.units import units_of, with_needs
from sennit_protocol.proposals import UnitKind
from tests.adapters.git.laws import LAWS, Lab, edited, trees
from tests.adapters.git.made_trees import AT, Content, Executable, must


@LAWS
@given(st.data())
def test_units_that_are_all_accepted_give_exactly_the_tree(lab: Lab, data: st.DataObject) -> None:
    base = data.draw(trees())
    b, p = lab.tree(base), lab.tree(data.draw(edited(base)))
    units = units_of("r", lab.changes(b, p))
    everything = frozenset(unit.id for unit in units)
    bench = lab.bench
    assert lab.portal.call(accepted_tree, bench.git, bench.store, b, units, everything) == p
    assert lab.portal.call(accepted_tree, bench.git, bench.store, b, units, frozenset()) == b


@LAWS
@given(st.data())
def test_any_closed_choice_of_units_is_a_tree_that_the_rest_completes(
    lab: Lab, data: st.DataObject
) -> None:
    base = data.draw(trees())
    b, p = lab.tree(base), lab.tree(data.draw(edited(base)))
    units = units_of("r", lab.changes(b, p))
    assume(units)
    some = data.draw(st.sets(st.sampled_from([unit.id for unit in units])))
    chosen = with_needs(units, some)
    bench = lab.bench
    tree = must(lab.portal.call(accepted_tree, bench.git, bench.store, b, units, chosen))
    # Every part of the choice is on the way from the base to the proposal, so that both merges
    # with the proposal's own tree have nothing to argue about.
    result = lab.merge(b, tree, p)
    if isinstance(result, Merged):
        assert result.tree == p


@LAWS
@given(st.data())
def test_folding_everything_onto_the_base_gives_the_proposal(lab: Lab, data: st.DataObject) -> None:
    base = data.draw(trees())
    b, p = lab.tree(base), lab.tree(data.draw(edited(base)))
    units = units_of("r", lab.changes(b, p))
    revision = AcceptedRevision(b, units, frozenset(unit.id for unit in units))
    bench = lab.bench
    folded = must(lab.portal.call(fold_onto_live, bench.git, bench.store, b, [revision], AT))
    assert folded.tree == p
    assert set(folded.applied) == revision.accepted


@LAWS
@given(st.data())
def test_bytes_outside_the_accepted_hunks_are_those_of_the_base(
    lab: Lab, data: st.DataObject
) -> None:
    base = data.draw(trees())
    b, p = lab.tree(base), lab.tree(data.draw(edited(base)))
    changes = lab.changes(b, p)
    units = units_of("r", changes)
    hunks = [unit.id for unit in units if unit.kind is UnitKind.HUNK]
    assume(hunks)
    chosen = with_needs(units, data.draw(st.sets(st.sampled_from(hunks))))
    bench = lab.bench
    tree = must(lab.portal.call(accepted_tree, bench.git, bench.store, b, units, chosen))
    before, after, whole = lab.files(b), lab.files(tree), lab.files(p)
    for path in {unit.path for unit in units if unit.kind is UnitKind.HUNK}:
        mine = [unit for unit in units if unit.path == path and unit.id in chosen]
        if any(unit.kind is not UnitKind.HUNK for unit in units if unit.path == path):
            continue
        old, new, got = (git_lines(_inner(files[path])) for files in (before, whole, after))
        expected, position = [], 0
        for hunk in (unit.hunk for unit in mine if unit.hunk is not None):
            expected += old[position : hunk.before_start]
            expected += new[hunk.after_start : hunk.after_start + hunk.after_count]
            position = hunk.before_start + hunk.before_count
        assert got == git_lines(b"".join([*expected, *old[position:]]))
    untouched = set(before) - {path for unit in units for path in (unit.path, unit.old_path)}
    assert {path: after[path] for path in untouched} == {path: before[path] for path in untouched}


def _inner(content: Content) -> bytes:
    if isinstance(content, Executable):
        return content.content
    assert isinstance(content, bytes)
    return content


@LAWS
@given(st.data())
def test_every_accepted_unit_is_accounted_for_once(lab: Lab, data: st.DataObject) -> None:
    base = data.draw(trees())
    b = lab.tree(base)
    p, live = (lab.tree(data.draw(edited(base))) for _ in range(2))
    units = units_of("r", lab.changes(b, p))
    chosen = data.draw(st.sets(st.sampled_from([unit.id for unit in units] or ["none"])))
    accepted = frozenset(chosen) & {unit.id for unit in units}
    bench = lab.bench
    folded = must(
        lab.portal.call(
            fold_onto_live, bench.git, bench.store, live, [AcceptedRevision(b, units, accepted)], AT
        )
    )
    told = [*folded.applied, *folded.already, *folded.conflicts, *folded.unmet]
    assert sorted(told) == sorted(accepted)
