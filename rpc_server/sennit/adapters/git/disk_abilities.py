"""What a file system can do, which git notes in each repository as it makes it.

That holds for the folder where files lie, and not for another that a repository's own settings are
carried to: there git would look away from new modes, or from a name in another spelling.
"""

from __future__ import annotations

import errno
import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.disk import below
from sennit.adapters.git.scratch import scratch_name

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sennit.adapters.git.git import Config

_PROGRAM = 0o100
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})
TELLS_NOTHING = frozenset({
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.ENOMEM, errno.EMFILE, errno.ENFILE,
})  # fmt: skip
"""What a file system refuses for a while, whatever it can do."""
_CASE, _FORM = "core.ignorecase", "core.precomposeunicode"
_MODES, _LINKS = "core.filemode", "core.symlinks"
_NOT_SAID = {_MODES: "true", _CASE: "false", _FORM: "false", _LINKS: "true"}


@frozen
class Keeps:
    """What the disk of a work tree keeps of a file, by what git is told of it.

    Without ``modes`` any file may look like a program. Without ``links`` a link is a file that
    holds its target.
    """

    modes: bool = True
    links: bool = True


def abilities_said(values: Mapping[str, str]) -> Config:
    """Give what configuration says of the disk of a repository, or else what git takes for it."""
    return tuple((name, values.get(name, other)) for name, other in _NOT_SAID.items())


def folds_names(abilities: Config) -> bool:
    """Tell whether names are one there that only case or Unicode form tells apart."""
    return not {_CASE, _FORM}.isdisjoint(_said(abilities, _TRUE))


def folds_case(abilities: Config) -> bool:
    """Tell whether names are said to be one there that only case tells apart."""
    return _CASE in _said(abilities, _TRUE)


def kept_on(abilities: Config) -> Keeps:
    """Tell what a disk keeps of a file."""
    lacking = _said(abilities, _FALSE)
    return Keeps(_MODES not in lacking, _LINKS not in lacking)


def _said(abilities: Config, values: Collection[str]) -> frozenset[str]:
    return frozenset(name for name, value in abilities if value.lower() in values)


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
            _MODES: _keeps_modes(file),
            _CASE: file.with_name(file.name.upper()).exists(),
            _LINKS: _has_links(file.with_name(f"{file.name}.link")),
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
    except OSError as error:
        if error.errno in TELLS_NOTHING:
            raise
        return False
    found = link.is_symlink()
    link.unlink()
    return found
