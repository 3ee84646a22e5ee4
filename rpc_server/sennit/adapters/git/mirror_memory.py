"""What is known of a mirror from its last refresh, kept in a file of the store."""

from __future__ import annotations

import json
from enum import StrEnum, auto
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import field, frozen

from sennit.adapters.git.files import read_if_there, write_private

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FILE = "mirror.json"
"""Its name, beside the objects of a store that it is about."""


class Mirroring(StrEnum):
    """How the objects of the user's repository are reached from the store."""

    LINKED = auto()
    BORROWED = auto()
    COPIED = auto()


@frozen
class Memory:
    """One mirror: how it was made, and why so where that was no choice.

    ``sources`` are the folders of objects whose files are in it, ``packs`` the names of packs that
    came from there (without an ending), ``times`` the modification times of folders that were read
    whole, in nanoseconds, by path.
    """

    mirroring: Mirroring
    why: str = ""
    sources: tuple[Path, ...] = ()
    packs: frozenset[str] = frozenset()
    times: Mapping[str, int] = field(factory=dict)

    def has(self, folder: str, name: str) -> bool:
        """Tell whether the user has a file of this name, in such a folder of objects, just now."""
        return any((source / folder / name).exists() for source in self.sources)


def read_memory(file: Path) -> Memory | None:
    """Read it; None where there is none, or one that is torn or of another kind.

    That costs one full look at everything.
    """
    try:
        found = json.loads(read_if_there(file) or b"")
        return Memory(
            Mirroring(found["mirroring"]),
            str(found["why"]),
            tuple(map(Path, found["sources"])),
            frozenset(map(str, found["packs"])),
            {str(name): int(time) for name, time in found["times"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def write_memory(file: Path, memory: Memory) -> None:
    """Replace it."""
    content = {
        "mirroring": memory.mirroring.value,
        "why": memory.why,
        "sources": [str(source) for source in memory.sources],
        "packs": sorted(memory.packs),
        "times": dict(memory.times),
    }
    write_private(file, json.dumps(content).encode())


def packs_without_their_repository(memory: Memory, ours: Path) -> Iterable[Path]:
    """Give the packs of a mirror that the repository which they came from has no more."""
    for name in sorted(memory.packs):
        pack = ours / "pack" / f"{name}.pack"
        if pack.exists() and not memory.has("pack", pack.name):
            yield pack
