"""Names that change their case alone, on a disk that takes both spellings for one name.

There a look at the new name finds what lies at the old one, and the other way. What was found
belongs to the one of the two that it is meant for; where both are to hold the same, to the one
that is spelled as the disk spells it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sennit.adapters.git.disk import below
from sennit.adapters.git.disk_abilities import tells_case_apart
from sennit.adapters.git.work_tree_files import look
from sennit.core.disk_application import OnDisk
from sennit.core.names import folded
from sennit.core.units import parents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sennit.adapters.git.raw_trees import Sides
    from sennit.adapters.git.work_tree_files import Found
    from sennit.core.disk_application import Intention, Step


def giving_way(work_tree: bytes, plan: Mapping[bytes, Sides]) -> frozenset[bytes]:
    """Give the new paths at which nothing lies but what goes away under another spelling."""
    going = {folded(path): path for path, sides in plan.items() if sides.after is None}
    coming = (path for path, sides in plan.items() if sides.before is None and sides.after)
    return frozenset(
        path
        for path in coming
        if (old := going.get(folded(path))) is not None
        and spelled(work_tree, path) in {old, path}
        and not tells_case_apart(work_tree)
    )


def foreign_in(work_tree: bytes, folder: bytes, plan: Mapping[bytes, Sides]) -> bytes | None:
    """Give something in a folder that does not go away, and so keeps the folder as it is."""
    going = {folded(path) for path, sides in plan.items() if sides.after is None}
    top = below(work_tree, folder)
    for parent, folders, names in os.walk(top):
        for name in (*names, *(one for one in folders if os.path.islink(below(parent, one)))):  # noqa: PTH114  bytes
            path = below(parent, name).removeprefix(work_tree + b"/")
            if folded(path) not in going:
                return path
    return None


def kept_folders(
    work_tree: bytes, plan: Mapping[bytes, Sides]
) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Give new paths whose folder would keep its other spelling, that spelling, and what keeps it.

    A folder gets another spelling only where it goes and is made anew.
    """
    if tells_case_apart(work_tree):
        return
    for path, sides in plan.items():
        if sides.after is None:
            continue
        for folder in parents(path):
            there = spelled(work_tree, folder)
            if there is None or there == folder:
                continue
            keeps = foreign_in(work_tree, there, plan)
            if keeps is not None:
                yield path, there, keeps
                break


def missing_folders(work_tree: bytes, paths: Iterable[bytes]) -> list[bytes]:
    """Give the folders above paths that have to be made, the outermost first.

    One that is there under another spelling goes away and is made anew.
    """
    folders = {folder for path in paths for folder in parents(path)}
    apart = tells_case_apart(work_tree)
    missing = [
        folder
        for folder in folders
        if not os.path.isdir(below(work_tree, folder))  # noqa: PTH112  bytes
        or not (apart or spelled(work_tree, folder) == folder)
    ]
    return sorted(missing, key=lambda folder: folder.count(b"/"))


def spelled(work_tree: bytes, path: bytes) -> bytes | None:
    """Give a path as the disk spells it; None where it leads nowhere."""
    here, found = work_tree, []
    for name in path.split(b"/"):
        if not os.path.lexists(below(here, name)):
            return None
        names = os.listdir(here)  # noqa: PTH208  bytes
        same = (one for one in names if folded(one) == folded(name))
        found.append(name if name in names else next(same, name))
        here = below(here, found[-1])
    return b"/".join(found)


def respelled_in(intention: Intention) -> tuple[tuple[bytes, bytes], ...]:
    """Give the names of an application, before and after, that change their spelling alone."""
    if tells_case_apart(intention.work_tree):
        return ()
    going = {folded(step.path): step.path for step in intention.steps if step.after is None}
    coming = (step.path for step in intention.steps if step.before is None)
    return tuple((going[folded(path)], path) for path in coming if folded(path) in going)


def look_for(root: int, intention: Intention, step: Step) -> Found:
    """Tell what lies at the path of a step, and not what lies there for its other spelling."""
    found = look(root, step.path)
    if not isinstance(found, OnDisk):
        return found
    twin = _twin(intention.steps, step)
    if twin is None or not _is(intention, found, twin):
        return found
    is_ours = _is(intention, found, step)
    return found if is_ours and spelled(intention.work_tree, step.path) == step.path else None


def _twin(steps: Iterable[Step], step: Step) -> Step | None:
    """The step that brings what this one takes away, or the other way, under another spelling."""
    if step.before is not None and step.after is not None:
        return None
    key = folded(step.path)
    return next(
        (
            one
            for one in steps
            if one.path != step.path
            and folded(one.path) == key
            and (one.before is None) != (step.before is None)
        ),
        None,
    )


def _is(intention: Intention, found: OnDisk, step: Step) -> bool:
    return found.same_as(step.before or step.after, modes=intention.modes)
