"""Makes a workspace ready by the command that its repository, or the user, names for that."""

from __future__ import annotations

import shlex
from pathlib import Path

from sennit.adapters.git.git import Place
from sennit.adapters.git.workspace import Workspace, was_complete
from sennit.adapters.runs.environment import agent_environment
from sennit.adapters.setup_command import SetUp, SetupFailed, run_setup
from sennit.core.objects import GitFailed
from sennit.core.uris import display
from sennit.server.repositories import Opened
from sennit.server.services import Services
from sennit.settings.values import WorkspaceSettings
from sennit_protocol.ids import RunId
from sennit_protocol.views import Notice

_MOST_NAMED = 5


def setup_log(services: Services, run: RunId) -> Path:
    """Where all that the set-up of a run printed is kept."""
    return services.folders.root / "setups" / f"{run}.log"


async def set_up(
    services: Services,
    opened: Opened,
    settings: WorkspaceSettings,
    run: RunId,
    workspace: Workspace,
) -> tuple[Notice, ...] | GitFailed:
    """Run the set-up command, if there is one; its end in failure is that of the task."""
    if not settings.setup:
        return ()
    log = setup_log(services, run)
    environment = {**agent_environment(services.environ, (), {}), "SENNIT_RUN": run}
    ended = await run_setup(
        settings.setup, workspace.folder, environment, log, seconds=settings.setup_ms / 1000
    )
    command = shlex.join(settings.setup)
    match ended:
        case SetUp():
            return await _ready(services, opened, workspace, command, log)
        case SetupFailed(why=why, last_words=words):
            said = f"{why}. The end of its output: {words}" if words else why
            advice = f"All of its output is in {log}. The setting is workspace.setup."
            return GitFailed(f"set the workspace up with `{command}`", None, said, advice)


async def _ready(
    services: Services, opened: Opened, workspace: Workspace, command: str, log: Path
) -> tuple[Notice, ...] | GitFailed:
    """Let what the command wrote count as there before the agent came, as far as git ignores it."""
    failed = await was_complete(opened.store, workspace.name)
    if failed is not None:
        return failed
    folder = workspace.folder
    place = Place(cwd=folder, git_dir=folder / ".git", work_tree=folder)
    asked = ["status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=all"]
    quiet = services.git.configured(opened.repository.neutral)
    status = await quiet.run(asked, place)
    if isinstance(status, GitFailed):
        return status
    done = Notice(f"The workspace was set up with `{command}`; its output is in {log}.")
    changed = [record[3:] for record in status.stdout.split(b"\0") if record]
    if not changed:
        return (done,)
    named = ", ".join(display(path) for path in changed[:_MOST_NAMED])
    more = f" and {len(changed) - _MOST_NAMED} more" if len(changed) > _MOST_NAMED else ""
    said = f"The set-up changed what git does not ignore, so it is part of the proposal: {named}"
    return (done, Notice(f"{said}{more}."))
