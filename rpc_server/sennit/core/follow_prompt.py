"""What the agent of a follow-up is told: what is wanted, what became of its work, what was before.

The user's words come first. What programs, agents and files said is fenced as data.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field, frozen

from sennit.core.cut import cut_block
from sennit.core.fences import WARNING, fenced
from sennit_protocol.following import Begin

MOST_PATHS = 50
MOST_PATCH = 24_000
"""Characters of an earlier change that is told in place of being in the folder."""
MOST_TASKS = 5
"""How many of the tasks before are told of, the newest ones."""
_MOST_PROMPT = 8_000


@frozen
class Before:
    """One task that was followed; ``account`` is what became of it, in lines."""

    name: str
    prompt: str
    account: str


@frozen
class Standing:
    """What has become of the earlier work by now.

    ``unmerged`` are paths in which it does not go together with the user's text, ``patch`` is the
    part of it that is not in the folder. ``conflicts`` are sentences about tasks beside it.
    ``rejected`` are paths in which the user does not want all of it. ``failure`` is why it ended.
    ``merged`` are the tasks whose work is in the folder, beside the user's text.
    """

    begin: Begin = Begin.WORK
    has_work: bool = False
    unmerged: tuple[str, ...] = ()
    patch: str = ""
    conflicts: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    failure: str | None = None
    before: tuple[Before, ...] = field(default=())
    merged: tuple[str, ...] = ()


def going_on(prompt: str, standing: Standing) -> str:
    """The prompt for an agent that remembers what it did."""
    return "\n\n".join([prompt, *_standing(standing)])


def told_anew(prompt: str, standing: Standing) -> str:
    """The prompt for an agent that knows nothing: with what was asked and done before."""
    return "\n\n".join([prompt, *_history(standing.before), *_standing(standing)])


def _history(before: Sequence[Before]) -> list[str]:
    if not before:
        return []
    told = [_told(one) for one in before[-MOST_TASKS:]]
    return [f"This follows up on earlier work, of which you remember nothing. {WARNING}", *told]


def _told(one: Before) -> str:
    asked = one.prompt[:_MOST_PROMPT]
    return (
        f"The task {one.name} was asked for:\n{fenced(asked)}\n"
        f"What became of it:\n{fenced(one.account)}"
    )


def _standing(standing: Standing) -> list[str]:
    parts = [
        _folder(standing),
        _unmerged(standing),
        _listed("The user does not want all of the earlier change in:", standing.rejected),
        *(_data("The earlier change conflicted with other work:", one) for one in _first(standing)),
        _data("It had ended without being done:", standing.failure or ""),
        _data(
            "The earlier change, as far as it is not in the folder:",
            cut_block(standing.patch, MOST_PATCH),
        ),
    ]
    return [part for part in parts if part]


def _first(standing: Standing) -> tuple[str, ...]:
    return standing.conflicts[:MOST_PATHS]


def _folder(standing: Standing) -> str:
    if standing.merged:
        return (
            "Your change conflicted with the work of other tasks. Your folder holds the user's "
            f"files with that work merged in ({', '.join(standing.merged)}), and of your change "
            "what goes together with it. Bring the rest in, so that both do what they were meant "
            "to do: keep their work, and read the files again."
        )
    if not standing.has_work:
        return "Your folder holds the user's files as they are now."
    if standing.begin is Begin.LIVE:
        return (
            "Your folder holds the user's files as they are now, without the earlier change: it "
            "is to be made again, on this text."
        )
    return (
        "Your folder holds the user's files as they are now, with the earlier change merged in. "
        "Files may differ from what they were when that was made: read them again."
    )


def _unmerged(standing: Standing) -> str:
    met, text = (
        ("the work of the other tasks", "theirs")
        if standing.merged
        else ("what the user has written since", "the user's text of them")
    )
    title = f"These files of the earlier change do not go together with {met}. The folder holds "
    return _listed(f"{title}{text}:", standing.unmerged)


def _listed(title: str, paths: Sequence[str]) -> str:
    if not paths:
        return ""
    more = len(paths) - MOST_PATHS
    rest = [f"  and {more} more"] if more > 0 else []
    lines = [*(f"  {path}" for path in paths[:MOST_PATHS]), *rest]
    return f"{title}\n{fenced(chr(10).join(lines))}"


def _data(title: str, text: str) -> str:
    return f"{title} ({WARNING})\n{fenced(text)}" if text else ""
