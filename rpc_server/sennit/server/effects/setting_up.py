"""Makes a workspace ready by the command that its repository, or the user, names for that.

It runs where the agent will: in the mount of a layered workspace, and in the sandbox, if the agent
is confined. What it starts may be the work of other agents that this workspace builds on.
"""

from __future__ import annotations

import os
import shlex

import anyio.to_thread
from attrs import evolve

from sennit.adapters.git.capture import WorkspaceGone
from sennit.adapters.git.completion import was_complete
from sennit.adapters.git.trees import changed_paths
from sennit.adapters.git.whole_capture import peek_whole
from sennit.adapters.git.workspace import Workspace
from sennit.adapters.runs.values import RunSpec
from sennit.adapters.setup_command import SetUp, SetupFailed, log_of, put_away, run_setup
from sennit.core.engine.rows import TaskSpec
from sennit.core.objects import GitFailed
from sennit.core.sandbox import Confined
from sennit.core.uris import display
from sennit.server.layering import LayersGone, layers_of
from sennit.server.repositories import Opened
from sennit.server.sandboxing import SandboxRefused, confined_setup
from sennit.server.services import Services
from sennit.server.shown_paths import ShownPaths
from sennit.settings.values import Settings
from sennit_protocol.ids import RunId
from sennit_protocol.views import Notice

_MOST_NAMED = 5
_CONFINED = (
    " It ran in the sandbox of its agent: a folder outside the workspace that it writes to, such "
    "as a cache, has to be listed in workspace.setupFolders."
)


async def set_up(
    services: Services,
    opened: Opened,
    settings: Settings,
    task: TaskSpec,
    run: RunId,
    workspace: Workspace,
) -> tuple[Notice, ...] | GitFailed:
    """Run the set-up command, if there is one; its end in failure is that of the task."""
    asked = settings.workspace.setup
    if not asked:
        return ()
    command = shlex.join(asked)
    spec = await _spec(services, opened, settings, task, workspace)
    if not isinstance(spec, RunSpec):
        return GitFailed(f"set the workspace up with `{command}`", None, spec.message)
    seconds = settings.workspace.setup_ms / 1000
    ended = await run_setup(services.setups, run, workspace.folder, spec, seconds=seconds)
    log = log_of(services.setups, run)
    match ended:
        case SetUp():
            done = Notice(f"The workspace was set up with `{command}`; its output is in {log}.")
            return await _ready(services, opened, workspace, done)
        case SetupFailed(why=why, last_words=words):
            # The folder goes again at once, and means nothing to anybody.
            paths = ShownPaths(os.fsencode(workspace.folder), task.repository.top)
            said = f"{why}. The end of its output: {paths.shown(words)}" if words else why
            confined = _CONFINED if isinstance(spec.sandbox, Confined) else ""
            advice = f"All of its output is in {log}. The setting is workspace.setup.{confined}"
            return GitFailed(f"set the workspace up with `{command}`", None, said, advice)


async def put_away_left_setups(services: Services) -> None:
    """End the set-ups of servers that are gone, and keep what they had printed."""
    for left in await services.setups.recover():
        await put_away(services.setups, left.run_id)


async def _spec(
    services: Services, opened: Opened, settings: Settings, task: TaskSpec, workspace: Workspace
) -> RunSpec | SandboxRefused | LayersGone:
    plain = RunSpec(settings.workspace.setup, output_limit=settings.limits.output_file_bytes)
    spec = await confined_setup(services, task, settings, workspace.folder, plain)
    if isinstance(spec, SandboxRefused):
        return spec
    found = await anyio.to_thread.run_sync(layers_of, opened.store, workspace.name)
    return found if isinstance(found, LayersGone) else evolve(spec, layers=found)


async def _ready(
    services: Services, opened: Opened, workspace: Workspace, done: Notice
) -> tuple[Notice, ...] | GitFailed:
    """Let what the command wrote count as there before the agent came, as far as git ignores it."""
    failed = await was_complete(opened.store, workspace.name)
    if failed is not None:
        return failed
    tree = await peek_whole(services.git, opened.store, workspace)
    if isinstance(tree, WorkspaceGone):
        return GitFailed("look at the workspace", None, f"The set-up removed {tree.folder}.")
    if isinstance(tree, GitFailed):
        return tree
    changed = await changed_paths(services.git, opened.store, workspace.tree, tree)
    if isinstance(changed, GitFailed):
        return changed
    if not changed:
        return (done,)
    paths = sorted(changed)
    named = ", ".join(display(path) for path in paths[:_MOST_NAMED])
    more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
    said = f"The set-up changed what git does not ignore, so it is part of the proposal: {named}"
    return (done, Notice(f"{said}{more}."))
