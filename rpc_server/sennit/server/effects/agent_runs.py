"""``StartRun``, ``StopRun``, ``RecoverRun``, ``DeliverAnswer``: agents at work."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import assert_never

import anyio
from attrs import evolve

from sennit.adapters.agents.command import CommandRefused, command_run
from sennit.adapters.runs.values import (
    Asked,
    Cursor,
    Ended,
    Exited,
    Output,
    RunEvent,
    RunSpec,
    SpawnFailed,
    UnknownRunError,
    Withdrawn,
)
from sennit.adapters.runs.values import Progress as OutputProgress
from sennit.core.agents import takes_prompt
from sennit.core.engine.commands import DeliverAnswer, RecoverRun, StartRun, StopRun
from sennit.core.engine.events import (
    AnswerDelivered,
    Event,
    QuestionAsked,
    QuestionWithdrawn,
    RunEnded,
    RunStalled,
    RunStarted,
    StopTaken,
)
from sennit.core.engine.rows import RunRow
from sennit.core.engine.step_values import Issued
from sennit.core.handoff import with_hand_offs
from sennit.runtime.ports import Report
from sennit.server.failures import end_failure, spawn_failure
from sennit.server.handing_off import handed_off
from sennit.server.services import Services
from sennit_protocol.ids import QuestionId, RunId
from sennit_protocol.states import FailureKind, RunState, TaskState
from sennit_protocol.views import Failure, Progress

LONGEST_LINE = 200
GLANCE_S = 0.25
SILENT_PART = 3
"""A run is shown as silent once a third of its idle time has passed without a sign of life."""


async def start_run(services: Services, issued: Issued, _report: Report) -> Event:
    """Start the agent and follow it to its end."""
    command: StartRun = issued.command
    spec = await _spec(services, command)
    if isinstance(spec, CommandRefused):
        failure = Failure(FailureKind.SPAWN, spec.message)
        return services.event(RunEnded, issued.id, run=command.run, ran=False, failure=failure)
    run = services.state.the(RunRow, command.run)
    folder = Path(os.fsdecode(run.folder or b""))
    started = await services.executor.start(command.run, folder, spec)
    if isinstance(started, SpawnFailed):
        return services.event(
            RunEnded, issued.id, run=command.run, ran=False, failure=spawn_failure(started)
        )
    await services.tell(RunStarted, run=command.run)
    end = await _follow(services, command)
    return _ended(services, issued, command.run, end)


async def _spec(services: Services, command: StartRun) -> RunSpec | CommandRefused:
    row = services.state.task(command.ticket, command.task)
    task = row.spec
    settings = services.settings_of(command.ticket, task.repository.top)
    seen = services.seen.get(command.ticket)
    values = seen.environments.get(task.agent.name, {}) if seen else {}
    prompt = task.prompt
    if takes_prompt(task.agent):
        prompt = with_hand_offs(prompt, await handed_off(services, row))
    spec = command_run(task.agent, prompt, settings.limits.output_file_bytes, settings.stop)
    if isinstance(spec, CommandRefused):
        return spec
    return evolve(spec, env_allow=(*spec.env_allow, *task.env), env_set={**spec.env_set, **values})


async def _follow(services: Services, command: StartRun) -> Exited:
    watch = _Watch(services, command)
    async with anyio.create_task_group() as group:
        group.start_soon(watch.idle)
        async for event in services.executor.events(command.run, Cursor()):
            end = await watch.take(event)
            if end is not None:
                group.cancel_scope.cancel()
                return end
    raise RuntimeError(f"the run {command.run} told no end")


class _Watch:
    """Turns what a run shows into progress and events."""

    def __init__(self, services: Services, command: StartRun) -> None:
        self._services = services
        self._run, self._ticket, self._task = command.run, command.ticket, command.task
        self._idle_ms = services.state.task(command.ticket, command.task).spec.idle_ms
        self._began = self._last = services.clock.monotonic()
        self._tail = b""

    async def take(self, event: RunEvent) -> Exited | None:
        """Take one thing that the run shows; gives its end."""
        self._last = self._services.clock.monotonic()
        match event:
            case Output(data=data):
                self._tail = (self._tail + data)[-LONGEST_LINE * 4 :]
                line = _last_line(self._tail)
                self._show(lambda known: evolve(known, last_line=line))
            case OutputProgress(stdout_bytes=out, stderr_bytes=err):
                self._show(lambda known: evolve(known, output_bytes=out + err))
            case Asked():
                await self._services.tell(
                    QuestionAsked,
                    run=self._run,
                    question=QuestionId(event.question_id),
                    text=event.text,
                    options=event.options,
                    deadline_ms=event.deadline_ms,
                )
            case Withdrawn(question_id=question):
                await self._services.tell(QuestionWithdrawn, question=QuestionId(question))
            case Ended(outcome=outcome):
                self._services.live.forget(self._run)
                return outcome
            case _:
                assert_never(event)
        return None

    async def idle(self) -> None:
        """Keep the clocks of the progress going, and tell when the run is silent for too long."""
        while True:
            await anyio.sleep(GLANCE_S)
            if self._services.state.task(self._ticket, self._task).state is TaskState.WAITING:
                # The user is thinking, and the agent gets the whole time once it is answered.
                self._last = self._services.clock.monotonic()
            idle_ms = round((self._services.clock.monotonic() - self._last) * 1000)
            self._show(_unchanged)
            run = self._services.state.get(RunRow, self._run)
            stalled = self._idle_ms is not None and idle_ms >= self._idle_ms
            if stalled and run is not None and run.state is RunState.RUNNING:
                await self._services.tell(RunStalled, run=self._run, idle_ms=idle_ms)

    def _show(self, change: Callable[[Progress], Progress]) -> None:
        now = self._services.clock.monotonic()
        idle = round((now - self._last) * 1000)
        elapsed = round((now - self._began) * 1000)
        silent = self._idle_ms is not None and idle * SILENT_PART >= self._idle_ms
        phase = "silent" if silent else "running"
        self._services.live.update(
            self._run,
            lambda known: evolve(change(known), phase=phase, elapsed_ms=elapsed, idle_ms=idle),
        )


def _unchanged(known: Progress) -> Progress:
    return known


def _last_line(tail: bytes) -> str | None:
    lines = [line for line in tail.decode("utf-8", "replace").splitlines() if line.strip()]
    if not lines:
        return None
    shown = "".join(char if char.isprintable() else " " for char in lines[-1])
    return shown.strip()[:LONGEST_LINE]


def _ended(services: Services, issued: Issued, run: RunId, end: Exited) -> RunEnded:
    services.live.forget(run)
    return services.event(
        RunEnded,
        issued.id,
        run=run,
        ran=end.failure is None,
        failure=end_failure(end),
        output_bytes=end.output_bytes,
        output_truncated=end.truncated,
        survivors=end.survivors,
    )


async def stop_run(services: Services, issued: Issued, _report: Report) -> Event:
    """Ask for the stop ladder; a run that never came to be has nothing to stop."""
    command: StopRun = issued.command
    await services.executor.stop(command.run, force=False)
    return services.event(StopTaken, issued.id, run=command.run)


async def recover_run(services: Services, issued: Issued, _report: Report) -> Event:
    """Tell how a run of a dead server ended; what was left of it was ended at this start."""
    command: RecoverRun = issued.command
    try:
        end = await services.executor.wait(command.run)
    except UnknownRunError:
        failure = Failure(FailureKind.SPAWN, "The server was gone before the program was started.")
        return services.event(RunEnded, issued.id, run=command.run, ran=False, failure=failure)
    return _ended(services, issued, command.run, end)


async def deliver_answer(services: Services, issued: Issued, _report: Report) -> Event:
    """Hand the answer to the program that asked, or tell it that none comes."""
    command: DeliverAnswer = issued.command
    if command.answer is None:
        await services.executor.withdraw(command.run, command.question)
    else:
        await services.executor.answer(command.run, command.question, command.answer)
    return services.event(AnswerDelivered, issued.id, run=command.run)
