"""What the shim makes of the words from inside a sandbox; programs of ours stand in for it."""

import os
from pathlib import Path

import pytest

from sennit.adapters.platform.spawning import Refused
from sennit.adapters.supervision.grip import Boxed, start
from sennit.adapters.supervision.order import NUMBERS, Order


def an_order(folder: Path, script: str) -> Order:
    """Of an agent in a sandbox that says by a shell script what `inside` says."""
    # The descriptors come after the command line of the sandbox: the second one takes words.
    sandbox = (b"/bin/sh", b"-c", script.encode(), b"inside")
    numbers = {**dict.fromkeys(NUMBERS, 0), "sandbox": len(sandbox)}
    here = os.fsencode(folder)
    return Order("r-1", (here, here, b"/dev/null"), (*sandbox, b"agent"), numbers)


def started(folder: Path, script: str) -> Boxed | Refused:
    nothing = os.open(os.devnull, os.O_RDWR)
    try:
        found = start(an_order(folder, script), (nothing, nothing, nothing))
    finally:
        os.close(nothing)
    assert isinstance(found, (Boxed, Refused))
    return found


@pytest.mark.parametrize("words", ["B", r"B\nS"])
def test_an_agent_that_ends_the_first_process_at_once_has_run(tmp_path: Path, words: str) -> None:
    found = started(tmp_path, rf'printf "{words}\n" > "/proc/self/fd/$2"; kill -9 $$')
    assert isinstance(found, Boxed)
    _, status = os.waitpid(found.pid, 0)
    assert os.waitstatus_to_exitcode(found.ended_with(status)) == -9


@pytest.mark.parametrize(
    ("words", "stage", "number"),
    [("", "sandbox", 0), (r"F sandbox 1\n", "sandbox", 1), (r"B\nF program 2\n", "program", 2)],
)
def test_an_agent_that_did_not_begin_is_refused(
    tmp_path: Path, words: str, stage: str, number: int
) -> None:
    found = started(tmp_path, rf'printf "{words}" > "/proc/self/fd/$2"')
    assert isinstance(found, Refused)
    assert (found.stage, found.number) == (stage, number)
