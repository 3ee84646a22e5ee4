"""What a sandboxed run may write and see, and the command line of bubblewrap that makes it so.

The order of mounts is the policy: all of the machine read-only; over that fresh folders for what is
temporary; over those what has to be seen of the old ones; last what may be written.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from attrs import frozen

from sennit.core.agents import AgentSettings, Sandboxing

TEMPORARY = "/tmp"  # noqa: S108  the name inside, where it is the run's own
"""The run's own temporary folder, gone with it."""

FRESH = (TEMPORARY, "/var/tmp", "/run")  # noqa: S108  inside, they are the run's own
"""Folders that a run gets anew and empty: temporary files, and the sockets of daemons."""

_SOMEBODY = "1000"
"""The number of a user inside who is root outside."""

_SEPARATE = ("--unshare-pid", "--unshare-ipc", "--as-pid-1", "--die-with-parent")


@frozen
class SandboxReady:
    """Bubblewrap works here: its full path, and how it names its version."""

    program: str
    version: str


@frozen
class SandboxMissing:
    """There is no sandbox here; both texts are for a person."""

    problem: str
    advice: str

    @property
    def told(self) -> str:
        """Both in one."""
        return f"{self.problem} {self.advice}"


Availability = SandboxReady | SandboxMissing


@frozen
class LeftOut:
    """A listed folder that the run cannot write to all the same, and why."""

    folder: str
    why: str


@frozen
class Confinement:
    """How a run is confined; paths are absolute and real.

    ``program``: bubblewrap. ``workspace``: all of it, of which the agent's folder may be a part.
    ``read_only``: it too. ``writable``: state folders of the agent. ``shown``: what lies below a
    fresh folder and has to be seen, read-only. ``is_root``: the server runs as root.
    """

    program: str
    workspace: str
    read_only: bool = False
    writable: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    is_root: bool = False


@frozen
class Confined:
    """The run is in a sandbox."""

    wanted: Sandboxing
    confinement: Confinement
    left_out: tuple[LeftOut, ...] = ()


@frozen
class Unconfined:
    """The run is in none, and why, for a person."""

    wanted: Sandboxing
    why: str


Sandbox = Confined | Unconfined

NOT_ASKED = Unconfined(Sandboxing.OFF, "Nobody asked for a sandbox.")


@frozen
class SandboxRecord:
    """What was in force on a run, as its record keeps it; ``why`` is "" where one was."""

    wanted: Sandboxing
    in_force: bool
    why: str = ""
    read_only: bool = False
    writable: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


NOT_RECORDED = SandboxRecord(Sandboxing.OFF, in_force=False, why="Nothing is recorded of it.")


def recorded(sandbox: Sandbox) -> SandboxRecord:
    """Say what is in force, without how it is made."""
    match sandbox:
        case Unconfined(wanted=wanted, why=why):
            return SandboxRecord(wanted, in_force=False, why=why)
        case Confined(wanted=wanted, confinement=made, left_out=left_out):
            return SandboxRecord(
                wanted,
                in_force=True,
                read_only=made.read_only,
                writable=made.writable,
                left_out=left_out,
            )
        case _:
            assert_never(sandbox)


def wanted(agent: AgentSettings, general: Sandboxing) -> Sandboxing:
    """Tell whether an agent is to be sandboxed: its own word, else the general one.

    An agent without a program of its own runs what the person typed, which may be meant to write
    elsewhere: it is confined only where everything has to be.
    """
    if agent.sandbox is not None:
        return agent.sandbox
    if not agent.argv and general is Sandboxing.PREFERRED:
        return Sandboxing.OFF
    return general


def why_off(agent: AgentSettings) -> str:
    """Say why an agent that `wanted` tells to be off runs without a sandbox."""
    if agent.argv:
        return "`sandbox` is off for this agent."
    return "What a person typed runs without one, unless the setting `sandbox` is `required`."


def why_unusable(wish: Sandboxing, found: Availability) -> SandboxMissing | None:
    """Say why an agent cannot be used that is not to run without a sandbox."""
    if wish is Sandboxing.REQUIRED and isinstance(found, SandboxMissing):
        return SandboxMissing(
            f"It must run in a sandbox, and there is none here. {found.problem}", found.advice
        )
    return None


def below(path: str, folder: str) -> bool:
    """Whether an absolute path lies in a folder, at whatever depth; not the folder itself."""
    return path != folder and path.startswith(folder.rstrip("/") + "/")


def overlaps(path: str, other: str) -> bool:
    """Whether one of two absolute paths holds the other, or they are the same."""
    return path == other or below(path, other) or below(other, path)


def outermost(path: str) -> str | None:
    """Return the entry of a fresh folder that a path is, or lies in; None when it is in none."""
    folder = next((each for each in FRESH if below(path, each)), None)
    if folder is None:
        return None
    return f"{folder}/{path.removeprefix(folder + '/').partition('/')[0]}"


def shown(candidates: Iterable[str]) -> tuple[str, ...]:
    """Choose what a fresh folder would hide, outer paths first; what is seen anyway is left out."""
    hidden = {path for path in candidates if any(below(path, folder) for folder in FRESH)}
    return tuple(path for path in sorted(hidden) if not any(below(path, other) for other in hidden))


def sandbox_arguments(made: Confinement, folder: str, exchange: str | None) -> tuple[str, ...]:
    """Return bubblewrap's command line up to the program that it is to run inside.

    ``folder`` is where the program begins. ``exchange``: where programs of the run ask
    questions, writable; None where there is none.
    """
    # Real root would keep its capabilities, and could mount everything writable again.
    arguments = [made.program, *_SEPARATE, "--cap-drop", "ALL"]
    if made.is_root:
        # Without capabilities root cannot make a sandbox of its own inside, as some agents do,
        # since the kernel wants one for a namespace that root is in.
        arguments += ["--unshare-user", "--uid", _SOMEBODY, "--gid", _SOMEBODY]
    arguments += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    for each in FRESH:
        arguments += ["--tmpfs", each]
    for path in made.shown:
        arguments += ["--ro-bind-try", path, path]
    for path in sorted(made.writable):
        # One that is gone since it was looked at is not worth failing for.
        arguments += ["--bind-try", path, path]
    bind = "--ro-bind" if made.read_only else "--bind"
    arguments += [bind, made.workspace, made.workspace]
    if exchange is not None:
        arguments += ["--bind", exchange, exchange]
    return (*arguments, "--chdir", folder, "--")
