"""A snapshot of the live text with some of its files otherwise than git told of them."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve, field, frozen

from sennit.adapters.git.base import MESSAGE
from sennit.adapters.git.commits import commit_tree
from sennit.adapters.git.trees import write_tree
from sennit.core.objects import Entry, GitFailed, Snapshot
from sennit.server.repositories import Opened
from sennit.server.services import Services


@frozen
class Amended:
    """The live text with what an application has left; ``paths`` are those that it was amended at.

    Git tells of them otherwise than they are meant.
    """

    snapshot: Snapshot
    paths: frozenset[bytes] = field(factory=frozenset)


async def amended_at(
    services: Services,
    opened: Opened,
    live: Snapshot,
    changes: Mapping[bytes, Entry | None],
    at: int,
) -> Amended | GitFailed:
    """Amend as ``amended`` does; what was only removed is not among the paths."""
    snapshot = await amended(services, opened, live, changes, at)
    if isinstance(snapshot, GitFailed):
        return snapshot
    return Amended(snapshot, frozenset(path for path, entry in changes.items() if entry))


def unsaved_in(live: Snapshot) -> frozenset[bytes]:
    """Give the paths whose text is that of an editor, and not on the disk."""
    return frozenset(one.path for one in live.manifest.unsaved)


async def amended(
    services: Services,
    opened: Opened,
    live: Snapshot,
    changes: Mapping[bytes, Entry | None],
    at: int,
) -> Snapshot | GitFailed:
    """Set or remove (None) some paths of a snapshot."""
    if not changes:
        return live
    tree = await write_tree(services.git, opened.store, live.tree, changes)
    if isinstance(tree, GitFailed):
        return tree
    commit = await commit_tree(services.git, opened.store, tree, live.commit, at, MESSAGE)
    return commit if isinstance(commit, GitFailed) else evolve(live, commit=commit, tree=tree)
