"""Scopes of writing and whether two of them overlap: by components of real paths, never by text.

`/a/b` and `/a/bc` are strangers; `/` overlaps everything.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from attrs import frozen


@frozen
class Scope:
    """A folder that is written to, as an absolute real path in components; `/` has none."""

    components: tuple[bytes, ...]

    @property
    def path(self) -> bytes:
        """The absolute path of the folder."""
        return b"/" + b"/".join(self.components)


class Relation(StrEnum):
    """How one scope lies to another that it overlaps."""

    EQUAL = "equal"
    ANCESTOR = "ancestor"
    DESCENDANT = "descendant"


@frozen
class Claim:
    """A scope that somebody holds: ``owner`` names ticket and task in words for a person."""

    scope: Scope
    owner: str


@frozen
class Clash:
    """A claim in the way: how the wanted scope lies to the one that is held."""

    wanted: Scope
    held: Claim
    relation: Relation


def scope_of(real_path: bytes) -> Scope:
    """Read an absolute real path; a relative one, or one with `..`, is a bug of the prober."""
    components = tuple(part for part in real_path.split(b"/") if part)
    if not real_path.startswith(b"/") or {b".", b".."} & set(components):
        raise ValueError(f"not an absolute real path: {real_path!r}")
    return Scope(components)


def relation(one: Scope, other: Scope) -> Relation | None:
    """Tell how ``one`` lies to ``other``; None when they do not overlap."""
    shared = min(len(one.components), len(other.components))
    if one.components[:shared] != other.components[:shared]:
        return None
    if len(one.components) == len(other.components):
        return Relation.EQUAL
    return Relation.ANCESTOR if len(one.components) == shared else Relation.DESCENDANT


def overlaps(one: Scope, other: Scope) -> bool:
    """Tell whether writing in one scope can touch the other."""
    return relation(one, other) is not None


def clashes(wanted: Iterable[Scope], held: Iterable[Claim]) -> tuple[Clash, ...]:
    """Name every held claim that overlaps a wanted scope, in the order of both."""
    claims = tuple(held)
    return tuple(
        Clash(scope, claim, found)
        for scope in wanted
        for claim in claims
        if (found := relation(scope, claim.scope)) is not None
    )
