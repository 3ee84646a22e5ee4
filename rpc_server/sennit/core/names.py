"""Names of files that must never be written, and names that some file systems cannot tell apart.

A tree can hold any name; a file system resolves some of them to ``.git`` (by case, by ignorable
characters, by short names or streams of Windows) or to a place outside the work tree.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_IGNORED_BY_HFS = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)
"""Code points that the file system of macOS leaves out when it compares names."""

_NOWHERE = frozenset({b"", b".", b".."})
_GIT_SHORT_NAMES = frozenset({".git", "git~1"})


def refused(path: bytes) -> str | None:
    """Say why a path of a repository must not be written; None when it may be."""
    parts = path.split(b"/")
    if b"\0" in path or any(part in _NOWHERE for part in parts):
        return "it does not name a place inside the work tree"
    if any(_is_git(part) for part in parts):
        return "a system would take it for the folder .git"
    return None


def _is_git(part: bytes) -> bool:
    text = part.decode("utf-8", "replace").translate(_IGNORED_BY_HFS).casefold()
    # Windows cuts names at a backslash or at a stream, and drops dots and blanks at the end.
    pieces = text.replace("\\", "/").split("/")
    return any(piece.split(":")[0].rstrip(". ") in _GIT_SHORT_NAMES for piece in pieces)


def folded(path: bytes) -> bytes:
    """Give the name by which a file system that ignores case and Unicode form knows the path."""
    text = path.decode("utf-8", "surrogateescape")
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold()).encode(
        "utf-8", "surrogateescape"
    )


def collisions(paths: Iterable[bytes]) -> tuple[tuple[bytes, ...], ...]:
    """Group the paths that a file system without case or Unicode form could not keep apart."""
    groups: dict[bytes, list[bytes]] = {}
    for path in sorted(set(paths)):
        groups.setdefault(folded(path), []).append(path)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)
