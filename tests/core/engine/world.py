"""A world that keeps what the engine asks for, and answers when the test says so."""

from __future__ import annotations

from typing import Any, TypeVar

from attrs import define, evolve, field

from sennit.core.engine.commands import (
    CaptureRun,
    DeliverAnswer,
    OfferRevision,
    PrepareWorkspace,
    Reconcile,
    RecoverRun,
    RemoveWorkspaces,
    RunApplication,
    SettleApplication,
    StartRun,
    StopRun,
    TakeBase,
)
from sennit.core.engine.events import (
    AnswerDelivered,
    ApplicationSettled,
    BaseTaken,
    Captured,
    CommandFailed,
    DispatchRequested,
    Event,
    Reconciled,
    RevisionOffered,
    RunEnded,
    RunStarted,
    ServersGone,
    ServerStarted,
    StopTaken,
    Verdict,
    WorkspaceReady,
    WorkspacesRemoved,
)
from sennit.core.engine.rows import Counts, RevisionRow, RunRow, TaskRow, TicketRow, TimerRow
from sennit.core.engine.state import State
from sennit.core.engine.step import step
from sennit.core.engine.step_values import Issued, Step
from sennit.core.named_limits import NamedLimit
from sennit_protocol.ids import CommandId, ServerId, TicketId
from sennit_protocol.states import ApplicationState, Integration, TaskState, TicketState
from sennit_protocol.views import Failure
from tests.core.engine.builders import HERE, TICKET, a_failure, a_manifest, a_server

CommandT = TypeVar("CommandT")
Limits = tuple[NamedLimit, ...]


@define
class Open:
    """A command that has not ended, and the server that carries it out."""

    issued: Issued
    server: ServerId

    @property
    def id(self) -> CommandId:
        return self.issued.id

    @property
    def command(self) -> Any:
        return self.issued.command


def good_end_of(command: Any) -> tuple[type[Event], dict[str, Any]]:  # noqa: C901, PLR0911, PLR0912  a row a command
    """What a command gives when all goes well."""
    match command:
        case TakeBase(base=base, ticket=ticket, repository=repository):
            key = repository.key
            return BaseTaken, {
                "base": base, "ticket": ticket, "repository": repository,
                "commit": f"commit-{key}", "tree": f"tree-{key}", "manifest": a_manifest(),
            }  # fmt: skip
        case PrepareWorkspace(run=run, base_commit=commit, base_tree=tree):
            folder = f"/w/{run}".encode()
            values = {"run": run, "folder": folder, "base_commit": commit, "base_tree": tree}
            return WorkspaceReady, values
        case StartRun(run=run) | RecoverRun(run=run):
            return RunEnded, {"run": run}
        case StopRun(run=run):
            return StopTaken, {"run": run}
        case CaptureRun(run=run, task=task):
            commit, tree = f"commit-{task}", f"tree-of-{task}"
            return Captured, {"run": run, "commit": commit, "tree": tree, "counts": Counts(1, 1, 0)}
        case Reconcile(ticket=ticket, repository=repository, arrived=arrived):
            verdicts = tuple(Verdict(one.revision, Integration.CLEAN) for one in arrived)
            return Reconciled, {"ticket": ticket, "repository": repository, "verdicts": verdicts}
        case OfferRevision(revision=revision):
            return RevisionOffered, {"revision": revision}
        case RunApplication(application=name) | SettleApplication(application=name):
            return ApplicationSettled, {"application": name, "state": ApplicationState.APPLIED}
        case DeliverAnswer(run=run):
            return AnswerDelivered, {"run": run}
        case RemoveWorkspaces(ticket=ticket):
            return WorkspacesRemoved, {"ticket": ticket}
        case _:
            raise AssertionError(command)


