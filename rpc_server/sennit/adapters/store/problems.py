"""From what SQLite and the system say to what is wrong with the database and what to do."""

from __future__ import annotations

import errno
from pathlib import Path

import apsw

from sennit.adapters.platform.filesystems import NO_NAMES, no_file_can_be_made
from sennit.adapters.store.codec import UnreadableError
from sennit.core.stored import StoreProblem, StoreProblemKind

_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_KIND_OF_ERRNO = {
    **dict.fromkeys(_NO_SPACE, StoreProblemKind.FULL),
    errno.EROFS: StoreProblemKind.READ_ONLY,
    errno.EACCES: StoreProblemKind.NOT_WRITABLE,
    errno.EPERM: StoreProblemKind.NOT_WRITABLE,
    errno.ENOTDIR: StoreProblemKind.NOT_WRITABLE,
    errno.EISDIR: StoreProblemKind.NOT_WRITABLE,
    errno.ENOENT: StoreProblemKind.NOT_WRITABLE,
    errno.EEXIST: StoreProblemKind.NOT_WRITABLE,
    errno.ELOOP: StoreProblemKind.NOT_WRITABLE,
}
_KIND_OF_ERROR: tuple[tuple[type[apsw.Error], StoreProblemKind], ...] = (
    (apsw.BusyError, StoreProblemKind.LOCKED),
    (apsw.LockedError, StoreProblemKind.LOCKED),
    (apsw.ReadOnlyError, StoreProblemKind.READ_ONLY),
    (apsw.FullError, StoreProblemKind.FULL),
    (apsw.CorruptError, StoreProblemKind.CORRUPT),
    (apsw.NotADBError, StoreProblemKind.CORRUPT),
    (apsw.CantOpenError, StoreProblemKind.NOT_WRITABLE),
)
_WHAT_TO_DO = {
    StoreProblemKind.LOCKED: (
        "is locked by another process for longer than the time limit; close what reads or copies "
        "it (a backup, a database browser) and try again"
    ),
    StoreProblemKind.READ_ONLY: (
        "is read-only; make the file writable for you, or choose another state folder"
    ),
    StoreProblemKind.NOT_WRITABLE: (
        "cannot be created or written; check the folder and its permissions, or choose another "
        "state folder"
    ),
    StoreProblemKind.FULL: "has no space left on its disk; free some, then try again",
    StoreProblemKind.CORRUPT: (
        "is damaged; stop every Sennit server of yours and start one again: it puts the damaged "
        "file aside and says where"
    ),
    StoreProblemKind.NEWER: "was written by a newer Sennit; update this one to use it",
    StoreProblemKind.NOT_OURS: (
        "belongs to another program; move it away, or choose another state folder"
    ),
    StoreProblemKind.NETWORK: (
        "lies on a network file system, on which SQLite loses data; choose a state folder on a "
        "local disk"
    ),
    StoreProblemKind.EXPOSED: (
        "lies in a folder that other users may write; take that right from them, or choose another "
        "state folder"
    ),
    StoreProblemKind.BEHIND: (
        "no longer holds what others changed while this server stood still; start it again"
    ),
    StoreProblemKind.GONE: (
        "was deleted or moved away while this server ran, so that nothing can be kept; unless it "
        "is back at once, its agents are ended and the server ends, and what they have written is "
        "in their workspaces, as far as those are still there"
    ),
    StoreProblemKind.BROKEN: "could not be used; the disk or the system may be failing",
}


def problem(kind: StoreProblemKind, path: Path, detail: str = "") -> StoreProblem:
    """The problem with its message; ``detail`` is what the system said."""
    said = f" ({detail})" if detail else ""
    message = f"The database {path} {_WHAT_TO_DO[kind]}{said}."
    return StoreProblem(kind, str(path), message, detail=detail)


def problem_of_system(path: Path, error: OSError) -> StoreProblem:
    """What a failed call of the operating system says about the database."""
    kind = _KIND_OF_ERRNO.get(error.errno or 0, StoreProblemKind.BROKEN)
    return problem(kind, path, error.strerror or str(error))


def problem_of_sqlite(path: Path, error: apsw.Error, system_errno: int = 0) -> StoreProblem:
    """What an error of SQLite says; ``system_errno`` is that of the connection it came from."""
    if isinstance(error, apsw.IOError) and system_errno in _NO_SPACE:
        return problem(StoreProblemKind.FULL, path, str(error))
    if isinstance(error, apsw.CantOpenError) and no_file_can_be_made(path.parent):
        return problem(StoreProblemKind.FULL, path, f"{NO_NAMES}; {error}")
    for class_, kind in _KIND_OF_ERROR:
        if isinstance(error, class_):
            return problem(kind, path, str(error))
    return problem(StoreProblemKind.BROKEN, path, f"{type(error).__name__}: {error}")


def problem_of_text(path: Path, error: UnreadableError) -> StoreProblem:
    """What an unreadable row, event or command says about the database."""
    if error.newer and error.lacks:
        message = (
            f"The database {path} was written by another version of Sennit, newer or older than "
            "this one, which cannot read it and leaves it as it is. Use that version; or, if "
            "nothing that it holds is needed any more, stop every Sennit server of yours, move the "
            f"file away and start again ({error})."
        )
        return StoreProblem(StoreProblemKind.NEWER, str(path), message)
    if error.newer:
        return problem(StoreProblemKind.NEWER, path, str(error))
    message = (
        f"The database {path} holds what no program of this version wrote: {error}. Stop every "
        "Sennit server of yours, move the file away and start again, or put a copy back."
    )
    return StoreProblem(StoreProblemKind.CORRUPT, str(path), message)
