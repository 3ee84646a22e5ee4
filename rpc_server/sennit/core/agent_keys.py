"""What is wrong with the keys of a task that only some agents understand."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterator

from sennit.core.agent_definitions import Briefing
from sennit.core.agents import LONGEST_SESSION, names_session
from sennit.core.facts import AgentFact, BadFolder, folder_path
from sennit.core.structured import schema_problem
from sennit_protocol.errors import Problem
from sennit_protocol.tasks import Access, Attachment, Budget, Task, TaskDefaults
from sennit_protocol.views import Notice

MOST_ATTACHMENTS = 64
LONGEST_IMAGE = 16 << 20
"""Characters of base64."""
MOST_RETRIES = 5
MOST_GRACE = 20
_SOURCES = ("uri", "text", "image", "proposal")


def agent_key_problems(
    path: str, value: Task | TaskDefaults, agent: str, fact: AgentFact
) -> Iterator[Problem]:
    """Tell which keys the agent cannot do anything with; it is a problem and never ignored."""
    yield from _prompt_problems(path, value, agent, fact)
    if value.access is Access.READ and not fact.confines:
        yield Problem(
            f"{path}.access",
            f"is `read`, and nothing can hold the agent {agent!r} to it, because it would run "
            "without a sandbox; see `sennit doctor`, or leave it out",
            (Access.WRITE,),
        )
    yield from _budget_problems(path, value.budget, agent, fact)
    if not fact.speaks:
        chosen = {"model": value.model, "thinking": value.thinking}
        for key in (key for key, word in chosen.items() if word is not None):
            yield Problem(
                f"{path}.{key}",
                f"cannot be chosen for the agent {agent!r}, since nobody speaks with it while it "
                f"works; put it into `agents.{agent}.argv`, or choose an agent of kind `acp`",
            )


def unheard_of_a_role(agent: str, briefed: Briefing, fact: AgentFact) -> tuple[Notice, ...]:
    """Tell what a role chooses and its agent cannot be told; roles are made for many agents."""
    chosen = {} if fact.speaks else {"model": briefed.model, "thinking": briefed.thinking}
    return tuple(
        Notice(
            f"The role's {key} {word!r} is not used: it cannot be chosen for the agent {agent!r},"
            f" since nobody speaks with it while it works. Put it into `agents.{agent}.argv`, or"
            " choose an agent of kind `acp`."
        )
        for key, word in chosen.items()
        if word is not None
    )


def _prompt_problems(
    path: str, value: Task | TaskDefaults, agent: str, fact: AgentFact
) -> Iterator[Problem]:
    if not fact.reads:
        given = {
            "systemPrompt": value.system_prompt is not None,
            "role": value.role is not None and value.role not in fact.roles,
            "tools": bool(value.tools),
            "outputSchema": value.output_schema is not None,
            "attach": isinstance(value, Task) and bool(value.attach),
        }
        for key in (key for key, is_given in given.items() if is_given):
            yield Problem(
                f"{path}.{key}",
                f"means nothing to the agent {agent!r}, which reads no prompt; leave it out, or "
                "choose an agent that does",
            )
    elif isinstance(value, Task) and not fact.speaks:
        for index, one in enumerate(value.attach):
            if one.image is not None:
                yield Problem(
                    f"{path}.attach[{index}].image",
                    f"cannot be given to the agent {agent!r}, which is told its prompt as a text; "
                    "choose an agent of kind `acp`, or name the file in the prompt",
                )


def _budget_problems(
    path: str, budget: Budget | None, agent: str, fact: AgentFact
) -> Iterator[Problem]:
    if budget is None:
        return
    told = fact.tells
    unknown = {
        "turns": budget.turns is not None and not told.tells_tools,
        "tokens": budget.tokens is not None and not told.tells_usage,
        "cost": budget.cost is not None and not told.tells_cost,
    }
    for key in (key for key, is_unknown in unknown.items() if is_unknown):
        yield Problem(
            f"{path}.budget.{key}",
            f"cannot be kept: the agent {agent!r} does not tell it; limit `timeMs` in its place",
        )


def value_problems(path: str, value: Task | TaskDefaults) -> Iterator[Problem]:
    """Tell what is wrong with the keys, whichever agent gets them."""
    if value.retries is not None and not 0 <= value.retries <= MOST_RETRIES:
        yield Problem(
            f"{path}.retries", f"is {value.retries}", (f"a whole number from 0 to {MOST_RETRIES}",)
        )
    for key, word in (("model", value.model), ("thinking", value.thinking)):
        if word is not None and not word.strip():
            yield Problem(f"{path}.{key}", "is empty; leave it out, or name one")
    if value.output_schema is not None and (problem := schema_problem(value.output_schema)):
        yield Problem(f"{path}.outputSchema", problem)
    yield from _limit_problems(path, value)
    if isinstance(value, Task):
        yield from _attach_problems(path, value)
        if value.resume is not None and not names_session(value.resume):
            yield Problem(
                f"{path}.resume",
                "is no name of a session: it is empty or too long, has control characters, or "
                "begins like an option",
                (f"1 to {LONGEST_SESSION} characters",),
            )


def _limit_problems(path: str, value: Task | TaskDefaults) -> Iterator[Problem]:
    budget = value.budget or Budget()
    limits = {"turns": budget.turns, "tokens": budget.tokens, "timeMs": budget.time_ms}
    for key, limit in {**limits, "cost": budget.cost}.items():
        if limit is not None and limit <= 0:
            yield Problem(f"{path}.budget.{key}", f"is {limit}", ("more than 0",))
    if value.grace_turns is not None and not 0 <= value.grace_turns <= MOST_GRACE:
        most = f"a whole number from 0 to {MOST_GRACE}"
        yield Problem(f"{path}.graceTurns", f"is {value.grace_turns}", (most,))


def _attach_problems(path: str, task: Task) -> Iterator[Problem]:
    if len(task.attach) > MOST_ATTACHMENTS:
        yield Problem(
            f"{path}.attach",
            f"has {len(task.attach)} attachments",
            (f"up to {MOST_ATTACHMENTS}",),
        )
    for index, one in enumerate(task.attach):
        yield from _attachment_problems(f"{path}.attach[{index}]", one)


def _attachment_problems(path: str, one: Attachment) -> Iterator[Problem]:
    sources = {"uri": one.uri, "text": one.text, "image": one.image, "proposal": one.proposal}
    given = [name for name, value in sources.items() if value is not None]
    if len(given) != 1:
        told = " and ".join(given) or "none of them"
        yield Problem(path, f"needs exactly one source, and has {told}", _SOURCES)
    if one.uri is not None and isinstance(read := folder_path(one.uri), BadFolder):
        yield Problem(f"{path}.uri", read.message)
    lines = (one.start_line, one.end_line)
    if any(line is not None for line in lines) and one.uri is None:
        yield Problem(path, "names lines, but no `uri` that they are lines of")
    if any(line is not None and line < 1 for line in lines):
        yield Problem(path, "names lines from 1 on, and no others")
    if one.image is not None:
        yield from _image_problems(path, one)


def _image_problems(path: str, one: Attachment) -> Iterator[Problem]:
    image = one.image or ""
    if one.mime_type is None:
        yield Problem(f"{path}.mimeType", "is missing for a picture", ("such as `image/png`",))
    if len(image) > LONGEST_IMAGE:
        yield Problem(f"{path}.image", f"has {len(image)} characters", (f"up to {LONGEST_IMAGE}",))
        return
    try:
        b64decode(image, validate=True)
    except (binascii.Error, ValueError):
        yield Problem(f"{path}.image", "is no base64")
