"""What handlers and effects work with: one value, built once by ``server.app``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

import anyio
import anyio.to_thread
from attrs import Factory, define, field, frozen

from sennit.adapters.git.git import Git
from sennit.adapters.git.stores_place import StoresPlace
from sennit.adapters.platform.lives import Owner
from sennit.adapters.processes import LocalExecutor
from sennit.adapters.reserve import Reserve
from sennit.adapters.small_files import regular_file
from sennit.adapters.store.writer import Store
from sennit.adapters.trust import TrustStore
from sennit.adapters.workspaces.probing import KindProbe
from sennit.core.agents import is_plain
from sennit.core.engine.events import Event
from sennit.core.engine.rows import RunRow
from sennit.core.engine.state import State
from sennit.core.objects import OpenDocument
from sennit.core.stored import StoreProblem
from sennit.core.views import exact_timestamp
from sennit.runtime.clock import SystemClock
from sennit.runtime.ids import Ids
from sennit.runtime.loop import Loop
from sennit.server.applying.turns import Turns
from sennit.server.applying.values import Plan
from sennit.server.disk_use import DiskUse
from sennit.server.jsonrpc.connection import Connection
from sennit.server.live_runs import LiveRuns
from sennit.server.looking import RevisionCache
from sennit.server.meetings import Meetings
from sennit.server.places import Places
from sennit.server.repositories import Repositories
from sennit.server.review_turns import ReviewTurns
from sennit.server.settings_in_force import SettingsInForce
from sennit.server.waiting_for_room import RoomWaits
from sennit.settings.values import Settings
from sennit_protocol.errors import ErrorCode, RpcError
from sennit_protocol.ids import ApplicationId, CommandId, IdKind, RunId, ServerId, TicketId
from sennit_protocol.review import DidApplyParams, DocumentInfoParams
from sennit_protocol.texts import StoryEvent, StoryResult, Stream

EventT = TypeVar("EventT", bound=Event)
TAIL_BYTES = 64 << 10
TRANSCRIPT = "transcript"
"""File in a run's folder: what its agent told, for people."""


@frozen
class StateFolders:
    """Where Sennit keeps things, all below the user's state folder.

    ``runs``: records and outputs of runs; ``setups``: what the set-up commands of workspaces
    printed; ``stores``: object stores, one for each repository; ``workspaces``: the folders in
    which agents work; ``looks``: checkouts that people asked for. Each is its real path, by which
    agents name it: a person may have put a link to a larger disk in the place of one.
    """

    root: Path
    runs: Path
    setups: Path
    stores: Path
    workspaces: Path
    looks: Path

    @classmethod
    def below(cls, root: Path) -> Self:
        """Name those below a state folder."""
        names = ("runs", "setups", "stores", "workspaces", "looks")
        return cls(root, *(Path(os.path.realpath(root / name)) for name in names))

    @property
    def database(self) -> Path:
        """The database of the user."""
        return self.root / "sennit.db"


@frozen
class ClientLimits:
    """How long the client may take, in seconds: for an edit, for what a person has to confirm.

    ``turn_s``: for another application in the same repository to end, before one is refused.
    ``seen_s``: after its answer, until it has told the texts that it holds then. ``quiet_s``: a
    text that is not what was meant and has not changed for so long will stay so.
    """

    answer_s: float = 30.0
    confirm_s: float = 600.0
    turn_s: float = 5.0
    seen_s: float = 3.0
    quiet_s: float = 0.3


@frozen
class SeenAtDispatch:
    """What a client's editor held when it dispatched: the base is made of that."""

    documents: Mapping[bytes, OpenDocument]
    environments: Mapping[str, Mapping[str, str]]
    settings: Mapping[bytes, Settings]


class ProgressWatcher(Protocol):
    """Shows tickets as progress; see ``server.progress``."""

    def watch(self, ticket: TicketId, token: str | int | None) -> None:
        """Show a ticket from now on."""

    def progressed(self, ticket: TicketId, task: str) -> None:
        """Report what a task is doing."""


class DocumentWatcher(Protocol):
    """Tells other servers of unsaved documents; see ``server.documents_shared``."""

    def touch(self, path: bytes) -> None:
        """Look at a document again soon."""


