"""The last commit alone as a base, without anything that is not committed."""

from __future__ import annotations

from sennit.adapters.git.commits import commit_tree, read_commit
from sennit.adapters.git.discovery import Repository
from sennit.adapters.git.git import Git
from sennit.adapters.git.store import Store, refresh
from sennit.core.objects import GitFailed, Manifest, Snapshot

_NO_COMMIT = 1
_UNBORN_DATE = 946_684_800


async def read_head(git: Git, repository: Repository) -> Manifest | GitFailed:
    """Where HEAD points now: its commit, its branch."""
    commit = await git.run(
        ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"],
        repository.place,
        accept=(0, _NO_COMMIT),
    )
    if isinstance(commit, GitFailed):
        return commit
    branch = await git.run(
        ["symbolic-ref", "--quiet", "--short", "HEAD"], repository.place, accept=(0, _NO_COMMIT)
    )
    if isinstance(branch, GitFailed):
        return branch
    return Manifest(
        head=commit.stdout.decode().strip() or None, branch=branch.stdout.strip() or None
    )


async def head_snapshot(git: Git, store: Store, repository: Repository) -> Snapshot | GitFailed:
    """The last commit as a snapshot; before the first commit an empty tree."""
    head = await read_head(git, repository)
    if isinstance(head, GitFailed):
        return head
    fresh = await refresh(git, store, repository)
    if isinstance(fresh, GitFailed):
        return fresh
    if head.head is None:
        return await _empty(git, fresh, head)
    facts = await read_commit(git, fresh.place, head.head)
    if isinstance(facts, GitFailed):
        return facts
    return Snapshot(head.head, facts.tree, head)


async def _empty(git: Git, store: Store, head: Manifest) -> Snapshot | GitFailed:
    tree = await git.run(["hash-object", "-t", "tree", "-w", "--stdin"], store.place, stdin=b"")
    if isinstance(tree, GitFailed):
        return tree
    name = tree.stdout.decode().strip()
    commit = await commit_tree(git, store, name, None, _UNBORN_DATE, b"Nothing yet\n")
    return commit if isinstance(commit, GitFailed) else Snapshot(commit, name, head)
