"""Objects that are made in memory and come into a store together: many as one pack.

An object file of its own costs a call of the file system or two, which is most of what a tree with
many changed folders costs to write. The format is that of ``gitformat-pack``: a header, each object
as its type and size (seven bits a byte, the first with four) and its deflated bytes, a checksum.
"""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from typing import TYPE_CHECKING

from attrs import define, field

from sennit.adapters.git.git import DISPOSABLE
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from pathlib import Path

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.inprocess import Objects
    from sennit.adapters.git.store import Store

ENOUGH = 16
"""So many objects are quicker written as one pack."""
_MOST_PACKS = 50
"""Each call of git looks through all packs, and a clean-up joins them: more are not made."""
_TREE = 2
_HEADER = struct.Struct(">4sLL")
_QUICK = 1


@define
class NewTrees:
    """Tree objects by their ids, none of which is in a store yet."""

    _trees: dict[str, bytes] = field(factory=dict)

    def add(self, data: bytes) -> str:
        """Take the bytes of a tree object and give its id."""
        identity = hashlib.sha1(b"tree %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
        self._trees[identity] = data
        return identity

    def written_or_packed(self, objects: Objects, store: Store) -> bytes:
        """Write those that the store has not, or where they are many give a pack of them."""
        new = [data for one, data in self._trees.items() if not objects.database.exists(one)]
        if len(new) >= ENOUGH and may_pack(store.objects):
            return _pack(new)
        for data in new:
            objects.write_tree(data)
        return b""


def may_pack(objects: Path) -> bool:
    """Tell whether a folder of objects may have one pack more."""
    with os.scandir(objects / "pack") as found:
        return sum(each.name.endswith(".pack") for each in found) < _MOST_PACKS


def _pack(trees: list[bytes]) -> bytes:
    content = bytearray(_HEADER.pack(b"PACK", 2, len(trees)))
    for data in trees:
        content += _type_and_size(len(data)) + zlib.compress(data, _QUICK)
    return bytes(content) + hashlib.sha1(content, usedforsecurity=False).digest()


def _type_and_size(size: int) -> bytes:
    found = bytearray([(_TREE << 4) | (size & 0x0F)])
    size >>= 4
    while size:
        found[-1] |= 0x80
        found.append(size & 0x7F)
        size >>= 7
    return bytes(found)


async def keep_pack(git: Git, store: Store, packed: bytes) -> GitFailed | None:
    """Bring a pack into the store; git hashes every object of it."""
    if not packed:
        return None
    done = await git.run(["index-pack", "--stdin"], store.place, stdin=packed, config=DISPOSABLE)
    return done if isinstance(done, GitFailed) else None
