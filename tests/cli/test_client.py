from __future__ import annotations

import os
import sys
from pathlib import Path

import anyio
import pytest
from attrs import evolve, frozen

from sennit.cli.calls import CANCEL_REQUEST
from sennit.cli.client import ClientOptions, connected
from sennit.cli.exits import Exit
from sennit.cli.failures import NoAnswerError, RefusedError, ServerGoneError
from sennit.cli.server_requests import handlers_for
from sennit.cli.terminal import standard_terminal
from sennit_protocol.errors import ErrorCode
from sennit_protocol.requests import Nothing, TicketsParams, TicketsResult
from sennit_protocol.upkeep import AgentsResult
from tests.cli.scripting import Scripted

pytestmark = pytest.mark.anyio

ONE_AGENT = {"name": "fixer", "kind": "command", "usable": True, "new": 1}


@frozen
class Echo:
    result: dict[str, object] | None = None
    error: dict[str, object] | None = None


async def agents(options: ClientOptions, limit_s: float = 20) -> AgentsResult:
    async with connected(options, {}) as client:
        return await client.ask("sennit/agents", Nothing(), AgentsResult, limit_s=limit_s)


async def asked(options: ClientOptions) -> Echo:
    handlers = handlers_for(standard_terminal())
    async with connected(options, handlers) as client:
        return await client.ask("sennit/agents", Nothing(), Echo)


async def test_an_answer_becomes_a_value_and_keys_of_later_versions_are_left_out(
    scripted: Scripted,
) -> None:
    options = scripted({"sennit/agents": {"result": {"agents": [ONE_AGENT], "later": True}}})
    result = await agents(options)
    assert [each.name for each in result.agents] == ["fixer"]


async def test_an_error_in_answer_keeps_its_code_and_data(scripted: Scripted) -> None:
    error = {"code": 7, "message": "not trusted", "data": {"folder": "/x"}}
    with pytest.raises(RefusedError, match="not trusted") as caught:
        await agents(scripted({"sennit/agents": {"error": error}}))
    assert (caught.value.code, caught.value.data) == (7, {"folder": "/x"})
    assert caught.value.exit_code is Exit.NOT_TRUSTED


@pytest.mark.parametrize("code", ErrorCode)
def test_an_error_of_the_server_is_about_what_was_given_or_about_what_came_of_it(
    code: ErrorCode,
) -> None:
    given = {"INVALID_PARAMS", *(each.name for each in ErrorCode if "UNKNOWN" in each.name)}
    expected = Exit.USAGE if code.name in given else Exit.PARTLY
    if code is ErrorCode.NOT_TRUSTED:
        expected = Exit.NOT_TRUSTED
    assert RefusedError(code, "said", None).exit_code is expected


def test_a_server_that_cannot_be_spoken_with_has_an_exit_code_of_its_own() -> None:
    assert ServerGoneError("It ended.", "").exit_code is Exit.NO_SERVER
    assert NoAnswerError("sennit/tickets", 5).exit_code is Exit.NO_SERVER


async def test_a_server_that_dies_in_the_middle_is_told_with_its_last_words(
    scripted: Scripted,
) -> None:
    step = {"die": 3, "words": "first\nno space left\x1b[2J\n"}
    with pytest.raises(ServerGoneError) as caught:
        await agents(scripted({"sennit/agents": step}))
    assert "exit code 3" in caught.value.message
    assert "no space left\\x1b[2J" in caught.value.message
    assert "sennit doctor" in caught.value.message


async def test_a_server_that_dies_at_hello_is_told(scripted: Scripted) -> None:
    with pytest.raises(ServerGoneError, match="exit code 9"):
        await agents(scripted({"initialize": {"die": 9}}))


async def test_rubbish_on_the_stream_is_told(scripted: Scripted) -> None:
    with pytest.raises(ServerGoneError, match="no header of a message"):
        await agents(scripted({"sennit/agents": {"rubbish": "Traceback: hello\nworld\n"}}))


async def test_a_server_that_never_answers_meets_a_time_limit(scripted: Scripted) -> None:
    with pytest.raises(NoAnswerError, match=r"`sennit/agents` within 0\.2 s"):
        await agents(scripted({"sennit/agents": {"silent": True}}), limit_s=0.2)


