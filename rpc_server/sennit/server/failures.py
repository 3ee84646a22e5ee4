"""Failures of the adapters in the words of the protocol."""

from __future__ import annotations

from attrs import evolve

from sennit.adapters.git.capture import WorkspaceGone
from sennit.adapters.git.full_disk import is_full
from sennit.adapters.runs.values import EndCause, Exited, SpawnFailed
from sennit.core.agents import AgentSettings
from sennit.core.objects import GitFailed
from sennit_protocol.states import FailureKind
from sennit_protocol.views import Failure


def git_failure(failed: GitFailed) -> Failure:
    """A call of git that did not do its work."""
    kind = FailureKind.DISK_FULL if is_full(failed.stderr) else FailureKind.SETUP
    return Failure(kind, git_failed(failed))


def git_failed(failed: GitFailed) -> str:
    """What was asked of git, what it said, and what to do, in whole sentences."""
    asked = failed.doing
    what = f"`{asked}` failed" if asked.startswith("git ") else f"Could not {asked}"
    said = failed.stderr.strip() or f"it ended with exit code {failed.exit_code}"
    end = "" if said.endswith((".", "!", "?")) else "."
    return f"{what}: {said}{end} {failed.advice}".strip()


def spawn_failure(failed: SpawnFailed) -> Failure:
    """A program that could not be started."""
    kind = FailureKind.DISK_FULL if failed.errno_name == "ENOSPC" else FailureKind.SPAWN
    return Failure(kind, failed.message)


def end_failure(end: Exited) -> Failure | None:
    """Why a run that ended did not do its work; None when it did."""
    if end.failure is not None:
        return spawn_failure(end.failure)
    if end.disk_error == "ENOSPC":
        return Failure(FailureKind.DISK_FULL, "The disk is full: not all output could be kept.")
    if end.cause is EndCause.LOST:
        message = "Its supervisor went down, so nobody knows how it ended; what was left was ended."
        return Failure(FailureKind.INTERNAL, message)
    if end.cause is EndCause.NEVER_STARTED:
        return Failure(FailureKind.SPAWN, "The server was gone before the program was started.")
    if end.signal is not None:
        message = f"The program was ended by signal {end.signal}."
        return Failure(FailureKind.SIGNAL, message, signal=end.signal)
    if end.code:
        message = f"The program ended with exit code {end.code}. Its output says more."
        return Failure(FailureKind.EXIT, message, exit_code=end.code)
    return None


def signed_in_advice(failure: Failure | None, agent: AgentSettings) -> Failure | None:
    """Say how to sign in, where that is what is missing."""
    if failure is None or failure.kind is not FailureKind.NOT_SIGNED_IN:
        return failure
    how = f"`{agent.sign_in}`" if agent.sign_in else "the agent's own command"
    end = "" if failure.message.endswith((".", "!", "?")) else "."
    return evolve(
        failure, message=f"{failure.message}{end} Sign in with {how}, then run the task again."
    )


def gone_failure(gone: WorkspaceGone) -> Failure:
    """A workspace that is not there any more."""
    message = f"The workspace {gone.folder} is not there any more, or another folder is."
    return Failure(FailureKind.SETUP, message)
