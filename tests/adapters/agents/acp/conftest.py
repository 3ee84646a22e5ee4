"""Conversations with the scripted peer as a real process; none may be left."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from attrs import define, evolve, field

from sennit.adapters.agents.acp.conversation import Conversation
from sennit.adapters.agents.acp.exchange import Exchange
from sennit.adapters.agents.acp.script import Script, text_block
from sennit.adapters.processes import LocalExecutor
from sennit.adapters.runs.values import (
    Cursor,
    Deaf,
    Ended,
    Exited,
    Output,
    OutputOver,
    RunSpec,
    Said,
    Started,
    Stream,
)
from sennit.core.agent_events import AgentEvent, Failed, Finished, TextSaid
from sennit.core.agents import Polite
from tests import acp_peer
from tests.adapters.runs.running import end_processes_of

PATIENCE_S = 60
Told = Mapping[str, object]
Answer = Callable[[Told, Told], Awaitable[Told]]


async def nobody(_call: Told, _params: Told) -> Told:
    raise AssertionError("it asked")


@define(eq=False)
class Talk:
    """One conversation, and what was heard in it."""

    folder: Path
    executor: LocalExecutor
    exchange: Exchange
    conversation: Conversation
    heard: list[AgentEvent] = field(factory=list)
    openings: list[None] = field(factory=list)
    drops: list[str] = field(factory=list)

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.heard if isinstance(event, kind)]

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.of(TextSaid))

    @property
    def failed(self) -> Failed:
        [failed] = self.of(Failed)
        assert isinstance(failed, Failed)
        return failed

    @property
    def finished(self) -> str:
        return self.of(Finished)[-1].stop_reason  # type: ignore[no-any-return]

    async def until(self, name: str) -> None:
        """Wait for a file that the agent makes."""
        with anyio.fail_after(PATIENCE_S):
            while not (self.folder / name).exists():  # noqa: ASYNC110  the agent cannot tell us
                await anyio.sleep(0.01)

    async def follow(self) -> Exited:
        """Hear what it writes, until its end."""
        async for event in self.executor.events("r-1", Cursor()):
            match event:
                case Output(stream=Stream.STDOUT, data=data):
                    await self.exchange.feed(data)
                case OutputOver(why=why):
                    await self.exchange.end(f"over: {why}")
                case Ended(outcome=outcome):
                    await self.exchange.end()
                    return outcome
                case _:
                    pass
        raise AssertionError("no end")


class Table:
    """Where talks begin."""

    def __init__(self, folder: Path, executor: LocalExecutor, home: Path) -> None:
        self.folder, self.executor, self.home = folder, executor, home

    @asynccontextmanager
    async def begun(
        self, prompt: str, *habits: str, permit: Answer = nobody, **more: Any
    ) -> AsyncIterator[Talk]:
        """Begin a conversation; at the end of the block both it and its agent are over."""
        spec = RunSpec(
            argv=(sys.executable, acp_peer.__file__, *habits), talks=True,
            env_set={"HOME": str(self.home)}, polite=Polite.NOTHING,
            close_ms=1000, term_ms=1000,
        )  # fmt: skip
        started = await self.executor.start("r-1", self.folder, spec)
        assert isinstance(started, Started), started
        heard: list[AgentEvent] = []
        openings: list[None] = []

        async def say(data: bytes) -> Said | Deaf:
            return await self.executor.say("r-1", data)

        drops: list[str] = []

        async def dropped(call: Told, why: str) -> None:
            # As slowly as a story is written.
            await anyio.lowlevel.checkpoint()
            drops.append(f"{call.get('title')}: {why}")

        exchange = Exchange(say, heard.append, permit, dropped)
        conversation = Conversation(exchange, lambda: openings.append(None))
        talk = Talk(self.folder, self.executor, exchange, conversation, heard, openings, drops)
        script = Script(str(self.folder), (text_block(prompt),), PATIENCE_S, "0")
        async with anyio.create_task_group() as group:
            group.start_soon(talk.follow)

            async def hold() -> None:
                await conversation.hold(evolve(script, **more))
                await self.executor.hush("r-1")
                await self.executor.stop("r-1", force=False)

            group.start_soon(hold)
            with anyio.fail_after(PATIENCE_S):
                yield talk
                await talk.executor.wait("r-1")

    async def whole(self, prompt: str, *habits: str, **more: Any) -> Talk:
        """Hold a conversation to its end."""
        async with self.begun(prompt, *habits, **more) as talk:
            pass
        return talk


@pytest.fixture(autouse=True)
def _nothing_escapes(tmp_path: Path) -> Iterator[None]:
    yield
    assert end_processes_of(tmp_path) == []


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    folder, home = tmp_path / "work space", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    executor = LocalExecutor(tmp_path / "runs", dict(os.environ))
    yield Table(folder, executor, home)
    await executor.close()
