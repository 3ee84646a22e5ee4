"""Writes a staged application into a work tree, all of it or none, and settles one after a crash.

Deletions come first where they make way for something, since a folder may give way to a file; then
everything is written beside what it replaces and forced to the disk, and only then given its name;
other deletions come last, when nothing can be short of room any more. Between two steps a mixed
state is possible and nothing is lost: each can be recognised by hash as before or after, and both
are kept in the staging folder until the outcome is journalled.
"""

from __future__ import annotations

import errno
import logging
import os
import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import cast

import anyio.to_thread
from attrs import field, frozen

from sennit.adapters.git.respelled import look_for
from sennit.adapters.git.work_tree_files import (
    Folder,
    Found,
    Stopped,
    force,
    look_in,
    make_folders,
    opened_folder,
    opened_root,
    put_in_place,
    remove_empty_folders,
    remove_folder_if_empty,
    write_beside,
)
from sennit.adapters.platform.forcing import force_folder
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
    phased,
)

_log = logging.getLogger(__name__)

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
    """Remove the staging folder, once the outcome is journalled or nothing was committed.

    Not where a path could not be put back: it has what that held.
    """
    await anyio.to_thread.run_sync(shutil.rmtree, os.fsdecode(intention.folder), True)


def _commit(intention: Intention, watcher: Watcher) -> Outcome:
    first, come, last = phased(intention.steps)
    # A disk that is full, or a folder that cannot be written, is met before any file is replaced;
    # and forcing many files to the disk at once takes a fraction of forcing each by itself.
    phases = ((_remove, first), (_write, come), (_force, come), (_place, come), (_remove, last))
    with ExitStack() as held:
        try:
            root = held.enter_context(opened_root(intention.work_tree))
        except OSError as error:
            return TakenBack(_no_work_tree(intention, error), (), (), ())
        writing = _Writing(root, intention, watcher)
        for phase, steps in phases:
            for step in steps:
                trouble = _tried(phase, writing, step)
                if trouble is not None:
                    return _take_back(root, intention, trouble, writing.done)
        _force_folders(root, intention)
    _mark_complete(intention)
    return Written(tuple(step.path for step in intention.steps))


@frozen
class _Writing:
    """``done`` are the paths at which something has been given its name or removed."""

    root: int
    intention: Intention
    watcher: Watcher
    done: set[bytes] = field(factory=set)


def _tried(
    phase: Callable[[_Writing, Step], None], writing: _Writing, step: Step
) -> PathTrouble | None:
    try:
        phase(writing, step)
    except Stopped as stopped:
        return stopped.trouble
    except OSError as error:
        return _trouble(step.path, error)
    return None


def _remove(writing: _Writing, step: Step) -> None:
    writing.watcher(step.path, Moment.STARTED)
    with _folder_of(writing.root, step) as folder:
        name = step.path.rpartition(b"/")[2]
        _require_unchanged(folder, name, step, writing.intention)
        with _doing(writing, step, FileNotFoundError):
            os.unlink(name, dir_fd=folder)
    remove_empty_folders(writing.root, step.path)
    writing.watcher(step.path, Moment.IN_PLACE)


def _write(writing: _Writing, step: Step) -> None:
    writing.watcher(step.path, Moment.STARTED)
    make_folders(writing.root, step.path)
    with _folder_of(writing.root, step) as folder:
        image = cast("OnDisk", step.after)
        content = _bytes_after(writing.intention, step)
        write_beside(folder, step.beside, content, image, modes=writing.intention.modes)


def _force(writing: _Writing, step: Step) -> None:
    with _folder_of(writing.root, step) as folder:
        force(folder, step.beside)
    writing.watcher(step.path, Moment.BESIDE)


def _place(writing: _Writing, step: Step) -> None:
    with _folder_of(writing.root, step) as folder:
        name = step.path.rpartition(b"/")[2]
        _require_unchanged(folder, name, step, writing.intention)
        with _doing(writing, step, FileExistsError):
            put_in_place(folder, step.beside, name, step.before)
    writing.watcher(step.path, Moment.IN_PLACE)


@contextmanager
def _doing(writing: _Writing, step: Step, forestalled: type[OSError]) -> Iterator[None]:
    """Note that a path is changed, unless the error says that somebody else has done it."""
    writing.done.add(step.path)
    try:
        yield
    except forestalled:
        writing.done.discard(step.path)
        raise


@contextmanager
def _folder_of(root: int, step: Step) -> Iterator[int]:
    """Hold the folder of a step open, which has to be there."""
    with opened_folder(root, step.path) as folder:
        if folder is None:
            raise Stopped(_changed(step.path))
        yield folder


def _force_folders(root: int, intention: Intention) -> None:
    """Force the new names to the disk; a file system that cannot do that has done its best."""
    for path in {step.path.rpartition(b"/")[0] for step in intention.steps}:
        with suppress(OSError, Stopped), opened_folder(root, path + b"/-") as folder:
            if folder is not None:
                os.fsync(folder)


def _require_unchanged(folder: int, name: bytes, step: Step, intention: Intention) -> None:
    found = look_in(folder, name)
    if isinstance(found, Folder) and step.before is None and not _removed_empty(folder, name):
        said = "the folder there holds what the edit does not know of; move it away first"
        raise Stopped(PathTrouble(step.path, Trouble.FOLDER_NOT_EMPTY, said))
    if not _holds(intention, found, step.before):
        raise Stopped(_changed(step.path))


def _removed_empty(folder: int, name: bytes) -> bool:
    """Remove a folder in which nothing lies, which git does not know of."""
    try:
        os.rmdir(name, dir_fd=folder)
    except OSError:
        return False
    return True