async def test_an_answer_of_a_wrong_shape_is_told_with_its_place(scripted: Scripted) -> None:
    step = {"result": {"agents": [{"name": 1}]}}
    with pytest.raises(ServerGoneError, match=r"agents\[0\]\.name"):
        await agents(scripted({"sennit/agents": step}))


async def test_a_program_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    options = ClientOptions(tmp_path, command=(str(tmp_path / "missing"), "serve"))
    with pytest.raises(ServerGoneError, match="cannot be started"):
        await agents(options)


async def test_an_edit_is_refused_clearly(scripted: Scripted) -> None:
    request = {"method": "workspace/applyEdit", "params": {"edit": {}}}
    echo = await asked(scripted({"sennit/agents": {"ask": request}}))
    assert echo.result is not None
    assert echo.result["applied"] is False
    assert "sennit apply" in str(echo.result["failureReason"])


async def test_a_progress_token_is_agreed_to(scripted: Scripted) -> None:
    request = {"method": "window/workDoneProgress/create", "params": {"token": "1"}}
    assert await asked(scripted({"sennit/agents": {"ask": request}})) == Echo()


async def test_an_unknown_request_of_the_server_is_answered_with_an_error(
    scripted: Scripted,
) -> None:
    echo = await asked(scripted({"sennit/agents": {"ask": {"method": "later/thing"}}}))
    assert echo.error is not None
    assert echo.error["code"] == -32601


async def test_without_a_person_a_question_is_turned_away(scripted: Scripted) -> None:
    question = {"id": "q_1", "text": "Which?", "options": ["A", "B"]}
    params = {"ticket": "t_1", "task": "a", "question": question}
    echo = await asked(
        scripted({"sennit/agents": {"ask": {"method": "sennit/ask", "params": params}}})
    )
    assert echo == Echo(result={})


async def test_what_the_server_tells_comes_as_a_stream(scripted: Scripted) -> None:
    told = [{"method": "sennit/ticketChanged", "params": {"n": n}} for n in range(3)]
    step = {"tell": told, "result": {"tickets": []}}
    async with connected(scripted({"sennit/tickets": step}), {}) as client:
        await client.ask("sennit/tickets", TicketsParams(), TicketsResult)
        heard = [await client.notifications.receive() for _ in told]
    assert [each.params["n"] for each in heard] == [0, 1, 2]


async def test_the_server_is_gone_when_the_conversation_has_ended(scripted: Scripted) -> None:
    told = {"method": "pid", "params": {"pid": "PID"}}
    options = scripted({"sennit/agents": {"tell": [told], "result": {"agents": []}}})
    async with connected(options, {}) as client:
        await client.ask("sennit/agents", Nothing(), AgentsResult)
        pid = (await client.notifications.receive()).params["pid"]
        os.kill(pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_server_that_ignores_its_end_is_terminated(scripted: Scripted) -> None:
    program = "import time\nwhile True: time.sleep(60)"
    options = evolve(scripted({}), command=(sys.executable, "-c", program))
    with anyio.fail_after(30), pytest.raises(TimeoutError):
        with anyio.fail_after(0.5):
            await agents(options)


async def test_a_conversation_that_is_cancelled_waits_for_no_answer(scripted: Scripted) -> None:
    options = scripted({"sennit/agents": {"silent": True}})
    with anyio.fail_after(15), pytest.raises(TimeoutError):
        with anyio.fail_after(0.5):
            await agents(options)


async def test_a_request_that_the_server_takes_back_is_ended_and_told(scripted: Scripted) -> None:
    ended, told = anyio.Event(), anyio.Event()

    async def ask(_: object) -> object:
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()
        return None

    async def taken_back(request: object) -> object:
        assert request == {"method": "sennit/ask", "params": {"n": 1}}
        told.set()
        return None

    asks = {"method": "sennit/ask", "id": "sennit:1", "params": {"n": 1}}
    back = {"method": "$/cancelRequest", "params": {"id": "sennit:1"}}
    step = {"tell": [asks, back], "result": {"agents": []}}
    handlers = {"sennit/ask": ask, CANCEL_REQUEST: taken_back}
    async with connected(scripted({"sennit/agents": step}), handlers) as client:
        await client.ask("sennit/agents", Nothing(), AgentsResult)
        with anyio.fail_after(10):
            await told.wait()
        assert ended.is_set()
