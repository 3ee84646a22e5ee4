"""Decides for each path that differs from HEAD what a snapshot takes, drops or leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve, frozen

from sennit.adapters.git.disk import (
    NESTED,
    Absent,
    Present,
    has_conflict_markers,
    is_repository,
    look_at,
    look_at_untracked,
)
from sennit.core.objects import MODE_SUBMODULE, Entry, LeftOut, LeftOutReason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sennit.adapters.git.disk import Found
    from sennit.adapters.git.status import Status, Tracked, Unmerged


_ABSENT = "a merge in progress is about its commit, and it is not here; that of HEAD was taken"


@frozen
class Plan:
    """Paths to read from disk, entries to set (None removes), and what stays out and why."""

    present: tuple[bytes, ...]
    entries: dict[bytes, Entry | None]
    untracked: tuple[bytes, ...]
    left_out: tuple[LeftOut, ...]

    def without(self, refused: tuple[LeftOut, ...]) -> Plan:
        """Give the plan without paths that could not be read after all."""
        gone = {one.path for one in refused}
        return evolve(
            self,
            present=tuple(path for path in self.present if path not in gone),
            untracked=tuple(path for path in self.untracked if path not in gone),
            left_out=self.left_out + refused,
        )


def plan_of(root: bytes, status: Status, largest_untracked: int) -> Plan:
    """Look at every path that ``status`` names below ``root``; reads of files are few and small."""
    tracked = [_tracked(root, one) for one in status.tracked if one.unstaged != "."]
    untracked = [look_at_untracked(root, path, largest_untracked) for path in status.untracked]
    found = [*tracked, *untracked]
    entries: dict[bytes, Entry | None] = {
        one.path: None for one in found if isinstance(one, Absent)
    }
    present = [one.path for one in found if isinstance(one, Present)]
    left_out = [one for one in found if isinstance(one, LeftOut)]
    # Git says nothing of a repository in which nothing is committed where a file was.
    left_out += [
        LeftOut(path, LeftOutReason.NESTED_REPOSITORY, NESTED)
        for path in entries
        if is_repository(root, path)
    ]
    for path, outcome in _unmerged(root, status.unmerged):
        match outcome:
            case Present():
                present.append(path)
            case LeftOut():
                left_out.append(outcome)
                entries[path] = _ours(status.unmerged, path)
            case _:
                entries[path] = None
    return Plan(
        tuple(present),
        entries,
        tuple(one.path for one in untracked if isinstance(one, Present)),
        tuple(left_out),
    )


def _tracked(root: bytes, one: Tracked) -> Found:
    # A submodule is a folder; git reads which commit it is at.
    if one.was_submodule and one.unstaged != "D":
        return Present(one.path)
    return look_at(root, one.path)


def _unmerged(root: bytes, unmerged: tuple[Unmerged, ...]) -> Iterator[tuple[bytes, Found]]:
    for one in unmerged:
        if one.ours is not None and one.ours.mode == MODE_SUBMODULE:
            here = is_repository(root, one.path)
            yield (
                one.path,
                Present(one.path)
                if here
                else LeftOut(one.path, LeftOutReason.ABSENT_SUBMODULE, _ABSENT),
            )
        elif has_conflict_markers(root, one.path):
            detail = "a merge in progress left conflict markers; the side of HEAD was taken"
            yield one.path, LeftOut(one.path, LeftOutReason.CONFLICT_MARKERS, detail)
        else:
            yield one.path, look_at(root, one.path)


def _ours(unmerged: tuple[Unmerged, ...], path: bytes) -> Entry | None:
    return next((one.ours for one in unmerged if one.path == path), None)
