"""Speaks with the agent of one run: opens the conversation, answers it, ends it."""

from __future__ import annotations

import anyio
from attrs import define, field

from sennit.adapters.agents.acp.conversation import Conversation
from sennit.adapters.agents.acp.exchange import Exchange
from sennit.adapters.agents.acp.script import (
    Repair,
    Script,
    image_block,
    stdio_server,
    text_block,
)
from sennit.adapters.agents.results import result_of
from sennit.adapters.runs.values import Deaf, RunSpec, Said
from sennit.core.engine.commands import StartRun
from sennit.core.structured import Unfitting, repair_of
from sennit.server.handshake import told_version
from sennit.server.layering import follower
from sennit.server.meetings import Opening
from sennit.server.permitting import Permitter
from sennit.server.prompts import Prompts, images_of
from sennit.server.services import Services
from sennit.server.shown_paths import shown_paths
from sennit.server.watching import Watch
from sennit_protocol.ids import QuestionId, RunId
from sennit_protocol.requests import Receipt


@define(eq=False)
class Meeting:
    """One run's conversation. ``over`` is set when nothing more is said."""

    services: Services
    run: RunId
    conversation: Conversation
    script: Script
    cancel_ms: int
    permitter: Permitter
    over: anyio.Event = field(factory=anyio.Event)
    _said: set[str] = field(factory=set)

    async def hold(self) -> None:
        """Hold the conversation, then let the agent end: its input is closed, then its ladder."""
        try:
            await self.conversation.hold(self.script)
        finally:
            self.over.set()
            self.services.meetings.end(self.run)
        await self.services.executor.hush(self.run)
        await self.services.executor.stop(self.run, force=False)

    async def cancel(self) -> None:
        """Ask the agent to end its turn, and wait for that, for as long as its stop ladder says."""
        with anyio.move_on_after(self.cancel_ms / 1000):
            await self.conversation.cancel()
        await self.services.executor.hush(self.run)

    async def wrap_up(self, words: str) -> None:
        """End its turn, and let it go on with these words."""
        await self.conversation.interrupt()
        self.conversation.steer(words)

    async def interrupt(self) -> bool:
        """End its turn and wait for what is said next; False when none is under way."""
        return await self.conversation.interrupt()

    def steer(self, words: str, steer_id: str | None) -> Receipt:
        """Say something after its turn, once for each id."""
        if steer_id is not None and steer_id in self._said:
            return Receipt.DUPLICATE
        if not self.conversation.steer(words):
            return Receipt.NOT_APPLIED
        if steer_id is not None:
            self._said.add(steer_id)
        return Receipt.QUEUED

    def deliver(self, question: QuestionId, answer: str | None) -> bool:
        """Hand an answer over, or that there is none; False when nobody here waits for it."""
        return self.permitter.deliver(question, answer)


def meeting(
    services: Services,
    command: StartRun,
    spec: RunSpec,
    watch: Watch,
    opening: Opening,
    prompts: Prompts,
) -> Meeting:
    """Get ready to speak with the agent of a run; what it writes goes to the watch's ear.

    It is one of the meetings from now on, until it was held.
    """
    row = services.state.task(command.ticket, command.task)
    task = row.spec
    settings = services.settings_of(command.ticket, task.repository.top)
    folder = services.folder_of(command.run)

    async def say(data: bytes) -> Said | Deaf:
        return await services.executor.say(command.run, data)

    workspace = services.workspace_of(command.run)
    follow = follower(spec.layers)
    paths = shown_paths(services, command.run)
    permitter = Permitter(services, command.run, task.agent, workspace, folder, paths, follow)
    exchange = Exchange(say, watch.hear, permitter.permit, permitter.dropped)
    watch.ear = exchange
    images = tuple(image_block(one.mime_type, one.data) for one in images_of(row))
    script = Script(
        folder=str(folder),
        prompt=(text_block(prompts.going_on), *images),
        anew=(text_block(prompts.anew), *images),
        resume=watch.earlier,
        sign_in=task.agent.auth_method,
        start_s=settings.task.start_ms / 1000,
        version=told_version(),
        mode=task.agent.mode,
        model=task.model or task.agent.model,
        thinking=task.thinking,
        servers=tuple(stdio_server(one.name, one.argv, one.env) for one in settings.tool_servers),
        repair=_repair(task.output_schema, watch),
        required=frozenset(task.must_offer),
    )
    conversation = Conversation(exchange, opening.done)
    made = Meeting(services, command.run, conversation, script, spec.cancel_ms, permitter)
    # It may be told to stop as soon as its start is known.
    services.meetings.begin(command.run, made)
    return made


def _repair(schema: str | None, watch: Watch) -> Repair | None:
    """Tells what is wrong with the result of the last turn; None where none is asked for."""
    if schema is None:
        return None

    async def repair() -> str | None:
        found = await result_of(watch.report, schema)
        return repair_of(found) if isinstance(found, Unfitting) else None

    return repair
