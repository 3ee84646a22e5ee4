"""Reads the definitions of agents that lie in folders, and those that are built in."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from attrs import frozen

from sennit.adapters.small_files import Missing, Unreadable, read_small_file
from sennit.core.agent_definitions import AgentDefinition, BadDefinition, by_name, definition_of
from sennit.core.builtin_definitions import BUILT_IN_DEFINITIONS
from sennit.core.counted import counted
from sennit.core.uris import display
from sennit_protocol.views import Notice

MOST_BYTES = 64 * 1024
"""Of one file."""
MOST_FILES = 500
"""Of one folder."""
MOST_TOLD = 20
"""Files of one folder that are skipped and named; of more only their number is told."""
_ENDING = ".md"


@frozen
class Folder:
    """A folder with definitions; ``within``: a folder that it must not lead out of by links."""

    path: Path
    within: Path | None = None


@frozen
class Definitions:
    """What can be named, and a notice for each file that was skipped."""

    definitions: tuple[AgentDefinition, ...]
    notices: tuple[Notice, ...] = ()


def definitions_in(folders: Iterable[Folder]) -> Definitions:
    """Read all folders, blocking; of several definitions of one name the first counts.

    Files come in the order of their names; what is built in comes last.
    """
    found: list[AgentDefinition] = []
    notices: list[Notice] = []
    for folder in folders:
        read = tuple(_read(folder))
        found += [each for each in read if isinstance(each, AgentDefinition)]
        notices += _told(folder.path, [each for each in read if isinstance(each, Notice)])
    return Definitions(by_name((*found, *BUILT_IN_DEFINITIONS)), tuple(notices))


def with_definitions(folders: Iterable[Folder]) -> list[Folder]:
    """Those of the folders in which something is named like a definition; none is read."""
    return [each for each in folders if any(each.path.glob(f"*{_ENDING}"))]


def _told(folder: Path, skipped: list[Notice]) -> list[Notice]:
    more = len(skipped) - MOST_TOLD
    if more <= 0:
        return skipped
    rest = f"Definitions of agents: {counted(more, 'more file')} of {_shown(folder)} skipped."
    return [*skipped[:MOST_TOLD], Notice(rest)]


def _read(folder: Folder) -> Iterator[AgentDefinition | Notice]:
    try:
        files = sorted(each for each in folder.path.iterdir() if each.name.endswith(_ENDING))
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        yield _skipped(folder.path, f"it cannot be read: {error.strerror}")
        return
    inside = os.path.realpath(folder.path)
    if folder.within is not None and not _is_below(inside, os.path.realpath(folder.within)):
        yield _skipped(folder.path, "it leads out of the repository")
        return
    if len(files) > MOST_FILES:
        yield Notice(
            f"Definitions of agents: of the {len(files)} files of {_shown(folder.path)} only the "
            f"first {MOST_FILES} were read."
        )
    for file in files[:MOST_FILES]:
        yield _one(file, inside)


def _one(file: Path, inside: str) -> AgentDefinition | Notice:
    real = os.path.realpath(file)
    if not _is_below(real, inside):
        return _skipped(file, "it is a link that leads out of its folder")
    match read_small_file(os.fsencode(real), MOST_BYTES):
        case Missing():
            return _skipped(file, "it is a link to nothing")
        case Unreadable(reason):
            why = f"it {reason}" if reason.startswith("is ") else f"it cannot be read: {reason}"
            return _skipped(file, why)
        case content:
            try:
                text = content.content.decode()
            except UnicodeDecodeError:
                return _skipped(file, "it is no UTF-8")
    found = definition_of(text, _shown(file))
    return _skipped(file, found.reason) if isinstance(found, BadDefinition) else found


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _skipped(path: Path, reason: str) -> Notice:
    return Notice(f"Definitions of agents: {_shown(path)} was skipped, because {reason}.")


def _shown(path: Path) -> str:
    return display(os.fsencode(path))
