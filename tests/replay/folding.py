"""One change cut at random into proposals, which are folded in any order, and looked at closely."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from random import Random
from typing import assert_never

from attrs import define, field, frozen

from sennit.adapters.git.changes import changes_between
from sennit.adapters.git.live import accepted_tree
from sennit.adapters.git.merges import merge_trees
from sennit.core.objects import Conflicted, Entry, GitFailed, Merged, MergeResult
from sennit.core.reconciliation import (
    AlreadyPresent,
    Clean,
    InConflict,
    MergeWanted,
    NoChanges,
    Proposed,
    Reconciled,
    reconcile,
)
from sennit.core.units import Unit, units_of, with_needs
from sennit_protocol.proposals import UnitKind
from tests.adapters.git.made_trees import AT, Executable, Files, Workbench, must, run_git

FEWEST, MOST = 2, 16
_OF_ORDER = ("given", "reversed", "shuffled")


@frozen
class Change:
    """Two trees and the units between them."""

    before: str
    after: str
    units: tuple[Unit, ...]
    files: int


async def change_between(bench: Workbench, before: Files, after: Files) -> Change:
    """Store two sets of files and cut what differs."""
    old, new = await bench.tree(before), await bench.tree(after)
    changes = must(await changes_between(bench.git, bench.store, old, new))
    return Change(old, new, units_of("r", changes), len(changes))


@define
class Figures:
    """What came out, added up."""

    folds: int = 0
    proposals: int = 0
    exact: int = 0
    in_conflict: list[str] = field(factory=list)
    wrong: list[str] = field(factory=list)
    merges: int = 0
    clean: int = 0
    conflicts: int = 0
    uncertain: int = 0
    differing: list[str] = field(factory=list)

    @property
    def of_folds(self) -> str:
        """What became of folds that should give exactly a tree."""
        return (
            f"{self.folds} folds of {self.proposals} proposals: {self.exact} exact,"
            f" {len(self.in_conflict)} with a conflict that git has too, {len(self.wrong)} wrong"
        )

    @property
    def of_merges(self) -> str:
        """How the merges compare with git's own."""
        return (
            f"{self.merges} merges: {self.clean} clean ({self.uncertain} uncertain),"
            f" {self.conflicts} in conflict, {len(self.differing)} differ from git"
        )


async def proposals_of(bench: Workbench, change: Change, random: Random) -> list[Proposed]:
    """Cut a change into 2 to 16 proposals: some files stay whole, others are dealt by hunk."""
    count = random.randint(FEWEST, MOST)
    dealt: list[set[str]] = [set() for _ in range(count)]
    whole: dict[bytes, int | None] = {}
    for unit in change.units:
        if unit.path not in whole:
            by_file = random.random() < 0.5
            whole[unit.path] = random.randrange(count) if by_file else None
        place = whole[unit.path]
        dealt[random.randrange(count) if place is None else place].add(unit.id)
    found: list[Proposed] = []
    for number, chosen in enumerate(dealt):
        units = with_needs(change.units, chosen)
        tree = must(await accepted_tree(bench.git, bench.store, change.before, change.units, units))
        found.append(Proposed(str(number), change.before, tree))
    return found


async def replay(bench: Workbench, change: Change, random: Random, figures: Figures) -> None:
    """Fold one cut of a change in three orders: each must give exactly the tree after it.

    A conflict is as wrong as another tree, but where git has the same one about the same trees.
    """
    proposals = await proposals_of(bench, change, random)
    for order in _OF_ORDER:
        ordered = list(proposals)
        if order == "reversed":
            ordered.reverse()
        elif order == "shuffled":
            random.shuffle(ordered)
        before = len(figures.differing)
        done = await _folded(bench, change.before, ordered, figures)
        figures.folds += 1
        figures.proposals += len(ordered)
        conflicts = [one for one in done.verdicts.values() if isinstance(one, InConflict)]
        others = [one for one in done.verdicts.values() if not isinstance(one, InConflict | _IsIn)]
        if done.tree == change.after and not conflicts and not others:
            figures.exact += 1
        elif conflicts and not others and len(figures.differing) == before:
            figures.in_conflict.append(_named(conflicts))
        else:
            figures.wrong.append(f"{order}: {done.tree}, {_named(conflicts)} {others}")


_IsIn = Clean | AlreadyPresent | NoChanges


def _named(conflicts: Sequence[InConflict]) -> str:
    found = {one.path for each in conflicts for one in each.conflicts}
    return ", ".join(path.decode("utf-8", "replace") for path in sorted(found))


async def replay_over_a_third_party(
    bench: Workbench, change: Change, random: Random, figures: Figures
) -> None:
    """Fold a cut of a change onto what somebody else did to the same files meanwhile."""
    theirs = await _third_party(bench, change, random)
    proposals = await proposals_of(bench, change, random)
    await _folded(bench, change.before, [Proposed("x", change.before, theirs), *proposals], figures)


