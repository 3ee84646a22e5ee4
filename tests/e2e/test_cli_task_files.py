"""Files of tasks: every problem at once, each with its path and line, and nothing started."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.cli_process import Desk, Ended, a_desk

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return a_desk(tmp_path, {"a.txt": "one\n"}).trusted()


def ran(desk: Desk, text: str, *arguments: str) -> Ended:
    file = desk.repository.parent / "tasks.toml"
    file.write_text(text)
    return desk.sennit("run", "--file", str(file), *arguments)


def places(desk: Desk, ended: Ended) -> list[str]:
    folder = f"{desk.repository.parent}/"
    problems = ended.json["error"]["data"]["problems"]
    return [each["path"].removeprefix(folder) for each in problems]


WRONG_IN_MANY_WAYS = """\
maxConcurrent = "two"

[[tasks]]
id = "a"
prompt = "p"
command = "true"

[[tasks]]
id = "b"
prompt = "p"

[[tasks]]
id = "c"
prompt = p

[[tasks]]
id = "d"
prompt = "p"
agent = "nobody"
dependsOn = ["c"]
"""


def test_what_is_wrong_in_any_way_is_told_at_once_and_nothing_is_started(desk: Desk) -> None:
    ended = ran(desk, WRONG_IN_MANY_WAYS, "--json")
    assert ended.code == 2, ended.err
    # Syntax, types and contradictions are found here; agents by the server.
    assert places(desk, ended) == [
        "tasks.toml:1: maxConcurrent",
        "tasks.toml:6: tasks[0].command",
        "tasks.toml:8: tasks[1].agent",
        "tasks.toml:14",
        "tasks.toml:19: tasks[3].agent",
    ]
    assert "not a known key" not in ended.err
    told = ran(desk, WRONG_IN_MANY_WAYS)
    assert "Nothing was started; the call has problems:\n" in told.err
    assert told.err.count("tasks.toml:") == 5
    assert desk.sennit("tickets", "--json").json["tickets"] == []


def test_what_only_the_server_finds_has_its_line_too(desk: Desk) -> None:
    text = '[[tasks]]\nid = "a"\ncommand = "true | cat"\n\n[[tasks]]\nid = "a"\ncommand = "true"\n'
    assert places(desk, ran(desk, text, "--json")) == ["tasks.toml:6: tasks[1].id"]
    piped = ran(desk, text.replace('"a"', '"b"', 1), "--json")
    assert (piped.code, places(desk, piped)) == (2, ["tasks.toml:3: tasks[0].command"])


def test_a_task_of_the_arguments_is_named_by_its_id(desk: Desk) -> None:
    ended = ran(desk, '[[tasks]]\nid = "a"\ncommand = "true"\n', "words", "--json")
    assert (ended.code, places(desk, ended)) == (2, ["task-1.agent"])


def test_a_file_that_is_mended_is_run(desk: Desk) -> None:
    text = '[[tasks]]\nid = "a"\ncommand = "sed -i s/one/two/ a.txt"\n'
    assert ran(desk, text, "--accept-all").code == 0
    assert (desk.repository / "a.txt").read_text() == "two\n"
