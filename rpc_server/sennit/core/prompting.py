"""What an agent is told beside its prompt: who it is, where it works, what it is given."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from sennit.core.cut import cut, cut_block
from sennit.core.fences import WARNING, fenced
from sennit.core.safe_text import safe_line
from sennit.core.structured import request_for

MOST_ATTACHED = 200_000
"""Characters of all that is attached as text."""

MOST_NAMED = 20
"""Files of one kind that are named."""

_LONGEST_NAME = 200
"""Characters of one name, which may be as long as a file system takes."""


@frozen
class Attached:
    """Something that is given with a prompt, as text.

    ``lost``: why it could not be given, in which case the text says so to the agent.
    """

    label: str
    text: str
    lost: str | None = None


def not_attached(label: str, why: str) -> Attached:
    """Stand for something that cannot be given."""
    return Attached(label, f"({why})", why)


@frozen
class Situation:
    """What the workspace holds beside the last commit, and what it does not: paths of files."""

    staged: Sequence[bytes] = ()
    modified: Sequence[bytes] = ()
    deleted: Sequence[bytes] = ()
    untracked: Sequence[bytes] = ()
    unsaved: Sequence[bytes] = ()
    left_out: Sequence[bytes] = ()


def whole_prompt(
    prompt: str,
    *,
    system_prompt: str | None = None,
    situation: Situation | None = None,
    attached: Sequence[Attached] = (),
    output_schema: str | None = None,
) -> str:
    """Put everything that an agent is told into one text, the prompt itself in the middle."""
    parts = [
        system_prompt or "",
        prompt,
        "" if situation is None else _situated(situation),
        _given(attached),
        "" if output_schema is None else request_for(output_schema),
    ]
    return "\n\n".join(part for part in parts if part)


def _situated(situation: Situation) -> str:
    held = {
        "staged": situation.staged,
        "modified": situation.modified,
        "deleted": situation.deleted,
        "untracked": situation.untracked,
        "unsaved in the editor": situation.unsaved,
    }
    told = ", ".join(f"{len(paths)} {what}" for what, paths in held.items() if paths)
    if not told and not situation.left_out:
        return ""
    parts = ["You work in a copy of the user's repository as the user sees it."]
    if told:
        parts.append(f"Beside the last commit it holds the user's own changes (files: {told}).")
        parts.append("Keep them: they are part of your starting point.")
    if situation.left_out:
        parts.append(f"Files that were left out of the copy: {len(situation.left_out)}.")
    named = {**held, "left out": situation.left_out}
    lists = "\n".join(_named(what, paths) for what, paths in named.items() if paths)
    return f"{' '.join(parts)} {WARNING}\n{fenced(lists)}"


def _named(what: str, paths: Sequence[bytes]) -> str:
    """Name the first of some files, a line each: a name can hold what ends a line."""
    lines = [f"{what}:"]
    lines += (f"  {cut(safe_line(_name(path)), _LONGEST_NAME)}" for path in paths[:MOST_NAMED])
    rest = len(paths) - MOST_NAMED
    return "\n".join([*lines, f"  and {rest} more"] if rest > 0 else lines)


def _name(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")


def _given(attached: Sequence[Attached]) -> str:
    if not attached:
        return ""
    room = MOST_ATTACHED // len(attached)
    told = [f"{one.label}:\n{fenced(cut_block(one.text, room))}" for one in attached]
    return "\n\n".join([f"You are given the following. {WARNING}", *told])
