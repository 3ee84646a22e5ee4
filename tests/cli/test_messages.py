"""Messages of the server beside its answers, as a user of the command line sees them."""

from __future__ import annotations

import click
import pytest

from sennit.cli.client import Client
from sennit.cli.exits import Exit
from sennit.cli.failures import CommandError
from sennit.cli.place import Place
from sennit.cli.terminal import standard_terminal
from sennit_protocol.requests import Nothing
from sennit_protocol.upkeep import AgentsResult
from tests.cli.scripting import Scripted

MOVED = "The database was moved.\nLook at it."


def shown(kind: int, text: str) -> dict[str, object]:
    return {"method": "window/showMessage", "params": {"type": kind, "message": text}}


def agents(scripted: Scripted, answer: dict[str, object]) -> None:
    told = [shown(1, MOVED), shown(1, MOVED), shown(2, "Look."), shown(3, "chatter")]
    options = scripted({"sennit/agents": {"tell": told, **answer}})
    place = Place(options, standard_terminal())
    place.request("sennit/agents", Nothing(), AgentsResult, as_json=True, render=repr)


def test_errors_and_warnings_are_told_once_beside_the_answer(
    scripted: Scripted, capsys: pytest.CaptureFixture[str]
) -> None:
    agents(scripted, {"result": {"agents": []}})
    said = capsys.readouterr()
    assert said.err == "sennit: The database was moved.\nLook at it.\nsennit: Look.\n"
    assert said.out.startswith("{")


@pytest.mark.parametrize(("code", "times"), [(8, 1), (14, 1), (12, 2)])
def test_what_the_failure_of_the_command_says_is_not_said_twice(
    scripted: Scripted, capsys: pytest.CaptureFixture[str], code: int, times: int
) -> None:
    with pytest.raises(click.exceptions.Exit):
        agents(scripted, {"error": {"code": code, "message": "The database was moved."}})
    assert capsys.readouterr().err.count("The database was moved.") == times


def test_what_comes_while_a_command_waits_is_told_at_once_and_not_again(
    scripted: Scripted, capsys: pytest.CaptureFixture[str]
) -> None:
    options = scripted({"sennit/agents": {"tell": [shown(1, MOVED)], "result": {"agents": []}}})
    place = Place(options, standard_terminal())

    async def meanwhile(client: Client) -> str:
        await client.ask("sennit/agents", Nothing(), AgentsResult)
        await client.ask("sennit/agents", Nothing(), AgentsResult)
        return capsys.readouterr().err

    said = place.converse(meanwhile, as_json=False, waits=lambda: True)
    assert said == "sennit: The database was moved.\nLook at it.\n"
    assert capsys.readouterr().err == ""
    assert place.converse(meanwhile, as_json=False) == ""
    assert capsys.readouterr().err == said


def test_an_interrupt_that_comes_while_tasks_are_ended_is_one_all_the_same(
    scripted: Scripted, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Place(scripted({}), standard_terminal())

    async def twice(_client: Client) -> None:
        told = CommandError("The server has ended.", Exit.PARTLY)
        raise BaseExceptionGroup("of tasks", [told, BaseExceptionGroup("", [KeyboardInterrupt()])])

    with pytest.raises(click.exceptions.Exit) as ended:
        place.converse(twice, as_json=False, left_behind=lambda: "Look there.")
    assert ended.value.exit_code == Exit.INTERRUPTED
    assert capsys.readouterr().err == "sennit: Interrupted. Look there.\n"
