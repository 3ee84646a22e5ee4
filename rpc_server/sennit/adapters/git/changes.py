"""Differences of two trees, by git's histogram: files, renames, hunks, and whole patches.

Attributes are those of the newer tree, so that "binary" is what git's rule says. Nothing that is
configured can run: no textconv, no external program.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from attrs import evolve

from sennit.adapters.git.attributes import with_attributes
from sennit.adapters.git.raw_trees import raw_entry
from sennit.adapters.git.trees import changed_paths
from sennit.core.objects import (
    MODE_LINK,
    MODE_SUBMODULE,
    ChangeKind,
    FileChange,
    GitFailed,
    Hunk,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sennit.adapters.git.git import Config, Git, Place
    from sennit.adapters.git.store import Store

DIFF_CONFIG: Config = (
    ("diff.algorithm", "histogram"),
    ("diff.renameLimit", "7000"),
    ("diff.indentHeuristic", "true"),
    ("diff.interHunkContext", "0"),
    ("diff.suppressBlankEmpty", "false"),
    ("diff.submodule", "short"),
    ("diff.ignoreSubmodules", "none"),
    ("diff.noprefix", "false"),
    ("diff.mnemonicPrefix", "false"),
    ("diff.relative", "false"),
    ("diff.orderFile", ""),
    ("core.quotePath", "true"),
)
"""What the user may have configured otherwise must not change how a revision is cut."""

_NO_PROGRAMS = ("--no-ext-diff", "--no-textconv", "--no-color")
# A rename is found at half of the text, as git's default is; empty files are never renamed.
_RENAMES = ("-M50%", "--no-rename-empty")
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_SECTION = re.compile(rb"^diff --git ", re.MULTILINE)
_FIRST_HUNK = re.compile(rb"^@@ ", re.MULTILINE)
_WITHOUT_TEXT = frozenset({MODE_LINK, MODE_SUBMODULE})


async def changes_between(
    git: Git, store: Store, old: str, new: str
) -> tuple[FileChange, ...] | GitFailed:
    """Give every file that differs between two trees, with its hunks where it is text.

    Fails rather than leaving a file out: what git lists and what it prints must be as many.
    """
    if old == new:
        return ()
    place = await _with_attributes(git, store, old, new)
    if isinstance(place, GitFailed):
        return place
    args = ["diff-tree", "-r", "-z", "--raw", "--patch", "-U0", "--full-index"]
    done = await git.run(
        [*args, "--histogram", *_RENAMES, *_NO_PROGRAMS, old, new],
        place,
        config=DIFF_CONFIG + store.neutral,
    )
    return done if isinstance(done, GitFailed) else _parsed(done.stdout)


async def _with_attributes(git: Git, store: Store, old: str, new: str) -> Place | GitFailed:
    """Give the place of comparisons of two trees, with the attributes of the new one."""
    changed = await changed_paths(git, store, old, new)
    if isinstance(changed, GitFailed):
        return changed
    return await with_attributes(git, store, new, changed)


def _parsed(output: bytes) -> tuple[FileChange, ...] | GitFailed:
    changes, rest = _raw_records(output)
    starts = [found.start() for found in _SECTION.finditer(rest)]
    ends = [*starts[1:], len(rest)]
    sections = [rest[start:end] for start, end in zip(starts, ends, strict=True)]
    # A change of type is printed as a deletion and a creation.
    printed = sum(2 if change.kind is ChangeKind.TYPE else 1 for change in changes)
    if printed != len(sections):
        said = f"git listed {printed} parts and printed {len(sections)}"
        return GitFailed("git diff-tree", 0, said, "This is a bug; please report it.")
    described: list[FileChange] = []
    remaining = iter(sections)
    for change in changes:
        section = next(remaining)
        if change.kind is ChangeKind.TYPE:
            next(remaining)
        described.append(_described(change, section))
    return tuple(described)


def _raw_records(output: bytes) -> tuple[list[FileChange], bytes]:
    """Read the raw records; give them and the patch that follows."""
    changes: list[FileChange] = []
    position = 0
    while output[position : position + 1] == b":":
        end = output.index(b"\0", position)
        fields = output[position + 1 : end].split(b" ")
        status = fields[4]
        paths = 2 if status[:1] in {b"R", b"C"} else 1
        names: list[bytes] = []
        for _ in range(paths):
            start, end = end + 1, output.index(b"\0", end + 1)
            names.append(output[start:end])
        changes.append(_change(fields, names))
        position = end + 1
    # One NUL more ends the records when a patch follows.
    return changes, output[position:].removeprefix(b"\0")


_STATUS = {
    b"A": ChangeKind.CREATE,
    b"D": ChangeKind.DELETE,
    b"M": ChangeKind.MODIFY,
    b"R": ChangeKind.RENAME,
    b"T": ChangeKind.TYPE,
}


def _change(fields: Sequence[bytes], names: Sequence[bytes]) -> FileChange:
    status = fields[4]
    similarity = int(status[1:]) if status[1:].isdigit() else None
    return FileChange(
        kind=_STATUS[status[:1]],
        path=names[-1],
        old_path=names[0],
        before=raw_entry(fields[0], fields[2]),
        after=raw_entry(fields[1], fields[3]),
        similarity=similarity,
    )


def _described(change: FileChange, section: bytes) -> FileChange:
    """Add what the patch says: whether git takes it for binary, and the hunks of changed text."""
    first = _FIRST_HUNK.search(section)
    if first is None:
        return evolve(change, binary=b"\nBinary files " in section)
    sides = (change.before, change.after)
    if any(side is None or side.mode in _WITHOUT_TEXT for side in sides):
        return change
    if change.kind is ChangeKind.TYPE:
        return change
    return evolve(change, hunks=tuple(_hunks(section[first.start() :])))


def _hunks(body: bytes) -> Iterator[Hunk]:
    # Every line of text begins with a sign here, so "@@" at the start is git's own.
    for line in body.split(b"\n"):
        found = _HUNK.match(line)
        if found:
            before, after = (_span(found[1], found[2]), _span(found[3], found[4]))
            yield Hunk(*before, *after)


def _span(start: bytes, count: bytes | None) -> tuple[int, int]:
    """Read a range of lines; git counts from 1, and of an empty range names the line before."""
    length = 1 if count is None else int(count)
    return (int(start) - 1 if length else int(start)), length


async def renames_between(
    git: Git, store: Store, old: str, new: str
) -> dict[bytes, bytes] | GitFailed:
    """Give the files that were renamed between two trees: from their old to their new paths."""
    args = ["diff-tree", "-r", "-z", "--raw", "--full-index", "--diff-filter=R", *_RENAMES]
    done = await git.run([*args, old, new], store.place, config=DIFF_CONFIG + store.neutral)
    if isinstance(done, GitFailed):
        return done
    changes, _ = _raw_records(done.stdout)
    return {change.old_path: change.path for change in changes}


async def patch(git: Git, store: Store, old: str, new: str) -> bytes | GitFailed:
    """Write the difference as a patch with binary content, for ``git apply``."""
    place = await _with_attributes(git, store, old, new)
    if isinstance(place, GitFailed):
        return place
    args = ["diff-tree", "-r", "--patch", "--binary", "--full-index", "--histogram"]
    done = await git.run(
        [*args, *_RENAMES, *_NO_PROGRAMS, old, new], place, config=DIFF_CONFIG + store.neutral
    )
    return done if isinstance(done, GitFailed) else done.stdout
