"""What is told of commands that fail, or cannot be meant as they are typed."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.e2e.cli_process import (
    Desk,
    a_desk,
    python,
)

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return a_desk(tmp_path, {"a.txt": "a\n"}).trusted()


def newest(desk: Desk) -> str:
    return str(desk.sennit("tickets", "--json").json["tickets"][0]["id"])


def test_the_last_lines_of_standard_error_are_told_with_a_failure(desk: Desk) -> None:
    program = (
        "import sys; print('noise')\n"
        "for n in range(9): print('line', n, '\\x1b[2J', file=sys.stderr)\n"
        "sys.exit(2)"
    )
    done = desk.sennit("run", *python(program))
    assert done.code == 1
    told = [line for line in done.err.splitlines() if line.startswith("command-1 | ")]
    assert told == [f"command-1 | line {number} \\x1b[2J" for number in range(4, 9)]
    command = f"sennit output {newest(desk)}/command-1 --stderr"
    assert f"To see all of it: {command}" in done.err
    assert "line 0" in desk.sennit(*command.split()[1:]).out


def test_standard_output_is_told_where_there_is_nothing_else(desk: Desk) -> None:
    done = desk.sennit("run", *python("print('all there is'); raise SystemExit(3)"), "--json")
    assert "command-1 | all there is\n" in done.err
    assert f"sennit output {newest(desk)}/command-1\n" in done.err
    assert done.json["exitCode"] == 1


def test_a_program_that_fails_without_a_word_is_told_as_one(desk: Desk) -> None:
    done = desk.sennit("run", "--command", "false", "--command", "true")
    assert "command-1 wrote nothing." in done.err
    assert "command-2 wrote" not in done.err


@pytest.mark.parametrize("line", ["wc -l *.txt", "echo $HOME", "cat ~/x", "CI=1 true"])
def test_what_only_a_shell_understands_is_refused_with_advice(desk: Desk, line: str) -> None:
    done = desk.sennit("run", "--command", line)
    assert done.code != 0
    told = " ".join(done.err.split())
    assert "means nothing here, because no shell runs" in told
    assert f"sh -c {shlex.quote(line)}" in told
    assert desk.sennit("run", "--command", f"sh -c {shlex.quote('true ' + line)}").code == 0


def test_a_program_that_is_not_there_is_told_without_words_of_the_settings(desk: Desk) -> None:
    done = desk.sennit("run", "--command", "no-such-program-here --fix")
    told = " ".join(done.err.split())
    assert "correct its name, which an agent has in `argv`" in told


def test_nothing_to_apply_is_told_with_its_reason(desk: Desk) -> None:
    assert desk.sennit("run", "--command", "true").code == 0
    done = desk.sennit("apply", "@", "--accept-all")
    assert done.code == 1
    told = f"Nothing to apply: {newest(desk)} changes nothing that is not there already."
    assert told in " ".join(done.err.split())
    assert desk.sennit("run", "--command", "sed -i s/a/b/ a.txt", "--reject-all").code == 0
    waits = " ".join(desk.sennit("apply", "@").err.split())
    assert "accept all that has no conflict with --accept-all" in waits
    rejected = " ".join(desk.sennit("apply", "@", "--accept-all").err.split())
    assert f"what was rejected stays so. Decide with `sennit review {newest(desk)}`" in rejected
