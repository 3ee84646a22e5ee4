"""Ties that the kernel enforces: who adopts orphans, who dies with whom."""

from __future__ import annotations

# `ctypes` costs 7 ms to import, of which this built-in part is the only one that we need.
import _ctypes
import os

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends (a subreaper).

    After this, `waitpid` reporting no children proves that no descendant is left.
    """
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(number: int, parent: int) -> bool:
    """Have the kernel send signal `number` to this process when the thread that forked it ends.

    False when `parent` (its pid) had ended already: then no signal will ever come.
    """
    _prctl(_PR_SET_PDEATHSIG, number)
    return os.getppid() == parent


def _prctl(option: int, value: int) -> None:
    # None is this program itself, which is linked with the C library.
    handle = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]  # the stub forgets None
    function = _ctypes.dlsym(handle, "prctl")
    if _ctypes.call_function(function, (option, value, 0, 0, 0)) != 0:
        raise OSError(f"prctl({option}, {value}) failed: the kernel is too old or forbids it")