def _holds(intention: Intention, found: Found, image: OnDisk | None) -> bool:
    """Tell whether a path holds an image; where no file is meant to be, a folder may be."""
    if image is None:
        return found is None or isinstance(found, Folder)
    return isinstance(found, OnDisk) and found.same_as(image, modes=intention.modes)


def _changed(path: bytes) -> PathTrouble:
    said = "it changed while the edit was being applied; look at it and apply again"
    return PathTrouble(path, Trouble.CHANGED, said)


def _trouble(path: bytes, error: OSError) -> PathTrouble:
    if isinstance(error, PermissionError):
        said = f"{error.strerror}; make it and its folder writable, then apply again"
        return PathTrouble(path, Trouble.NOT_WRITABLE, said)
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        said = f"{error.strerror}; make room on the disk of the work tree, then apply again"
        return PathTrouble(path, Trouble.FAILED, said)
    if error.errno == errno.EROFS:
        said = f"{error.strerror}; mount it for writing, then apply again"
        return PathTrouble(path, Trouble.NOT_WRITABLE, said)
    return PathTrouble(path, Trouble.FAILED, f"{error.strerror}; nothing was kept of the edit")


def _no_work_tree(intention: Intention, error: OSError) -> PathTrouble:
    top = intention.work_tree
    said = f"{os.fsdecode(top)}: {error.strerror}; put it back, then apply again"
    return PathTrouble(intention.steps[0].path if intention.steps else b"", Trouble.FAILED, said)


def _bytes_after(intention: Intention, step: Step) -> bytes:
    return _content(Path(os.fsdecode(intention.folder)) / "after" / os.fsdecode(step.path))


def _bytes_before(intention: Intention, number: int) -> bytes:
    return _kept_before(intention, number).read_bytes()


def _kept_before(intention: Intention, number: int) -> Path:
    return Path(os.fsdecode(intention.folder)) / "before" / str(number)


def _content(path: Path) -> bytes:
    return os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()


def _mark_complete(intention: Intention) -> None:
    """Leave word that the last step was done, for a settling after a crash."""
    try:
        marker = os.open(
            Path(os.fsdecode(intention.folder)) / _COMPLETE, os.O_WRONLY | os.O_CREAT, 0o600
        )
        with os.fdopen(marker, "wb"):
            os.fsync(marker)
    except OSError as error:
        # All is done, whatever became of the disk of the store; its outcome is journalled next.
        _log.warning("%s is not marked as complete: %s", os.fsdecode(intention.folder), error)


def _settle(intention: Intention) -> Outcome:
    with opened_root(intention.work_tree) as root:
        later = tuple(step.path for step in intention.steps if not _is_after(root, intention, step))
        complete = (Path(os.fsdecode(intention.folder)) / _COMPLETE).exists()
        if complete or not later:
            _remove_leftovers(root, intention)
            return Written(tuple(step.path for step in intention.steps), later)
        return _take_back(root, intention, None)


def _is_after(root: int, intention: Intention, step: Step) -> bool:
    try:
        return _holds(intention, look_for(root, intention, step), step.after)
    except (Stopped, OSError):
        return False


def _take_back(
    root: int,
    intention: Intention,
    cause: PathTrouble | None,
    done: Collection[bytes] | None = None,
) -> TakenBack:
    """Put every path that holds the text after back to the text before, the last one first.

    ``done`` are the paths that were changed, where that is known: whoever has made the same change
    at another one keeps it.
    """
    # What was written beside would keep its folder from giving way to the file before.
    _remove_leftovers(root, intention)
    restored: list[bytes] = []
    later: list[bytes] = []
    stuck: list[PathTrouble] = []
    for number, step in _backwards(intention):
        if step.after is None:
            # A folder that is there under another spelling would keep that.
            _remove_new_folders(root, intention)
        try:
            found = look_for(root, intention, step)
            is_after = _holds(intention, found, step.after)
            is_ours = done is None or step.path in done
            if _holds(intention, found, step.before) or (is_after and not is_ours):
                continue
            if not is_after:
                later.append(step.path)
                continue
            if isinstance(found, Folder) and not remove_folder_if_empty(root, step.path):
                later.append(step.path)
                continue
            _restore(root, intention, number)
            restored.append(step.path)
        except Stopped:
            later.append(step.path)
        except OSError as error:
            said = f"{error.strerror}; what it held is in {_kept_before(intention, number)}"
            stuck.append(PathTrouble(step.path, Trouble.FAILED, said))
    _remove_new_folders(root, intention)
    return TakenBack(cause, tuple(restored), tuple(later), tuple(stuck))


def _backwards(intention: Intention) -> list[tuple[int, Step]]:
    """Give the steps from the last to the first, those that only take something away at the end."""
    steps = list(enumerate(intention.steps))[::-1]
    return sorted(steps, key=lambda one: one[1].after is None)


def _remove_new_folders(root: int, intention: Intention) -> None:
    for folder in reversed(intention.new_folders):
        remove_folder_if_empty(root, folder)


def _restore(root: int, intention: Intention, number: int) -> None:
    step = intention.steps[number]
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
        content = _bytes_before(intention, number)
        write_beside(folder, step.beside, content, step.before, modes=intention.modes)
        force(folder, step.beside)
        put_in_place(folder, step.beside, name, step.after)
        force_folder(folder)


def _remove_leftovers(root: int, intention: Intention) -> None:
    """Remove what was written beside and never got its name."""
    for step in intention.steps:
        with suppress(OSError, Stopped), opened_folder(root, step.path) as folder:
            if folder is not None:
                os.unlink(step.beside, dir_fd=folder)
