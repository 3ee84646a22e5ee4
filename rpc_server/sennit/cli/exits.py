"""The exit codes of every command but `ask` and `serve`, in one place."""

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
    Exit.PARTLY: "work failed, was refused, or was done only in part; the output says which",
    Exit.USAGE: "the command line or a file that it names is wrong",
    Exit.NOT_TRUSTED: "the folder is not trusted, so nothing of it may start a program",
    Exit.NO_SERVER: "the server could not be started, ended by itself or did not answer",
    Exit.INTERRUPTED: "ended by Ctrl-C; work that had begun was captured",
}
