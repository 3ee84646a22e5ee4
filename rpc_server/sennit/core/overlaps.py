"""Where pieces of work meet: the files that two of them change, and how near they come there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from attrs import frozen

from sennit.core.objects import ChangeKind, FileChange, Hunk
from sennit_protocol.overlap import OverlapKind


@frozen
class Work:
    """One piece of work by its changes, each under every path that it concerns.

    ``base`` is the tree that it began with: lines can be compared only where that is the same.
    ``revision`` is the one that it is, if it is one yet; ``holds`` are those that it began with:
    what is done on top of another's work is not in its way.
    """

    name: str
    repository: bytes
    base: str
    changes: Mapping[bytes, FileChange]
    revision: str | None = None
    holds: frozenset[str] = frozenset()

    def builds_on(self, other: Work) -> bool:
        """Whether it began with another one."""
        return other.revision in self.holds


@frozen
class Meeting:
    """One path that two pieces of work change; ``lines`` are those of the first that are met."""

    path: bytes
    kind: OverlapKind
    lines: tuple[Hunk, ...] = ()


@frozen
class Pair:
    """Two pieces of work, by their places in the list, and where they meet."""

    one: int
    other: int
    meetings: tuple[Meeting, ...]

    @property
    def weight(self) -> tuple[int, int]:
        """Sorts pairs: those that share most lines and files first."""
        near = sum(one.kind is not OverlapKind.SAME_FILE for one in self.meetings)
        return -near, -len(self.meetings)


def work_of(name: str, repository: bytes, base: str, changes: Sequence[FileChange]) -> Work:
    """Make a piece of work of its changes; a rename concerns two paths."""
    by_path = {path: change for change in changes for path in (change.old_path, change.path)}
    return Work(name, repository, base, by_path)


def pairs(works: Sequence[Work]) -> tuple[Pair, ...]:
    """Compare each with each; those that share no path, or build on each other, are left out."""
    by_path: dict[tuple[bytes, bytes], list[int]] = {}
    for place, work in enumerate(works):
        for path in work.changes:
            by_path.setdefault((work.repository, path), []).append(place)
    shared: dict[tuple[int, int], list[bytes]] = {}
    for (_, path), places in sorted(by_path.items()):
        for one, other in combinations(places, 2):
            if not (works[one].builds_on(works[other]) or works[other].builds_on(works[one])):
                shared.setdefault((one, other), []).append(path)
    found = [
        Pair(one, other, tuple(_meetings(works[one], works[other], paths)))
        for (one, other), paths in shared.items()
    ]
    return tuple(sorted(found, key=lambda pair: (pair.weight, pair.one, pair.other)))


def _meetings(one: Work, other: Work, paths: Sequence[bytes]) -> Iterator[Meeting]:
    for path in paths:
        mine, theirs = one.changes[path], other.changes[path]
        if not (_is_text(mine) and _is_text(theirs)):
            yield Meeting(path, OverlapKind.WHOLE_FILE)
            continue
        # Texts that differ at the start have other numbers of lines: then only the file is known.
        comparable = one.base == other.base or mine.before == theirs.before
        met = overlapping(mine.hunks, theirs.hunks) if comparable else ()
        yield Meeting(path, OverlapKind.LINES if met else OverlapKind.SAME_FILE, met)


def _is_text(change: FileChange) -> bool:
    return change.kind is ChangeKind.MODIFY and bool(change.hunks)


def overlapping(ours: Sequence[Hunk], theirs: Sequence[Hunk]) -> tuple[Hunk, ...]:
    """Give the hunks of ours that share lines of the base with theirs, or lie right beside them.

    Both are differences from one base, in order. Neighbours count, because git does not say in
    which order two changes at one place belong.
    """
    return tuple(hunk for hunk in ours if any(_meet(hunk, other) for other in theirs))


def _meet(one: Hunk, other: Hunk) -> bool:
    return (
        one.before_start <= other.before_start + other.before_count
        and other.before_start <= one.before_start + one.before_count
    )
