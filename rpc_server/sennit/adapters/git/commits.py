"""Makes commits in the store and reads the little of them that the next one needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.git import IDENTITY, at_date
from sennit.adapters.git.inprocess import NotHere, Objects, with_objects
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from sennit.adapters.git.git import Git, Place
    from sennit.adapters.git.store import Store


_MOST_COMMITS = 256
_commits: dict[str, CommitFacts] = {}
"""What was read of commits, by id: HEAD is asked for with each snapshot."""


@frozen
class CommitFacts:
    """The tree of a commit and its committer's date, in seconds since 1970."""

    tree: str
    date: int


async def read_commit(git: Git, place: Place, commit: str) -> CommitFacts | GitFailed:
    """Read what a new commit on top of this one needs to know."""
    answer = await git.run(["cat-file", "commit", commit], place)
    if isinstance(answer, GitFailed):
        return answer
    facts = _facts(answer.stdout)
    if facts is None:
        return GitFailed(f"git cat-file commit {commit}", 0, "its answer ends in the middle")
    return facts


async def read_commit_in(
    git: Git, store: Store, place: Place, commit: str
) -> CommitFacts | GitFailed:
    """As ``read_commit``, in this process where the store holds the commit already.

    What was read once is not read again, and need not be there any more.
    """
    if known := _commits.get(commit):
        return known
    found = await with_objects(store, lambda objects: _facts(objects.read(commit)))
    if isinstance(found, NotHere) or found is None:
        return await read_commit(git, place, commit)
    if len(_commits) >= _MOST_COMMITS:
        _commits.clear()
    _commits[commit] = found
    return found


def _facts(content: bytes) -> CommitFacts | None:
    header, _, _ = content.partition(b"\n\n")
    tree, date = "", None
    for line in header.split(b"\n"):
        if line.startswith(b"tree "):
            tree = line[5:].decode()
        elif line.startswith(b"committer "):
            date = int(line.rsplit(b" ", 2)[1])
    return CommitFacts(tree, date) if tree and date is not None else None


async def commit_tree(
    git: Git, store: Store, tree: str, parent: str | None, date: int, message: bytes
) -> str | GitFailed:
    """Make a commit in the store and give its id; ``date`` is in seconds since 1970.

    A date before the parent's would make git walk the whole history to find a merge base.
    """
    content = _content(tree, parent, date, message)

    def work(objects: Objects) -> str:
        # A commit of a tree, or on one, that is not there must fail here, as it does with git.
        for needed in (tree,) if parent is None else (tree, parent):
            objects.read(needed)
        return objects.write_commit(content)

    written = await with_objects(store, work)
    if not isinstance(written, NotHere):
        return written
    on = () if parent is None else ("-p", parent)
    answer = await git.run(
        ["commit-tree", tree, *on],
        store.place,
        stdin=message or b"\n",
        env=at_date(date),
    )
    return answer if isinstance(answer, GitFailed) else answer.stdout.decode().strip()


def _content(tree: str, parent: str | None, date: int, message: bytes) -> bytes:
    who = f"{IDENTITY[0]} <{IDENTITY[1]}> {date} +0000"
    on = [] if parent is None else [f"parent {parent}"]
    lines = [f"tree {tree}", *on, f"author {who}", f"committer {who}", "", ""]
    return "\n".join(lines).encode() + (message or b"\n")
