"""``StartRun``, ``StopRun``, ``RecoverRun``, ``DeliverAnswer``: agents at work."""

from __future__ import annotations

import anyio
from attrs import evolve

from sennit.adapters.agents.command import CommandRefused, agent_run
from sennit.adapters.agents.results import result_of
from sennit.adapters.runs.values import (
    Cursor,
    EndCause,
    Exited,
    RunSpec,
    SpawnFailed,
    UnknownRunError,
)
from sennit.core.agent_events import Warned
from sennit.core.agent_report import Report as AgentReport
from sennit.core.agent_report import verdict
from sennit.core.agents import AgentKind, AgentSettings, is_plain, takes_prompt
from sennit.core.engine.commands import DeliverAnswer, RecoverRun, StartRun, StopRun
from sennit.core.engine.events import (
    AnswerDelivered,
    Event,
    RunEnded,
    RunStarted,
    StopTaken,
)
from sennit.core.engine.rows import RunReport, RunRow, TaskRow, TaskSpec
from sennit.core.engine.step_values import Issued
from sennit.core.escapes import escape_of, told_of
from sennit.core.structured import Fitting, Unfitting
from sennit.runtime.ports import Report
from sennit.server.conversing import Meeting, meeting
from sennit.server.escaping import escapes
from sennit.server.failures import end_failure, signed_in_advice, spawn_failure
from sennit.server.layering import LayersGone, layered
from sennit.server.prompts import Prompts, prompts_of
from sennit.server.sandboxing import SandboxRefused, sandboxed
from sennit.server.services import TRANSCRIPT, Services
from sennit.server.shown_paths import ShownPaths, shown_paths
from sennit.server.transcribing import Transcriber
from sennit.server.watching import Formatted, Watch
from sennit_protocol.agents import ToolKind
from sennit_protocol.ids import QuestionId
from sennit_protocol.states import FailureKind
from sennit_protocol.tasks import Access
from sennit_protocol.texts import Stream
from sennit_protocol.views import Failure

_HARMLESS = frozenset({ToolKind.READ, ToolKind.SEARCH, ToolKind.THINK, ToolKind.EDIT})
"""Tools whose whole effect is seen in the workspace."""
_TOLD_TO_GO = frozenset({EndCause.STOPPED, EndCause.KILLED})
_OUTPUT_END = 16 << 10


async def start_run(services: Services, issued: Issued, _report: Report) -> Event:
    """Start the agent and follow it to its end."""
    command: StartRun = issued.command
    row = services.state.task(command.ticket, command.task)
    prompts = await prompts_of(services, row, services.state.the(RunRow, command.run))
    spec: RunSpec | CommandRefused | SandboxRefused | LayersGone
    spec = await _spec(services, command, prompts)
    if isinstance(spec, RunSpec):
        spec = await _placed(services, command, spec)
    if not isinstance(spec, RunSpec):
        failure = Failure(FailureKind.SPAWN, spec.message)
        return services.event(RunEnded, issued.id, run=command.run, ran=False, failure=failure)
    agent = services.state.task(command.ticket, command.task).spec.agent
    async with services.meetings.start_of(agent) as opening:
        if services.state.task(command.ticket, command.task).ending is not None:
            # It was cancelled while it waited for the start of another one.
            return services.event(RunEnded, issued.id, run=command.run, ran=False)
        started = await services.executor.start(command.run, services.folder_of(command.run), spec)
        if isinstance(started, SpawnFailed):
            return services.event(
                RunEnded, issued.id, run=command.run, ran=False, failure=spawn_failure(started)
            )
        transcriber = _transcriber(services, command, spec)
        watch = Watch(services, command, transcriber)
        watch.earlier = session_of(row)
        for lost in prompts.lost:
            watch.hear(Warned(lost))
        met = None
        if agent.kind is AgentKind.ACP:
            met = meeting(services, command, spec, watch, opening, prompts)
        else:
            watch.on_heard = opening.done
            tells = takes_prompt(agent) or not is_plain(agent)
            watch.ear = Formatted(agent.output, watch.hear) if tells else None
        await services.tell(RunStarted, run=command.run)
        end = await _follow(services, command, watch, met)
    if transcriber is not None:
        await transcriber.flush(whole=True)
    return await _ended(services, issued, command, end, watch.report)


async def _placed(
    services: Services, command: StartRun, spec: RunSpec
) -> RunSpec | SandboxRefused | LayersGone:
    """Say what the run is confined by and what is mounted for it."""
    reads = services.state.task(command.ticket, command.task).spec.access is Access.READ
    confined = await sandboxed(services, command, spec, read_only=reads)
    if not isinstance(confined, RunSpec):
        return confined
    confined = evolve(confined, workspace=services.live.made.get(command.run))
    return await layered(services, command, confined)


def _transcriber(services: Services, command: StartRun, spec: RunSpec) -> Transcriber | None:
    task = services.state.task(command.ticket, command.task).spec
    if is_plain(task.agent):
        return None
    return Transcriber(
        file=services.folders.runs / command.run / TRANSCRIPT,
        limit=spec.output_limit,
        paths=shown_paths(services, command.run),
    )


def session_of(task: TaskRow) -> str | None:
    """The session that a run of a task goes on with: its first one; later ones begin anew."""
    return task.spec.session if len(task.runs) == 1 else None


