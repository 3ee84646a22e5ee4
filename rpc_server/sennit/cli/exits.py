"""The exit codes of every command but `ask` and `serve`, in one place.

`Exit.USAGE` is for what was given, `Exit.PARTLY` for what came of it: a thing that is named and is
not there is the former, a thing that is there and in no state for it the latter.
"""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What the exit code of a command says."""

    FINE = 0
    PARTLY = 1
    USAGE = 2
    NOT_TRUSTED = 3
    NO_SERVER = 4
    INTERRUPTED = 130


MEANINGS = {
    Exit.FINE: "everything was done",
    Exit.PARTLY: "it did not work out, or only in part: failed, refused, in conflict",
    Exit.USAGE: "what was given is wrong: an option, an id, a name, a file of tasks",
    Exit.NOT_TRUSTED: "the folder is not trusted, so nothing of it may start a program",
    Exit.NO_SERVER: "the server could not be started, ended by itself or did not answer",
    Exit.INTERRUPTED: "ended by Ctrl-C; work that had begun was captured",
}