async def _third_party(bench: Workbench, change: Change, random: Random) -> str:
    """Edit lines of the changed files, right where they changed and elsewhere."""
    files = dict(await bench.files(change.before))
    for unit in random.sample(change.units, min(len(change.units), 20)):
        content = files.get(unit.old_path)
        inner = content.content if isinstance(content, Executable) else content
        if not isinstance(inner, bytes) or b"\0" in inner or unit.kind is not UnitKind.HUNK:
            continue
        lines = inner.split(b"\n")
        near = unit.hunk.before_start if unit.hunk is not None and random.random() < 0.5 else None
        place = random.randrange(len(lines)) if near is None else near + random.randint(-3, 3)
        place = max(0, min(place, len(lines) - 1))
        match random.choice(("change", "insert", "delete", "double")):
            case "change":
                lines[place] += b" # somebody"
            case "insert":
                lines.insert(place, b"somebody = 1")
            case "delete":
                del lines[place]
            case _:
                lines.insert(place, lines[place])
        edited = b"\n".join(lines)
        files[unit.old_path] = Executable(edited) if isinstance(content, Executable) else edited
    return await bench.tree(files)


async def _folded(
    bench: Workbench, base: str, proposals: Sequence[Proposed], figures: Figures
) -> Reconciled:
    fold = reconcile(base, proposals)
    try:
        wanted = next(fold)
        while True:
            result = await merge_trees(
                bench.git, bench.store, wanted.base, wanted.ours, wanted.theirs, AT
            )
            compare(bench, wanted, result, figures)
            wanted = fold.send(result)
    except StopIteration as ended:
        done: Reconciled = ended.value
        return done


def compare(bench: Workbench, wanted: MergeWanted, result: MergeResult, figures: Figures) -> None:
    """Hold a merge against git's own in a repository of its own."""
    figures.merges += 1
    witness = merged_by_git(bench, wanted)
    match result:
        case Merged():
            figures.clean += 1
            figures.uncertain += bool(result.uncertain)
            same = bool(result.normalised) or witness == result.tree
        case Conflicted():
            figures.conflicts += 1
            levelled = bool(result.normalised) and isinstance(witness, GitsConflict)
            same = levelled or witness == conflict_of(result)
        case GitFailed():
            same = False
        case _:
            assert_never(result)
    if not same:
        figures.differing.append(f"{wanted}: {result} instead of {witness}")


@frozen
class GitsConflict:
    """A conflict by the paths that it is about, and the sides of them by their stages."""

    paths: frozenset[bytes]
    sides: frozenset[tuple[int, Entry]]


def conflict_of(result: Conflicted) -> GitsConflict:
    """Say in git's way what did not go together."""
    found = result.conflicts
    sides = {
        (stage, entry)
        for one in found
        for stage, entry in enumerate((one.base, one.ours, one.theirs), 1)
        if entry is not None
    }
    return GitsConflict(
        frozenset(path for one in found for path in (one.path, *one.paths)), frozenset(sides)
    )


def merged_by_git(bench: Workbench, wanted: MergeWanted) -> str | GitsConflict:
    """The tree of git's own merge, or what it says did not go together.

    Git takes attributes from a work tree, which holds those of ours here.
    """
    root, where = bench.store.root / "witness", bench.store.git_dir
    root.mkdir(exist_ok=True)
    listed = run_git(root, "ls-tree", "--name-only", wanted.ours, git_dir=where).split()
    rules = root / ".gitattributes"
    rules.unlink(missing_ok=True)
    if rules.name in listed:
        rules.write_text(run_git(root, "show", f"{wanted.ours}:{rules.name}", git_dir=where))
    parent = run_git(root, "commit-tree", wanted.base, "-m", "b", git_dir=where)
    sides = [
        run_git(root, "commit-tree", tree, "-p", parent, "-m", "s", git_dir=where)
        for tree in (wanted.ours, wanted.theirs)
    ]
    config = ("-c", "merge.directoryRenames=conflict", "-c", "merge.renameLimit=7000",
              f"--work-tree={root}")  # fmt: skip
    asked = ("merge-tree", "--write-tree", "-z", "--messages", *sides)
    try:
        return run_git(root, *config, *asked, git_dir=where).partition("\0")[0]
    except subprocess.CalledProcessError as error:
        if error.returncode == 1:
            return _gits(error.stdout, sides)
        raise


def _gits(output: bytes, sides: Sequence[str]) -> GitsConflict:
    """Read what ``merge-tree -z --messages`` prints of a conflict; names it made up are undone."""
    made_up = re.compile(f"~({'|'.join(sides)})(_[0-9]+)?\\Z".encode())
    _, *fields = output.split(b"\0")
    end = fields.index(b"")
    paths: set[bytes] = set()
    stages: set[tuple[int, Entry]] = set()
    for record in fields[:end]:
        described, _, path = record.partition(b"\t")
        mode, identity, stage = described.decode().split(" ")
        paths.add(made_up.sub(b"", path))
        stages.add((int(stage), Entry(int(mode, 8), identity)))
    said = iter(fields[end + 1 :])
    for count in said:
        if not count.isdigit():
            break
        named = [made_up.sub(b"", next(said)) for _ in range(int(count))]
        about, _ = next(said), next(said)
        paths.update(named if about.startswith(b"CONFLICT") else ())
    return GitsConflict(frozenset(paths), frozenset(stages))
