"""What lies in a folder: links, bytes, executable bits, and modes as they are."""

from __future__ import annotations

import os
from pathlib import Path


def seen(folder: Path) -> dict[bytes, tuple[str, bytes]]:
    """Give what is in a folder, but for its git directory."""
    found = {}
    root = os.fsencode(folder)
    for parent, folders, names in os.walk(root):
        if parent == root:
            folders.remove(b".git")
        for name in [*folders, *names]:
            path = Path(os.fsdecode(parent)) / os.fsdecode(name)
            relative = os.path.relpath(os.fsencode(path), root)
            if path.is_symlink():
                found[relative] = ("link", os.fsencode(path.readlink()))
            elif path.is_file():
                kind = "program" if path.stat().st_mode & 0o100 else "file"
                found[relative] = (kind, path.read_bytes())
    return found


def modes(folder: Path) -> dict[bytes, int]:
    """Give the mode of all that is in a folder and of itself, but for its git directory."""
    root = os.fsencode(folder)
    found = {b".": folder.lstat().st_mode}
    for parent, folders, names in os.walk(root):
        if parent == root:
            folders.remove(b".git")
        for name in [*folders, *names]:
            path = parent + b"/" + name
            found[os.path.relpath(path, root)] = os.lstat(path).st_mode
    return found
