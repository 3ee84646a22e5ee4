"""Finds what may differ in a workspace that is a layer, from outside and without its lower layer.

Git compares what the upper layer has, hides or removes with an index that names no more than that,
and of each folder there what decides how git reads it. So a capture costs what was changed, needs
no mount, and works after a crash.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from sennit.adapters.git.files import in_thread, read_if_there
from sennit.adapters.git.index_file import written_index
from sennit.adapters.git.index_tags import skipped_in
from sennit.adapters.git.out_of_view import back_in_view
from sennit.adapters.git.raw_trees import REGULAR
from sennit.adapters.git.records import begun_file, index_file
from sennit.adapters.git.trees import files_at, in_folders
from sennit.adapters.git.upper import look_at_upper
from sennit.core.objects import Entry, GitFailed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sennit.adapters.git.git import Git, Place
    from sennit.adapters.git.raw_trees import Folders
    from sennit.adapters.git.store import Store
    from sennit.adapters.git.upper import Upper
    from sennit.adapters.git.workspace import Workspace

_RULES = (b".gitattributes", b".gitignore")


async def index_upper(
    git: Git, store: Store, place: Place, workspace: Workspace
) -> GitFailed | None:
    """Write the index of ``place``, whose work tree is the upper layer of a workspace."""
    upper = await in_thread("look at a layer", look_at_upper, os.fsencode(str(place.work_tree)))
    if isinstance(upper, GitFailed):
        return upper
    # The index that it began with knows what lies in no layer, being outside the sparse patterns.
    plain = evolve(place, index_file=index_file(store, workspace.name))
    absent = await _outside_the_patterns(git, store, plain)
    if isinstance(absent, GitFailed):
        return absent
    gone = await back_in_view(git, store, workspace, sorted(absent))
    if isinstance(gone, GitFailed):
        return gone
    absent -= gone
    begun = await in_thread("look at a layer", read_if_there, begun_file(store, workspace.name))
    if isinstance(begun, GitFailed):
        return begun
    written = tuple((begun or b"").split(b"\0")[:-1])
    known = await in_folders(
        git,
        store,
        workspace.tree,
        lambda folders: _known(folders, upper, (*written, *gone), absent),
    )
    if isinstance(known, GitFailed):
        return known
    content = written_index(known.entries, store.object_format, known.not_here)
    done = await in_thread("write an index", _write, str(place.index_file), content)
    return done if isinstance(done, GitFailed) else None


def _write(file: str, content: bytes) -> None:
    with open(file, "wb") as opened:  # noqa: PTH123  a place names its index as it likes
        opened.write(content)


async def _outside_the_patterns(
    git: Git, store: Store, place: Place
) -> frozenset[bytes] | GitFailed:
    if not (store.git_dir / "info" / "sparse-checkout").exists():
        return frozenset()
    skipped = await skipped_in(git, place)
    return skipped if isinstance(skipped, GitFailed) else frozenset(skipped)


@frozen
class _Known:
    """Entries of an index; those that are ``not_here`` lie in the lower layer as they were."""

    entries: dict[bytes, Entry]
    not_here: frozenset[bytes]


def _known(
    folders: Folders, upper: Upper, written: tuple[bytes, ...], absent: frozenset[bytes]
) -> _Known:
    """Give what may be otherwise than in the lower layer, and what tells git how to read it.

    ``written`` is what the upper layer began with. What is ``absent`` counts only once there is
    something.
    """
    removed = files_at(folders, (*upper.whiteouts, *upper.folders, *written))
    for path in upper.hiding:
        removed |= folders.files_below(path)
    differing = {path: entry for path, entry in removed.items() if path not in absent}
    differing |= files_at(folders, upper.files)
    beside = dict(_beside(folders, (b"", *upper.folders)))
    return _Known(beside | differing, frozenset(beside.keys() - differing.keys()))


def _beside(folders: Folders, paths: tuple[bytes, ...]) -> Iterator[tuple[bytes, Entry]]:
    """Give the rules in each folder, and one file: git treats a folder with none in another way."""
    for path in paths:
        above = path + b"/" if path else b""
        rules = files_at(folders, [above + name for name in _RULES])
        # One that is a link says nothing on a disk; of an index its text would be read.
        yield from ((name, entry) for name, entry in rules.items() if entry.mode in REGULAR)
        others = (one for one in folders.files_below(path) if not one[0].endswith(_RULES))
        one = next(others, None)
        if one is not None:
            yield one
