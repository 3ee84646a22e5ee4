"""Looks whether what an agent says that it changed outside its workspace has really changed."""

import os
from collections.abc import Iterable
from pathlib import Path

from attrs import frozen

from sennit.adapters.agents.acp.places import Follow, real_path
from sennit.core.escapes import Claimed, Evidence


@frozen
class Ground:
    """Where an agent worked, and where it may leave something beside that.

    ``allowed``: folders and files of its own, such as its state and its temporary files.
    ``guarded``: what is never its own, even inside one of those: the user's work tree. ``since_ns``
    is when it began, in nanoseconds since 1970. ``follow`` sees links as the agent did.
    """

    workspace: Path
    folder: Path
    allowed: tuple[str, ...]
    guarded: tuple[str, ...]
    since_ns: int
    follow: Follow = os.path.realpath


def evidence_of(claimed: Iterable[Claimed], ground: Ground) -> tuple[Evidence, ...]:
    """Name the paths outside that changed while the agent worked; blocks shortly."""
    allowed = tuple(os.path.realpath(one) for one in ground.allowed)
    guarded = tuple(os.path.realpath(one) for one in ground.guarded)
    workspace = os.path.realpath(ground.workspace)
    found: dict[str, Evidence] = {}
    for claim in claimed:
        real = real_path(ground.workspace, claim.path, ground.folder, ground.follow)
        if real is None or _is_below(real, (workspace,)):
            continue
        if _is_below(real, allowed) and not _is_below(real, guarded):
            continue
        if _has_changed(real, ground.since_ns, claim):
            found.setdefault(real, Evidence(real, claim.tool))
    return tuple(found.values())


def _is_below(path: str, folders: tuple[str, ...]) -> bool:
    return any(path == one or path.startswith(f"{one.rstrip('/')}/") for one in folders)


def _has_changed(path: str, since_ns: int, claim: Claimed) -> bool:
    """Whether content was written there since; the time of links and modes is another one."""
    try:
        return os.stat(path).st_mtime_ns >= since_ns  # noqa: PTH116  a text, as it was followed
    except FileNotFoundError:
        # A removal shows in the folder that held it.
        return claim.is_removed and _folder_has_changed(path, since_ns)
    except OSError:
        return False


def _folder_has_changed(path: str, since_ns: int) -> bool:
    try:
        return Path(path).parent.stat().st_mtime_ns >= since_ns
    except OSError:
        return False
