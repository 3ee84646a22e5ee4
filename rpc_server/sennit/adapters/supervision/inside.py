"""The first process in a sandbox, or where a workspace is mounted: `python -I -S -P inside.py`.

Its arguments: `[--layered] ASKED WORDED PROGRAM [ARGUMENT...]`.

Starts the agent in its own session, passes on the signals that the shim asks for, reaps what is
orphaned, and tells how the agent ended; everything else in the sandbox ends with it.
ASKED and WORDED are descriptors: one byte a signal comes in, lines go out: `B` the program is about
to begin, `S` it runs, `F STAGE ERRNO` it does not, `E STATUS` the agent's wait status. With
`--layered` the current folder lies in a workspace that is mounted in layers, and the renames of the
agent are seen to.
"""
# Importing pathlib would take 10 ms of each start; what can be imported depends on sys.path.
# ruff: noqa: PLC0415, PTH100, PTH109, PTH120, PTH208

from __future__ import annotations

import os
import select
import sys

_CHUNK = 64
_OUTPUTS = (0, 1, 2)
LAYERED = "--layered"
"""Says that the workspace is mounted in layers."""


def main() -> None:
    """Be the first process; never returns, so that nobody waits for Python to be torn down."""
    here = os.path.abspath(__file__)
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(here)))))
    layered = sys.argv[1] == LAYERED
    asked, worded, *argv = sys.argv[2:] if layered else sys.argv[1:]
    for each in (asked, worded):
        os.set_inheritable(int(each), False)
    if not layered or see_to_renames(int(worded)):
        own(int(asked), int(worded), tuple(map(os.fsencode, argv)))
    os._exit(0)


def see_to_renames(worded: int) -> bool:
    """Do what the kernel refuses in layers; False when that is not possible, which is told."""
    from sennit.adapters.overlay.renaming import answer_renames
    from sennit.adapters.platform import kinship

    for each in os.listdir("/proc/self/fd"):
        # One of them holds the lower layer: it is this process that ends with the last of the run.
        if int(each) not in _OUTPUTS and os.path.lexists(f"/proc/self/fd/{each}"):
            os.set_inheritable(int(each), False)
    # Who answers has to be an ancestor of who asks, on machines that are strict (Yama).
    kinship.adopt_orphans()
    try:
        answer_renames()
    except OSError as error:
        _tell(worded, f"F sandbox {error.errno or 0}\n")
        return False
    return True


def own(asked: int, worded: int, argv: tuple[bytes, ...]) -> None:
    """Run the agent `argv` in the current folder to its end."""
    from sennit.adapters.platform import signals
    from sennit.adapters.platform.spawning import Refused, start_agent

    # Others in the sandbox may send what they like: the first process ends when the agent does.
    handled = (signals.TERMINATE, signals.INTERRUPT, signals.HANG_UP, signals.CHILD_ENDED)
    arrivals = signals.arrivals(handled)
    # The agent may end this process before it can say anything else.
    _tell(worded, "B\n")
    started = start_agent(argv, os.getcwdb(), _OUTPUTS)
    if isinstance(started, Refused):
        _tell(worded, f"F {started.stage} {started.number}\n")
        return
    _let_go()
    _tell(worded, "S\n")
    poll = select.poll()
    poll.register(arrivals, select.POLLIN)
    poll.register(asked, select.POLLIN)
    while (status := _reaped(started)) is None:
        for descriptor, _ in poll.poll():
            data = os.read(descriptor, _CHUNK)
            if descriptor == asked and not data:
                # The shim is gone, and nobody else may be left behind.
                return
            if descriptor == asked:
                for number in data:
                    _pass_on(started, number, to_group=number == signals.TERMINATE)
    _tell(worded, f"E {status}\n")


def _let_go() -> None:
    """Drop the agent's streams, whose end is to be the agent's."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for each in _OUTPUTS:
        os.dup2(nothing, each)
    os.close(nothing)


def _reaped(agent: int) -> int | None:
    """Reap whatever ended; the agent's wait status once that was it."""
    while True:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == agent:
            return status
        if pid == 0:
            return None


def _pass_on(agent: int, number: int, *, to_group: bool) -> None:
    """Signal the agent, which is not reaped yet, or its group."""
    try:
        if to_group:
            os.killpg(agent, number)
        else:
            os.kill(agent, number)
    except ProcessLookupError:
        # The agent moved itself to another group; its pid is its own until it is reaped.
        os.kill(agent, number)


def _tell(worded: int, line: str) -> None:
    try:
        os.write(worded, line.encode("ascii"))
    except BrokenPipeError:
        # The shim is gone; bubblewrap ends with it, and this process with that.
        return


if __name__ == "__main__":
    main()