async def _spec(
    services: Services, command: StartRun, prompts: Prompts
) -> RunSpec | CommandRefused:
    row = services.state.task(command.ticket, command.task)
    task = row.spec
    settings = services.settings_of(command.ticket, task.repository.top)
    seen = services.seen.get(command.ticket)
    values = seen.environments.get(task.agent.name, {}) if seen else {}
    resumed = session_of(row) if task.agent.kind is AgentKind.COMMAND else None
    spec = agent_run(
        task.agent,
        prompts.anew if session_of(row) is None else prompts.going_on,
        settings.limits.output_file_bytes,
        settings.stop,
        resumed,
    )
    if isinstance(spec, CommandRefused):
        return spec
    return evolve(spec, env_allow=(*spec.env_allow, *task.env), env_set={**spec.env_set, **values})


async def _follow(
    services: Services, command: StartRun, watch: Watch, met: Meeting | None
) -> Exited:
    async with anyio.create_task_group() as group:
        group.start_soon(watch.idle)
        if met is not None:
            group.start_soon(met.hold)
        async for event in services.executor.events(command.run, Cursor()):
            end = await watch.take(event)
            if end is not None:
                if met is not None:
                    # What it waited for has failed just now, and it says so in its own words.
                    await met.over.wait()
                group.cancel_scope.cancel()
                return end
    raise RuntimeError(f"the run {command.run} told no end")


async def _ended(
    services: Services,
    issued: Issued,
    command: StartRun | RecoverRun,
    end: Exited,
    report: AgentReport | None,
) -> RunEnded:
    run = services.state.the(RunRow, command.run)
    services.live.forget(run.id)
    task = services.state.task(run.ticket, run.task).spec
    failure = end_failure(_by_itself(end, task.agent))
    if report is not None:
        agent = task.agent
        written = b""
        for stream in (Stream.RAW, Stream.STDERR):
            written += await services.output_tail(run.id, _OUTPUT_END, stream) + b"\n"
        failure = verdict(report, agent, failure, written.decode("utf-8", "replace"))
        failure = signed_in_advice(failure, agent)
        outside = await escapes(services, run, end, report)
        failure = escape_of(outside, failure)
        paths = shown_paths(services, run.id)
        failure = _shown(failure, paths)
        report = evolve(report, warnings=tuple(map(paths.shown, report.warnings)))
        if outside:
            warning = f"It changed what lies outside its workspace: {told_of(outside)}"
            report = evolve(report, warnings=(*report.warnings, warning))
    return services.event(
        RunEnded,
        issued.id,
        run=run.id,
        ran=end.failure is None,
        failure=failure,
        output_bytes=end.output_bytes,
        output_truncated=end.truncated,
        survivors=end.survivors,
        report=None if report is None else await _told(report, task, shown_paths(services, run.id)),
    )


def _by_itself(end: Exited, agent: AgentSettings) -> Exited:
    """Leave out how an agent went that was told to go: only one that is spoken with knows why."""
    if agent.kind is AgentKind.ACP and end.cause in _TOLD_TO_GO:
        return evolve(end, code=None, signal=None)
    return end


def _shown(failure: Failure | None, paths: ShownPaths) -> Failure | None:
    """Tell a failure, of which an agent may have said why, with the user's own paths."""
    return None if failure is None else evolve(failure, message=paths.shown(failure.message))


async def _told(report: AgentReport, task: TaskSpec, paths: ShownPaths) -> RunReport:
    agent = task.agent
    schema = task.output_schema
    found = None if schema is None else await result_of(report, schema)
    return RunReport(
        text=report.text or None,
        usage=report.usage,
        tools=report.tool_count,
        # A program that tells nothing of its tools may have done anything.
        acted=is_plain(agent) or not report.tool_kinds <= _HARMLESS,
        given=_was_given(report, agent),
        warnings=report.warnings,
        to_do=paths.shown_to_do(report.to_do),
        structured=paths.shown_json(found.json) if isinstance(found, Fitting) else None,
        unfitting=paths.shown(found.why) if isinstance(found, Unfitting) else None,
    )


def _was_given(report: AgentReport, agent: AgentSettings) -> bool:
    """Whether an agent had its task; one that tells of its work has not if it told nothing."""
    if agent.kind is AgentKind.ACP:
        return report.prompted
    return is_plain(agent) or not report.is_silent


async def stop_run(services: Services, issued: Issued, _report: Report) -> Event:
    """Ask for the stop ladder; a run that never came to be has nothing to stop."""
    command: StopRun = issued.command
    met = services.meetings.of(command.run)
    if met is not None:
        await met.cancel()
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
    return await _ended(services, issued, command, end, None)


async def deliver_answer(services: Services, issued: Issued, _report: Report) -> Event:
    """Hand the answer to the program that asked, or tell it that none comes."""
    command: DeliverAnswer = issued.command
    met = services.meetings.of(command.run)
    if met is not None and met.deliver(QuestionId(command.question), command.answer):
        return services.event(AnswerDelivered, issued.id, run=command.run)
    if command.answer is None:
        await services.executor.withdraw(command.run, command.question)
    else:
        await services.executor.answer(command.run, command.question, command.answer)
    return services.event(AnswerDelivered, issued.id, run=command.run)
