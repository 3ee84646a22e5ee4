"""Where the paths that an agent tells really lead."""

import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sennit.core.permissions import Place

Follow = Callable[[str], str]
"""Follows every link of an absolute path as the agent would, who may see others than we do."""


def place(
    workspace: Path, told: str, folder: Path | None = None, follow: Follow = os.path.realpath
) -> Place:
    """Follow every link of a path that an agent tells; blocks shortly.

    Of a path that is not there yet, the part that is there counts. `~` is the user's home. `folder`
    is where the agent works, if that is not the top of its workspace: paths may begin there.
    """
    root = os.path.realpath(workspace)
    real = real_path(workspace, told, folder, follow)
    if real is None:
        return Place(told, inside=False)
    if os.path.commonpath([root, real]) != root:
        return Place(told, inside=False)
    parts = Path(real).relative_to(root).parts
    return Place(told, inside=True, git=any(part.casefold() == ".git" for part in parts))


def real_path(
    workspace: Path, told: str, folder: Path | None = None, follow: Follow = os.path.realpath
) -> str | None:
    """Give where a path leads, as `place` does; None for one that leads nowhere."""
    root = os.path.realpath(workspace)
    try:
        # A home of somebody who is not known, a name that no file system has, half an address.
        return follow(str(Path(folder or root, Path(_path(told)).expanduser())))
    except (ValueError, RuntimeError, OSError):
        return None


def _path(told: str) -> str:
    if told.startswith("file:"):
        return unquote(urlsplit(told).path)
    return told
