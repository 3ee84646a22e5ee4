"""Puts the unsaved text of open documents over the tree of what lies on the disk."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from attrs import evolve, frozen

from sennit.adapters.git.buffers import (
    NO_PLACE,
    Edited,
    documents_inside,
    edited_documents,
)
from sennit.adapters.git.disk import why_not_untracked
from sennit.adapters.git.disk_tree import Differing, DiskTree, tree_of_disk
from sennit.adapters.git.files import in_thread, make_private_folder, remove_index
from sennit.adapters.git.ignored import ignored_among
from sennit.adapters.git.stage import nul_ended
from sennit.adapters.git.trees import files_at, in_folders
from sennit.core.objects import (
    MODE_EXECUTABLE,
    MODE_SUBMODULE,
    Entry,
    GitFailed,
    LeftOut,
    LeftOutReason,
    Unsaved,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from sennit.adapters.git.base_plan import Plan
    from sennit.adapters.git.look import Look
    from sennit.adapters.git.raw_trees import Folders

_PROGRAM = 0o755
_IN_A_SUBMODULE = "an open document of a submodule; the commit that this is at was taken"


@frozen
class Buffers:
    """The tree with the unsaved text; what the snapshot took, and what it left out and why."""

    tree: str
    taken: tuple[Unsaved, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


async def stage_documents(look: Look, plan: Plan, tree: str) -> Buffers | GitFailed:
    """Compare the open documents with the disk, whose tree is ``tree``; take what differs."""
    if not look.documents:
        return Buffers(tree)
    inside = await in_thread("find open documents", documents_inside, look.root, look.documents)
    if isinstance(inside, GitFailed):
        return inside
    return await _stage_inside(evolve(look, documents=inside), plan, tree)


async def _stage_inside(look: Look, plan: Plan, tree: str) -> Buffers | GitFailed:
    attributes = await _encodings(look)
    if isinstance(attributes, GitFailed):
        return attributes
    compared = await in_thread(
        "compare open documents",
        edited_documents,
        look.root,
        look.documents,
        look.elsewhere,
        attributes,
    )
    if isinstance(compared, GitFailed):
        return compared
    edited, left_out = compared
    if not edited:
        return Buffers(tree, left_out=left_out)
    taken = await _take(look, plan, tree, edited)
    return (
        taken if isinstance(taken, GitFailed) else evolve(taken, left_out=left_out + taken.left_out)
    )


async def _take(look: Look, plan: Plan, tree: str, edited: Sequence[Edited]) -> Buffers | GitFailed:
    paths = [one.path for one in edited]
    places = await in_folders(look.git, look.store, tree, lambda folders: _places(folders, paths))
    if isinstance(places, GitFailed):
        return places
    refused = await _not_to_take(look, edited, places, plan)
    if isinstance(refused, GitFailed):
        return refused
    taken = [one for one in edited if one.path not in refused]
    made = await _put_over(look, tree, taken, places)
    if isinstance(made, GitFailed):
        return made
    left_out = *(why for why in refused.values() if why is not None), *made.refused
    known = {one.path for one in left_out}
    return Buffers(
        made.tree,
        tuple(Unsaved(one.path, one.version) for one in taken if one.path not in known),
        left_out,
    )


async def _encodings(look: Look) -> dict[bytes, str] | GitFailed:
    """Ask git which documents have a ``working-tree-encoding``."""
    names = nul_ended(document.path for document in look.documents)
    answer = await look.git.run(
        ["check-attr", "-z", "--stdin", "working-tree-encoding"], look.place, stdin=names
    )
    if isinstance(answer, GitFailed):
        return answer
    fields = answer.stdout.split(b"\0")
    return {
        path: value.decode("ascii", "replace")
        for path, value in zip(fields[::3], fields[2::3], strict=False)
        if value not in {b"unspecified", b"unset", b"set", b""}
    }


@frozen
class _Places:
    """What a tree has at the paths of documents, and those that have no place in it, and why."""

    entries: Mapping[bytes, Entry]
    none: Mapping[bytes, LeftOut]


def _places(folders: Folders, paths: Sequence[bytes]) -> _Places:
    none = ((path, _why_no_place(folders, path, paths)) for path in paths)
    return _Places(files_at(folders, paths), {path: why for path, why in none if why is not None})


def _why_no_place(folders: Folders, path: bytes, paths: Sequence[bytes]) -> LeftOut | None:
    above = [path[:at] for at in range(len(path)) if path[at : at + 1] == b"/"]
    entries = files_at(folders, above).values()
    if any(entry.mode == MODE_SUBMODULE for entry in entries):
        return LeftOut(path, LeftOutReason.IN_A_SUBMODULE, _IN_A_SUBMODULE)
    if entries or folders.items(path) or not set(above).isdisjoint(paths):
        return LeftOut(path, LeftOutReason.UNREADABLE, NO_PLACE)
    return None


async def _not_to_take(
    look: Look, edited: Sequence[Edited], places: _Places, plan: Plan
) -> dict[bytes, LeftOut | None] | GitFailed:
    """Find documents that stay out; None stands for a reason that was told of the file already."""
    refused: dict[bytes, LeftOut | None] = dict(places.none)
    refused |= {path: None for one in plan.left_out for path in _below(one, edited)}
    new = [one for one in edited if one.path not in places.entries and one.path not in refused]
    for one in new:
        why = why_not_untracked(one.path, len(one.content), look.limits.untracked_file)
        if why is not None:
            refused[one.path] = why
    asked = [one.path for one in new if one.path not in refused]
    if not asked:
        return refused
    ignored = await ignored_among(look.git, look.place, asked)
    if isinstance(ignored, GitFailed):
        return ignored
    for path in ignored:
        refused[path] = LeftOut(path, LeftOutReason.IGNORED, "an open document that git ignores")
    return refused


def _below(left_out: LeftOut, edited: Sequence[Edited]) -> Iterator[bytes]:
    """Give the documents that are what was left out, or lie in it."""
    for one in edited:
        if one.path == left_out.path or one.path.startswith(left_out.path + b"/"):
            yield one.path


async def _put_over(
    look: Look, tree: str, taken: Sequence[Edited], places: _Places
) -> DiskTree | GitFailed:
    """Have git read the texts from a folder of their own, as it would after saving them."""
    if not taken:
        return DiskTree(tree, ())
    folder = look.index.with_name(f"{look.index.name}.unsaved")
    index = folder.with_name(f"{folder.name}.index")
    place = evolve(look.place, cwd=folder, work_tree=folder, index_file=index)
    try:
        laid = await in_thread("write unsaved text", _lay_out, folder, taken, places)
        if isinstance(laid, GitFailed):
            return laid
        paths = tuple(one.path for one in taken)
        return await tree_of_disk(look.git, look.store, place, Differing(tree, {}, paths, {}))
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(_clear_away, folder, index)


def _lay_out(folder: Path, taken: Sequence[Edited], places: _Places) -> None:
    make_private_folder(folder)
    for one in taken:
        file = folder / os.fsdecode(one.path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(one.content)
        entry = places.entries.get(one.path)
        if entry is not None and entry.mode == MODE_EXECUTABLE:
            file.chmod(_PROGRAM)


def _clear_away(folder: Path, index: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    remove_index(index)
