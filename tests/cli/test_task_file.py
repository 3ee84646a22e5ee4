from __future__ import annotations

from pathlib import Path

import pytest

from sennit.cli.failures import UsageError
from sennit.cli.task_file import TaskFile, task_file
from sennit_protocol.errors import Problem


def file_of(tmp_path: Path, text: str) -> TaskFile:
    path = tmp_path / "tasks.toml"
    path.write_text(text)
    return task_file(path)


def told(file: TaskFile, *found_by_server: Problem) -> list[str]:
    folder = f"{file.path.parent}/"
    problems = file.all_problems(found_by_server)
    return [f"{each.path.removeprefix(folder)}: {each.message}" for each in problems]


def test_a_file_that_is_right_has_no_problems(tmp_path: Path) -> None:
    file = file_of(tmp_path, '[[tasks]]\nid = "a"\ncommand = "true"\n')
    assert not file.is_wrong
    assert [(task.prompt, task.agent) for task in file.call.tasks] == [("true", "command")]


def test_a_command_stands_in_place_of_a_prompt_and_of_an_agent(tmp_path: Path) -> None:
    text = (
        '[[tasks]]\nid = "a"\nprompt = "p"\ncommand = "true"\n'
        '[[tasks]]\nid = "b"\ncommand = "true"\nagent = "codex"\n'
        '[[tasks]]\nid = "c"\ncommand = "true"\nagent = "command"\n'
    )
    assert told(file_of(tmp_path, text)) == [
        (
            "tasks.toml:4: tasks[0].command: stands in place of a `prompt`, and the task has both;"
            " leave one out"
        ),
        (
            "tasks.toml:8: tasks[1].agent: has no part in a `command`, which is run as it is; leave"
            " it out, or give the agent a `prompt`"
        ),
    ]


def test_all_kinds_of_problems_are_told_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = """\
labl = "x"

[[tasks]]
id = 1
prompt = "p"

[[tasks]]
id = "b"
prompt =

[[tasks]]
id = "c"
prompt = "p"
nonsense = true
dependsOn = ["b"]

[[tasks]]
id = "d"
command = 5

[[tasks]]
id = "e"
"""
    file = file_of(tmp_path, text)
    from_server = (
        Problem("tasks[2].agent", "is missing, and there is no default"),
        Problem("tasks[2].dependsOn[0]", "names no task of this call: 'b'"),
        Problem("tasks[3].prompt", "is empty; say what the agent is to do"),
    )
    assert told(file, *from_server) == [
        "tasks.toml:1: labl: is not a known key",
        "tasks.toml:4: tasks[0].id: must be a string, not a number",
        "tasks.toml:9: is not TOML: invalid value",
        "tasks.toml:11: tasks[2].agent: is missing, and there is no default",
        "tasks.toml:14: tasks[2].nonsense: is not a known key",
        "tasks.toml:19: tasks[3].command: must be a string, not a number",
        "tasks.toml:21: tasks[4].prompt: is missing; give a `prompt` or a `command`",
    ]
    # What is wrong is left out of the call, and each task keeps its number in it.
    assert [task.id for task in file.call.tasks] == ["unnamed-0", "unnamed-1", "c", "d", "e"]


def test_the_keys_of_a_task_that_are_valid_name_those_of_a_file_too(tmp_path: Path) -> None:
    file = file_of(tmp_path, '[[tasks]]\nid = "a"\nprompt = "p"\nnonsense = 1\n')
    (problem,) = file.all_problems(())
    assert {"prompt", "command", "dependsOn"} <= set(problem.valid)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "tasks.toml: tasks: is missing"),
        ("tasks = 5\n", "tasks.toml:1: tasks: must be an array, not a number"),
        ("tasks = [5]\n", "tasks.toml:1: tasks[0]: must be an object, not a number"),
        ('[[task]]\nid = "a"\n', "tasks.toml:1: task: is not a known key"),
        ("defaults = 1\ntasks = []\n", "tasks.toml:1: defaults: must be an object, not a number"),
        ('tasks = []\n"a.b" = 1\n', "tasks.toml:2: a.b: is not a known key"),
    ],
)
def test_files_of_another_shape_are_told(tmp_path: Path, text: str, said: str) -> None:
    assert said in told(file_of(tmp_path, text))


@pytest.mark.parametrize(
    ("data", "said"), [(b"\xff", "is not UTF-8"), (b"a = " + b"[" * 5000, "nested too deeply")]
)
def test_what_cannot_be_read_at_all_is_told(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "tasks.toml"
    path.write_bytes(data)
    with pytest.raises(UsageError, match=said):
        task_file(path)
