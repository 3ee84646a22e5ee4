"""Everything that an agent may write between messages, and what it asks, is taken in its stride."""

from __future__ import annotations

import json
from collections.abc import Mapping

import anyio
import anyio.lowlevel
import pytest

from sennit.adapters.agents.acp.exchange import MOST_WAITING, Exchange
from sennit.adapters.runs.values import Said
from sennit.core.agent_events import AgentEvent, Failed, Logged, TextSaid, ToolUpdated
from sennit_protocol.states import FailureKind
from tests.adapters.agents.acp.conftest import PATIENCE_S, Table, Told, nobody

pytestmark = pytest.mark.anyio

ONCE: Told = {"outcome": {"outcome": "selected", "optionId": "once"}}


async def test_noise_before_and_between_messages_is_logged_only(table: Table) -> None:
    between = (
        "raw 42\nraw [1]\nraw null\nbytes fffe0a\nraw \\x1b[31mred\\x1b[0m\nraw {broken\n"
        'raw {"id":[1]}\nraw {"id":{},"result":1}\nraw {"id":{},"method":7}\nraw {"id":99}'
    )
    talk = await table.whole(f"say one\n{between}\nsay two", "chatty")
    assert (talk.text, talk.finished) == ("one\ntwo\n", "end_turn")
    logged = [event.text for event in talk.of(Logged)]
    assert {"42", "[1]", "null", "red", "{broken", "done"} <= {*logged}


async def test_a_thousand_stray_lines_in_a_row_are_no_protocol(table: Table) -> None:
    failed = (await table.whole("babble 2000\nsay x")).failed
    assert failed.kind is FailureKind.PROTOCOL
    assert "no protocol here" in failed.text


async def test_stray_lines_with_messages_between_them_are_fine(table: Table) -> None:
    assert (await table.whole("babble 900\nsay x\nbabble 900")).text == "x\n"


async def test_a_flood_of_errors_holds_nobody_up(table: Table) -> None:
    assert (await table.whole("flood 3072\nsay x")).text == "x\n"


async def test_a_line_of_many_megabytes_and_many_updates_come_in_order(table: Table) -> None:
    talk = await table.whole("huge 5000000\nmany 5000")
    assert len(talk.of(TextSaid)[0].text) == 5_000_000
    assert talk.text[5_000_000:] == "".join(f"{number} " for number in range(5_000))


@pytest.mark.parametrize(
    ("deed", "text"),
    [("die 3", "session/prompt"), ("half", "session/prompt"), ("close-stdout\nsleep 900", "over")],
)
async def test_its_end_fails_what_waits(table: Table, deed: str, text: str) -> None:
    failed = (await table.whole(f"say x\n{deed}")).failed
    assert failed.kind is FailureKind.PROTOCOL
    assert text in failed.text


async def test_its_end_before_the_first_answer_fails_that(table: Table) -> None:
    assert "`initialize`" in (await table.whole("say x", "dies-early")).failed.text


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        ('"broken"', FailureKind.MODEL_ERROR, "broken"),
        ('{"code":null,"message":[1]}', FailureKind.MODEL_ERROR, "[1]"),
        ('{"code":-32000,"message":"who?"}', FailureKind.NOT_SIGNED_IN, "who?"),
        ('{"code":-32601,"message":"no"}', FailureKind.PROTOCOL, "does not know"),
        ('{"code":1,"message":"x","data":{"details":"HTTP 429"}}', FailureKind.RATE_LIMITED, "429"),
        ('{"code":1,"message":"API Error: 401"}', FailureKind.NOT_SIGNED_IN, "401"),
    ],
)
async def test_an_error_is_told_whatever_it_is_made_of(
    table: Table, error: str, kind: FailureKind, text: str
) -> None:
    failed = (await table.whole(f'raw {{"id":2,"error":{error}}}')).failed
    assert failed.kind is kind
    assert text in failed.text


