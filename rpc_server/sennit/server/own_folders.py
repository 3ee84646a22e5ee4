"""How the folders of Sennit and the user's repositories lie: neither may be in the other."""

from __future__ import annotations

import os
from pathlib import Path

import anyio.to_thread
from attrs import frozen

from sennit.adapters.git.discovery import Discovery, NotARepository, Repository
from sennit.core.engine.rows import RunRow
from sennit.core.uris import display
from sennit.server.services import Services
from sennit.server.workspace_names import workspace_name


@frozen
class _Own:
    """A folder of ours as its real path, and how a person gives it another place."""

    folder: bytes
    elsewhere: str
    holds: str = "where Sennit keeps the workspaces of agents and deletes them"


_STATE = "Set SENNIT_STATE_DIR to a folder outside of it, and start Sennit again."
_CHECKOUTS = "where `sennit materialise` makes checkouts to look around in, which belong to no work"
_STORES = "Set store.path to a folder outside of it."


async def why_not_here(services: Services, folder: bytes, found: Discovery) -> str | None:
    """Say why no task may work in a folder, by where it and its repository lie, and what to do.

    None where nothing of ours is in the way, or where git says more.
    """
    if not isinstance(found, Repository | NotARepository):
        return None
    own = await anyio.to_thread.run_sync(_own_folders, services)
    path = await anyio.to_thread.run_sync(os.path.realpath, folder)
    for one in own:
        if _lies_in(path, one.folder):
            return _in_ours(services, path, one)
    return _around_ours(own, found) if isinstance(found, Repository) else None


def _around_ours(own: tuple[_Own, ...], repository: Repository) -> str | None:
    top = os.fsencode(repository.work_tree)
    for one in own:
        if _lies_in(one.folder, top):
            return (
                f"Sennit keeps its own files in this repository, at {display(one.folder)}: they"
                f" and what agents do would be part of what you work on. {one.elsewhere}"
            )
    return None


def _own_folders(services: Services) -> tuple[_Own, ...]:
    # Each by itself: a person may have put a link to a larger disk in the place of one.
    folders = services.folders
    state = (folders.root, folders.workspaces)
    return (
        _Own(_real(folders.looks), _STATE, _CHECKOUTS),
        *(_Own(_real(one), _STATE) for one in state),
        _Own(_real(services.stores_root), _STORES if _is_chosen(services) else _STATE),
    )


def _is_chosen(services: Services) -> bool:
    return services.stores_root != services.folders.stores


def _real(folder: Path) -> bytes:
    return os.fsencode(os.path.realpath(folder))


def _lies_in(path: bytes, folder: bytes) -> bool:
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")


def _in_ours(services: Services, path: bytes, own: _Own) -> str:
    theirs = _made_for(services, path)
    use = "your own folder" if theirs is None else f"your own folder {display(theirs)}"
    return f"It lies in {display(own.folder)}, {own.holds}. Use {use}."


def _made_for(services: Services, path: bytes) -> bytes | None:
    """The top level of the user's repository that a workspace was made from."""
    workspaces = Path(os.path.realpath(services.folders.workspaces))
    name = workspace_name(path, workspaces)
    for run in services.state.rows(RunRow):
        if run.workspace == name:
            return services.state.task(run.ticket, run.task).spec.repository.top
    return None
