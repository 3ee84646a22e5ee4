"""Standard streams that nobody reads, that are full, closed, or know no Unicode."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from attrs import frozen

from tests.e2e.cli_process import LINES, PROGRAM_DEADLINE_S, Desk, a_desk, sed

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return a_desk(tmp_path, {"a.txt": LINES}).trusted()


@frozen
class Typed:
    """How a line of a shell ended."""

    code: int
    out: str
    err: str


def typed(desk: Desk, line: str, **more: str) -> Typed:
    """Run a line of a shell, in which SENNIT stands for the program and its folder."""
    program = shlex.join(desk.argv())
    environment: Mapping[str, str] = {**desk.environment, **more}
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line.replace('SENNIT', program)}"],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=PROGRAM_DEADLINE_S,
    )
    told = Typed(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in told.err, told.err
    return told


def test_a_run_whose_output_nobody_reads_does_its_work(desk: Desk) -> None:
    line = shlex.join(["run", *sed("s/line/LINE/"), "--accept-all"])
    done = typed(desk, f"SENNIT {line} | true")
    assert done.code == 0, done.err
    assert (desk.repository / "a.txt").read_text() == LINES.replace("line", "LINE")


def test_what_cannot_be_shown_is_told_once_the_work_is_done(desk: Desk) -> None:
    line = shlex.join(["run", *sed("s/line/LINE/"), "--accept-all"])
    done = typed(desk, f"SENNIT {line} >/dev/full")
    assert done.code == 1
    assert "Standard output cannot be written: No space left on device." in done.err
    assert (desk.repository / "a.txt").read_text() == LINES.replace("line", "LINE")
    as_json = typed(desk, "SENNIT tickets --json >/dev/full")
    assert (as_json.code, "cannot be written" in as_json.err) == (1, True)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_are_as_if_nobody_were_there(desk: Desk, closed: str) -> None:
    done = typed(desk, f"SENNIT tickets {closed}")
    assert done.code == 0, done.err


def test_an_encoding_without_arrows_and_umlauts_is_spelled_in_it(desk: Desk) -> None:
    done = typed(desk, "SENNIT doctor", PYTHONIOENCODING="ascii")
    assert "\\u2192" in done.out or done.out.isascii()
    assert "machine" in done.out


def test_a_current_folder_that_is_gone_is_told(desk: Desk, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    program = shlex.join(desk.argv()[:3])
    line = f"mkdir {gone}; cd {gone}; rmdir {gone}; {program} tickets"
    done = typed(desk, line)
    assert (done.code, "has been deleted" in done.err) == (2, True)
    assert typed(desk, f"{line} --json").out.startswith("{")
    assert typed(desk, f"{line.removesuffix('tickets')} -C {desk.repository} tickets").code == 0
