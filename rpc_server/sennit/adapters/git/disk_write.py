"""Writes a staged application into a work tree, all of it or none, and settles one after a crash.

Between two renames a mixed state is possible and nothing is lost: every step can be recognised by
hash as before or after, and both are kept in the staging folder until the outcome is journalled.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

import anyio.to_thread

from sennit.adapters.git.work_tree_files import (
    Folder,
    Found,
    Stopped,
    look,
    look_in,
    make_folders,
    opened_folder,
    opened_root,
    put_in_place,
    remove_empty_folders,
    remove_folder_if_empty,
    write_beside,
)
from sennit.core.disk_application import (
    Intention,
    Moment,
    OnDisk,
    Outcome,
    PathTrouble,
    Staged,
    Step,
    TakenBack,
    Trouble,
    Watcher,
    Written,
)

_COMPLETE = "complete"


def _unwatched(path: bytes, moment: Moment) -> None:
    """Watch nothing."""


async def commit(staged: Staged, watcher: Watcher = _unwatched) -> Outcome:
    """Write everything; on any trouble put back what was written and tell exactly what was.

    Each path is read again right before it is replaced; one that changed since it was staged
    stops the application. The intention must be journalled before.
    """
    return await anyio.to_thread.run_sync(_commit, staged.intention, watcher)


async def settle(intention: Intention) -> Outcome:
    """Bring an application that a crash cut off to an end: recognise it as done, or take it back.

    Paths that hold neither the text before nor the text after are left as they are and named.
    """
    return await anyio.to_thread.run_sync(_settle, intention)


async def discard(intention: Intention) -> None:
    """Remove the staging folder, once the outcome is journalled or nothing was committed."""
    await anyio.to_thread.run_sync(shutil.rmtree, os.fsdecode(intention.folder), True)


def _commit(intention: Intention, watcher: Watcher) -> Outcome:
    with opened_root(intention.work_tree) as root:
        for step in intention.steps:
            try:
                _perform(root, intention, step, watcher)
            except Stopped as stopped:
                return _take_back(root, intention, stopped.trouble)
            except OSError as error:
                return _take_back(root, intention, _trouble(step.path, error))
    _mark_complete(intention)
    return Written(tuple(step.path for step in intention.steps))


def _perform(root: int, intention: Intention, step: Step, watcher: Watcher) -> None:
    watcher(step.path, Moment.STARTED)
    name = step.path.rpartition(b"/")[2]
    if step.after is not None:
        make_folders(root, step.path)
    with opened_folder(root, step.path) as folder:
        if folder is None:
            raise Stopped(_changed(step.path))
        if step.after is not None:
            write_beside(folder, step.beside, _bytes_after(intention, step), step.after)
            watcher(step.path, Moment.BESIDE)
        _require_unchanged(folder, name, step)
        if step.after is None:
            os.unlink(name, dir_fd=folder)
            os.fsync(folder)
        else:
            put_in_place(folder, step.beside, name, step.before)
    if step.after is None:
        remove_empty_folders(root, step.path)
    watcher(step.path, Moment.IN_PLACE)


def _require_unchanged(folder: int, name: bytes, step: Step) -> None:
    found = look_in(folder, name)
    if isinstance(found, Folder) and step.before is None:
        said = "the folder there holds what the edit does not know of; move it away first"
        raise Stopped(PathTrouble(step.path, Trouble.FOLDER_NOT_EMPTY, said))
    if not _holds(found, step.before):
        raise Stopped(_changed(step.path))


def _holds(found: Found, image: OnDisk | None) -> bool:
    """Tell whether a path holds an image; where no file is meant to be, a folder may be."""
    if image is None:
        return found is None or isinstance(found, Folder)
    return isinstance(found, OnDisk) and found.same_as(image)


def _changed(path: bytes) -> PathTrouble:
    said = "it changed while the edit was being applied; look at it and apply again"
    return PathTrouble(path, Trouble.CHANGED, said)


def _trouble(path: bytes, error: OSError) -> PathTrouble:
    if isinstance(error, PermissionError):
        said = f"{error.strerror}; make it and its folder writable, then apply again"
        return PathTrouble(path, Trouble.NOT_WRITABLE, said)
    return PathTrouble(path, Trouble.FAILED, f"{error.strerror}; nothing was kept of the edit")


def _bytes_after(intention: Intention, step: Step) -> bytes:
    return _content(Path(os.fsdecode(intention.folder)) / "after" / os.fsdecode(step.path))


def _bytes_before(intention: Intention, step: Step) -> bytes:
    number = intention.steps.index(step)
    return (Path(os.fsdecode(intention.folder)) / "before" / str(number)).read_bytes()


def _content(path: Path) -> bytes:
    return os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()


def _mark_complete(intention: Intention) -> None:
    """Leave word that the last step was done, for a settling after a crash."""
    marker = os.open(
        Path(os.fsdecode(intention.folder)) / _COMPLETE, os.O_WRONLY | os.O_CREAT, 0o600
    )
    os.fsync(marker)
    os.close(marker)


def _settle(intention: Intention) -> Outcome:
    with opened_root(intention.work_tree) as root:
        later = tuple(step.path for step in intention.steps if not _is_after(root, step))
        complete = (Path(os.fsdecode(intention.folder)) / _COMPLETE).exists()
        if complete or not later:
            _remove_leftovers(root, intention)
            return Written(tuple(step.path for step in intention.steps), later)
        return _take_back(root, intention, None)


def _is_after(root: int, step: Step) -> bool:
    try:
        return _holds(look(root, step.path), step.after)
    except (Stopped, OSError):
        return False


def _take_back(root: int, intention: Intention, cause: PathTrouble | None) -> TakenBack:
    """Put every path that holds the text after back to the text before, the last one first."""
    # What was written beside would keep its folder from giving way to the file before.
    _remove_leftovers(root, intention)
    restored: list[bytes] = []
    later: list[bytes] = []
    stuck: list[PathTrouble] = []
    for step in reversed(intention.steps):
        try:
            found = look(root, step.path)
            if _holds(found, step.before):
                continue
            if not _holds(found, step.after):
                later.append(step.path)
                continue
            if isinstance(found, Folder) and not remove_folder_if_empty(root, step.path):
                later.append(step.path)
                continue
            _restore(root, intention, step)
            restored.append(step.path)
        except Stopped:
            later.append(step.path)
        except OSError as error:
            stuck.append(_trouble(step.path, error))
    for folder in reversed(intention.new_folders):
        remove_folder_if_empty(root, folder)
    return TakenBack(cause, tuple(restored), tuple(later), tuple(stuck))


def _restore(root: int, intention: Intention, step: Step) -> None:
    name = step.path.rpartition(b"/")[2]
    if step.before is None:
        with opened_folder(root, step.path) as folder:
            if folder is not None:
                os.unlink(name, dir_fd=folder)
        return
    make_folders(root, step.path)
    with opened_folder(root, step.path) as folder:
        if folder is None:
            raise NotADirectoryError(0, "something lies where its folder was", step.path)
        write_beside(folder, step.beside, _bytes_before(intention, step), step.before)
        put_in_place(folder, step.beside, name, step.after)


def _remove_leftovers(root: int, intention: Intention) -> None:
    """Remove what was written beside and never got its name."""
    for step in intention.steps:
        with suppress(OSError, Stopped), opened_folder(root, step.path) as folder:
            if folder is not None:
                os.unlink(step.beside, dir_fd=folder)
