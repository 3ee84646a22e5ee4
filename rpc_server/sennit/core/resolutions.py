"""Resolutions: what a person has settled about conflicts, and whether it still counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import frozen

from sennit.core.objects import Conflict, Entry
from sennit_protocol.conflicts import SuggestionKind, Sureness, Take


@frozen
class Held:
    """What a path holds once a conflict is settled; nothing where the entry is None."""

    path: bytes
    entry: Entry | None


@frozen
class Resolution:
    """How one conflict is settled.

    It counts for a conflict of the same path with the same three sides and for no other: where
    something else was merged before, a person has to look again. ``held`` is what the paths of the
    conflict hold then; its contents are objects of the store.
    """

    conflict: Conflict
    take: Take
    held: tuple[Held, ...]
    suggestion: SuggestionKind | None = None

    @property
    def path(self) -> bytes:
        """The path of the conflict."""
        return self.conflict.path

    @property
    def entry(self) -> Entry | None:
        """What the path of the conflict itself holds then."""
        return next((one.entry for one in self.held if one.path == self.path), None)

    def settles(self, conflict: Conflict) -> bool:
        """Whether it is about exactly this conflict."""
        return self.is_near(conflict) and self.conflict.ours == conflict.ours

    def is_near(self, conflict: Conflict) -> bool:
        """Whether only what theirs was merged with has changed since."""
        mine = self.conflict
        return (mine.path, mine.base, mine.theirs) == (
            conflict.path,
            conflict.base,
            conflict.theirs,
        )


@frozen
class Suggested:
    """Something that would settle a conflict: a text, or where its files would be."""

    kind: SuggestionKind
    sure: Sureness
    content: bytes | None
    held: tuple[Held, ...] = ()


def settled(
    conflicts: Iterable[Conflict], resolutions: Sequence[Resolution]
) -> tuple[Resolution, ...] | None:
    """Give the resolution of each conflict; None where one of them has none."""
    found = [
        next((one for one in resolutions if one.settles(conflict)), None) for conflict in conflicts
    ]
    known = tuple(one for one in found if one is not None)
    return known if len(known) == len(found) else None


def with_resolutions(
    kept: Sequence[Resolution], new: Sequence[Resolution]
) -> tuple[Resolution, ...]:
    """Let new resolutions take the place of earlier ones; one that takes nothing back is gone."""
    paths = {one.path for one in new}
    standing = [one for one in kept if one.path not in paths]
    return (*standing, *(one for one in new if one.take is not Take.NOTHING))
