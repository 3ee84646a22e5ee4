"""Definitions of agents: Markdown with a head of a few keys, and a prompt as its body.

A definition says what a task is given beside its prompt: how to work, with which model and tools.
It is no agent: which program does the work is chosen by the task.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from attrs import frozen

from sennit.core.agents import AgentSettings
from sennit.core.front_matter import Head, head_of
from sennit.core.output_formats.tools import kind_of
from sennit.core.safe_text import safe_line
from sennit_protocol.agents import ToolKind

LONGEST_NAME = 64
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_-]{{0,{LONGEST_NAME - 1}}}")
_LOOKING_ON = frozenset({ToolKind.READ, ToolKind.SEARCH, ToolKind.FETCH, ToolKind.THINK})
_INHERITED = "inherit"
_YES = frozenset({"true", "yes", "on"})


@frozen
class AgentDefinition:
    """One definition. ``read_only``: who works by it must not change files.

    ``model``, ``thinking``: in the words of whichever agent gets them. ``tools``: names of tools,
    empty for all. ``source``: the file, or that it is built in.
    """

    name: str
    description: str
    prompt: str
    model: str | None = None
    tools: tuple[str, ...] = ()
    thinking: str | None = None
    source: str = "built in"
    read_only: bool = False


@frozen
class BadDefinition:
    """A text that is no definition; the reason is for a person."""

    reason: str


def definition_of(text: str, source: str) -> AgentDefinition | BadDefinition:
    """Read one definition; keys that are not known belong to other programs and are left alone."""
    parted = head_of(text)
    if parted is None:
        return BadDefinition("it does not begin with a head between two lines `---`")
    head, body = parted
    name = _text(head, "name")
    if not _NAME.fullmatch(name):
        told = f"`name: {safe_line(name[:LONGEST_NAME])}`" if name else "it has no `name`, which"
        return BadDefinition(f"{told} has to be 1 to {LONGEST_NAME} of A-Za-z0-9_-")
    prompt = body.strip()
    if not prompt:
        return BadDefinition("there is no prompt after its head")
    model = _text(head, "model")
    tools = _list(head, "tools")
    return AgentDefinition(
        name=name,
        description=_text(head, "description"),
        prompt=prompt,
        model=None if model in {"", _INHERITED} else model,
        tools=tools,
        thinking=_text(head, "thinking") or None,
        source=source,
        read_only=_text(head, "readOnly").casefold() in _YES or _only_looks_on(tools),
    )


def by_name(definitions: Iterable[AgentDefinition]) -> tuple[AgentDefinition, ...]:
    """Keep the first definition of each name."""
    first: dict[str, AgentDefinition] = {}
    for each in definitions:
        first.setdefault(each.name, each)
    return tuple(first.values())


@frozen
class Wish:
    """What a task says of who works on it and how; ``role`` names a definition."""

    role: str | None = None
    agent: str | None = None
    model: str | None = None
    model_class: str | None = None
    system_prompt: str | None = None
    tools: tuple[str, ...] = ()
    thinking: str | None = None


@frozen
class Briefing:
    """What follows from a wish. ``agent``: None where no agent fits."""

    agent: str | None
    model: str | None = None
    system_prompt: str = ""
    tools: tuple[str, ...] = ()
    thinking: str | None = None
    read_only: bool = False


@frozen
class NoSuchRole:
    """No definition has the name that a task gives as its role; ``valid`` lists those there are."""

    role: str
    valid: tuple[str, ...]


def briefing(
    wish: Wish, definitions: Sequence[AgentDefinition], usable: Sequence[AgentSettings]
) -> Briefing | NoSuchRole:
    """Decide who works and how: the task's own word first, then its role's definition.

    ``usable``: the agents that can be used here, the preferred first. Where the task names no agent
    but a role or a class of model, the first of them is taken that has what the task gives.
    """
    definition = next((each for each in definitions if each.name == wish.role), None)
    if wish.role is not None and definition is None:
        return NoSuchRole(wish.role, tuple(each.name for each in definitions))
    agent = wish.agent or _chosen(wish, usable)
    if definition is None:
        return Briefing(agent, wish.model, wish.system_prompt or "", wish.tools, wish.thinking)
    return Briefing(
        agent=agent,
        model=wish.model or definition.model,
        system_prompt="\n\n".join(filter(None, (definition.prompt, wish.system_prompt))),
        tools=wish.tools or definition.tools,
        thinking=wish.thinking or definition.thinking,
        read_only=definition.read_only,
    )


def instructions(given: Briefing) -> str | None:
    """How to work, for the agent; None where nothing is said of it."""
    parts = [given.system_prompt] if given.system_prompt else []
    if given.tools:
        parts.append(f"Use only these tools: {', '.join(given.tools)}.")
    if given.read_only:
        parts.append("Do not change any file: only what you say counts.")
    return "\n\n".join((*parts, "The task:")) if parts else None


def _chosen(wish: Wish, usable: Sequence[AgentSettings]) -> str | None:
    if wish.role is None and wish.model_class is None:
        return None
    return next((each.name for each in usable if _fits(each, wish)), None)


def _fits(agent: AgentSettings, wish: Wish) -> bool:
    has_role = wish.role is None or wish.role in agent.roles
    return has_role and (wish.model_class is None or wish.model_class == agent.model_class)


def _only_looks_on(tools: Sequence[str]) -> bool:
    return bool(tools) and all(kind_of(each) in _LOOKING_ON for each in tools)


def _text(head: Head, key: str) -> str:
    value = head.get(key, "")
    return ", ".join(value) if isinstance(value, tuple) else value


def _list(head: Head, key: str) -> tuple[str, ...]:
    value = head.get(key, ())
    words = value.split(",") if isinstance(value, str) else value
    return tuple(word.strip() for word in words if word.strip())
