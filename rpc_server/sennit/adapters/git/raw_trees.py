"""Tree objects as git stores them: parsed and written in memory, names as any bytes.

Pure functions over two callables that read and write objects, so that they serve whatever holds
the objects. Parts that do not change are reused by id; only the folders on the way are written.
"""

from __future__ import annotations

import re
import stat
from functools import lru_cache
from typing import TYPE_CHECKING

from attrs import field, frozen

from sennit.core.objects import MODE_EXECUTABLE, MODE_FILE, Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

MODE_TREE = 0o40000
REGULAR = frozenset({MODE_FILE, MODE_EXECUTABLE})
"""Modes of files that have a content of their own."""

_UNCHANGED = object()


@frozen
class InTheWay(Exception):  # noqa: N818  it says what is the matter, not that something broke
    """A path cannot be set or removed because of what else is there: the plan is wrong."""

    path: bytes


@frozen
class Sides:
    """What two trees hold at one path; None where one holds nothing."""

    before: Entry | None
    after: Entry | None


_ITEMS = {size: re.compile(rb"([0-7]+) ([^\0]+)\0(.{%d})" % size, re.DOTALL) for size in (20, 32)}
"""One entry of a tree object, by the size of the ids in bytes; matches lie side by side."""

Item = tuple[bytes, bytes, bytes]
"""Mode, name and id of an entry of a tree object, as they lie there."""
_NONE: frozenset[Item] = frozenset()
_FOLDER = b"40000"


@lru_cache(maxsize=64)
def _mode(text: bytes) -> int:
    """Read a mode as git does: early versions wrote others for files, such as 100664."""
    mode = int(text, 8)
    if stat.S_ISREG(mode):
        return MODE_EXECUTABLE if mode & stat.S_IXUSR else MODE_FILE
    return mode


@lru_cache(maxsize=64)
def _spelled(text: bytes) -> bytes:
    """Spell a mode as git does today."""
    return b"%o" % _mode(text)


def tree_bytes(entries: Mapping[bytes, Entry]) -> bytes:
    """Write a tree object."""
    return _bytes_of(sorted((item_of(name, entry) for name, entry in entries.items()), key=_order))


def _bytes_of(items: Iterable[Item]) -> bytes:
    return b"".join(
        b"%s %s\0%s" % (_spelled(mode), name, identity) for mode, name, identity in items
    )


def item_of(name: bytes, entry: Entry) -> Item:
    """Give an entry as it lies in a tree object."""
    return b"%o" % entry.mode, name, bytes.fromhex(entry.id)


def _entry_of(item: Item) -> Entry:
    return Entry(_mode(item[0]), item[2].hex())


def _order(item: Item) -> bytes:
    """Git sorts a folder as if its name ended in a slash."""
    return item[1] + b"/" if _is_folder(item) else item[1]


def _is_folder(item: Item) -> bool:
    return _mode(item[0]) == MODE_TREE


def ordered_items_of(data: bytes, digest_size: int) -> list[Item]:
    """Give the entries of a tree object as they lie there, in git's order."""
    return _ITEMS[digest_size].findall(data)


def items_of(data: bytes, digest_size: int) -> frozenset[Item]:
    """Give the entries of a tree object as they lie there, to be compared as bytes."""
    return frozenset(ordered_items_of(data, digest_size))


def differences(
    items: Callable[[str], frozenset[Item]], old: str | None, new: str | None
) -> Iterator[tuple[bytes, Sides]]:
    """Give every path that two trees hold differently, without looking for renames.

    ``items`` reads a tree. Entries that both hold are set aside as bytes: a commit touches few of
    many thousand.
    """
    open_ends = [(b"", old, new)]
    while open_ends:
        above, before, after = open_ends.pop()
        were = items(before) if before else _NONE
        become = items(after) if after else _NONE
        was, becomes = _by_name(were - become), _by_name(become - were)
        for name in was.keys() | becomes.keys():
            path = above + name
            folder_was, file_was = _split(was.get(name))
            folder_becomes, file_becomes = _split(becomes.get(name))
            # They may be the same, one under an early spelling of its mode.
            if file_was != file_becomes:
                yield path, Sides(file_was, file_becomes)
            if folder_was != folder_becomes:
                open_ends.append((path + b"/", folder_was, folder_becomes))


def _by_name(items: Iterable[Item]) -> dict[bytes, Item]:
    return {item[1]: item for item in items}


