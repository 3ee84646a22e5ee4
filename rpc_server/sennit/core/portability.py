"""Names that another system cannot hold or cannot tell apart, and entries that git refuses."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sennit.core.names import folded, refused
from sennit.core.objects import MODE_LINK
from sennit.core.units import parents

# NTFS knows long names by short ones too, drops dots and spaces at the end, and takes what follows
# a colon as the name of a stream.
_GITMODULES = re.compile(
    r"(?:\.gitmodules|gitmod~[1-4]|gi7eba~[0-9])[. ]*(?::.*)?", re.IGNORECASE | re.DOTALL
)


def refused_entry(path: bytes, mode: int) -> str | None:
    """Say why an entry of a tree, with git's mode, must never be written; None when it may be."""
    last = path.rsplit(b"/", 1)[-1].decode("utf-8", "replace")
    if mode == MODE_LINK and _GITMODULES.fullmatch(last):
        return "it is a link in place of .gitmodules, which git refuses"
    return refused(path)


_WINDOWS_DEVICE = re.compile(
    r"(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9\u00b9\u00b2\u00b3]) *(?:[.:].*)?",
    re.IGNORECASE | re.DOTALL,
)
_WINDOWS_CHARACTERS = re.compile(r'[<>:"\\|?*\x00-\x1f]')
_MOST_UNITS = 255


def unportable_name(path: bytes) -> str | None:
    """Say why another system cannot hold a path that this one holds; None when all can."""
    try:
        text = path.decode()
    except UnicodeDecodeError:
        return "is not UTF-8, which macOS and Windows ask of names"
    for component in text.split("/"):
        if reason := _unportable_component(component):
            return f"{reason}: {component!r}"
    return None


def _unportable_component(component: str) -> str | None:
    if _WINDOWS_DEVICE.fullmatch(component):
        return "is the name of a device on Windows"
    if found := _WINDOWS_CHARACTERS.search(component):
        return f"holds {found.group()!r}, which Windows refuses in names"
    if component.endswith((".", " ")):
        return "ends in a dot or a space, which Windows drops"
    if len(component.encode("utf-16-le")) // 2 > _MOST_UNITS:
        return "is longer than 255 UTF-16 units"
    return None


def colliding_names(paths: Iterable[bytes]) -> frozenset[bytes]:
    """Name the paths that are one and the same where case or Unicode form makes no difference.

    Folders count too: `Docs/a` and `docs/b` end up in one folder.
    """
    every = tuple(paths)
    spellings: dict[bytes, set[bytes]] = {}
    for name in {part for path in every for part in (*parents(path), path)}:
        spellings.setdefault(folded(name), set()).add(name)
    doubtful = {name for together in spellings.values() if len(together) > 1 for name in together}
    return frozenset(
        path for path in every if any(part in doubtful for part in (*parents(path), path))
    )
