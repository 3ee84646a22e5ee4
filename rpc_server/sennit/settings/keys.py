"""The table of settings: everything else about them is made from it.

Durations are whole milliseconds everywhere, in TOML too; sizes are bytes.
"""

from __future__ import annotations

from enum import StrEnum, unique

from attrs import frozen

from sennit.core.agents import AgentKind, Executing, OutputFormat, Polite, PromptAs, Sandboxing
from sennit.core.named_limits import LimitOf
from sennit.core.object_files import ObjectFiles
from sennit.core.workspace_kinds import WorkspaceKind
from sennit.settings.kinds import (
    AbsolutePath,
    Choice,
    Kind,
    Switch,
    Text,
    Variables,
    Whole,
    agent_roles,
    argument_list,
    command_globs,
    folders,
    globs,
    variable_names,
)
from sennit.settings.review_globs import GENERATED, SENSITIVE
from sennit_protocol.states import Offer
from sennit_protocol.tasks import ExpectChanges, OnConflict

NAME = "NAME"
"""Stands in a key for a name that the user chooses."""


@unique
class Source(StrEnum):
    """Who can set a key, in the order in which later ones win."""

    DEFAULT = "default"
    USER = "user"
    REPOSITORY = "repository"
    ENVIRONMENT = "environment"
    CLIENT = "client"
    CALL = "call"


