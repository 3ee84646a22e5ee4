"""The lines between Sennit and one agent: what it writes is sorted, what it asks is answered."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

import anyio
import anyio.to_thread
from attrs import define, field

from sennit.adapters.agents.acp.link import Connection, Link, Say, Unheard, load_sdk
from sennit.core.acp.calls import Calls
from sennit.core.acp.messages import MOST_STRAY_LINES, Message, Stray, read_line
from sennit.core.acp.updates import update_events
from sennit.core.agent_events import (
    AgentEvent,
    ContextFilled,
    Failed,
    Logged,
    TextSaid,
    ThoughtSaid,
    ToDoSet,
    UsageStep,
    UsageTotal,
)
from sennit.core.output_formats.fields import mapping, text
from sennit.core.output_formats.lines import Lines
from sennit.core.output_formats.model_failures import model_failure
from sennit_protocol.states import FailureKind, Phase

LONGEST_MESSAGE = 64 << 20
"""Characters of one message: agents send whole files and pictures in one."""

HUGE = 1 << 20
"""Characters of a line from which on it is read in a thread: nothing else waits for that."""

MOST_WAITING = 100
"""Requests of an agent that wait for an answer at once; one that has more does not wait for any."""

_LONGEST_SHOWN = 200
_METHOD_NOT_FOUND = -32601
_AUTH_REQUIRED = -32000
_SAID = (TextSaid, ThoughtSaid)
_OF_ONE_SESSION = (*_SAID, ToDoSet, UsageStep, UsageTotal, ContextFilled)
"""What counts only from the session that is spoken with. What tools do counts from all of them."""
_PROMPT = "session/prompt"
_DROPPED: Mapping[str, object] = {"outcome": {"outcome": "cancelled"}}

Hear = Callable[[AgentEvent], None]
Permit = Callable[[Mapping[str, object], Mapping[str, object]], Awaitable[Mapping[str, object]]]
"""Answers `session/request_permission`, by the call as it is known and the parameters."""
Drop = Callable[[Mapping[str, object], str], Awaitable[None]]
"""Told of a request that is answered with `cancelled` instead, by its call, and why."""


@define(eq=False)
class Exchange:
    """Messages to and from one agent.

    ``say`` writes to it, ``hear`` takes what it tells, ``permit`` answers what it asks, and
    ``dropped`` is told what is answered without it. While ``replaying``, what it tells is an old
    story; while ``refusing``, what it asks is dropped, for the reason that this is. ``session`` is
    the one that is spoken with, empty while it is not known.
    """

    say: Say
    hear: Hear
    permit: Permit
    dropped: Drop
    replaying: bool = False
    refusing: str = ""
    session: str = ""
    _is_between_turns: bool = False
    _lines: Lines = field(factory=lambda: Lines(LONGEST_MESSAGE))
    _stray: int = 0
    _last_stray: str = ""
    _calls: Calls = field(factory=Calls)
    _link: Link = field(init=False)
    _connection: Connection | None = None
    _asked: set[anyio.CancelScope] = field(factory=set)
    _answering: int = 0
    _answered: anyio.Event = field(factory=anyio.Event)
    _broken: Failed | None = None
    _ended: anyio.Event = field(factory=anyio.Event)
    _request_error: Callable[[int, str], Exception] = RuntimeError

    def __attrs_post_init__(self) -> None:
        """Make the link that output goes to, also before there is a connection."""
        self._link = Link(self.say)

    # What the agent writes.

    async def feed(self, data: bytes) -> None:
        """Take what the agent has written to its standard output; one call after the other."""
        if self._lines.held + len(data) < HUGE:
            lines = self._lines.feed(data)
        else:
            lines = await anyio.to_thread.run_sync(self._lines.feed, data)
        for line in lines:
            await self._take(line)

    async def end(self, why: str = "") -> None:
        """Take the end of the agent's output: everything that waits for it fails.

        ``why``: a sentence about it, where the agent goes on without its output.
        """
        for line in await anyio.to_thread.run_sync(self._lines.end):
            await self._take(line)
        if why and self._broken is None:
            self._broken = Failed(FailureKind.PROTOCOL, why)
        self._stop_listening()

    async def until_ended(self) -> None:
        """Return when the agent will tell no more."""
        await self._ended.wait()

    def _stop_listening(self) -> None:
        self._link.end()
        self._ended.set()
        self._calls.forget()
        self.drop_asked("the agent can be heard no more")

    async def _take(self, line: str) -> None:
        if len(line) < HUGE:
            read = read_line(line)
        else:
            read = await anyio.to_thread.run_sync(read_line, line)
        if isinstance(read, Stray):
            self._stray += 1
            self._last_stray = read.text[:_LONGEST_SHOWN]
            self.hear(Logged(read.text))
            if self._stray == MOST_STRAY_LINES:
                why = (
                    f"The agent wrote {self._stray} lines in a row that are no messages of the "
                    f"Agent Client Protocol, the last of them: {self._last_stray}"
                )
                self._break_off(why)
        elif read is not None:
            self._stray = 0
            self._sort(read)

    def _sort(self, message: Message) -> None:
        if message.method == "session/update":
            # Read here and not by the SDK: in order, and whatever their kind.
            self._update(mapping(message.body, "params"))
        if message.is_request:
            self._request(message)
        elif (answer := message.answer()) is not None:
            self._answer(answer)
        # What is left are notifications that nobody needs, many of them extensions of one agent.

    def _request(self, message: Message) -> None:
        if self._link.waiting < MOST_WAITING:
            self._link.deliver(dict(message.body))
        elif self._broken is None:
            self._break_off(
                f"The agent has asked {self._link.waiting} things at once and waits for no answer, "
                f"the last of them: {message.method[:_LONGEST_SHOWN]}."
            )

    def _answer(self, answer: dict[str, object]) -> None:
        method = self._link.answered(answer["id"])
        if method is None:
            self.hear(Logged(f"an answer to nothing that was asked: {answer['id']}"))
            return
        if method == _PROMPT:
            # Noted here, before anything that the agent writes after it is taken.
            self._is_between_turns = True
        self._link.deliver(answer)

    def _break_off(self, why: str) -> None:
        self._broken = Failed(FailureKind.PROTOCOL, why)
        self._stop_listening()

    def _update(self, params: Mapping[str, object]) -> None:
        update = mapping(params, "update")
        if text(update, "toolCallId"):
            self._calls.merged(update)
        if self.replaying:
            return
        session = text(params, "sessionId")
        is_foreign = bool(session and self.session) and session != self.session
        for event in update_events(update):
            if is_foreign and isinstance(event, _OF_ONE_SESSION):
                self.hear(Logged("an update of another session"))
            elif self._is_between_turns and isinstance(event, _SAID):
                self.hear(Logged(f"said after its turn: {event.text}"))
            else:
                self.hear(event)

    # What is said to it.

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[None]:
        """Have a connection for as long as the block lasts."""
        sdk = await load_sdk()
        self._request_error = sdk.request_error
        self._connection = sdk.connect(self._handle, self._link)
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True):
                self.drop_asked("the conversation is over")
                # Closing ends those that answer, and what becomes of each request is to be told.
                while self._answering:
                    self._answered = anyio.Event()
                    await self._answered.wait()
                await self._connection.close()

    async def ask(
        self, method: str, params: Mapping[str, object], seconds: float | None
    ) -> object | Failed:
        """Send a request and wait for its answer, for so long at most."""
        if self._connection is None:
            raise RuntimeError("there is no connection")
        if method == _PROMPT:
            self._is_between_turns = False
        try:
            with anyio.fail_after(seconds):
                return await self._connection.send_request(method, params)
        except TimeoutError:
            wrote = f" The last that it wrote: {self._last_stray}" if self._last_stray else ""
            return Failed(
                FailureKind.TIMEOUT,
                f"The agent did not answer `{method}` within {seconds:g} s.{wrote}",
                phase=Phase.STARTING,
            )
        except Unheard as unheard:
            why = f"`{method}` could not be said to the agent: {unheard}."
            return self._broken or Failed(FailureKind.PROTOCOL, why)
        except ConnectionError:
            why = f"The agent's output ended before it had answered `{method}`."
            return self._broken or Failed(FailureKind.PROTOCOL, why)
        except Exception as error:
            # The SDK's own class is known only once the SDK is loaded.
            code = getattr(error, "code", None)
            if code is None:
                raise
            return _refused(method, cast("int", code), str(error), getattr(error, "data", None))

    async def tell(self, method: str, params: Mapping[str, object]) -> None:
        """Send a notification; without effect when the agent has ended."""
        if self._connection is None:
            return
        try:
            await self._connection.send_notification(method, params)
        except ConnectionError:
            return

    # What it asks.

    def drop_asked(self, why: str) -> None:
        """Answer all that it asks with `cancelled`, and what it asks until its next turn."""
        self.refusing = self.refusing or why
        for scope in tuple(self._asked):
            scope.cancel()

    async def _handle(self, method: str, params: Any, _told: bool) -> Any:  # noqa: ANN401, FBT001  as the SDK calls it
        if method != "session/request_permission":
            # Files and terminals are not offered: agents use their own, where the sandbox is.
            raise self._request_error(_METHOD_NOT_FOUND, f"{method} is not offered")
        call = self._calls.merged(mapping(params, "toolCall"))
        self._answering += 1
        try:
            return await self._permitted(call, mapping(params))
        finally:
            self._answering -= 1
            self._answered.set()

    async def _permitted(
        self, call: Mapping[str, object], params: Mapping[str, object]
    ) -> Mapping[str, object]:
        if not self.refusing:
            with anyio.CancelScope() as scope:
                self._asked.add(scope)
                try:
                    return await self.permit(call, params)
                finally:
                    self._asked.discard(scope)
        await self.dropped(call, self.refusing)
        return _DROPPED


def _refused(method: str, code: int, message: str, data: object) -> Failed:
    details = text(data, "details") or text(data, "message") or text(data, "error")
    said = f"{message}: {details}" if details and details not in message else message
    if code == _AUTH_REQUIRED:
        return Failed(FailureKind.NOT_SIGNED_IN, f"The agent is not signed in: {said}")
    if code == _METHOD_NOT_FOUND:
        return Failed(FailureKind.PROTOCOL, f"The agent does not know `{method}`: {said}")
    return model_failure(f"The agent answered `{method}` with an error: {said}")
