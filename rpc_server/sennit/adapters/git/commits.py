"""Makes commits in the store and reads the little of them that the next one needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.git import at_date
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from sennit.adapters.git.git import Git, Place
    from sennit.adapters.git.store import Store


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
    header, _, _ = answer.stdout.partition(b"\n\n")
    tree, date = "", None
    for line in header.split(b"\n"):
        if line.startswith(b"tree "):
            tree = line[5:].decode()
        elif line.startswith(b"committer "):
            date = int(line.rsplit(b" ", 2)[1])
    if not tree or date is None:
        return GitFailed(f"git cat-file commit {commit}", 0, "its answer ends in the middle")
    return CommitFacts(tree, date)


async def commit_tree(
    git: Git, store: Store, tree: str, parent: str | None, date: int, message: bytes
) -> str | GitFailed:
    """Make a commit in the store and give its id; ``date`` is in seconds since 1970.

    A date before the parent's would make git walk the whole history to find a merge base.
    """
    on = () if parent is None else ("-p", parent)
    answer = await git.run(
        ["commit-tree", tree, *on],
        store.place,
        stdin=message or b"\n",
        env=at_date(date),
    )
    return answer if isinstance(answer, GitFailed) else answer.stdout.decode().strip()
