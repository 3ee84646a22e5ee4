"""What is answered to an agent that asks whether it may use a tool; the policy is pure.

It only advises: an agent that does not ask is held by its sandbox and by nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from fnmatch import fnmatchcase
from types import MappingProxyType

from attrs import frozen

from sennit.core.agents import Executing, Permissions
from sennit.core.cut import cut
from sennit_protocol.agents import ToolKind

_CHANGING = frozenset({ToolKind.EDIT, ToolKind.DELETE, ToolKind.MOVE})
_LOOKING = frozenset({ToolKind.READ, ToolKind.SEARCH, ToolKind.THINK})
_LONGEST_PATH = 200
_IN_A_SHELL = re.compile(r"(?:/\S*/)?(?:ba|z|da)?sh -l?c (?=\S)")
_NOT_OF_FIND = ("-exec", "-ok", "-delete", "-fprint", "-fls")
_LOOKERS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "cat": (), "head": (), "tail": (), "nl": (), "wc": (), "ls": (), "pwd": (), "stat": (),
    "grep": (), "egrep": (), "fgrep": (), "rg": ("--pre", "--hostname-bin", "--search-zip", "-z"),
    "find": _NOT_OF_FIND, "tree": ("-o",),
})  # fmt: skip
"""Programs that only show files, each with how those of its options begin that do more."""
_SHELL = frozenset(";&|`$<>(){}\n\r\\!")
"""With one of these a command is more than one, or not what it seems: no glob allows it."""


class OptionKind(StrEnum):
    """The kinds of answers that an agent can offer (`PermissionOptionKind`)."""

    ALLOW_ONCE = "allow_once"
    ALLOW_ALWAYS = "allow_always"
    REJECT_ONCE = "reject_once"
    REJECT_ALWAYS = "reject_always"


@frozen
class Option:
    """One answer that the agent offers; ids are the agent's own words."""

    id: str
    kind: str
    name: str = ""


@frozen
class Place:
    """A path that the tool is about: as it was told, and where it really leads."""

    told: str
    inside: bool
    git: bool = False
    """Below a `.git` of the workspace."""


@frozen
class Wanted:
    """What an agent wants to do. ``command``: the whole command line, where it is told.

    ``title`` is for people, and may be cut.
    """

    kind: ToolKind | None
    title: str
    places: tuple[Place, ...] = ()
    command: str | None = None


@frozen
class Allowed:
    """It may, this once."""

    why: str


@frozen
class Rejected:
    """It may not."""

    why: str


@frozen
class MustAsk:
    """The user decides."""

    why: str


Ruling = Allowed | Rejected | MustAsk


def rule(wanted: Wanted, policy: Permissions) -> Ruling:
    """Decide about one use of a tool."""
    outside = [place.told for place in wanted.places if not place.inside]
    within_git = [place.told for place in wanted.places if place.git]
    if wanted.kind in _CHANGING:
        return _change(wanted.places, outside, within_git)
    if wanted.kind in _LOOKING:
        if outside:
            return MustAsk(f"it would look outside the workspace: {_listed(outside)}")
        if wanted.command is not None and not _only_looks(wanted.command):
            # Called a look by the agent, and it may be anything.
            return _execute(wanted.command, policy)
        return Allowed("it only looks, and at nothing outside the workspace")
    if wanted.kind is ToolKind.EXECUTE:
        return _execute(wanted.command or "", policy)
    if (
        wanted.kind in {ToolKind.OTHER, None}
        and wanted.places
        and len(outside) == len(wanted.places)
    ):
        return Rejected(f"it is about places outside the workspace: {_listed(outside)}")
    return MustAsk("it is none of the things that are allowed without a question")


def _only_looks(command: str) -> bool:
    """Whether a command line runs one program, and one that shows files and does nothing else."""
    if _SHELL & {*command}:
        return False
    words = _IN_A_SHELL.sub("", command.strip()).split()
    if not words or words[0] not in _LOOKERS:
        return False
    return not any(word.startswith(_LOOKERS[words[0]]) for word in words[1:])


def option_for(options: Iterable[Option], ruling: Allowed | Rejected) -> str | None:
    """The answer to choose: the first that counts once. What counts always is never chosen.

    None when the agent offers no such answer: then the whole question is answered with `cancelled`.
    """
    kind = OptionKind.ALLOW_ONCE if isinstance(ruling, Allowed) else OptionKind.REJECT_ONCE
    return next((option.id for option in options if option.id and option.kind == kind), None)


def _change(places: tuple[Place, ...], outside: list[str], within_git: list[str]) -> Ruling:
    if outside:
        return Rejected(f"it would change what is outside the workspace: {_listed(outside)}")
    if within_git:
        return Rejected(f"it would change git's own files: {_listed(within_git)}")
    if not places:
        return MustAsk("it does not tell which file it would change")
    return Allowed("it changes files inside the workspace")


def _execute(command: str, policy: Permissions) -> Ruling:
    plain = bool(command) and not _SHELL & {*command}
    matched = next((each for each in policy.commands if fnmatchcase(command, each)), None)
    if plain and matched is not None:
        return Allowed(f"the command is allowed by `{matched}`")
    match policy.execute:
        case Executing.ALLOW:
            if not command:
                return MustAsk("it does not tell which command it would run")
            return Allowed("this agent may run commands")
        case Executing.DENY:
            return Rejected("this agent may run no commands but those that are listed")
        case Executing.ASK:
            return MustAsk("it would run a command")


def _listed(paths: list[str]) -> str:
    rest = f" and {len(paths) - 3} more" if len(paths) > 3 else ""  # noqa: PLR2004  three are shown
    return ", ".join(cut(path, _LONGEST_PATH) for path in paths[:3]) + rest
