"""One conversation with one agent, from `initialize` to the end of its last turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping

import anyio
from attrs import define, field

from sennit.adapters.agents.acp.exchange import Exchange
from sennit.adapters.agents.acp.script import Block, Script, text_block
from sennit.core.acp.answers import (
    PROTOCOL_VERSION,
    Abilities,
    Choice,
    NotOffered,
    abilities,
    mode_choice,
    model_choice,
    thinking_choice,
)
from sennit.core.acp.updates import prompt_usage
from sennit.core.agent_events import Failed, Finished, Prompted, SessionOpened, UsageStep, Warned
from sennit.core.agents import LONGEST_SESSION
from sennit.core.counted import counted
from sennit.core.output_formats.fields import text
from sennit_protocol.states import FailureKind

_GONE = Failed(FailureKind.PROTOCOL, "The agent's output ended while it waited for more words.")


@define(eq=False)
class Conversation:
    """Holds one conversation over an exchange; what becomes of it is heard there.

    ``on_opened`` is called, perhaps twice, when the agent has a session or will have none.
    """

    exchange: Exchange
    on_opened: Callable[[], None]
    _cancelled: bool = False
    _interrupted: bool = False
    _prompting: bool = False
    _session: str = ""
    _is_resumed: bool = False
    _takes_images: bool = False
    _turns_done: int = 0
    _is_repaired: bool = False
    _is_done: bool = False
    _next: deque[str] = field(factory=deque)
    _more: anyio.Event = field(factory=anyio.Event)
    _over: anyio.Event = field(factory=anyio.Event)
    _opening: anyio.CancelScope = field(factory=anyio.CancelScope)

    async def hold(self, script: Script) -> None:
        """Open a session and carry out the turn, and all that are added to it.

        Returns when there is nothing more to say. What became of it was heard: `Finished`, or
        `Failed`.
        """
        try:
            async with self.exchange.connected():
                failed = None
                with self._opening:
                    failed = await self._open(script)
                if failed is None and not self._cancelled:
                    failed = await self._turns(script)
                # From here on nothing is said any more, and nobody may believe that it is.
                self._is_done = True
            if failed is not None:
                self.exchange.hear(failed)
        finally:
            self._over.set()
            self.on_opened()

    async def _open(self, script: Script) -> Failed | None:
        told = await self.exchange.ask("initialize", _introduction(script.version), script.start_s)
        if isinstance(told, Failed):
            return told
        able = abilities(told)
        if able.version != PROTOCOL_VERSION:
            return Failed(
                FailureKind.PROTOCOL,
                f"The agent speaks version {able.version} of the Agent Client Protocol, and Sennit "
                f"speaks version {PROTOCOL_VERSION}. Update the one that is older.",
            )
        self._takes_images = able.images
        signed = await self._signed_in(script, able)
        if signed is not None:
            return signed
        session = await self._session_of(script, able)
        if isinstance(session, Failed):
            return _with_ways_in(session, able)
        self.on_opened()
        return await self._choose(script, session)

    async def _signed_in(self, script: Script, able: Abilities) -> Failed | None:
        """Use the way to sign in that was chosen, where one was."""
        if script.sign_in is None:
            return None
        if script.sign_in not in {way.id for way in able.auth}:
            return Failed(
                FailureKind.SELECTION,
                f"The agent offers no way to sign in that it calls {script.sign_in!r}, which is its"
                f" `authMethod`. It offers: {_ways(able) or 'none'}.",
            )
        asked = {"methodId": script.sign_in}
        signed = await self.exchange.ask("authenticate", asked, script.start_s)
        return _with_ways_in(signed, able) if isinstance(signed, Failed) else None

    async def _session_of(self, script: Script, able: Abilities) -> object | Failed:
        place = {"cwd": script.folder, "mcpServers": list(script.servers)}
        if script.resume is not None:
            found = await self._resumed(script.resume, place, able, script.start_s)
            if found is not None:
                return found
        opened = await self.exchange.ask("session/new", place, script.start_s)
        if isinstance(opened, Failed):
            return opened
        session = text(opened, "sessionId")
        if not session or len(session) > LONGEST_SESSION:
            told = f"one whose name has {len(session)} characters" if session else "no session"
            return Failed(FailureKind.PROTOCOL, f"The agent answered `session/new` with {told}.")
        self._session = self.exchange.session = session
        self.exchange.hear(SessionOpened(session))
        return opened

    async def _resumed(
        self, session: str, place: Mapping[str, object], able: Abilities, start_s: float
    ) -> object | None:
        """Go on with an earlier session; None, with a word about it, where that cannot be."""
        ways = (("session/resume", able.resumes), ("session/load", able.loads))
        offered = [method for method, is_offered in ways if is_offered]
        if not offered:
            self.exchange.hear(
                Warned("This agent cannot go on with an earlier session: it begins anew.")
            )
            return None
        answer: object | Failed = {}
        for method in offered:
            # An agent that cannot do the one may be able to do the other.
            answer = await self._replayed(method, {"sessionId": session, **place}, start_s)
            if not isinstance(answer, Failed):
                break
        if isinstance(answer, Failed):
            self.exchange.hear(Warned(f"The earlier session could not be opened: {answer.text}"))
            return None
        self._session = self.exchange.session = session
        self._is_resumed = True
        self.exchange.hear(SessionOpened(session, resumed=True))
        return answer or {}

    async def _replayed(
        self, method: str, params: Mapping[str, object], start_s: float
    ) -> object | Failed:
        """Ask for an earlier session; what is told of it before the answer is an old story."""
        self.exchange.replaying = True
        try:
            return await self.exchange.ask(method, params, start_s)
        finally:
            self.exchange.replaying = False

    async def _choose(self, script: Script, session: object) -> Failed | None:
        wanted = (
            ("mode", script.mode, mode_choice),
            ("model", script.model, model_choice),
            ("thinking", script.thinking, thinking_choice),
        )
        for what, value, choice_of in wanted:
            if value is None:
                continue
            choice = choice_of(self._session, session, value)
            if isinstance(choice, NotOffered):
                offered = ", ".join(choice.offered) or "none"
                if what in script.required:
                    return Failed(
                        FailureKind.SELECTION,
                        f"The agent does not offer the {what} {value!r}. It offers: {offered}.",
                    )
                self.exchange.hear(
                    Warned(f"The agent does not offer the {what} {value!r}; it offers: {offered}.")
                )
            elif isinstance(choice, Choice):
                answer = await self.exchange.ask(choice.method, choice.params, script.start_s)
                if isinstance(answer, Failed):
                    return answer
        return None

    async def _turns(self, script: Script) -> Failed | None:
        planned = script.prompt if self._is_resumed else script.anew or script.prompt
        blocks = self._that_it_takes(planned)
        while True:
            failed = await self._turn(blocks)
            repair = None if failed is not None or self._cancelled else await self._repair(script)
            if repair is not None and not self._cancelled:
                blocks = (text_block(repair),)
                continue
            if not self._next and not self._interrupted:
                return None if self._cancelled else failed
            said = await self._what_next()
            if said is None:
                return None if self._cancelled else failed or _GONE
            blocks = (text_block(said),)

    def _that_it_takes(self, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
        """Leave out the pictures where the agent has not said that it takes any, and say so."""
        taken = blocks if self._takes_images else tuple(each for each in blocks if not _shows(each))
        lost = len(blocks) - len(taken)
        if lost:
            were = counted(lost, "picture was", "pictures were")
            self.exchange.hear(Warned(f"This agent takes no pictures: {were} not given to it."))
        return taken

    async def _repair(self, script: Script) -> str | None:
        """What is wrong with the result, said once and before the user's next words."""
        if self._is_repaired or self._interrupted or script.repair is None:
            return None
        wrong = await script.repair()
        self._is_repaired = wrong is not None
        return wrong

    async def _what_next(self) -> str | None:
        """What the user has said, which an interrupted turn waits for; None after a cancel."""
        while not self._next and not self._cancelled:
            if not await self._hears_more():
                return None
        if self._cancelled:
            return None
        self._interrupted = False
        said = "\n\n".join(self._next)
        self._next.clear()
        return said

    async def _hears_more(self) -> bool:
        """Wait until something is said or the agent has ended; whether it was said."""
        heard = False
        async with anyio.create_task_group() as group:

            async def end() -> None:
                await self.exchange.until_ended()
                group.cancel_scope.cancel()

            group.start_soon(end)
            await self._more.wait()
            self._more, heard = anyio.Event(), True
            group.cancel_scope.cancel()
        return heard

    async def _turn(self, blocks: tuple[Block, ...]) -> Failed | None:
        params = {"sessionId": self._session, "prompt": list(blocks)}
        self._prompting = True
        self.exchange.hear(Prompted())
        self.exchange.refusing = ""
        try:
            answer = await self.exchange.ask("session/prompt", params, None)
        finally:
            self._prompting = False
        if isinstance(answer, Failed):
            return answer
        for event in prompt_usage(answer):
            # Of its own turn only.
            self.exchange.hear(UsageStep(event.usage) if self._turns_done else event)
        self._turns_done += 1
        return self._stopped(text(answer, "stopReason"))

    def _stopped(self, reason: str) -> Failed | None:
        match reason:
            case "refusal":
                return Failed(FailureKind.REFUSED, "The agent refused to do the task.")
            case "max_tokens" | "max_turn_requests":
                return Failed(
                    FailureKind.LIMIT, f"The agent stopped at a limit of its own: {reason}."
                )
            case "cancelled" if not (self._cancelled or self._interrupted):
                return Failed(FailureKind.PROTOCOL, "The agent cancelled its own turn.")
            case _:
                self.exchange.hear(Finished(reason))
                return None

    # From outside, while it is held.

    async def cancel(self) -> None:
        """Ask the agent to end its turn, and return when the conversation is over."""
        self._cancelled = True
        # Without a session there is no turn to end.
        self._opening.cancel()
        self._more.set()
        await self._end_turn("the agent is being stopped")
        await self._over.wait()

    async def interrupt(self) -> bool:
        """End the turn and keep the session for what ``steer`` says next; False if none runs."""
        if not self._prompting or self._cancelled or self._interrupted:
            return False
        self._interrupted = True
        await self._end_turn("the turn is ended for other words")
        return True

    def steer(self, words: str) -> bool:
        """Say something when the turn has ended, as a turn of its own; False if it is too late."""
        if self._is_done or self._over.is_set() or self._cancelled:
            return False
        self._next.append(words)
        self._more.set()
        return True

    async def _end_turn(self, why: str) -> None:
        self.exchange.drop_asked(why)
        if self._prompting:
            await self.exchange.tell("session/cancel", {"sessionId": self._session})


def _shows(block: Block) -> bool:
    return block.get("type") == "image"


def _introduction(version: str) -> dict[str, object]:
    return {
        "protocolVersion": PROTOCOL_VERSION,
        "clientCapabilities": {
            "fs": {"readTextFile": False, "writeTextFile": False},
            "terminal": False,
        },
        "clientInfo": {"name": "sennit", "title": "Sennit", "version": version},
    }


def _with_ways_in(failed: Failed, able: Abilities) -> Failed:
    if failed.kind is not FailureKind.NOT_SIGNED_IN or not able.auth:
        return failed
    how = "One that needs no person can be set as its `authMethod`"
    return Failed(failed.kind, f"{failed.text}. It offers: {_ways(able)}. {how}")


def _ways(able: Abilities) -> str:
    return "; ".join(f"{way.name or way.id} (`{way.id}`)" for way in able.auth)
