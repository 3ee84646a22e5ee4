"""What validation has to know of the world: folders as they were probed, agents, settings.

The caller looks these things up; nothing here does.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from urllib.parse import unquote_to_bytes, urlsplit

from attrs import field, frozen

from sennit.core.agent_definitions import AgentDefinition
from sennit.core.agents import AgentSettings
from sennit_protocol.states import Offer
from sennit_protocol.tasks import DispatchParams, ExpectChanges, OnConflict
from sennit_protocol.upkeep import AgentAbilities


@frozen
class FolderReady:
    """A folder that can be worked on: its real path and that of its repository's top level."""

    folder: bytes
    repository: bytes
    has_commits: bool = True


class FolderProblem(StrEnum):
    """Why a folder cannot be worked on."""

    MISSING = "missing"
    NOT_A_FOLDER = "notAFolder"
    NOT_A_REPOSITORY = "notARepository"
    BARE = "bare"
    REFUSED = "refused"


@frozen
class FolderUnusable:
    """A folder that cannot be worked on, with what git said or what to do in ``detail``."""

    reason: FolderProblem
    detail: str = ""


FolderFact = FolderReady | FolderUnusable


_TELLS_ALL = AgentAbilities(tells_tools=True, tells_usage=True, tells_cost=True)


@frozen
class AgentFact:
    """Whether an agent can be used; ``why_not`` says what is wrong and what to do.

    ``prompt_bytes`` is the longest prompt that it can be given, None where there is no limit.
    ``reads``: it is given a text, and not a command line. ``speaks``: it is spoken with.
    ``confines``: it would run in a sandbox, which alone can keep it from writing. ``tells``: what
    it tells of its work. ``roles``: those that choose it.
    """

    why_not: str | None = None
    prompt_bytes: int | None = None
    reads: bool = True
    speaks: bool = True
    confines: bool = True
    tells: AgentAbilities = _TELLS_ALL
    roles: tuple[str, ...] = ()


@frozen
class CallFacts:
    """All that validation needs beside the call itself.

    ``folders`` is keyed by the folder's absolute path as `folder_path` reads it. ``folder`` is
    where a task works that names none, and ``agent`` who does it; None when there is no such
    default. ``tasks_per_call`` and what follows come from the settings. ``definitions`` are the
    roles that tasks in a repository can name, ``usable`` the agents to choose from for them.
    """

    folders: Mapping[bytes, FolderFact]
    agents: Mapping[str, AgentFact]
    tasks_per_call: int
    idle_ms: int | None
    deadline_ms: int | None = None
    expect_changes: ExpectChanges = ExpectChanges.FLAG
    retries: int = 1
    most_runs: int = 4
    grace_turns: int = 2
    offer: Offer = Offer.AUTO
    on_conflict: OnConflict = OnConflict.SET_ASIDE
    folder: bytes | None = None
    agent: str | None = None
    definitions: Mapping[bytes, tuple[AgentDefinition, ...]] = field(factory=dict)
    usable: tuple[AgentSettings, ...] = ()


@frozen
class BadFolder:
    """A folder that is written wrongly: what is wrong with it."""

    message: str


def folder_path(cwd: str) -> bytes | BadFolder:
    """Read a folder as clients write it: a `file:` URI or an absolute path, nothing else."""
    try:
        path = _from_uri(cwd) if cwd.startswith("file:") else cwd.encode("utf-8", "surrogateescape")
    except ValueError:
        return BadFolder("is no text that can name a folder")
    if isinstance(path, BadFolder):
        return path
    if b"\0" in path:
        return BadFolder("holds a NUL, which no path can")
    if not path.startswith(b"/"):
        return BadFolder("is not absolute; write an absolute path or a `file:` URI")
    return path


def _from_uri(uri: str) -> bytes | BadFolder:
    parts = urlsplit(uri)
    if parts.netloc not in {"", "localhost"}:
        return BadFolder(f"names the host {parts.netloc!r}; the server only reaches its own files")
    if parts.query or parts.fragment:
        return BadFolder("has a `?` or `#`; write %3F or %23 where they are part of the path")
    return unquote_to_bytes(parts.path)


def folders_to_probe(params: DispatchParams, folder: bytes | None) -> tuple[bytes, ...]:
    """Name the folders that the call works in, each once; those written wrongly are left out."""
    written = [params.defaults.cwd, *(task.cwd for task in params.tasks)]
    read = [folder_path(cwd) for cwd in written if cwd is not None]
    named = [path for path in read if isinstance(path, bytes)]
    return tuple(dict.fromkeys([*named, *([folder] if folder is not None else [])]))