async def test_what_is_not_offered_is_refused(table: Table) -> None:
    await table.whole("refused codes fs/read_text_file terminal/create _ext/x session/update")
    assert (table.folder / "codes").read_text() == "-32601 -32601 -32601 -32601\n"


async def test_what_it_asks_is_asked_with_all_that_is_known(table: Table) -> None:
    known: list[Told] = []

    async def permit(call: Told, _params: Told) -> Told:
        known.append(call)
        return ONCE

    await table.whole("partial edit r a.txt", permit=permit)
    [call] = known
    assert (call["kind"], call["locations"]) == ("edit", [{"path": "a.txt"}])
    assert json.loads((table.folder / "r").read_text())["optionId"] == "once"


async def test_a_cancel_drops_what_is_open_and_what_is_asked_later(table: Table) -> None:
    async def never(_call: Told, _params: Told) -> Told:
        (table.folder / "asked").touch()
        await anyio.sleep_forever()
        return ONCE

    async with table.begun("permit fetch r x", permit=never) as talk:
        await talk.until("asked")
        await talk.conversation.cancel()
    assert (table.folder / "r").read_text() == "cancelled\n"
    assert talk.drops == ["ask: the agent is being stopped"]


async def test_what_is_asked_after_a_cancel_is_told_as_dropped(table: Table) -> None:
    async with table.begun("mark here\nlate r") as talk:
        await talk.until("here.at")
        await talk.conversation.cancel()
    assert (table.folder / "r").read_text() == "cancelled\n"
    assert talk.drops == ["ask: the agent is being stopped"]


async def test_what_is_open_at_the_end_of_its_turn_is_told_as_dropped(table: Table) -> None:
    async def never(_call: Told, _params: Told) -> Told:
        (table.folder / "asked").touch()
        await anyio.sleep_forever()
        return ONCE

    talk = await table.whole("unheard fetch asked", permit=never)
    assert talk.finished == "end_turn"
    assert talk.drops == ["ask: the conversation is over"]


async def test_the_death_of_one_that_asks_ends_the_question(table: Table) -> None:
    ended: list[str] = []

    async def never(_call: Told, _params: Told) -> Told:
        (table.folder / "asked").touch()
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("question")
        return ONCE

    async with table.begun("permit fetch r x", permit=never) as talk:
        await talk.until("asked")
        await talk.executor.stop("r-1", force=True)
    assert ended == ["question"]
    assert talk.drops == ["ask: the agent can be heard no more"]
    assert talk.of(Failed)


async def test_nothing_is_kept_of_what_comes_after_the_end() -> None:
    async def say(_data: bytes) -> object:
        raise AssertionError("nothing is said")

    exchange = Exchange(say, lambda _: None, nobody, untold)  # type: ignore[arg-type]
    await exchange.end()
    request: Mapping[str, object] = {"id": 1, "method": "fs/read_text_file"}
    await exchange.feed((json.dumps(request) + "\n").encode() * 10)
    link = exchange._link
    assert await link.receive() is None
    assert link._arrived.empty()


class Wire:
    """An exchange whose agent is the test."""

    def __init__(self) -> None:
        self.said: list[dict[str, object]] = []
        self.heard: list[AgentEvent] = []
        self.exchange = Exchange(self._say, self.heard.append, never_answered, untold)

    async def _say(self, data: bytes) -> Said:
        self.said.append(json.loads(data))
        return Said()

    async def writes(self, *messages: Mapping[str, object]) -> None:
        """Have the agent write messages in one piece."""
        await self.exchange.feed("".join(json.dumps(each) + "\n" for each in messages).encode())

    async def asked(self, method: str) -> object:
        """Wait until the agent is asked; gives the id."""
        with anyio.fail_after(PATIENCE_S):
            while not self.said or self.said[-1].get("method") != method:  # noqa: ASYNC110
                await anyio.sleep(0.001)
        return self.said[-1]["id"]

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.heard if isinstance(event, TextSaid))


async def untold(_call: Told, _why: str) -> None:
    raise AssertionError("nothing is dropped")


