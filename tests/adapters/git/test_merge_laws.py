"""Laws that hold for every merge, over trees that hypothesis makes up."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sennit.adapters.git.resolving import Three, merge_resolved, side_held
from sennit.core.objects import ChangeKind, Conflicted, GitFailed, Merged
from sennit.core.reconciliation import (
    AlreadyPresent,
    Clean,
    InConflict,
    MergeFailed,
    NoChanges,
    Proposed,
)
from sennit.core.resolutions import Resolution
from sennit_protocol.conflicts import Side, Take
from tests.adapters.git.laws import LAWS, Lab, edited, trees, without_clashes
from tests.adapters.git.made_trees import AT, Content, Files, must, run_git


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
    assert_git_agrees(lab, base, data.draw(edited(base)), data.draw(edited(base)))


@LAWS
@given(st.data())
def test_merges_in_which_nothing_can_be_renamed_agree_with_git(
    lab: Lab, data: st.DataObject
) -> None:
    base = data.draw(trees())
    sides = []
    for _ in range(2):
        made = data.draw(edited(base))
        if data.draw(st.booleans()):
            # Nothing is removed, but a folder may take the place of a file.
            sides.append({**{name: made.get(name, base[name]) for name in base}, **made})
        else:
            sides.append({name: made[name] for name in base if name in made})
    assume(all(side == without_clashes(side) for side in sides))
    mine, other = sides
    assert_git_agrees(lab, base, mine, other)


RULES = st.sampled_from([b"* merge=union\n", b"* -merge\n", b"* !merge\n", b"e* merge=union\n"])
RULED = [b".gitattributes", b"d/.gitattributes", b"d/f/.gitattributes", b"g/.gitattributes"]
MET = [b"a", b"d/e", b"d/f/e", b"g/e"]
TEXTS: Files = {name: b"".join(b"%d %b\n" % (n, name) for n in range(5)) for name in MET}


@st.composite
def ruled(draw: st.DrawFn, base: Files, word: bytes) -> Files:
    """Let a side write its word at the begin of some files, move some, and change the rules."""
    files = dict(base)
    for name in draw(st.lists(st.sampled_from(MET), unique=True, min_size=2)):
        content = files.pop(name)
        assert isinstance(content, bytes)
        moved = draw(st.sampled_from([name, name, name, b"d/f/moved", b"moved"]))
        files[moved] = word + content
    return {**files, **draw(st.dictionaries(st.sampled_from(RULED), RULES, max_size=1))}


@LAWS
@given(st.data())
def test_merges_under_attributes_agree_with_git_in_a_work_tree_of_ours(
    lab: Lab, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    base = {**TEXTS, **data.draw(st.dictionaries(st.sampled_from(RULED), RULES, min_size=1))}
    mine, other = (data.draw(ruled(base, word)) for word in (b"mine\n", b"other\n"))
    folder = tmp_path_factory.mktemp("ours")
    where, index = lab.bench.store.git_dir, folder.with_suffix(".index")
    run_git(folder, "read-tree", lab.tree(mine), git_dir=where, index=index)
    in_folder = (f"--work-tree={folder}", "checkout-index", "-aq")
    run_git(folder, *in_folder, git_dir=where, index=index)
    assert_git_agrees(lab, base, mine, other, work_tree=folder)


def assert_git_agrees(
    lab: Lab, base: Files, mine: Files, other: Files, work_tree: Path | None = None
) -> None:
    b, o, t = (lab.tree(files) for files in (base, mine, other))
    assume(len({b, o, t}) == 3)
    ours = lab.merge(b, o, t)
    assume(isinstance(ours, GitFailed) or not ours.normalised)
    where = lab.bench.store.git_dir
    root = lab.bench.store.root
    parent = run_git(root, "commit-tree", b, "-m", "b", git_dir=where)
    sides = [
        run_git(root, "commit-tree", x, "-p", parent, "-m", "s", git_dir=where) for x in (o, t)
    ]
    config = ["-c", "merge.directoryRenames=conflict"]
    if work_tree is not None:
        config.append(f"--work-tree={work_tree}")
    asked = ("merge-tree", "--write-tree", *sides)
    printed = witnessed(work_tree or root, *config, *asked, git_dir=where)
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
