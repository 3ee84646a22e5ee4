"""Parameters and results of the methods about agents, what is kept, trust and health."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

from sennit_protocol.describe import says
from sennit_protocol.ids import TicketId
from sennit_protocol.states import TrustState
from sennit_protocol.views import (
    Notice,
)


@frozen
class AgentsParams:
    """Asks for the catalogue."""

    versions: bool = field(
        default=False,
        metadata=says(
            "Ask each program for its version, which starts it and takes seconds; false "
            "unless said."
        ),
    )


@frozen
class AgentAbilities:
    """What can be done with an agent; over ACP as far as the agent itself offers it."""

    asks: bool = field(default=False, metadata=says("It asks before what it is not allowed."))
    steers: bool = field(default=False, metadata=says("It takes messages while it works."))
    resumes: bool = field(default=False, metadata=says("A follow-up goes on with its session."))
    tells_tools: bool = field(default=False, metadata=says("It tells what it does."))
    tells_usage: bool = field(default=False, metadata=says("It tells how many tokens it used."))
    tells_cost: bool = field(default=False, metadata=says("It tells what it cost."))


@frozen
class AgentView:
    """One agent of the catalogue."""

    name: str = field(metadata=says("Its name, which `agent` of a task takes."))
    kind: str = field(
        metadata=says(
            "`command`: a program that does its work and ends; `acp`: one that is spoken with."
        )
    )
    usable: bool = field(metadata=says("Whether a task can name it here."))
    program: str | None = field(
        default=None,
        metadata=says(
            "Path of its program; absent where that is not found, or found only when it runs."
        ),
    )
    description: str = field(
        default="", metadata=says("A line about it from the settings; may be empty.")
    )
    problem: str | None = field(
        default=None, metadata=says("Why it is not usable, and what to do; absent where it is.")
    )
    source: str = field(
        default="",
        metadata=says(
            "Where it is set, such as a file; `built in` where nobody has set anything of it."
        ),
    )
    built_in: bool = field(
        default=False,
        metadata=says("Whether Sennit knows it by itself; its program may not be installed."),
    )
    found: bool = field(
        default=True,
        metadata=says("Whether its program is there, as far as that is known before it runs."),
    )
    version: str | None = field(
        default=None,
        metadata=says(
            "What its program says; absent unless `versions` asked for it, or it said nothing."
        ),
    )
    output: str | None = field(
        default=None,
        metadata=says(
            "What one of kind `command` writes: `text`, or a format such as `claude-json`."
        ),
    )
    can: AgentAbilities = field(
        default=AgentAbilities(),
        metadata=says("What can be done with it, as far as that is known before it starts."),
    )
    roles: tuple[str, ...] = field(
        default=(),
        metadata=says(
            "Definitions for which it is chosen where a task names a `role` and no `agent`."
        ),
    )
    model_class: str | None = field(
        default=None,
        metadata=says("The class of its model, by which `modelClass` of a task chooses it."),
    )
    provider: str | None = field(
        default=None,
        metadata=says(
            "Who provides its model, as the settings say; `limits.provider` counts by it."
        ),
    )
    sandbox: str | None = field(
        default=None,
        metadata=says(
            "`required`, `preferred` or `off`: what counts for its runs. Its own setting, else the "
            "setting `sandbox`; where that is `preferred`, what a person typed is `off`."
        ),
    )
    sign_in: str | None = field(
        default=None,
        metadata=says("The command line that signs a person in; absent where none is known."),
    )


@frozen
class DefinitionView:
    """A definition of an agent: what a task is given beside its prompt when it names it."""

    name: str = field(metadata=says("Its name, which `role` of a task takes."))
    description: str = field(default="", metadata=says("A line about it; may be empty."))
    model: str | None = field(
        default=None,
        metadata=says("Model that a task gets unless it names one; in the words of the agent."),
    )
    tools: tuple[str, ...] = field(
        default=(), metadata=says("Tools that the agent is told to keep to; empty for all.")
    )
    thinking: str | None = field(
        default=None,
        metadata=says(
            "How much the model thinks unless the task says so; in the words of the agent."
        ),
    )
    read_only: bool = field(default=False, metadata=says("Tasks with it must not change files."))
    source: str = field(default="", metadata=says("The file, or that it is built in."))


@frozen
class AgentsResult:
    """The catalogue, and the definitions that tasks can name."""

    agents: tuple[AgentView, ...] = field(metadata=says("All that are configured or built in."))
    definitions: tuple[DefinitionView, ...] = field(
        default=(),
        metadata=says("Those that count in the repository of the client's first folder."),
    )
    notices: tuple[Notice, ...] = field(
        default=(), metadata=says("Files with definitions that were skipped, and why.")
    )


@frozen
class RetainedItem:
    """One thing that is kept."""

    id: str = field(
        metadata=says("Id of the ticket, application or proposal; else the name of a folder.")
    )
    kind: str = field(
        metadata=says(
            "`ticket`, `application` or `checkout` (of `sennit/materialise`: its user alone "
            "deletes it); in `sennit/drop` also `proposal`; in `sennit/gc` also `workspace`, "
            "`spare` (a folder kept for another task) and `store` (objects)."
        )
    )
    ticket: TicketId | None = field(
        default=None,
        metadata=says("Id of its ticket; absent for what belongs to no ticket any more."),
    )
    task: str | None = field(
        default=None, metadata=says("Id of the task of a proposal; absent for all else.")
    )
    bytes: int = field(
        default=0,
        metadata=says(
            "What it takes on the disk; 0 where that is counted elsewhere or not at all."
        ),
    )
    at: str = field(default="", metadata=says("When it was made; empty for folders."))
    reason: str = field(default="", metadata=says("Why it is kept, or can go."))


@frozen
class RetainedResult:
    """What is kept, how large and how old."""

    items: tuple[RetainedItem, ...] = field(
        metadata=says("Tickets, then applications that were not taken back.")
    )
    total_bytes: int = field(default=0, metadata=says("Sum of their `bytes`."))


_CONFIRM = says("Whether to do it; false, the default, only tells what would go.")
_DRY_RUN = says("Only tell what would go, whatever `confirm` says; false unless said.")


@frozen
class DropParams:
    """Drops kept work for good. A dry run wins over `confirm`."""

    ids: tuple[str, ...] = field(metadata=says("Ids of proposals or tickets, at least one."))
    confirm: bool = field(default=False, metadata=_CONFIRM)
    dry_run: bool = field(default=False, metadata=_DRY_RUN)


@frozen
class DropResult:
    """What was dropped, or would be."""

    done: bool = field(
        metadata=says("Whether it was done; false without `confirm` and for a dry run.")
    )
    items: tuple[RetainedItem, ...] = field(metadata=says("What is gone, or would be."))
    kept: tuple[Notice, ...] = field(default=(), metadata=says("What was not, and why."))


@frozen
class GcParams:
    """Collects what nothing needs any more. A dry run wins over `confirm`."""

    confirm: bool = field(default=False, metadata=_CONFIRM)
    dry_run: bool = field(default=False, metadata=_DRY_RUN)


@frozen
class GcResult:
    """What was collected, or would be."""

    done: bool = field(
        metadata=says("Whether it was done; false without `confirm` and for a dry run.")
    )
    items: tuple[RetainedItem, ...] = field(metadata=says("What is gone, or would be."))
    freed_bytes: int = field(default=0, metadata=says("Bytes that are free now, or would be."))
    kept: tuple[Notice, ...] = field(
        default=(), metadata=says("What could not be removed or looked through, and why.")
    )


class TrustAction(StrEnum):
    """What to do about trust."""

    LIST = "list"
    """Nothing is changed."""
    GRANT = "grant"
    """Trusts the folder, with the files as they are that can start programs."""
    REVOKE = "revoke"
    """Takes that back."""


@frozen
class TrustParams:
    """Lists, grants or revokes trust in a folder."""

    action: TrustAction = field(
        default=TrustAction.LIST, metadata=says("What to do; `list` unless said.")
    )
    folder: str | None = field(
        default=None,
        metadata=says(
            "`file:` URI or absolute path, of a repository its top level; needed to grant "
            "and revoke."
        ),
    )


@frozen
class TrustedFolder:
    """A folder and what is known of it."""

    folder: str = field(metadata=says("Its absolute path, for people."))
    state: TrustState = field(metadata=says("Whether its programs may run now."))
    granted_at: str | None = field(default=None, metadata=says("When trust was granted last."))
    changed: tuple[str, ...] = field(
        default=(),
        metadata=says(
            "Files that can start programs and changed since; with `untrusted` why nobody can tell."
        ),
    )


@frozen
class TrustResult:
    """The folders that are trusted, after the action."""

    folders: tuple[TrustedFolder, ...] = field(
        metadata=says("All that were granted and not revoked.")
    )


class Health(StrEnum):
    """How a part of the machine is."""

    GOOD = "good"
    """Nothing has to be done."""
    WARNING = "warning"
    """It works, and somebody should look."""
    BAD = "bad"
    """Something does not work until that is mended."""


@frozen
class DoctorLine:
    """One thing that was looked at."""

    area: str = field(
        metadata=says(
            "What was looked at, such as `git`, `database`, `disk`, `repository`, `trust`, "
            "`agents`."
        )
    )
    health: Health = field(metadata=says("How it is."))
    message: str = field(metadata=says("What was found."))
    advice: str | None = field(
        default=None, metadata=says("What to do; absent where there is nothing to advise.")
    )


@frozen
class DoctorParams:
    """Names the folder to look at, beside the machine."""

    cwd: str | None = field(
        default=None,
        metadata=says(
            "`file:` URI or absolute path of a folder to look at; the client's first one "
            "unless said."
        ),
    )


@frozen
class DoctorResult:
    """What was looked at."""

    lines: tuple[DoctorLine, ...] = field(
        metadata=says("One for each thing, in the order in which it was looked at.")
    )