@define
class World:
    """Steps events into one state, as the runtimes of all servers do with one database."""

    state: State = field(factory=State)
    at: int = 1000
    sequence: int = 0
    open: dict[CommandId, Open] = field(factory=dict)
    asked: list[Any] = field(factory=list)
    story: list[str] = field(factory=list)
    last: Step[Any] = field(factory=Step)

    # Events.

    def send(self, event: Event, on: ServerId = HERE) -> Any:
        """Step an event as it is, and keep what it gives."""
        self.sequence += 1
        self.last = step(self.state, event, self.sequence)
        for name in self.last.done:
            self.open.pop(name, None)
        self.state.apply(self.last.changes)
        for issued in self.last.commands:
            assert issued.id not in self.open
            self.open[issued.id] = Open(issued, on)
            self.asked.append(issued.command)
        self.story.extend(line.message for line in self.last.journal)
        return self.last.outcome

    def now(self, kind: type[Event], **values: Any) -> Event:
        """Make an event that happens now, later than all before it."""
        self.at += 1
        return kind(at=self.at, seed=self.sequence + 1, **values)

    def tell(self, kind: type[Event], **values: Any) -> Any:
        """Make an event that happens now, and send it."""
        return self.send(self.now(kind, **values))

    def dispatch(self, event: DispatchRequested) -> Any:
        self.at += 1
        return self.send(evolve(event, at=self.at, seed=self.sequence + 1), event.owner)

    def begin(
        self, server: ServerId = HERE, *dead: ServerId, limit: int = 8, limits: Limits = ()
    ) -> None:
        """Start a server that finds others dead."""
        outbox = self.outbox_of(*dead)
        row = a_server(server, limit, *limits)
        self.send(self.now(ServerStarted, server=row, dead=dead, outbox=outbox), server)

    def bury(self, *dead: ServerId, by: ServerId = HERE) -> None:
        """Let a running server find others dead."""
        event = self.now(ServersGone, server=by, dead=dead, outbox=self.outbox_of(*dead))
        self.send(event, by)

    def outbox_of(self, *servers: ServerId) -> tuple[Issued, ...]:
        return tuple(each.issued for each in self.open.values() if each.server in servers)

    def fail(self, each: Open, failure: Failure | None = None) -> Any:
        event = self.now(
            CommandFailed, cause=each.id, command=each.command, failure=failure or a_failure()
        )
        return self.send(event, each.server)

    def answer(self, each: Open) -> Any:
        """End a command well."""
        return self.send(self.good_end(each), each.server)

    def good_end(self, each: Open) -> Event:
        """The event that ends a command well."""
        kind, values = good_end_of(each.command)
        return self.now(kind, cause=each.id, **values)

    # What is open.

    def pending(self, kind: type, task: str | None = None) -> list[Open]:
        """Commands of a kind that have not ended; of a task, where they are about one."""
        found = [each for each in self.open.values() if isinstance(each.command, kind)]
        return [each for each in found if task in {None, self.task_of(each)}]

    def task_of(self, each: Open) -> str | None:
        run = self.state.get(RunRow, getattr(each.command, "run", ""))
        return run.task if run is not None else None

    def the(self, kind: type, task: str | None = None) -> Open:
        (found,) = self.pending(kind, task)
        return found

    def asked_for(self, kind: type[CommandT]) -> list[CommandT]:
        """All commands of a kind that were ever issued."""
        return [command for command in self.asked if isinstance(command, kind)]

    # The stages of one task.

    def take_bases(self) -> None:
        for each in self.pending(TakeBase):
            self.answer(each)

    def to_workspace(self, task: str) -> None:
        self.answer(self.the(PrepareWorkspace, task))

    def to_running(self, task: str) -> None:
        self.to_workspace(task)
        each = self.the(StartRun, task)
        self.send(self.now(RunStarted, run=each.command.run), each.server)

    def to_end(self, task: str, **values: Any) -> None:
        (each,) = [*self.pending(StartRun, task), *self.pending(RecoverRun, task)]
        self.send(evolve(self.good_end(each), **values), each.server)

    def to_captured(self, task: str, **values: Any) -> None:
        each = self.the(CaptureRun, task)
        self.send(evolve(self.good_end(each), **values), each.server)

    def merge(self, blocked: str | None = None, **verdicts: Integration) -> None:
        """End the newest merge; what is not named goes together.

        ``blocked`` is a task that builds on one which is not in.
        """
        each = self.pending(Reconcile)[-1]
        event: Any = self.good_end(each)
        names = {one.revision: one.task for one in each.command.arrived}
        said = tuple(
            evolve(one, integration=verdicts.get(names[one.revision], one.integration))
            if names[one.revision] != blocked
            else evolve(one, integration=Integration.FAILED, blocked=True)
            for one in event.verdicts
        )
        self.send(evolve(event, verdicts=said), each.server)

    def finish(self, task: str) -> None:
        """Bring a task from its queue to a clean proposal."""
        self.to_running(task)
        self.to_end(task)
        self.to_captured(task)
        self.merge()

    # What is there.

    def ticket(self, ticket: str = TICKET) -> TicketRow:
        return self.state.the(TicketRow, ticket)

    def task(self, task: str, ticket: str = TICKET) -> TaskRow:
        return self.state.task(TicketId(ticket), task)

    def run(self, task: str, ticket: str = TICKET) -> RunRow:
        run = self.state.last_run(self.task(task, ticket))
        assert run is not None
        return run

    def revision(self, task: str) -> RevisionRow:
        revision = self.state.revision_of(self.task(task))
        assert revision is not None
        return revision

    def timers(self) -> list[str]:
        return sorted(row.id for row in self.state.rows(TimerRow))

    def states(self, ticket: str = TICKET) -> dict[str, TaskState]:
        return {task.id: task.state for task in self.state.tasks(self.ticket(ticket))}

    def verdict(self, ticket: str = TICKET) -> TicketState:
        return self.ticket(ticket).state


def a_world(*events: DispatchRequested, limit: int = 8, limits: Limits = ()) -> World:
    """A world with one server, these tickets, and their bases."""
    world = World()
    world.begin(limit=limit, limits=limits)
    for event in events:
        world.dispatch(event)
    world.take_bases()
    return world
