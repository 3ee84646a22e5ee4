"""Answers an agent that asks whether it may use a tool: by the policy, else by the user."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import anyio
import anyio.to_thread
from attrs import define, field

from sennit.adapters.agents.acp.places import Follow, place
from sennit.core.acp.updates import tool_paths, tool_update
from sennit.core.agent_events import PermissionSettled, ToolUpdated
from sennit.core.agent_report import MOST_PATHS
from sennit.core.agents import AgentSettings
from sennit.core.cut import cut
from sennit.core.engine.events import QuestionAsked, QuestionWithdrawn, RunNoted
from sennit.core.engine.rows import QuestionRow
from sennit.core.output_formats.fields import array, mapping, text, within
from sennit.core.permissions import (
    Allowed,
    MustAsk,
    Option,
    Place,
    Rejected,
    Wanted,
    option_for,
    rule,
)
from sennit.core.safe_text import safe_line
from sennit.server.services import Services
from sennit.server.shown_paths import ShownPaths
from sennit_protocol.agents import ToolKind
from sennit_protocol.ids import IdKind, QuestionId, RunId

ALLOW, REJECT = "Allow once", "Reject"
_LONGEST_INPUT = 2_000
_CANCELLED: Mapping[str, object] = {"outcome": {"outcome": "cancelled"}}

Told = Mapping[str, object]


@define(eq=False)
class _Asked:
    answered: anyio.Event = field(factory=anyio.Event)
    answer: str | None = None


@define(eq=False)
class Permitter:
    """Answers `session/request_permission` for one run; every decision goes into its story.

    ``paths`` tells how those of the workspace are spelled for people, ``follow`` follows the links
    of a path as the agent would.
    """

    services: Services
    run: RunId
    agent: AgentSettings
    workspace: Path
    folder: Path
    paths: ShownPaths
    follow: Follow = os.path.realpath
    _asked: dict[QuestionId, _Asked] = field(factory=dict)

    def deliver(self, question: QuestionId, answer: str | None) -> bool:
        """Hand an answer over, or that there is none; False when nobody here waits for it."""
        asked = self._asked.get(question)
        if asked is None:
            return False
        asked.answer = answer
        asked.answered.set()
        return True

    async def permit(self, call: Told, params: Told) -> Told:
        """Give the answer to a request, by the call as all is known of it."""
        options = tuple(
            Option(text(each, "optionId"), text(each, "kind"), text(each, "name"))
            for each in array(params, "options")
        )
        wanted = await self._wanted(call)
        ruling = rule(wanted, self.agent.permissions)
        if isinstance(ruling, MustAsk):
            ruling = await self._ask(wanted, call, ruling)
        chosen = option_for(options, ruling)
        if chosen is None and isinstance(ruling, Allowed):
            ruling = Rejected(f"{ruling.why}, but the agent offers no answer that allows it once")
        await self._note(PermissionSettled(wanted.title, isinstance(ruling, Allowed), ruling.why))
        if chosen is None:
            return _CANCELLED
        return {"outcome": {"outcome": "selected", "optionId": chosen}}

    async def dropped(self, call: Told, why: str) -> None:
        """Tell the story of a request that is answered with `cancelled`: nobody decided on it."""
        await self._tell("is dropped", _title(tool_update(call)), why)

    async def _wanted(self, call: Told) -> Wanted:
        seen = tool_update(call)
        paths = tool_paths(call)
        # Each is looked at on the disk, and nobody could be told of so many.
        more = len(paths) - MOST_PATHS
        rest = (Place(f"{more} more paths", inside=False),) if more > 0 else ()

        def look_at(path: str) -> Place:
            return place(self.workspace, path, self.folder, self.follow)

        def look() -> Wanted:
            return Wanted(
                kind=seen.kind,
                title=_title(seen),
                places=(*(look_at(path) for path in paths[:MOST_PATHS]), *rest),
                command=_command(call, seen.kind),
            )

        return await anyio.to_thread.run_sync(look)

    async def _ask(self, wanted: Wanted, call: Told, ruling: MustAsk) -> Allowed | Rejected:
        question = QuestionId(self.services.new_id(IdKind.QUESTION))
        asked = self._asked[question] = _Asked()
        try:
            await self.services.tell(
                QuestionAsked,
                run=self.run,
                question=question,
                text=self._question(wanted, call, ruling),
                options=(ALLOW, REJECT),
                permission=True,
            )
            await asked.answered.wait()
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await self.services.tell(QuestionWithdrawn, question=question)
            raise
        finally:
            del self._asked[question]
        if asked.answer == ALLOW:
            return Allowed("the user allowed it")
        closed = self.services.state.get(QuestionRow, question)
        unanswered = (
            "nobody answered" if closed is None or closed.closed is None else (closed.closed.reason)
        )
        why = unanswered if asked.answer is None else "the user rejected it"
        return Rejected(why)

    async def _note(self, settled: PermissionSettled) -> None:
        word = "is allowed" if settled.allowed else "is refused"
        await self._tell(word, settled.title, settled.why)

    async def _tell(self, word: str, title: str, why: str) -> None:
        told = safe_line(self.paths.shown(f"{word}: {title} ({why})"))
        await self.services.tell(RunNoted, run=self.run, text=told)

    def _question(self, wanted: Wanted, call: Told, ruling: MustAsk) -> str:
        kind = f" ({wanted.kind})" if wanted.kind is not None else ""
        said = (
            f"The agent {self.agent.name} wants to: {wanted.title}{kind}. You are asked because"
            f" {ruling.why}."
        )
        what, given = _given(wanted, call)
        # Cut last, so that no path is cut that has to be spelled in another way.
        input_ = cut(safe_line(self.paths.shown(given)), _LONGEST_INPUT)
        return safe_line(self.paths.shown(said)) + (f" {what}: {input_}" if given else "")


def _title(seen: ToolUpdated) -> str:
    return seen.title or "use a tool that it does not name"


def _given(wanted: Wanted, call: Told) -> tuple[str, str]:
    """What a tool is to be used with, and what to call that; empty where nothing is told of it."""
    if wanted.command is not None:
        return "Command", wanted.command
    given = within(call, "rawInput")
    if given:
        return "Input", json.dumps(given, ensure_ascii=False)
    return "Paths", ", ".join(each.told for each in wanted.places)


def _command(call: Told, kind: ToolKind | None) -> str | None:
    """The command line of a call, whole: a part of it may look like another one."""
    given = mapping(call, "rawInput")
    for name in ("command", "cmd", "script"):
        found = given.get(name)
        if isinstance(found, str):
            return found
        if isinstance(found, list):
            return " ".join(map(str, found))
    # Some agents tell it in the title only.
    return text(call, "title") or None if kind is ToolKind.EXECUTE else None
