"""Follows one run: what it shows becomes progress, and a report of what its agent told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, assert_never

import anyio
import anyio.to_thread
from attrs import evolve, frozen

from sennit.adapters.agents.acp.exchange import HUGE
from sennit.adapters.runs.values import (
    Asked,
    Ended,
    Exited,
    Output,
    OutputOver,
    Over,
    RunEvent,
    Stream,
    Withdrawn,
)
from sennit.adapters.runs.values import Progress as OutputProgress
from sennit.core.agent_events import (
    AgentEvent,
    Logged,
    Prompted,
    SessionOpened,
    TextSaid,
    ThoughtSaid,
    ToolUpdated,
)
from sennit.core.agent_report import Report, take
from sennit.core.agents import AgentKind, OutputFormat
from sennit.core.budgets import overspent, used, wrap_up
from sennit.core.engine.commands import StartRun
from sennit.core.engine.events import (
    BudgetSpent,
    QuestionAsked,
    QuestionWithdrawn,
    RunStalled,
    SessionKnown,
)
from sennit.core.engine.rows import RunRow
from sennit.core.output_formats.formats import reader_of
from sennit.core.output_formats.lines import Lines
from sennit.server.services import Services
from sennit.server.shown_paths import shown_paths
from sennit.server.transcribing import Transcriber
from sennit_protocol.ids import QuestionId
from sennit_protocol.states import RunState, TaskState
from sennit_protocol.views import Progress

LONGEST_LINE = 200
GLANCE_S = 0.25
GRACE_S = 120
"""How long an agent may take to wrap up, whatever its turns."""
SILENT_PART = 3
"""A run is shown as silent once a third of its idle time has passed without a sign of life."""
_OVER = {
    Over.CLOSED: "The agent closed its standard output and went on, so it could not be heard.",
    Over.CUT: (
        "The agent wrote more than is kept of the output of a run (`limits.output.fileBytes`), or "
        "the disk is full, so it could not be heard any more. Raise the limit, or make room, and "
        "run the task again."
    ),
}


@frozen
class Grace:
    """How long a run may go on whose budget is spent: turns in all, and a moment of the clock."""

    turns: int
    until: float


class Ear(Protocol):
    """Takes the standard output of an agent."""

    async def feed(self, data: bytes) -> None:
        """Take what it wrote; one call after the other."""

    async def end(self, why: str = "") -> None:
        """Take the end of it; ``why``: a sentence about it, where the agent goes on without it."""


class Formatted:
    """Reads the output of an agent of kind `command`, line by line."""

    def __init__(self, output: OutputFormat, hear: Callable[[AgentEvent], None]) -> None:
        self._lines = Lines()
        self._read = reader_of(output)
        self._hear = hear

    async def feed(self, data: bytes) -> None:
        """Take what it wrote; one call after the other."""
        if self._lines.held + len(data) < HUGE:
            self._take(self._lines.feed(data))
        else:
            await self._take_in_thread(lambda: self._lines.feed(data))

    async def end(self, why: str = "") -> None:
        """Take the end of it."""
        if why:
            self._hear(Logged(why))
        await self._take_in_thread(self._lines.end)

    def _take(self, lines: list[str]) -> None:
        for line in lines:
            for event in self._read(line):
                self._hear(event)

    async def _take_in_thread(self, cut: Callable[[], list[str]]) -> None:
        """Read lines that may be very long where nothing else waits for it."""

        def read() -> list[AgentEvent]:
            return [event for line in cut() for event in self._read(line)]

        for event in await anyio.to_thread.run_sync(read):
            self._hear(event)


class Watch:
    """Turns what a run shows into progress and events. ``report`` is what its agent told so far.

    ``transcriber`` is None where its output is for people: its last line tells best then what it is
    doing. ``on_heard`` is called, perhaps often, once the agent has told something, or should have.
    ``earlier`` is the session that its agent is to go on with.
    """

    def __init__(
        self, services: Services, command: StartRun, transcriber: Transcriber | None
    ) -> None:
        self._services = services
        self._run, self._ticket, self._task = command.run, command.ticket, command.task
        self._idle_ms = services.state.task(command.ticket, command.task).spec.idle_ms
        top = services.state.task(command.ticket, command.task).spec.repository.top
        self._start_ms = services.settings_of(command.ticket, top).task.start_ms
        agent = services.state.task(command.ticket, command.task).spec.agent
        self._talks = agent.kind is AgentKind.ACP
        self._began = self._last = services.clock.monotonic()
        self._tail = b""
        self._plain = transcriber is None
        self._words = ""
        self._thinking = self._unanswered = False
        self._session: str | None = None
        self._grace: Grace | None = None
        self._stopped = False
        self._transcriber = transcriber
        self._paths = shown_paths(services, command.run)
        self.on_heard: Callable[[], None] = _nothing
        self.report = Report()
        self.earlier: str | None = None
        self.ear: Ear | None = None

    def hear(self, event: AgentEvent) -> None:
        """Take one thing that the agent tells."""
        self._last = self._services.clock.monotonic()
        self.report = take(self.report, event)
        if not self.report.is_silent:
            self.on_heard()
        if self._transcriber is not None:
            self._transcriber.add(event)
        self._thinking = isinstance(event, ThoughtSaid)
        # A line that says nothing is no answer.
        self._unanswered = isinstance(event, Prompted) or (
            self._unanswered and isinstance(event, Logged)
        )
        match event:
            case TextSaid(text):
                self._words = (self._words + text)[-LONGEST_LINE * 4 :]
                line = self._shown(_last_line(self._words))
                self._show(lambda known: evolve(known, last_line=line))
            case ToolUpdated(id=call):
                self._words = ""
                self._show_tool(call)
            case SessionOpened() | ThoughtSaid():
                self._show(_unchanged)
            case _:
                usage, to_do = self.report.usage, self._paths.shown_to_do(self.report.to_do)
                self._show(lambda known: evolve(known, usage=usage, to_do=to_do))

    def _show_tool(self, call: str) -> None:
        seen, count = self.report.tools[call], self.report.tool_count
        title = self._shown(_last_line(seen.title or seen.kind))
        self._show(lambda known: evolve(known, last_tool=title, last_line=title, tools=count))

    def _shown(self, text: str | None) -> str | None:
        return None if text is None else self._paths.shown(text)

    async def take(self, event: RunEvent) -> Exited | None:
        """Take one thing that the run shows; gives its end."""
        self._last = self._services.clock.monotonic()
        match event:
            case Output():
                await self._wrote(event)
                await self._tell_session()
            case OutputProgress(stdout_bytes=out, stderr_bytes=err):
                self._show(lambda known: evolve(known, kept_bytes=out + err))
            case Asked() | Withdrawn():
                await self._asked(event)
            case OutputOver(why=why):
                await self._hears_no_more(_OVER[why])
            case Ended(outcome=outcome):
                await self._hears_no_more()
                return outcome
            case _:
                assert_never(event)
        return None

    async def _asked(self, event: Asked | Withdrawn) -> None:
        question = QuestionId(event.question_id)
        match event:
            case Withdrawn():
                await self._services.tell(QuestionWithdrawn, question=question)
            case Asked():
                await self._services.tell(
                    QuestionAsked,
                    run=self._run,
                    question=question,
                    text=self._paths.shown(event.text),
                    options=event.options,
                    deadline_ms=event.deadline_ms,
                )

    async def _hears_no_more(self, why: str = "") -> None:
        if self.ear is not None:
            await self.ear.end(why)

    async def _tell_session(self) -> None:
        session = self.report.session
        if session is not None and session != self._session:
            self._session = session
            await self._services.tell(
                SessionKnown, run=self._run, session=session, resumed=self._is_resumed
            )

    @property
    def _is_resumed(self) -> bool | None:
        """Whether the agent goes on with the earlier session, where it was to."""
        if self.earlier is None:
            return None
        # A program that was started with the session goes on with it, or fails; over ACP the agent
        # may have begun another one.
        return self.report.resumed or not self._talks

    async def _wrote(self, output: Output) -> None:
        if output.stream is Stream.STDOUT and self.ear is not None:
            await self.ear.feed(output.data)
        if self._plain or output.stream is Stream.STDERR:
            self._tail = (self._tail + output.data)[-LONGEST_LINE * 4 :]
            line = _last_line(self._paths.read(self._tail))
            self._show(lambda known: evolve(known, last_line=line))

    async def idle(self) -> None:
        """Keep the clocks of the progress going, and tell when the run is silent for too long."""
        while True:
            await anyio.sleep(GLANCE_S)
            # An agent may have opened a session and write nothing more for long.
            await self._tell_session()
            if self._transcriber is not None:
                await self._transcriber.flush()
            if self._services.state.task(self._ticket, self._task).state is TaskState.WAITING:
                # The user is thinking, and the agent gets the whole time once it is answered.
                self._last = self._services.clock.monotonic()
            now = self._services.clock.monotonic()
            if (now - self._began) * 1000 > self._start_ms:
                self.on_heard()
            idle_ms = round((now - self._last) * 1000)
            self._show(_unchanged)
            await self._look_at_budget(now)
            run = self._services.state.get(RunRow, self._run)
            stalled = self._idle_ms is not None and idle_ms >= self._idle_ms
            if stalled and run is not None and run.state is RunState.RUNNING:
                await self._services.tell(
                    RunStalled, run=self._run, idle_ms=idle_ms, unanswered=self._unanswered
                )

    async def _look_at_budget(self, now: float) -> None:
        """Tell the agent once that its budget is spent, and end it when it goes on for too long."""
        task = self._services.state.task(self._ticket, self._task).spec
        if task.budget is None:
            return
        so_far = used(self.report, round((now - self._began) * 1000))
        why = overspent(task.budget, so_far)
        met = self._services.meetings.of(self._run)
        if why is None or self._stopped:
            return
        if self._grace is None:
            self._grace = Grace(so_far.turns + task.grace_turns, now + GRACE_S)
            wraps_up = met is not None and task.grace_turns > 0
            self._stopped = not wraps_up
            await self._services.tell(BudgetSpent, run=self._run, text=why, stop=not wraps_up)
            if wraps_up and met is not None:
                await met.wrap_up(wrap_up(why, task.grace_turns))
        elif so_far.turns > self._grace.turns or now > self._grace.until:
            self._stopped = True
            over = f"{why}, and it did not wrap up"
            await self._services.tell(BudgetSpent, run=self._run, text=over, stop=True)

    def _show(self, change: Callable[[Progress], Progress]) -> None:
        now = self._services.clock.monotonic()
        idle = round((now - self._last) * 1000)
        elapsed = round((now - self._began) * 1000)
        silent = self._idle_ms is not None and idle * SILENT_PART >= self._idle_ms
        phase = "silent" if silent else "thinking" if self._thinking else "running"
        self._services.live.update(
            self._run,
            lambda known: evolve(change(known), phase=phase, elapsed_ms=elapsed, idle_ms=idle),
        )


def _nothing() -> None:
    """Stands where nobody wants to know."""


def _unchanged(known: Progress) -> Progress:
    return known


def _last_line(text: str) -> str | None:
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return None
    shown = "".join(char if char.isprintable() else " " for char in lines[-1])
    return shown.strip()[:LONGEST_LINE]
