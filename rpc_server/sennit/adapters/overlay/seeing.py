"""What somebody in a layered workspace sees at a path, told from outside, without a mount."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from sennit.adapters.git.disk import is_whiteout
from sennit.adapters.git.upper import is_opaque

if TYPE_CHECKING:
    from sennit.adapters.overlay.layers import Layers

_MOST_LINKS = 40
"""As many as Linux follows before it calls them a loop."""


def real_path_in(layers: Layers, path: str) -> str:
    """Follow every link of an absolute path, as ``os.path.realpath`` does where it is mounted."""
    waiting = path.split("/")[::-1]
    here, followed = "", 0
    while waiting:
        name = waiting.pop()
        if name in {"", "."}:
            continue
        if name == "..":
            here = here.rpartition("/")[0]
            continue
        step = f"{here}/{name}"
        target = _target(layers, step)
        if target is None:
            here = step
            continue
        followed += 1
        if followed > _MOST_LINKS:
            return os.path.normpath("/".join((step, *reversed(waiting))))
        if target.startswith("/"):
            here = ""
        waiting.extend(reversed(target.split("/")))
    return here or "/"


def lies_at(layers: Layers, real: str) -> str | None:
    """Tell where what is seen at a path without links really lies; None where nothing is seen."""
    top = str(layers.upper)
    if not real.startswith(f"{top}/"):
        return real
    below = real.removeprefix(f"{top}/")
    at, hides = top, False
    for name in below.split("/"):
        at = f"{at}/{name}"
        try:
            status = os.lstat(at)
        except (FileNotFoundError, NotADirectoryError):
            return None if hides else str(layers.lower / below)
        if is_whiteout(status):
            return None
        # What is no folder here is one nowhere: then nothing is seen further down.
        hides = hides or not stat.S_ISDIR(status.st_mode) or is_opaque(os.fsencode(at))
    return at


def _target(layers: Layers, path: str) -> str | None:
    where = lies_at(layers, path)
    try:
        return None if where is None else os.readlink(where)  # noqa: PTH115  a text, not a path
    except OSError:
        # Not there, or no link.
        return None
