"""What a file system can do, which git notes in each repository as it makes it.

That holds for the folder where files lie, and not for another that a repository's own settings are
carried to: there git would look away from new modes, or from a name in another spelling.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from sennit.adapters.git.disk import below
from sennit.adapters.git.scratch import scratch_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sennit.adapters.git.git import Config

_NOT_SAID = {
    "core.filemode": "true",
    "core.ignorecase": "false",
    "core.precomposeunicode": "false",
    "core.symlinks": "true",
}
_PROGRAM = 0o100
_TRUE = ("true", "yes", "on", "1")


def abilities_said(values: Mapping[str, str]) -> Config:
    """Give what configuration says of the disk of a repository, or else what git takes for it."""
    return tuple((name, values.get(name, other)) for name, other in _NOT_SAID.items())


def folds_names(abilities: Config) -> bool:
    """Tell whether names are one there that only case or Unicode form tells apart."""
    folding = {"core.ignorecase", "core.precomposeunicode"}
    return any(name in folding and value.lower() in _TRUE for name, value in abilities)


def folds_case(abilities: Config) -> bool:
    """Tell whether names are said to be one there that only case tells apart."""
    return any(name == "core.ignorecase" and value.lower() in _TRUE for name, value in abilities)


def tells_case_apart(folder: bytes) -> bool:
    """Find out, without writing there, whether a folder can hold two names that differ by case.

    False also where nothing lies there that could tell.
    """
    names = os.listdir(folder)  # noqa: PTH208  bytes
    # What goes away meanwhile would be taken for a proof, so the least likely is looked at first.
    for name in sorted(names, key=lambda name: name != b".git"):
        other = name.swapcase()
        if other != name:
            return other in names or not os.path.lexists(below(folder, other))
    return False


def abilities_of(folder: Path) -> Config:
    """Find out by trying, as ``git init`` does, once for a folder of a device.

    Raises OSError where no file can be made.
    """
    return _tried(folder, folder.stat().st_dev)


@lru_cache(maxsize=1024)
def _tried(folder: Path, _device: int) -> Config:
    file = folder / scratch_name("disk")
    file.touch(0o600)
    try:
        found = {
            "core.filemode": _keeps_modes(file),
            "core.ignorecase": file.with_name(file.name.upper()).exists(),
            "core.symlinks": _has_links(file.with_name(f"{file.name}.link")),
        }
    finally:
        file.unlink()
    return tuple((name, str(can).lower()) for name, can in found.items())


def _keeps_modes(file: Path) -> bool:
    before = file.stat().st_mode
    try:
        file.chmod(before ^ _PROGRAM)
    except PermissionError:
        return False
    return file.stat().st_mode == before ^ _PROGRAM


def _has_links(link: Path) -> bool:
    try:
        link.symlink_to("nowhere")
    except OSError:
        return False
    found = link.is_symlink()
    link.unlink()
    return found
