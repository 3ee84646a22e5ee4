"""Values that rows are made of: repositories, what a task was asked, images of files, ends."""

from __future__ import annotations

from attrs import frozen

from sennit.core.agents import AgentSettings
from sennit.core.objects import Entry
from sennit_protocol.agents import ToDoEntry, Usage
from sennit_protocol.following import Begin
from sennit_protocol.ids import ProposalId, RevisionId, TicketId
from sennit_protocol.states import ApplicationState, TaskState
from sennit_protocol.tasks import Access, Attachment, BaseKind, Budget, ExpectChanges
from sennit_protocol.views import Failure


@frozen
class RepositoryRef:
    """A repository as the engine knows it: the key of its store and its top level."""

    key: str
    top: bytes


@frozen
class Followed:
    """The ended work that a task follows: what it proposed, if it did, by then."""

    ticket: TicketId
    task: str
    proposal: ProposalId | None = None
    revision: RevisionId | None = None
    begin: Begin = Begin.WORK


@frozen
class Begun:
    """What a workspace held at its beginning, where that is more than its base."""

    commit: str
    tree: str


@frozen
class TaskSpec:
    """What a task was asked to do, with every default filled in; never changes.

    ``following``: the work that it follows. ``session``: the agent's session that it goes on with.
    ``place``: the workspace at whose path it works, by its name; None for one of each run's own.
    """

    prompt: str
    agent: AgentSettings
    repository: RepositoryRef
    folder: bytes
    description: str | None = None
    depends_on: tuple[str, ...] = ()
    base: BaseKind = BaseKind.LIVE
    writes: tuple[str, ...] = ()
    deadline_ms: int | None = None
    idle_ms: int | None = None
    expect_changes: ExpectChanges = ExpectChanges.FLAG
    env: tuple[str, ...] = ()
    retries: int = 1
    retry_safe: bool = False
    most_runs: int = 4
    model: str | None = None
    thinking: str | None = None
    system_prompt: str | None = None
    output_schema: str | None = None
    attach: tuple[Attachment, ...] = ()
    must_offer: tuple[str, ...] = ()
    access: Access = Access.WRITE
    budget: Budget | None = None
    grace_turns: int = 2
    following: Followed | None = None
    session: str | None = None
    place: str | None = None


@frozen
class RunReport:
    """What an agent told of a run, as far as it tells; absent things are unknown.

    ``text``: its last message. ``tools``: how many calls of tools it told of. ``acted``: whether it
    ran, or may have run, something whose effects nobody can see in the workspace. ``given``:
    whether it was given its task at all. ``structured``: the result that a schema was given for, as
    JSON text; ``unfitting`` is why there is none.
    """

    text: str | None = None
    usage: Usage | None = None
    tools: int = 0
    acted: bool = True
    given: bool = True
    warnings: tuple[str, ...] = ()
    to_do: tuple[ToDoEntry, ...] = ()
    structured: str | None = None
    unfitting: str | None = None


@frozen
class Ending:
    """How a task in the middle of its work is to end once its run has: decided, not yet done."""

    state: TaskState
    failure: Failure | None = None


@frozen
class Counts:
    """How large a revision is."""

    files: int
    lines_added: int
    lines_removed: int


@frozen
class Image:
    """One path before and after an application: entry, and SHA-256 of the bytes in the work tree.

    None stands for a path that is absent.
    """

    path: bytes
    before: Entry | None
    after: Entry | None
    before_sha256: str | None
    after_sha256: str | None
    in_editor: bool = False


@frozen
class FileOutcome:
    """What was observed of one path after an application."""

    path: bytes
    state: ApplicationState
    message: str | None = None


@frozen
class QuestionEnd:
    """Why a question is no longer open."""

    reason: str
