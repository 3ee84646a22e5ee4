"""Laws that hold for every merge and every folding, over trees that hypothesis makes up."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from sennit.adapters.git.changes import changes_between
from sennit.adapters.git.live import AcceptedRevision, accepted_tree, fold_onto_live
from sennit.adapters.git.merges import merge_trees
from sennit.adapters.git.resolving import Three, merge_resolved, side_held
from sennit.core.objects import ChangeKind, Conflicted, FileChange, GitFailed, Merged, MergeResult
from sennit.core.reconciliation import (
    AlreadyPresent,
    Clean,
    InConflict,
    MergeFailed,
    MergeWanted,
    NoChanges,
    Proposed,
    Reconciled,
    reconcile,
    run_with,
)
from sennit.core.resolutions import Resolution
from sennit.core.text import git_lines
from sennit.core.units import units_of, with_needs
from sennit_protocol.proposals import Side, Take, UnitKind
from tests.adapters.git.made_trees import (
    AT,
    Content,
    Executable,
    Files,
    Link,
    Workbench,
    must,
    run_git,
    workbench,
)

LAWS = settings(
    max_examples=20,
    deadline=None,
    # Trees that happen to be equal are passed over, and some seeds draw many of them.
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
    ],
)
NAMES = [b"a", b"b", b"d/e", b"d/f", b"new\nline", b'q"\xff', "😀".encode(), b"empty"]
"""Few names, so that trees meet; ``a/x`` and ``d`` below make files of folders and back."""

SWAPPED = {b"a": b"a/x", b"d/e": b"d", b"d/f": b"d/f/deep"}
LINE = st.sampled_from([b"1\n", b"2\n", b"3\r\n", b"4\n", b"\n", b"5\xff\n", b"6\n"])
TEXT = st.builds(
    lambda lines, end: b"".join(lines) + end,
    st.lists(LINE, max_size=7),
    st.sampled_from([b"", b"", b"no newline"]),
)
CONTENT: st.SearchStrategy[Content] = st.one_of(
    TEXT,
    TEXT,
    st.sampled_from([b"", b"\0binary", b"\0other", Link(b"a"), Link(b"b"), Executable(b"#!\n")]),
)


@st.composite
def trees(draw: st.DrawFn) -> Files:
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=len(NAMES)))
    return _without_clashes({name: draw(CONTENT) for name in names})


@st.composite
def edited(draw: st.DrawFn, base: Files) -> Files:
    """Edit a tree as an agent would: some files changed, gone, new, moved, or made folders."""
    files = dict(base)
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=4)):
        action = draw(st.sampled_from(["set", "edit", "edit", "remove", "move", "swap"]))
        content = files.pop(name, None)
        match action, content:
            case "set", _:
                files[name] = draw(CONTENT)
            case "edit", bytes():
                files[name] = _edit(draw, content)
            case "move", bytes() | Link() | Executable():
                files[name + b".moved"] = content
            case "swap", bytes() | Link() | Executable() if name in SWAPPED:
                files[SWAPPED[name]] = content
            case _:
                pass
    return _without_clashes(files)


def _edit(draw: st.DrawFn, content: bytes) -> bytes:
    lines = content.split(b"\n")
    place = draw(st.integers(0, len(lines) - 1))
    lines[place : place + draw(st.integers(0, 2))] = [draw(st.sampled_from([b"x", b"y", b"z\r"]))]
    return b"\n".join(lines)


def _without_clashes(files: Files) -> Files:
    return {
        path: content
        for path, content in files.items()
        if not any(other.startswith(path + b"/") for other in files)
    }


@pytest.fixture(scope="module")
def portal() -> Iterator[BlockingPortal]:
    with start_blocking_portal("asyncio") as portal:
        yield portal


class Lab:
    """The engine, called from tests without a loop."""

    def __init__(self, portal: BlockingPortal, bench: Workbench) -> None:
        self.portal = portal
        self.bench = bench

    def tree(self, files: Files) -> str:
        return self.portal.call(self.bench.tree, files)

    def files(self, tree: str) -> Files:
        return self.portal.call(self.bench.files, tree)

    def merge(self, base: str, ours: str, theirs: str) -> MergeResult:
        bench = self.bench
        return self.portal.call(merge_trees, bench.git, bench.store, base, ours, theirs, AT)

    def changes(self, old: str, new: str) -> tuple[FileChange, ...]:
        bench = self.bench
        return must(self.portal.call(changes_between, bench.git, bench.store, old, new))

    def reconcile(self, base: str, proposals: list[Proposed]) -> Reconciled:
        def merge(wanted: MergeWanted) -> MergeResult:
            return self.merge(wanted.base, wanted.ours, wanted.theirs)

        return run_with(reconcile(base, proposals), merge)


@pytest.fixture(scope="module")
def lab(portal: BlockingPortal, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    return Lab(portal, portal.call(workbench, tmp_path_factory.mktemp("laws")))


@LAWS
@given(st.data())
def test_merging_nothing_changes_nothing(lab: Lab, data: st.DataObject) -> None:
    base = data.draw(trees())
    b, x = lab.tree(base), lab.tree(data.draw(edited(base)))
    assert lab.merge(b, b, x) == Merged(x)
    assert lab.merge(b, x, b) == Merged(x)
    assert lab.merge(b, x, x) == Merged(x)


@LAWS
@given(st.data())
def test_clean_merges_agree_with_git_in_a_repository_of_its_own(
    lab: Lab, data: st.DataObject
) -> None:
    base = data.draw(trees())
    b, o, t = (
        lab.tree(files) for files in (base, data.draw(edited(base)), data.draw(edited(base)))
    )
    assume(len({b, o, t}) == 3)
    ours = lab.merge(b, o, t)
    assume(isinstance(ours, GitFailed) or not ours.normalised)
    where = lab.bench.store.git_dir
    root = lab.bench.store.root
    parent = run_git(root, "commit-tree", b, "-m", "b", git_dir=where)
    sides = [
        run_git(root, "commit-tree", x, "-p", parent, "-m", "s", git_dir=where) for x in (o, t)
    ]
    config = ("-c", "merge.directoryRenames=conflict")
    printed = witnessed(root, *config, "merge-tree", "--write-tree", *sides, git_dir=where)
    match ours:
        case Merged():
            assert printed == ours.tree
        case Conflicted():
            assert printed is None
        case GitFailed():
            pytest.fail(ours.stderr)


def witnessed(cwd: Path, *args: str, git_dir: Path) -> str | None:
    """Ask git for a merge; None where it finds a conflict."""
    try:
        return run_git(cwd, *args, git_dir=git_dir)
    except subprocess.CalledProcessError as error:
        if error.returncode == 1:
            return None
        raise


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
def test_a_proposal_alone_gives_exactly_its_tree(lab: Lab, data: st.DataObject) -> None:
    base = data.draw(trees())
    b, p = lab.tree(base), lab.tree(data.draw(edited(base)))
    done = lab.reconcile(b, [Proposed("1", b, p)])
    assert done.tree == p
    assert done.verdicts["1"] == (NoChanges() if b == p else Clean(b, p))


@LAWS
@given(st.data())
def test_the_tree_is_the_sequential_application_of_what_went_in(
    lab: Lab, data: st.DataObject
) -> None:
    base = data.draw(trees())
    b = lab.tree(base)
    proposals = [Proposed(str(n), b, lab.tree(data.draw(edited(base)))) for n in range(3)]
    done = lab.reconcile(b, proposals)
    assert done == lab.reconcile(b, proposals)
    tree = b
    for proposal in proposals:
        match done.verdicts[proposal.id]:
            case Clean(before, after):
                assert before == tree
                assert lab.merge(b, tree, proposal.tree) == Merged(
                    after,
                    done.verdicts[proposal.id].uncertain,  # type: ignore[union-attr]
                    done.verdicts[proposal.id].normalised,  # type: ignore[union-attr]
                )
                tree = after
            case InConflict(conflicts):
                assert conflicts
            case MergeFailed(failure):
                pytest.fail(failure.stderr)
            case _:
                pass
    assert done.tree == tree


@LAWS
@given(st.data())
def test_the_same_proposal_again_is_already_present(lab: Lab, data: st.DataObject) -> None:
    base = data.draw(trees())
    b = lab.tree(base)
    p, q = (lab.tree(data.draw(edited(base))) for _ in range(2))
    assume(p != b)
    done = lab.reconcile(b, [Proposed("1", b, p), Proposed("2", b, q), Proposed("3", b, p)])
    assert done.verdicts["3"] == AlreadyPresent()


@LAWS
@given(st.data())
def test_disjoint_proposals_commute_when_neither_renames(lab: Lab, data: st.DataObject) -> None:
    base = data.draw(trees())
    b = lab.tree(base)
    p, q = (lab.tree(data.draw(edited(base))) for _ in range(2))
    changes = [lab.changes(b, tree) for tree in (p, q)]
    assume(not any(one.kind is ChangeKind.RENAME for side in changes for one in side))
    tops = [{one.path.split(b"/")[0] for one in side} for side in changes]
    assume(not tops[0] & tops[1])
    one = lab.reconcile(b, [Proposed("p", b, p), Proposed("q", b, q)])
    other = lab.reconcile(b, [Proposed("q", b, q), Proposed("p", b, p)])
    if any(isinstance(verdict, InConflict) for verdict in one.verdicts.values()):
        # A rename that only the pair of deletion and creation makes up.
        return
    assert one.tree == other.tree


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


# Most trees that are made up do not collide, and those that do not are passed over.
@settings(LAWS, max_examples=6)
@given(st.data())
def test_a_side_settles_whatever_is_in_conflict_and_nothing_else(
    lab: Lab, data: st.DataObject
) -> None:
    base = data.draw(trees())
    sides = (base, data.draw(edited(base)), data.draw(edited(base)))
    three = Three(*(lab.tree(files) for files in sides))
    attempt = lab.merge(three.base, three.ours, three.theirs)
    assume(isinstance(attempt, Conflicted))
    assert isinstance(attempt, Conflicted)
    bench, side = lab.bench, data.draw(st.sampled_from(list(Side)))
    known = []
    for conflict in attempt.conflicts:
        held = must(lab.portal.call(side_held, bench.git, bench.store, three, conflict, side))
        known.append(Resolution(conflict, Take(side.value), held))
    result = lab.portal.call(merge_resolved, bench.git, bench.store, three, AT, known)
    assert isinstance(result, Merged), result
    about = {path for one in attempt.conflicts for path in (one.path, *one.paths)}
    settled, given_up = lab.files(result.tree), lab.files(attempt.tree)
    touched = {path for path in {*settled, *given_up} if settled.get(path) != given_up.get(path)}
    for path in touched - set(attempt.aside):
        assert any(path == one or path.startswith(one + b"/") for one in about), path
    contents = {_bytes_of(one) for files in sides for one in files.values()}
    if side is not Side.BASE and all(one.regions == () for one in attempt.conflicts):
        assert {_bytes_of(one) for one in settled.values()} - contents <= {
            _bytes_of(one) for one in given_up.values()
        }


def _bytes_of(content: Content) -> object:
    return content if isinstance(content, bytes) else repr(content)


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