@define(eq=False, kw_only=True)
class Services:
    """The parts of one server process.

    ``seen`` lives as long as the process: buffers and the values of variables are never stored.
    ``executor`` runs agents, ``setups`` the commands that make workspaces ready.
    ``refused`` are applications that the editor has refused as a whole, until somebody asks.
    ``offering`` has one lock a repository, so that one edit at a time asks for a confirmation.
    """

    server: ServerId
    owner: Owner
    folders: StateFolders
    environ: Mapping[str, str]
    clock: SystemClock
    ids: Ids
    git: Git
    repositories: Repositories
    trust: TrustStore
    settings: SettingsInForce
    executor: LocalExecutor
    setups: LocalExecutor
    database: Store
    reserve: Reserve
    connection: Connection
    live: LiveRuns = field(factory=LiveRuns)
    meetings: Meetings = field(factory=Meetings)
    revisions: RevisionCache = field(factory=RevisionCache)
    seen: dict[TicketId, SeenAtDispatch] = field(factory=dict)
    told: dict[str, DocumentInfoParams] = field(factory=dict)
    reports: dict[ApplicationId, DidApplyParams] = field(factory=dict)
    plans: dict[ApplicationId, Plan] = field(factory=dict)
    refused: set[ApplicationId] = field(factory=set)
    limits: ClientLimits = field(factory=ClientLimits)
    offering: dict[str, anyio.Lock] = field(factory=dict)
    turns: Turns = field(factory=Turns)
    places: Places = field(factory=Places)
    kinds: KindProbe = field(factory=KindProbe)
    disk_use: DiskUse = field(factory=DiskUse)
    room_waits: RoomWaits = field(factory=RoomWaits)
    stores_place: StoresPlace = field(
        default=Factory(lambda self: StoresPlace(self.folders.root), takes_self=True), init=False
    )
    git_is_new_enough: bool = False
    client_trusts: bool | None = None
    reviews: ReviewTurns = field(factory=ReviewTurns)
    _loop: Loop | None = None
    _progress: ProgressWatcher | None = None
    _sharer: DocumentWatcher | None = None

    @property
    def stores_root(self) -> Path:
        """The folder of the stores: that of the settings, or the one in the state folder.

        Where another state folder has its stores there, a folder of this one's own in it.
        """
        chosen = self.settings.of(b"").store_path
        return self.stores_place.within(self.folders.stores if chosen is None else Path(chosen))

    @property
    def loop(self) -> Loop:
        """The loop, once the server has started."""
        if self._loop is None:
            raise RuntimeError("the loop is used before the server has started")
        return self._loop

    @property
    def progress(self) -> ProgressWatcher:
        """What shows tickets as LSP's progress, once the server has started."""
        if self._progress is None:
            raise RuntimeError("progress is shown before the server has started")
        return self._progress

    @property
    def sharer(self) -> DocumentWatcher:
        """What tells other servers of unsaved documents, once the server has started."""
        if self._sharer is None:
            raise RuntimeError("documents are shared before the server has started")
        return self._sharer

    @property
    def speaks_sennit(self) -> bool:
        """Whether the client knows the notifications under ``sennit/``."""
        return self.connection.client.sennit.protocol_version is not None

    @property
    def state(self) -> State:
        """The engine's state; to be read only."""
        return self.loop.state

    def attach(self, loop: Loop, progress: ProgressWatcher, sharer: DocumentWatcher) -> None:
        """Give the services those parts that need the services themselves."""
        self._loop, self._progress, self._sharer = loop, progress, sharer

    def event(
        self,
        kind: type[EventT],
        cause: CommandId | None = None,
        **values: Any,  # noqa: ANN401  the fields of any event
    ) -> EventT:
        """Make an event that happens now."""
        return kind(at=self.clock.now_ms(), seed=self.ids.seed(), cause=cause, **values)

    async def tell(self, kind: type[EventT], **values: Any) -> Any:  # noqa: ANN401  as the event's
        """Tell the engine what has happened; gives the step's outcome."""
        return await self.loop.submit(self.event(kind, **values))

    def settings_of(self, ticket: TicketId, top: bytes) -> Settings:
        """The settings that a ticket began with; those of now where this server took it over."""
        seen = self.seen.get(ticket)
        return (
            self.settings.of(top)
            if seen is None
            else seen.settings.get(top) or self.settings.of(top)
        )

    async def story(self, ticket: TicketId, task: str | None, limit: int) -> StoryResult | RpcError:
        """The newest lines of the story of a ticket, or of one of its tasks."""
        page = await self.database.story(ticket, task, limit)
        if isinstance(page, StoreProblem):
            return RpcError(ErrorCode.STORE_UNAVAILABLE, page.message)
        lines = tuple(
            StoryEvent(
                line.sequence,
                exact_timestamp(line.at),
                line.type,
                line.message,
                line.task,
                line.cause,
            )
            for line in page.lines
        )
        return StoryResult(lines, page.more)

    def folder_of(self, run: RunId) -> Path:
        """The folder in which the agent of a run works."""
        return Path(os.fsdecode(self.state.the(RunRow, run).folder or b""))

    def workspace_of(self, run: RunId) -> Path:
        """The top of a run's workspace; the agent may work in a folder below it."""
        row = self.state.the(RunRow, run)
        spec = self.state.task(row.ticket, row.task).spec
        folder = self.folder_of(run)
        below = os.path.relpath(os.fsdecode(spec.folder), os.fsdecode(spec.repository.top))
        depth = 0 if below == "." else len(Path(below).parts)
        return folder.parents[depth - 1] if depth else folder

    async def output_tail(
        self, run: RunId, size: int = TAIL_BYTES, stream: Stream = Stream.STDOUT
    ) -> bytes:
        """The end of what a run has written to one of its streams."""
        return await anyio.to_thread.run_sync(_tail, self.output_file(run, stream), size)

    def output_file(self, run: RunId, stream: Stream) -> Path:
        """The file that holds what a run has written to a stream."""
        row = self.state.the(RunRow, run)
        agent = self.state.task(row.ticket, row.task).spec.agent
        name = {Stream.STDERR: "stderr", Stream.RAW: "stdout"}.get(stream)
        if name is None:
            name = "stdout" if is_plain(agent) else TRANSCRIPT
        return self.folders.runs / run / name

    def new_id(self, kind: IdKind) -> str:
        """Make an id."""
        return self.ids.new(kind)


def _tail(file: Path, size: int) -> bytes:
    with regular_file(file) as stream:
        if stream is None:
            return b""
        stream.seek(max(0, os.fstat(stream.fileno()).st_size - size))
        return stream.read(size)
