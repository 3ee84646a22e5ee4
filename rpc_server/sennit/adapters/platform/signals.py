"""Signals by number, without the module `signal`, whose import costs a quarter of a start."""

from __future__ import annotations

# `signal` wraps this built-in module in enums; loading `enum` takes 5 to 7 ms, as long as a third
# of starting Python.
import _signal  # type: ignore[import-not-found]
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

INTERRUPT: int = _signal.SIGINT
TERMINATE: int = _signal.SIGTERM
QUIT: int = _signal.SIGQUIT
HANG_UP: int = _signal.SIGHUP
KILL: int = _signal.SIGKILL
CONTINUE: int = _signal.SIGCONT
CHILD_ENDED: int = _signal.SIGCHLD


def arrivals(numbers: Iterable[int]) -> int:
    """Turn these signals into bytes: the descriptor returned yields one byte a signal, its number.

    Reading never blocks. The signals no longer end or disturb this process.
    """
    reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    _signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in numbers:
        _signal.signal(number, _ignore)
    return reader


def as_a_program_expects() -> None:
    """Undo, before an exec, what Python changed: a program expects to die of a broken pipe."""
    _signal.signal(_signal.SIGPIPE, _signal.SIG_DFL)
    _signal.signal(_signal.SIGXFSZ, _signal.SIG_DFL)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, ())


def send(pidfd: int, number: int) -> None:
    """Send a signal to exactly the process behind a pidfd; raises ProcessLookupError if ended."""
    _signal.pidfd_send_signal(pidfd, number)


def _ignore(_number: int, _frame: object) -> None:
    """Let the wake-up descriptor tell it; a handler must exist for that."""
