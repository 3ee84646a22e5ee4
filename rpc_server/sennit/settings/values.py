"""The settings as the rest of the server sees them, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from sennit.core.agents import AgentSettings, Sandboxing, StopTimes, ToolServer
from sennit.core.named_limits import NamedLimit
from sennit.core.object_files import ObjectFiles
from sennit.core.workspace_kinds import WorkspaceKind
from sennit.settings.keys import Key, LogLevel, Source
from sennit_protocol.errors import Problem
from sennit_protocol.states import Offer
from sennit_protocol.tasks import ExpectChanges, OnConflict


@frozen
class Limits:
    """How much of everything there may be; see the table for the units."""

    tasks: int
    tickets: int
    tasks_per_call: int
    message_bytes: int
    store_bytes: int
    output_view_chars: int
    output_file_bytes: int
    named: tuple[NamedLimit, ...]


@frozen
class TaskSettings:
    """What counts for tasks that do not say otherwise; durations in milliseconds."""

    deadline_ms: int | None
    start_ms: int
    idle_ms: int
    retries: int
    runs: int
    grace_turns: int
    expect_changes: ExpectChanges


@frozen
class ReviewSettings:
    """How proposals are offered, what follows conflicts, globs of what is flagged and folded."""

    offer: Offer
    on_conflict: OnConflict
    sensitive: tuple[str, ...]
    generated: tuple[str, ...]


@frozen
class Retention:
    """How long is kept what was applied and what was dropped, in days."""

    applied_days: int
    dropped_days: int


@frozen
class LogSettings:
    """How much is logged, and a file for it beside standard error."""

    level: LogLevel
    file: str | None


@frozen
class Given:
    """One key as one source sets it. ``where`` names the file, variable or message for people.

    ``name`` is the key with its names filled in: `agents.fixer.argv`.
    """

    key: Key
    name: str
    value: object
    source: Source
    where: str
    line: int | None = None


@frozen
class Ignored:
    """A key of the repository that does not count until its content is trusted."""

    name: str
    where: str
    line: int | None = None


@frozen
class WorkspaceSettings:
    """How workspaces are made; ``spare_bytes`` is what folders for later use may take.

    ``setup`` is the command that makes each ready, empty for none; ``setup_ms`` its time;
    ``setup_folders`` what it may write to beside the workspace.
    """

    kind: WorkspaceKind
    prepare: bool
    spare_bytes: int
    setup: tuple[str, ...]
    setup_ms: int
    setup_folders: tuple[str, ...]


@frozen
class Settings:
    """Every setting, decided.

    ``given`` holds what each source said, in the order of the table, later sources later, so that
    `sennit config --explain` can tell where a value comes from. ``ignored`` is what waits for
    trust.
    """

    limits: Limits
    task: TaskSettings
    ask_deadline_ms: int
    stop: StopTimes
    workspace_include: tuple[str, ...]
    workspace: WorkspaceSettings
    review: ReviewSettings
    retention: Retention
    log: LogSettings
    objects: ObjectFiles
    store_path: str | None
    sandbox: Sandboxing
    agents: Mapping[str, AgentSettings]
    tool_servers: tuple[ToolServer, ...] = ()
    given: tuple[Given, ...] = ()
    ignored: tuple[Ignored, ...] = ()


@frozen
class SettingsProblem:
    """One thing that is wrong with the settings; ``name`` is empty when a whole file is."""

    where: str
    name: str
    message: str
    valid: tuple[str, ...] = ()
    line: int | None = None

    def as_problem(self) -> Problem:
        """Give it the form in which errors of the protocol list problems."""
        place = self.where if self.line is None else f"{self.where}:{self.line}"
        return Problem(f"{place}: {self.name}" if self.name else place, self.message, self.valid)


@frozen
class SettingsProblems:
    """Everything that is wrong with the settings, at least one thing.

    ``meanwhile`` is made from what is right, for what must go on until the rest is mended: the log,
    the limits of the protocol. No task is started with it.
    """

    problems: tuple[SettingsProblem, ...]
    meanwhile: Settings
