from __future__ import annotations

from pathlib import Path

import pytest

from sennit.cli.call_of_arguments import RunArguments, call_of
from sennit.cli.failures import UsageError
from sennit_protocol.tasks import ExpectChanges

FOLDER = Path("/place")


def file_with(tmp_path: Path, text: str) -> RunArguments:
    path = tmp_path / "tasks.toml"
    path.write_text(text)
    return RunArguments(file=path)


def test_arguments_become_tasks_with_names_in_order() -> None:
    arguments = RunArguments(("one", "two"), ("api=Do = it",), ("ruff check --fix .",), agent="x")
    call = call_of(arguments, FOLDER)
    assert [(t.id, t.prompt, t.agent) for t in call.tasks] == [
        ("task-1", "one", None),
        ("task-2", "two", None),
        ("api", "Do = it", None),
        ("command-1", "ruff check --fix .", "command"),
    ]
    assert (call.defaults.agent, call.defaults.cwd) == ("x", "file:///place")


def test_a_file_has_the_keys_of_the_protocol(tmp_path: Path) -> None:
    text = """
        label = "l"
        maxConcurrent = 2
        [defaults]
        cwd = "sub"
        expectChanges = "off"
        [[tasks]]
        id = "a"
        prompt = "p"
        dependsOn = ["task-1"]
        [[tasks]]
        id = "task-1"
        command = "true"
    """
    call = call_of(file_with(tmp_path, text), FOLDER)
    assert [(t.id, t.agent, t.depends_on) for t in call.tasks] == [
        ("a", None, ("task-1",)),
        ("task-1", "command", ()),
    ]
    assert call.defaults.cwd == "file:///place/sub"
    assert call.defaults.expect_changes is ExpectChanges.OFF
    assert (call.label, call.max_concurrent) == ("l", 2)


def test_names_of_arguments_keep_clear_of_those_in_the_file(tmp_path: Path) -> None:
    arguments = file_with(tmp_path, '[[tasks]]\nid = "task-1"\nprompt = "p"\n')
    call = call_of(RunArguments(("q",), file=arguments.file), FOLDER)
    assert [t.id for t in call.tasks] == ["task-1", "task-2"]


def test_every_problem_of_a_file_is_listed_with_its_place(tmp_path: Path) -> None:
    text = 'tasks = [{id = 1, prompt = "p"}, {id = "b", prompt = "p", nonsense = 1}]'
    with pytest.raises(UsageError) as caught:
        call_of(file_with(tmp_path, text), FOLDER)
    assert "tasks[0].id" in caught.value.message
    assert "tasks[1].nonsense" in caught.value.message


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (RunArguments(), "nothing to do"),
        (RunArguments(named=("api",)), "ID=PROMPT"),
        (RunArguments(file=Path("/nowhere/tasks.toml")), "cannot be read"),
    ],
)
def test_wrong_use_is_told(arguments: RunArguments, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        call_of(arguments, FOLDER)


def test_a_file_that_is_not_toml_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not TOML"):
        call_of(file_with(tmp_path, "tasks = ["), FOLDER)
