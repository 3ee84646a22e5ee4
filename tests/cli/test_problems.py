from __future__ import annotations

from sennit.cli.failures import CommandError, RefusedError, UsageError
from sennit.cli.place import told_in_full
from sennit.cli.problems import problems_in, with_valid
from sennit_protocol.errors import ErrorCode, Problem, problems_error
from sennit_protocol.wire import unstructure

AGENT = Problem("tasks[0].agent", "names no agent: 'nobody'", ("command", "fixer"))
PROMPT = Problem("tasks[1].prompt", "is empty")


def refused(*problems: Problem) -> CommandError:
    error = problems_error(ErrorCode.INVALID_PARAMS, "Nothing was started", problems)
    return RefusedError(error.code, error.message, unstructure(error.data))


def test_one_problem_is_one_line_with_what_is_valid() -> None:
    assert told_in_full(refused(AGENT)) == (
        "Nothing was started: tasks[0].agent names no agent: 'nobody'. Valid: command, fixer."
    )


def test_every_problem_of_several_is_a_line() -> None:
    lines = told_in_full(refused(AGENT, *[PROMPT] * 5)).splitlines()
    assert lines[0] == "Nothing was started:"
    assert lines[1].endswith("Valid: command, fixer.")
    assert lines[2:] == ["  tasks[1].prompt is empty"] * 5


def test_an_error_without_problems_is_told_as_it_is() -> None:
    assert told_in_full(UsageError("Wrong.")) == "Wrong."
    assert told_in_full(RefusedError(2, "No such ticket.", {"reason": "x"})) == "No such ticket."


def test_data_of_another_shape_lists_no_problems() -> None:
    shapes: tuple[object, ...] = (None, 1, [], {"problems": 1}, {"problems": [1]})
    for data in shapes:
        assert problems_in(data) == ()


def test_a_long_list_of_what_is_valid_is_cut_and_counted() -> None:
    many = Problem("", "is wrong", tuple(f"n{number}" for number in range(40)))
    assert with_valid(many).endswith("n29 and 10 more.")


def test_what_is_said_of_a_place_is_a_sentence_where_it_can_be_one() -> None:
    said = {
        "--agent": "--agent names no agent: 'x'",
        "/home/me/hi": "/home/me/hi names no agent: 'x'",
        "tasks.toml:4: tasks[0].agent": "tasks.toml:4: tasks[0].agent: names no agent: 'x'",
        "": "names no agent: 'x'",
    }
    for path, sentence in said.items():
        assert with_valid(Problem(path, "names no agent: 'x'")) == sentence
    assert with_valid(Problem("ids[0]", "'x' is no id")) == "ids[0]: 'x' is no id"
