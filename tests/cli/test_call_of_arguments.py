from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from sennit.cli.call_of_arguments import RunArguments, call_of
from sennit.cli.exits import Exit
from sennit.cli.failures import RefusedError, UsageError
from sennit.cli.problems import problems_in
from sennit_protocol.errors import ErrorCode, Problem, ProblemsData
from sennit_protocol.tasks import ExpectChanges
from sennit_protocol.wire import unstructure

FOLDER = Path("/place")


def file_with(tmp_path: Path, text: str) -> RunArguments:
    path = tmp_path / "tasks.toml"
    path.write_text(text)
    return RunArguments(file=path)


def test_arguments_become_tasks_with_names_in_order() -> None:
    arguments = RunArguments(("one", "two"), ("api=Do = it",), ("ruff check --fix .",), agent="x")
    call = call_of(arguments, FOLDER).call
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
    call = call_of(file_with(tmp_path, text), FOLDER).call
    assert [(t.id, t.agent, t.depends_on) for t in call.tasks] == [
        ("a", None, ("task-1",)),
        ("task-1", "command", ()),
    ]
    assert call.defaults.cwd == "file:///place/sub"
    assert call.defaults.expect_changes is ExpectChanges.OFF
    assert (call.label, call.max_concurrent) == ("l", 2)


def test_names_of_arguments_keep_clear_of_those_in_the_file(tmp_path: Path) -> None:
    arguments = file_with(tmp_path, '[[tasks]]\nid = "task-1"\nprompt = "p"\n')
    call = call_of(RunArguments(("q",), file=arguments.file), FOLDER).call
    assert [t.id for t in call.tasks] == ["task-1", "task-2"]


def test_every_problem_of_a_file_is_listed_with_its_place(tmp_path: Path) -> None:
    text = 'tasks = [{id = 1, prompt = "p"}, {id = "b", prompt = "p", nonsense = 1}]'
    wrong = call_of(file_with(tmp_path, text), FOLDER).wrong()
    assert "tasks.toml:1: tasks[0].id" in wrong.message
    assert "tasks.toml:1: tasks[1].nonsense" in wrong.message
    assert [each.path.rpartition(" ")[2] for each in problems_in(wrong.data)] == [
        "tasks[0].id",
        "tasks[1].nonsense",
    ]


def test_what_the_server_finds_wrong_is_told_where_it_was_written(tmp_path: Path) -> None:
    arguments = file_with(tmp_path, '[[tasks]]\nid = "a"\ncommand = "x | y"\n')
    given = call_of(RunArguments(("q",), file=arguments.file), FOLDER)
    listed = (Problem("tasks[0].prompt", "means nothing"), Problem("tasks[1].agent", "is missing"))
    data = unstructure(ProblemsData(listed))
    error = given.explained(RefusedError(ErrorCode.INVALID_PARAMS, "wrong", data))
    assert [each.path.rpartition("/")[2] for each in problems_in(error.data)] == [
        "tasks.toml:3: tasks[0].command",
        "task-1.agent",
    ]
    assert error.exit_code is Exit.USAGE
    other = RefusedError(ErrorCode.LIMIT, "too many", None)
    assert given.explained(other) is other


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


def test_what_is_wrong_with_an_option_is_told_by_its_name() -> None:
    given = call_of(RunArguments(("q", "r"), agent="nobody"), FOLDER)
    wrong = given.wrong((Problem("defaults.agent", "names no agent"),))
    assert [each.path for each in problems_in(wrong.data)] == ["--agent"]
    elsewhere = given.wrong((Problem("defaults.cwd", "names a folder that is odd"),))
    assert "the folder here (`-C` names another): is odd" in elsewhere.message
    line = call_of(RunArguments(commands=("x | y",)), FOLDER)
    piped = line.wrong((Problem("tasks[0].prompt", "means nothing"),))
    assert [each.path for each in problems_in(piped.data)] == ["command-1"]
    lacking = (Problem("tasks[0].agent", "is missing"),)
    told = call_of(RunArguments(("q",)), FOLDER).wrong(lacking).message
    assert "task-1.agent: is missing; name one with --agent" in told


def test_where_no_agent_is_installed_it_is_told_how_to_get_one_or_to_do_without() -> None:
    given = call_of(RunArguments(("q",)), FOLDER)
    lacking = Problem("tasks[0].agent", "is missing, and there is no default", ("command",))
    (told,) = problems_in(given.wrong((lacking,)).data)
    assert "no agent is installed" in told.message
    assert "--command" in told.message
    assert told.valid == ()
    several = evolve(lacking, valid=("command", "fixer"))
    (told,) = problems_in(given.wrong((several,)).data)
    assert "--agent" in told.message
    assert told.valid == ("command", "fixer")


def test_a_file_that_is_not_toml_is_told(tmp_path: Path) -> None:
    assert "is not TOML" in call_of(file_with(tmp_path, "tasks = ["), FOLDER).wrong().message
