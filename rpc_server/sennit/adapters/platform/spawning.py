"""Starts programs: an agent under its shim, a shim under the server."""

from __future__ import annotations

import os

from sennit.adapters.platform import kinship, signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_FAILED = 127


class Refused:
    """The program did not start: `stage` is "prepare", "folder" or "program"; errno."""

    __slots__ = ("number", "stage")

    def __init__(self, stage: str, number: int) -> None:
        self.stage = stage
        self.number = number


def start_in_own_session(
    argv: tuple[bytes, ...], environment: Mapping[bytes, bytes], streams: tuple[int, int, int]
) -> int:
    """Start a program in a session of its own and return its pid; raises OSError.

    Call it on the thread that lives as long as the server: the kernel tells the child of its
    parent's death when the forking thread ends. Only `streams` are inherited, as 0, 1 and 2.
    """
    actions = [(os.POSIX_SPAWN_DUP2, each, number) for number, each in enumerate(streams)]
    return os.posix_spawn(
        argv[0], argv, environment, file_actions=actions, setsid=True, setsigmask=()
    )


def start_agent(
    argv: tuple[bytes, ...], folder: bytes, streams: tuple[int, int, int]
) -> int | Refused:
    """Start an agent as leader of its own session and group; it is killed if this process dies.

    Returns when the program runs (its pid), or with the reason why it does not; raises OSError
    when the system has no room for another process.
    """
    reader, writer = os.pipe2(os.O_CLOEXEC)
    parent = os.getpid()
    try:
        pid = os.fork()
    except OSError:
        os.close(reader)
        os.close(writer)
        raise
    if pid == 0:
        _become(argv, folder, streams, parent, writer)
    os.close(writer)
    try:
        # End of file is the exec itself: it closes the writing end.
        report = os.read(reader, 64)
    finally:
        os.close(reader)
    if not report:
        return pid
    os.waitpid(pid, 0)
    stage, number = report.decode("ascii").split()
    return Refused(stage, int(number))


def _become(
    argv: tuple[bytes, ...], folder: bytes, streams: tuple[int, int, int], parent: int, report: int
) -> None:
    """Be the agent; never returns: whatever fails is reported, and this copy ends."""
    stage = "program"
    try:
        os.setsid()
        signals.as_a_program_expects()
        if not kinship.die_with_parent(signals.KILL, parent):
            os._exit(_FAILED)
        for number, each in enumerate(streams):
            os.dup2(each, number)
        stage = "folder"
        os.chdir(folder)
        stage = "program"
        os.execvpe(argv[0], argv, os.environb)  # noqa: S606  an argv list without a shell is the point
    except OSError as error:
        os.write(report, f"{stage} {error.errno}".encode("ascii"))
    finally:
        os._exit(_FAILED)