def _split(item: Item | None) -> tuple[str | None, Entry | None]:
    """Give the tree of a folder, or the entry of what is no folder."""
    if item is None:
        return None, None
    return (item[2].hex(), None) if _is_folder(item) else (None, _entry_of(item))


class Folders:
    """The folders of one tree, each read when it is first asked for."""

    def __init__(self, read: Callable[[str], Iterable[Item]], tree: str) -> None:
        """``read`` gives the entries of a tree object by its id, ``tree`` is the id of the top."""
        self._read = read
        self._known: dict[bytes, Mapping[bytes, Item]] = {b"": _by_name(read(tree))}

    def items(self, path: bytes) -> Mapping[bytes, Item]:
        """Give what a folder holds, by name; nothing where there is no folder."""
        found = self._known.get(path)
        if found is None:
            folder, _ = _split(self._at(path))
            found = self._known[path] = _by_name(self._read(folder)) if folder else {}
        return found

    def file(self, path: bytes) -> Entry | None:
        """Give the file, link or submodule at a path; None where there is none, or a folder."""
        return _split(self._at(path))[1]

    def files_below(self, path: bytes) -> Iterator[tuple[bytes, Entry]]:
        """Give every file below a folder, of the top too, in no order."""
        above = path + b"/" if path else b""
        for name, item in self.items(path).items():
            if _is_folder(item):
                yield from self.files_below(above + name)
            else:
                yield above + name, _entry_of(item)

    def _at(self, path: bytes) -> Item | None:
        above, _, name = path.rpartition(b"/")
        return self.items(above).get(name)


@frozen
class _Node:
    """What is to happen at one name: ``entry`` is what to set, None to remove; and below it."""

    entry: object
    below: dict[bytes, _Node] = field(factory=dict)


def rewritten(
    read: Callable[[str], Iterable[Item]],
    write: Callable[[bytes], str],
    base: str,
    changes: Mapping[bytes, Entry | None],
) -> str:
    """Write the tree that is ``base`` with these paths set or removed; give its id.

    ``read`` gives the entries of a tree object in git's order. Raises ``InTheWay`` when a path is
    set below a file that stays, in place of a folder that does not become empty, or removed where
    no file is.
    """
    return write(_changed_folder(read, write, read(base), _nested(changes), b""))


def _nested(changes: Mapping[bytes, Entry | None]) -> dict[bytes, _Node]:
    top: dict[bytes, _Node] = {}
    for path, entry in changes.items():
        *folders, name = path.split(b"/")
        level = top
        for folder in folders:
            level = level.setdefault(folder, _Node(_UNCHANGED)).below
        known = level.get(name)
        level[name] = _Node(entry, known.below if known else {})
    return top


def _changed_folder(
    read: Callable[[str], Iterable[Item]],
    write: Callable[[bytes], str],
    items: Iterable[Item],
    nodes: Mapping[bytes, _Node],
    above: bytes,
) -> bytes:
    """Give the bytes of a folder. Entries that stay are not looked into: most do."""
    entries = {item[1]: item for item in items}
    in_order = True
    for name, node in nodes.items():
        before = entries.get(name)
        after = _changed_item(read, write, before, (above + name, name, node))
        if after is not None:
            in_order &= before is not None and _is_folder(before) == _is_folder(after)
            entries[name] = after
        elif before is not None:
            del entries[name]
    return _bytes_of(entries.values() if in_order else sorted(entries.values(), key=_order))


def _changed_item(
    read: Callable[[str], Iterable[Item]],
    write: Callable[[bytes], str],
    before: Item | None,
    at: tuple[bytes, bytes, _Node],
) -> Item | None:
    path, name, node = at
    is_folder = before is not None and _is_folder(before)
    file = _set(path, None if is_folder else before, name, node)
    inside = read(before[2].hex()) if before is not None and is_folder else ()
    if node.below:
        below = _changed_folder(read, write, inside, node.below, path + b"/")
    else:
        below = _bytes_of(inside)
    if below and (file is not None or not node.below):
        raise InTheWay(path)
    if file is not None or not below:
        return file
    return _FOLDER, name, bytes.fromhex(write(below))


def _set(path: bytes, file: Item | None, name: bytes, node: _Node) -> Item | None:
    if node.entry is _UNCHANGED:
        return file
    if node.entry is None and file is None:
        raise InTheWay(path)
    return item_of(name, node.entry) if isinstance(node.entry, Entry) else None


def raw_entry(mode: bytes, identity: bytes) -> Entry | None:
    """Read one side of a record that git printed; mode 0 means that nothing is there."""
    number = int(mode, 8)
    return Entry(number, identity.decode()) if number else None
