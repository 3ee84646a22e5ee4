"""Earlier sessions of agents: which one a task can go on with, and where."""

from __future__ import annotations

from attrs import frozen

from sennit.core.agent_abilities import abilities
from sennit.core.agents import AgentSettings
from sennit.core.engine.rows import RepositoryRef, RunRow, TaskRow, TaskSpec, task_key
from sennit.server.services import Services
from sennit_protocol.ids import TicketId
from sennit_protocol.states import FINAL_TASK_STATES, RunState
from sennit_protocol.views import Notice


@frozen
class Earlier:
    """What a task can go on with: a session of its agent, a workspace's path; and what it cannot.

    ``place`` is the name of the workspace.
    """

    session: str | None = None
    place: str | None = None
    notices: tuple[Notice, ...] = ()


@frozen
class NoSuchSession:
    """There is nothing to go on with; the message says why and what would be right."""

    message: str


def earlier_of(services: Services, task: TaskRow, agent: AgentSettings) -> Earlier:
    """What an agent can go on with of a task that has ended."""
    run = _last_worked(services, task)
    if run is None:
        return Earlier()
    if run.state is RunState.QUARANTINED or run.uncaptured:
        why = (
            f"The workspace of {task.ticket}/{task.id} holds what could not be taken, so it stays"
            " as it is: this task works in another one, and its agent begins a new session."
        )
        return Earlier(notices=(Notice(why),))
    session, notices = _session(task.spec, run, agent)
    return Earlier(session, run.workspace, notices)


def _last_worked(services: Services, task: TaskRow) -> RunRow | None:
    """The newest run that had a workspace, preferably one that had a session in it."""
    runs = [services.state.the(RunRow, name) for name in reversed(task.runs)]
    worked = [run for run in runs if run.folder is not None]
    return next((run for run in worked if run.session is not None), next(iter(worked), None))


def _session(
    spec: TaskSpec, run: RunRow, agent: AgentSettings
) -> tuple[str | None, tuple[Notice, ...]]:
    # A run that was cut short may not have told yet with which session it goes on.
    session = run.session or spec.session
    if session is None or agent.name != spec.agent.name:
        return None, ()
    if not abilities(agent).resumes:
        why = (
            f"The agent {agent.name} cannot go on with its earlier session {session}: it begins a"
            " new one, and is told what was done before."
        )
        return None, (Notice(why),)
    return session, ()


def earlier_named(
    services: Services, name: str, agent: AgentSettings, repository: RepositoryRef
) -> Earlier | NoSuchSession:
    """What a task's key `resume` names: `TICKET/TASK`, or an agent's own name of a session."""
    if not abilities(agent).resumes:
        return NoSuchSession(
            f"names a session, and the agent {agent.name!r} cannot go on with one; choose an agent"
            f" of kind `acp`, or set `agents.{agent.name}.resumeArgv`"
        )
    ticket, slash, of_task = name.partition("/")
    task = services.state.get(TaskRow, task_key(TicketId(ticket), of_task))
    if slash and task is not None:
        return _of_task(services, task, agent, repository)
    return _of_session(services, name, agent, repository)


def _of_task(
    services: Services, task: TaskRow, agent: AgentSettings, repository: RepositoryRef
) -> Earlier | NoSuchSession:
    name = f"{task.ticket}/{task.id}"
    if task.state not in FINAL_TASK_STATES:
        return NoSuchSession(f"names {name}, which has not ended: it is {task.state.value}")
    run = _last_worked(services, task)
    if run is None or run.session is None:
        return NoSuchSession(f"names {name}, whose agent has told of no session")
    if task.spec.agent.name != agent.name:
        return NoSuchSession(
            f"names {name}, which is a session of the agent {task.spec.agent.name!r} and not of"
            f" {agent.name!r}"
        )
    place = run.workspace if task.spec.repository == repository and _is_free(run) else None
    return Earlier(run.session, place)


def _of_session(
    services: Services, name: str, agent: AgentSettings, repository: RepositoryRef
) -> Earlier:
    """By the agent's own name; where it was never heard of here, the agent itself has to know."""
    known = [
        run
        for run in services.state.rows(RunRow)
        if run.session == name and _spec(services, run).agent.name == agent.name
    ]
    if not known or _spec(services, known[-1]).repository != repository:
        return Earlier(name)
    return Earlier(name, known[-1].workspace if _is_free(known[-1]) else None)


def _is_free(run: RunRow) -> bool:
    return run.folder is not None and run.state is not RunState.QUARANTINED and not run.uncaptured


def _spec(services: Services, run: RunRow) -> TaskSpec:
    return services.state.task(run.ticket, run.task).spec