@unique
class LogLevel(StrEnum):
    """How much is logged."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    DEBUG = "debug"


@frozen
class Key:
    """One setting. ``default`` is None where nothing is set by default.

    ``starts_programs``: with this key its setter can start a program, or change what a started one
    does. ``repository_needs_trust``: a repository's word counts only once its content is trusted.
    ``repository_adds``: a repository adds to a list, and cannot empty it. ``in_call``: the key of a
    call or task that goes before the setting. ``foreign``: `NAME` is a word of others.
    """

    name: str
    kind: Kind
    default: object
    set_by: frozenset[Source]
    description: str
    unit: str = ""
    starts_programs: bool = False
    repository_needs_trust: bool = False
    repository_adds: bool = False
    in_call: str = ""
    foreign: bool = False

    @property
    def variable(self) -> str:
        """The environment variable that sets the key."""
        words = "".join(f"_{each}" if each.isupper() else each for each in self.name)
        return "SENNIT_" + words.replace(".", "_").upper()


@frozen
class LaterKey:
    """A key, or a whole section, that this version does not have yet."""

    name: str


_PERSON = frozenset({Source.USER, Source.ENVIRONMENT, Source.CLIENT})
_ANYONE = _PERSON | {Source.REPOSITORY}
_MACHINE = frozenset({Source.USER, Source.ENVIRONMENT})
_OWN = frozenset({Source.USER, Source.CLIENT})
_NAMED = frozenset({Source.USER, Source.REPOSITORY, Source.CLIENT})

_DAY_MS = 24 * 60 * 60 * 1_000
_MIB = 1024 * 1024
_GIB = 1024 * _MIB

TABLE: tuple[Key, ...] = (
    Key(
        "limits.tasks", Whole(1, 256), 4, _PERSON,
        "Tasks that run at once on this machine, over all servers; the lowest limit wins.",
    ),
    Key("limits.tickets", Whole(1, 10_000), 64, _PERSON, "Tickets that are under way at once."),
    Key("limits.tasksPerCall", Whole(1, 10_000), 512, _PERSON, "Tasks in one call."),
    *(
        Key(
            f"limits.{of}.NAME", Whole(1, 256), None, _OWN, f"Tasks {which} that run at once on "
            "this machine, over all servers; the lowest limit wins.", foreign=foreign,
        )
        for of, foreign, which in (
            (LimitOf.PROVIDER, True, "of this provider (`agents.NAME.provider`)"),
            (LimitOf.MODEL, True, "with this model, as the task or its agent names it,"),
            (LimitOf.AGENT, False, "with this agent"),
        )
    ),
    Key(
        "limits.messageBytes", Whole(64 * 1024, _GIB), 64 * _MIB, _PERSON,
        "Size of one message of the protocol; a larger one is refused.", unit="bytes",
    ),
    Key(
        "limits.storeBytes", Whole(64 * _MIB, 2**50), 20 * _GIB, _PERSON,
        "Size of all stores. Warns at 80 %, refuses new workspaces at 100 %.", unit="bytes",
    ),
    Key(
        "limits.output.viewChars", Whole(100, 1_000_000), 8_000, _PERSON,
        "How much of an agent's output a view shows.", unit="characters",
    ),
    Key(
        "limits.output.fileBytes", Whole(64 * 1024, 2**40), 64 * _MIB, _PERSON,
        "How much of an agent's output is kept in its file; the rest is counted and dropped.",
        unit="bytes",
    ),
    Key(
        "task.deadlineMs", Whole(1, _DAY_MS), None, _ANYONE,
        "How long a run may take; no limit unless set.", unit="ms", in_call="deadlineMs",
    ),
    Key(
        "task.startMs", Whole(100, _DAY_MS), 30_000, _ANYONE,
        "How long each step of a conversation with an agent may take before its first prompt.",
        unit="ms",
    ),
    Key(
        "task.idleMs", Whole(1_000, _DAY_MS), 900_000, _ANYONE,
        "How long a run may show no sign of life; shown as silent from a third of it on.",
        unit="ms", in_call="idleMs",
    ),
    Key(
        "task.retries", Whole(0, 5), 1, _ANYONE,
        "How often a run that failed without a trace is done again by itself.", in_call="retries",
    ),
    Key(
        "task.graceTurns", Whole(0, 20), 2, _ANYONE,
        "Turns that an agent has to wrap up in once its budget is spent.", in_call="graceTurns",
    ),
    Key(
        "task.runs", Whole(1, 20), 4, _PERSON,
        "How many runs a task may have, for whatever reasons.",
    ),
    Key(
        "task.expectChanges", Choice(ExpectChanges), ExpectChanges.FLAG, _ANYONE,
        "What follows when a task that may write changed nothing.", in_call="expectChanges",
    ),
    Key(
        "ask.deadlineMs", Whole(1_000, _DAY_MS), 600_000, _PERSON,
        "How long a question of an agent waits before the safe answer is given.", unit="ms",
    ),
    Key(
        "stop.cancelMs", Whole(0, 600_000), 5_000, _PERSON,
        "How long an agent that was asked politely to stop is waited for.", unit="ms",
    ),
    Key(
        "stop.closeMs", Whole(0, 600_000), 8_000, _PERSON,
        "How long it is waited for after its standard input was closed.", unit="ms",
    ),
    Key(
        "stop.termMs", Whole(0, 600_000), 2_000, _PERSON,
        "How long it is waited for after TERM, before KILL.", unit="ms",
    ),
    Key(
        "workspace.include", globs(), (), _ANYONE,
        "Ignored files that workspaces get all the same; `.worktreeinclude` is read too.",
        repository_needs_trust=True, repository_adds=True,
    ),
    Key(
        "workspace.kind", Choice(WorkspaceKind), WorkspaceKind.AUTO, _PERSON,
        "How workspaces are made: the quickest way that works here, or always this one. `sennit "
        "doctor` tells what works.",
    ),
    Key(
        "workspace.prepare", Switch(), True, _PERSON,
        "Whether a workspace of a large, trusted repository is made ready before it is asked for.",
    ),
    Key(
        "workspace.setup", argument_list(), None, _ANYONE,
        "A program and its arguments, no shell line, that makes each workspace ready for its "
        "task, such as one that installs packages. It runs at the top of the workspace.",
        starts_programs=True, repository_needs_trust=True,
    ),
    Key(
        "workspace.setupFolders", folders(), (), _OWN,
        "Folders outside the workspace, such as caches, that the set-up command may write to where "
        "its agent is in a sandbox.", starts_programs=True,
    ),
    Key("workspace.setupMs", Whole(1_000, _DAY_MS), 600_000, _ANYONE, "Its time limit.", unit="ms"),
    Key(
        "workspace.spareBytes", Whole(0, 2**50), 8 * _GIB, _PERSON,
        "How much of the disk the folders of earlier tasks may take, for each repository, which "
        "are kept to be used again. 0 keeps none.", unit="bytes",
    ),
    Key(
        "review.offer", Choice(Offer), Offer.AUTO, _ANYONE,
        "When proposals are offered: as they come, when the ticket settles, or on request.",
        in_call="offer",
    ),
    Key(
        "review.onConflict", Choice(OnConflict), OnConflict.SET_ASIDE, _ANYONE,
        "What follows when a proposal conflicts: it is set aside for you, or its agent has one "
        "more turn on what was merged before it.", in_call="onConflict",
    ),
    Key(
        "review.sensitive", globs(), SENSITIVE, _ANYONE,
        "Files whose changes are flagged and never preselected.", repository_adds=True,
    ),
    Key(
        "review.generated", globs(), GENERATED, _ANYONE,
        "Files whose changes are folded in a review.",
        repository_needs_trust=True, repository_adds=True,
    ),
    Key(
        "retention.applied", Whole(0, 36_500), 14, _PERSON,
        "How long what was applied is kept; then `sennit gc` takes it.", unit="days",
    ),
    Key(
        "retention.dropped", Whole(0, 36_500), 14, _PERSON,
        "How long what was dropped is kept. What is neither is kept for ever.", unit="days",
    ),
    Key(
        "sandbox", Choice(Sandboxing), Sandboxing.PREFERRED, _PERSON,
        "Whether configured agents run in a sandbox of the system. The built-in `command` does "
        "only where it is `required`.",
    ),
    Key("log.level", Choice(LogLevel), LogLevel.WARNING, _PERSON, "How much is logged."),
    Key(
        "log.file", AbsolutePath(), None, _MACHINE,
        "A file that gets the log beside standard error.",
    ),
    Key(
        "objects", Choice(ObjectFiles), ObjectFiles.LINK, _MACHINE,
        "How the object files of a repository come into its store: by hard links, which take no "
        "room, but let a program that writes into the store damage the repository; or as copies, "
        "which take as much room again and do not.",
    ),
    Key(
        "store.path", AbsolutePath(), None, _MACHINE,
        "Where object stores are kept, one for each repository; in the state folder unless set.",
    ),
    Key(
        "agents.NAME.kind", Choice(AgentKind), AgentKind.COMMAND, _NAMED,
        "How the agent is spoken with.", starts_programs=True, repository_needs_trust=True,
    ),
    Key(
        "agents.NAME.argv", argument_list(), None, _NAMED,
        "The program and its arguments, never a shell line. `{prompt}` and `{prompt_file}` are "
        "replaced. Needed for every agent that is not built in.",
        starts_programs=True, repository_needs_trust=True,
    ),
    Key(
        "agents.NAME.prompt", Choice(PromptAs), PromptAs.ARGUMENT, _NAMED,
        "How the agent is given its prompt.", starts_programs=True, repository_needs_trust=True,
    ),
    Key(
        "agents.NAME.env", Variables(), None, _NAMED,
        "Environment variables that are set for the agent. To those of a built-in agent they are "
        "added.", starts_programs=True, repository_needs_trust=True,
    ),
    Key(
        "agents.NAME.passEnv", variable_names(), (), _NAMED,
        "Names of the server's variables that the agent gets beside the usual ones. To those of a "
        "built-in agent they are added.",
        starts_programs=True, repository_needs_trust=True,
    ),
    Key(
        "agents.NAME.polite", Choice(Polite), Polite.INTERRUPT, _NAMED,
        "What the agent is asked with before it is told to end.",
        starts_programs=True, repository_needs_trust=True,
    ),
    *(
        Key(
            f"agents.NAME.stop.{rung}", Whole(0, 600_000), None, _NAMED,
            f"For this agent, in place of `stop.{rung}`.", unit="ms",
            starts_programs=True, repository_needs_trust=True,
        )
        for rung in ("cancelMs", "closeMs", "termMs")
    ),
    Key(
        "agents.NAME.sandbox", Choice(Sandboxing), None, _OWN,
        "For this agent, in place of `sandbox`.", starts_programs=True,
    ),
    Key(
        "agents.NAME.stateFolders", folders(), (), _OWN,
        "Folders outside its workspace that the agent may write to in a sandbox.",
        starts_programs=True,
    ),
    Key(
        "agents.NAME.output", Choice(OutputFormat), OutputFormat.TEXT, _NAMED,
        "What an agent of kind `command` writes to standard output.",
        starts_programs=True, repository_needs_trust=True,
    ),
    Key(
        "agents.NAME.mode", Text(), None, _NAMED,
        "The mode that an agent of kind `acp` is asked for, where it offers it; each agent has "
        "words of its own.", starts_programs=True, repository_needs_trust=True,
    ),
    Key(
        "agents.NAME.model", Text(), None, _NAMED,
        "The model that an agent of kind `acp` is asked for, where it offers it. Of a `command` it "
        "is part of `argv`.", starts_programs=True, repository_needs_trust=True,
    ),
    Key(
        "agents.NAME.roles", agent_roles(), (), _NAMED,
        "What tasks may choose the agent for: `explore`, `review`, `implement`, `verify`, or roles "
        "of your own.", starts_programs=True, repository_needs_trust=True,
    ),
    Key(
        "agents.NAME.modelClass", Text(), None, _NAMED,
        "A word of yours for how strong its model is, by which tasks may choose, such as `small`.",
        starts_programs=True, repository_needs_trust=True,
    ),
    Key(
        "agents.NAME.provider", Text(), None, _NAMED,
        "Whose limits it shares with other agents, such as `anthropic`.",
        starts_programs=True, repository_needs_trust=True,
    ),
    Key(
        "agents.NAME.signIn", Text(), None, _NAMED,
        "The command line that signs you in; it is told to you and never run.",
        starts_programs=True, repository_needs_trust=True,
    ),
    Key(
        "agents.NAME.authMethod", Text(), None, _NAMED,
        "The way to sign in, by the agent's own name for it, that is used over ACP before each "
        "session, such as one that takes a key from a variable. `sennit agents check NAME` names "
        "those that it offers.",
        starts_programs=True, repository_needs_trust=True,
    ),
    Key(
        "agents.NAME.resumeArgv", argument_list(), None, _NAMED,
        "The program and its arguments with which an agent of kind `command` goes on with an "
        "earlier session, `{session}` in place of its name; `{prompt}` and `{prompt_file}` as in "
        "`argv`. Without it each run is a session of its own.",
        starts_programs=True, repository_needs_trust=True,
    ),
    Key(
        "agents.NAME.litter", globs(), (), _NAMED,
        "Ignore patterns of what the agent leaves beside its work, such as caches and histories; "
        "it is no part of proposals. To those of a built-in agent they are added.",
        repository_needs_trust=True, repository_adds=True,
    ),
    Key(
        "agents.NAME.permissions.execute", Choice(Executing), Executing.ASK, _OWN,
        "What an agent is answered that asks to run a command which no glob of "
        "`permissions.commands` allows.", starts_programs=True,
    ),
    Key(
        "agents.NAME.permissions.commands", command_globs(), (), _OWN,
        "Globs over whole command lines that an agent may run without a question, such as "
        "`git diff *`.", starts_programs=True,
    ),
    Key(
        "agents.NAME.description", Text(), None, _NAMED, "What the agent is good for, for people.",
        starts_programs=True, repository_needs_trust=True,
    ),
    Key(
        "mcp.NAME.argv", argument_list(), None, _PERSON - {Source.ENVIRONMENT},
        "A tool server of the Model Context Protocol that every agent of kind `acp` is given: its "
        "program and arguments. None unless set; a repository cannot set one.",
        starts_programs=True,
    ),
    Key(
        "mcp.NAME.env", Variables(), None, _PERSON - {Source.ENVIRONMENT},
        "Environment variables that are set for the tool server.", starts_programs=True,
    ),
)  # fmt: skip

LATER: tuple[LaterKey, ...] = tuple(map(LaterKey, (
    "limits.memory", "limits.depth", "checks", "review.onFailure", "apply.save", "hooks",
    "telemetry",
)))  # fmt: skip

NOT_SETTINGS = frozenset({"SENNIT_CONFIG_DIR", "SENNIT_STATE_DIR", "SENNIT_RUN", "SENNIT_RUN_DIR"})
"""Variables of ours that are no settings: places, and what agents are given."""
