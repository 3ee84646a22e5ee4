"""Files of a tree as git's own checkout writes them: line endings, encodings and filters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve, field, frozen

from sennit.adapters.git.changed_rules import under_rules
from sennit.adapters.git.files import remove_index
from sennit.adapters.git.git import DISPOSABLE
from sennit.adapters.git.scratch import scratch_name
from sennit.adapters.git.stage import nul_ended
from sennit.core.objects import Entry, GitFailed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sennit.adapters.git.discovery import Repository
    from sennit.adapters.git.git import Git, Place
    from sennit.adapters.git.raw_trees import Sides
    from sennit.adapters.git.store import Store

_RULES = b".gitattributes"


@frozen
class Source:
    """A tree, and the files of attributes that a change makes otherwise than they lie on the disk.

    They count instead of what lies there, and of the tree's own; None: there is none.
    """

    tree: str
    rules: Mapping[bytes, Entry | None] = field(factory=dict)


def rules_among(changed: Mapping[bytes, Sides]) -> dict[bytes, Entry | None]:
    """The files of attributes among what changes between two trees, as they are after it."""
    return {
        path: sides.after for path, sides in changed.items() if path.rpartition(b"/")[2] == _RULES
    }


async def check_out(
    git: Git,
    store: Store,
    repository: Repository,
    source: Source,
    folder: Path,
    paths: Sequence[bytes],
) -> GitFailed | None:
    """Write files as a checkout would, under a folder of ours.

    Filters that are configured run when the repository is trusted.
    """
    if not paths:
        return None
    async with under_rules(git, store, repository.work_tree, source.rules) as work_tree:
        if isinstance(work_tree, GitFailed):
            return work_tree
        place = store.over(repository.work_tree, store.scratch / scratch_name("index"))
        seen = evolve(place, cwd=work_tree, work_tree=work_tree)
        return await _checked_out(git, store, seen, source, folder, paths)


async def _checked_out(
    git: Git, store: Store, place: Place, source: Source, folder: Path, paths: Sequence[bytes]
) -> GitFailed | None:
    rules = [path for path in paths if path in source.rules]
    rest = [path for path in paths if path not in source.rules]
    written = ["checkout-index", "-f", "-z", f"--prefix={folder}/", "--stdin"]
    calls = (
        (["read-tree", source.tree], b""),
        (written, nul_ended(rules)),
        (["update-index", "-z", "--index-info"], _index_info(source)),
        (written, nul_ended(rest)),
    )
    try:
        for number, (args, stdin) in enumerate(calls):
            if number > 0 and not stdin:
                continue
            done = await git.run(args, place, stdin=stdin, config=DISPOSABLE + store.neutral)
            if isinstance(done, GitFailed):
                return done
    finally:
        if place.index_file is not None:
            remove_index(place.index_file)
    return None


def _index_info(source: Source) -> bytes:
    """Lines of ``git update-index --index-info``; the mode 0 removes a path."""
    none = Entry(0, "0" * len(source.tree))
    entries = ((path, entry or none) for path, entry in source.rules.items())
    return b"".join(b"%o %b\t%b\0" % (one.mode, one.id.encode(), path) for path, one in entries)
