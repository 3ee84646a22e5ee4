"""Puts the unsaved text of open documents over the tree of what lies on the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve, frozen

from sennit.adapters.git.buffers import Edited, documents_inside, edited_documents
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.ignored import ignored_among
from sennit.adapters.git.stage import nul_ended
from sennit.adapters.git.trees import entries_at, write_tree
from sennit.core.objects import (
    MODE_EXECUTABLE,
    MODE_FILE,
    Entry,
    GitFailed,
    LeftOut,
    LeftOutReason,
    Unsaved,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sennit.adapters.git.base_plan import Plan
    from sennit.adapters.git.look import Look


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
    entries = await entries_at(look.git, look.store, tree, [one.path for one in edited])
    if isinstance(entries, GitFailed):
        return entries
    refused = await _not_to_take(look, edited, entries, plan)
    if isinstance(refused, GitFailed):
        return refused
    taken = [one for one in edited if one.path not in refused]
    written = await _write_documents(look, taken, entries)
    if isinstance(written, GitFailed):
        return written
    made = await write_tree(look.git, look.store, tree, written)
    if isinstance(made, GitFailed):
        return made
    return Buffers(
        made,
        tuple(Unsaved(one.path, one.version) for one in taken),
        tuple(reason for reason in refused.values() if reason is not None),
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


async def _not_to_take(
    look: Look, edited: Sequence[Edited], entries: Mapping[bytes, Entry], plan: Plan
) -> dict[bytes, LeftOut | None] | GitFailed:
    """Find documents that stay out: ignored ones, and those whose file was left out already."""
    known = {left.path for left in plan.left_out}
    refused: dict[bytes, LeftOut | None] = {one.path: None for one in edited if one.path in known}
    new = [one.path for one in edited if one.path not in entries and one.path not in known]
    if not new:
        return refused
    ignored = await ignored_among(look.git, look.place, new)
    if isinstance(ignored, GitFailed):
        return ignored
    for path in ignored:
        refused[path] = LeftOut(path, LeftOutReason.IGNORED, "an open document that git ignores")
    return refused


async def _write_documents(
    look: Look, taken: Sequence[Edited], entries: Mapping[bytes, Entry]
) -> dict[bytes, Entry | None] | GitFailed:
    """Store buffers through the clean filters, as ``git add`` would after saving them."""
    ready: dict[bytes, Entry | None] = {}
    for one in taken:
        answer = await look.git.run(
            ["hash-object", "-w", "--stdin", b"--path=" + one.path],
            look.place,
            stdin=one.content,
        )
        if isinstance(answer, GitFailed):
            return answer
        before = entries.get(one.path)
        executable = before is not None and before.mode == MODE_EXECUTABLE
        mode = MODE_EXECUTABLE if executable else MODE_FILE
        ready[one.path] = Entry(mode, answer.stdout.decode().strip())
    return ready