async def never_answered(_call: Told, _params: Told) -> Told:
    await anyio.sleep_forever()
    return ONCE


def said(session: str | None, text: str) -> Mapping[str, object]:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    named = {} if session is None else {"sessionId": session}
    return {"method": "session/update", "params": {**named, "update": update}}


def updated(session: str, kind: str, **more: object) -> Mapping[str, object]:
    params = {"sessionId": session, "update": {"sessionUpdate": kind, **more}}
    return {"method": "session/update", "params": params}


async def test_what_is_said_after_the_answer_to_a_turn_is_no_part_of_it() -> None:
    wire = Wire()
    async with wire.exchange.connected(), anyio.create_task_group() as group:
        for turn in ("one", "two"):
            group.start_soon(wire.exchange.ask, "session/prompt", {}, None)
            number = await wire.asked("session/prompt")
            done = {"id": number, "result": {"stopReason": "end_turn"}}
            tool = updated("s", "tool_call_update", toolCallId=turn, status="completed")
            await wire.writes(said("s", turn), done, said("s", "late"), tool, done)
            wire.said.clear()
    assert wire.text == "onetwo"
    assert [event.id for event in wire.heard if isinstance(event, ToolUpdated)] == ["one", "two"]
    logged = [event.text for event in wire.heard if isinstance(event, Logged)]
    assert logged.count("said after its turn: late") == 2


async def test_only_tools_count_from_a_session_that_is_not_spoken_with() -> None:
    wire = Wire()
    usage = {"used": 1, "size": 2, "cost": {"amount": 9, "currency": "USD"}}
    plan = [{"content": "x", "status": "pending"}]
    await wire.writes(said("early", "1"))
    wire.exchange.session = "mine"
    await wire.writes(
        said("mine", "2"),
        said(None, "3"),
        said("other", "no"),
        updated("other", "usage_update", **usage),
        updated("other", "plan", entries=plan),
        updated("other", "tool_call", toolCallId="t", title="t"),
    )
    assert wire.text == "123"
    kinds = {type(event) for event in wire.heard}
    assert kinds == {TextSaid, Logged, ToolUpdated}


@pytest.mark.parametrize("method", ["session/request_permission", "fs/read_text_file"])
async def test_an_agent_that_asks_without_end_is_heard_no_more(method: str) -> None:
    wire = Wire()
    async with wire.exchange.connected():
        asked = [{"id": number, "method": method, "params": {}} for number in range(10_000)]
        with anyio.fail_after(PATIENCE_S):
            await wire.writes(*asked)
            failed = await wire.exchange.ask("session/prompt", {}, None)
            await wire.exchange.until_ended()
    assert isinstance(failed, Failed)
    assert failed.kind is FailureKind.PROTOCOL
    assert f"has asked {MOST_WAITING} things at once" in failed.text
    assert len([each for each in wire.said if "method" not in each]) <= MOST_WAITING


async def test_an_agent_may_ask_as_often_as_it_likes_one_thing_after_the_other() -> None:
    wire = Wire()
    async with wire.exchange.connected():
        for number in range(3 * MOST_WAITING):
            await wire.writes({"id": number, "method": "fs/read_text_file"})
            with anyio.fail_after(PATIENCE_S):
                while len(wire.said) <= number:
                    await anyio.lowlevel.checkpoint()
    assert all("error" in each for each in wire.said)


async def test_an_answer_to_nothing_is_logged_only() -> None:
    wire = Wire()
    async with wire.exchange.connected(), anyio.create_task_group() as group:
        got: list[object] = []

        async def ask() -> None:
            got.append(await wire.exchange.ask("initialize", {}, None))

        await wire.writes({"id": 0, "result": "early"}, {"id": 1, "result": "early"})
        group.start_soon(ask)
        number = await wire.asked("initialize")
        await wire.writes({"id": number, "result": 1}, {"id": number, "result": 2})
    assert got == [1]
    assert [type(event) for event in wire.heard] == [Logged, Logged, Logged]
