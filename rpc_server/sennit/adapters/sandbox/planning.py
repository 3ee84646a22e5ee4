"""Looks at the disk to tell how a run is to be confined: state folders, what must stay visible."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from attrs import frozen

import sennit
from sennit.core.agents import Sandboxing
from sennit.core.sandbox import (
    Availability,
    Confined,
    Confinement,
    LeftOut,
    Sandbox,
    SandboxReady,
    Unconfined,
    below,
    outermost,
    overlaps,
    shown,
)

_NEEDED = (
    "/etc/resolv.conf",
    "/run/systemd/resolve",
    "/run/resolvconf",
    "/run/NetworkManager/resolv.conf",
    "/run/NetworkManager/no-stub-resolv.conf",
    "/run/current-system",
    "/run/opengl-driver",
)
"""Files that names are resolved by, which may lead to /run, and programs that are kept there."""


@frozen
class Surroundings:
    """What lies around a run. All paths are absolute; ``home`` is the user's, "" when not known.

    ``workspace``: all of it. ``kept``: what no run may write to, whatever is listed: the
    repository, its git directories, Sennit's own folders. ``arguments``: the agent's command line
    and where its programs are looked for, which it has to see.
    """

    home: str
    workspace: str
    kept: tuple[str, ...]
    arguments: Sequence[str] = ()


def plan(
    wish: Sandboxing,
    found: Availability,
    state_folders: Iterable[str],
    around: Surroundings,
    *,
    read_only: bool,
) -> Sandbox:
    """Tell how a run is to be confined that is to be, or that it is not; blocks.

    Makes missing state folders. What to do where a sandbox is required and there is none is the
    caller's to decide.
    """
    if not isinstance(found, SandboxReady):
        return Unconfined(wish, found.told)
    writable: list[str] = []
    left_out: list[LeftOut] = []
    for listed in state_folders:
        folder = _state_folder(listed, around)
        if isinstance(folder, LeftOut):
            left_out.append(folder)
        else:
            writable.append(folder)
    confinement = Confinement(
        program=found.program,
        workspace=os.path.realpath(around.workspace),
        read_only=read_only,
        writable=tuple(dict.fromkeys(writable)),
        shown=shown(_to_be_seen(around)),
        is_root=os.geteuid() == 0,
    )
    return Confined(wish, confinement, tuple(left_out))


def _state_folder(listed: str, around: Surroundings) -> str | LeftOut:
    path = os.path.realpath(_expanded(listed, _home(around)))
    home = os.path.realpath(_home(around))
    if path in {"/", home} or below(home, path):
        return LeftOut(listed, "It holds the whole home folder: list what the agent needs.")
    kept = next((each for each in around.kept if overlaps(path, os.path.realpath(each))), None)
    if kept is not None:
        return LeftOut(listed, f"It would make {kept} writable, which agents never write to.")
    return path if Path(path).exists() else _made(listed, path, home)


def _made(listed: str, path: str, home: str) -> str | LeftOut:
    """Make a folder that the agent would make itself, if it could, when it is first started."""
    if not below(path, home):
        return LeftOut(listed, "It does not exist; only folders below the home folder are made.")
    if PurePosixPath(path).suffix:
        return LeftOut(listed, "It does not exist, and its name is that of a file.")
    try:
        Path(path).mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        return LeftOut(listed, f"It does not exist and cannot be made: {error.strerror}.")
    return path


def _home(around: Surroundings) -> str:
    return around.home or os.path.expanduser("~")  # noqa: PTH111  paths are texts here


def _expanded(listed: str, home: str) -> str:
    return home + listed[1:] if listed == "~" or listed.startswith("~/") else listed


def _to_be_seen(around: Surroundings) -> Iterator[str]:
    for place in (_home(around), *around.kept, *_NEEDED, *_ourselves()):
        # As it is written and where it leads: a link is seen only with what it points to.
        yield from _existing(place)
    for argument in around.arguments:
        # A program needs what lies beside it, and how far that goes is not written anywhere.
        yield from filter(None, map(outermost, _existing(argument)))


def _existing(place: str) -> Iterable[str]:
    if not place.startswith("/"):
        return ()
    found = dict.fromkeys((os.path.normpath(place), os.path.realpath(place)))
    return (path for path in found if os.path.exists(path))  # noqa: PTH110  or no paths at all


def _ourselves() -> Iterable[str]:
    """Where the Python lies that starts the agent inside, and this package."""
    package = Path(sennit.__file__).resolve().parent
    return (sys.executable, sys.prefix, sys.base_prefix, str(package))
