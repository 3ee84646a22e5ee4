"""What an agent told of its work, all in all, and what follows from it for the run's end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import assert_never

from attrs import evolve, field, frozen

from sennit.core.agent_events import (
    AgentEvent,
    ContextFilled,
    Failed,
    Finished,
    Logged,
    MessageSaid,
    PermissionSettled,
    Prompted,
    SessionOpened,
    TextSaid,
    ThoughtSaid,
    ToDoSet,
    ToolUpdated,
    UsageStep,
    UsageTotal,
    Warned,
)
from sennit.core.agents import (
    AgentKind,
    AgentSettings,
    OutputFormat,
    names_session,
    takes_prompt,
)
from sennit.core.cut import cut
from sennit.core.output_formats.model_failures import telling_line
from sennit.core.used import added, replaced
from sennit_protocol.agents import ToDoEntry, ToolKind, ToolStatus, Usage
from sennit_protocol.states import FailureKind
from sennit_protocol.views import Failure

LONGEST_TEXT = 256 * 1024
"""Characters of the last message that are kept: its end."""
MOST_TOOLS = 500
"""Calls of tools that are kept; of those before only their number and kinds."""
MOST_PATHS = 200
"""Paths of one call; each is looked at when the run has ended."""
MOST_WARNINGS = 20
MOST_LOGGED = 20
"""Last lines that said nothing to us, kept because a reason for a bad end may stand there."""
_LONGEST_LOGGED = 500
_LONGEST_WORDS = 4_000
"""Characters of a warning or a failure."""
_MOST_ENTRIES = 100
_LONGEST_ENTRY = 500


@frozen
class ToolSeen:
    """One call of a tool as far as it is known; ``paths`` as the agent spells them."""

    id: str
    title: str = ""
    kind: ToolKind = ToolKind.OTHER
    status: ToolStatus = ToolStatus.PENDING
    paths: tuple[str, ...] = ()


@frozen
class Report:
    """What the events of one run come to.

    ``pieces``: the last message to the user, in pieces; ``text`` joins them. ``tools``: the last
    calls by their ids, in the order in which they began; ``earlier`` are those whose ids were used
    again since, and ``tool_count`` counts all that began. ``failure``
    and ``finished``: at most one is set, whichever the agent said last. ``prompted``: for agents
    that are spoken with, whether they were given their task.
    """

    session: str | None = None
    resumed: bool = False
    pieces: tuple[str, ...] = ()
    text_is_cut: bool = False
    tools: Mapping[str, ToolSeen] = field(factory=dict)
    earlier: tuple[ToolSeen, ...] = ()
    tool_count: int = 0
    earlier_kinds: frozenset[ToolKind] = frozenset()
    to_do: tuple[ToDoEntry, ...] = ()
    usage: Usage | None = None
    context: ContextFilled | None = None
    warnings: tuple[str, ...] = ()
    logged: tuple[str, ...] = ()
    failure: Failed | None = None
    finished: Finished | None = None
    message_is_open: bool = False
    prompted: bool = False

    @property
    def text(self) -> str:
        """The last whole message to the user, or what there is of it; only its end when cut."""
        return "".join(self.pieces)

    @property
    def is_silent(self) -> bool:
        """Whether the agent has told nothing at all of its work."""
        return not (self.session or self.pieces or self.tool_count or self.usage)

    @property
    def calls(self) -> tuple[ToolSeen, ...]:
        """The calls of tools that are kept."""
        return (*self.earlier, *self.tools.values())

    @property
    def tool_kinds(self) -> frozenset[ToolKind]:
        """What kinds of tools were called; one of a kind that was not told counts as `other`."""
        return self.earlier_kinds | {each.kind for each in self.calls}


def take(report: Report, event: AgentEvent) -> Report:
    """Give the report with one more event in it."""
    match event:
        case TextSaid() | MessageSaid() | ThoughtSaid():
            return _said(report, event)
        case ToolUpdated():
            return _tool(report, event)
        case UsageTotal(usage):
            return evolve(report, usage=replaced(report.usage, usage))
        case UsageStep(usage):
            return evolve(report, usage=added(report.usage, usage))
        case Failed() | Finished():
            return _ended(report, event)
        case Warned() | Logged():
            return _noted(report, event)
        case SessionOpened() | Prompted() | ToDoSet() | ContextFilled() | PermissionSettled():
            return _known(report, event)
        case _:
            assert_never(event)


def verdict(
    report: Report, agent: AgentSettings, ended: Failure | None, output_end: str = ""
) -> Failure | None:
    """Tell why the run did not do its work, as far as the agent and the system tell; else None.

    ``ended``: what the end of the program alone says (None: exit code 0). ``output_end``: the last
    lines of all its output, in which the reason of a bad exit code is looked for. What to do about
    an agent that is not signed in is the caller's to add: it knows the command. That nothing fails
    here does not mean that the work is done: only the workspace can show that.
    """
    if ended is not None and ended.kind not in _SAID_BY_EXIT:
        return ended
    if report.failure is not None:
        return _told(report.failure, agent, ended)
    if agent.kind is AgentKind.ACP:
        # Sennit ends such a program itself once its turn is over: its exit tells nothing then.
        if report.finished is None:
            return ended or _CUT_SHORT
        return _turn(report.finished) or (_MUTE if _is_mute(report) else None)
    if ended is not None:
        return _explained(agent, ended, (*report.logged, *output_end.splitlines()))
    if agent.output is OutputFormat.TEXT:
        return None
    return _turn(report.finished) if report.finished else _CUT_SHORT


_SAID_BY_EXIT = frozenset({FailureKind.EXIT, FailureKind.SIGNAL})
_CUT_SHORT = Failure(
    FailureKind.PROTOCOL,
    "The agent ended without saying that its turn is over, so what it told may be cut off in the "
    "middle. Look at its output, and run the task again.",
)
_MUTE = Failure(
    FailureKind.MODEL_ERROR,
    "The agent ended its turn without a word and without having done anything. Some do so when the "
    "model refuses them: you may not be signed in, or the model may not exist.",
)
_BANNER = re.compile(r"\s*(?:pi v[0-9][0-9.]*\s+-+\s*)?")
"""One agent says its name before each answer."""
_STOPPED_SHORT = {
    "refusal": Failure(
        FailureKind.REFUSED,
        "The model refused the task. Say what is wanted in other words, or take another model.",
    ),
    "max_tokens": Failure(
        FailureKind.LIMIT,
        "The model came to its limit of tokens before it was done. Give the task in smaller parts.",
    ),
    "max_turn_requests": Failure(
        FailureKind.LIMIT,
        "The agent came to its limit of turns before it was done. Raise it in the agent's own "
        "configuration, or give the task in smaller parts.",
    ),
}
_STOPPED_SHORT["length"] = _STOPPED_SHORT["max_tokens"]
_STOPPED_SHORT["model_context_window_exceeded"] = _STOPPED_SHORT["max_tokens"]


def _turn(finished: Finished) -> Failure | None:
    return _STOPPED_SHORT.get(finished.stop_reason)


def _is_mute(report: Report) -> bool:
    """Tell whether nothing at all came of a turn that was not broken off."""
    is_cancelled = report.finished is not None and report.finished.stop_reason == "cancelled"
    has_done = bool(report.tools) or report.usage is not None
    return not is_cancelled and not has_done and _BANNER.fullmatch(report.text) is not None


def _told(failed: Failed, agent: AgentSettings, ended: Failure | None) -> Failure:
    if agent.kind is AgentKind.ACP:
        # Said by the conversation, in whole sentences.
        if failed.kind is FailureKind.PROTOCOL and ended is not None:
            return evolve(ended, message=f"{failed.text} {ended.message}")
        return Failure(failed.kind, failed.text, failed.phase)
    said = failed.text.strip() or "nothing more"
    message = f"The agent says that it failed: {said}"
    if ended is None:
        return Failure(failed.kind, message)
    return Failure(failed.kind, message, exit_code=ended.exit_code, signal=ended.signal)


def _explained(agent: AgentSettings, ended: Failure, lines: tuple[str, ...]) -> Failure:
    """Look for the reason of a bad exit in what was written, of agents that use a model."""
    if ended.kind is not FailureKind.EXIT or not takes_prompt(agent):
        return ended
    found = telling_line(lines)
    if found is None:
        return ended
    return evolve(ended, kind=found.kind, message=f"{ended.message} It wrote: {found.text}")


def _said(report: Report, event: TextSaid | MessageSaid | ThoughtSaid) -> Report:
    match event:
        case TextSaid(text):
            before = report.pieces if report.message_is_open else ()
            was_cut = report.text_is_cut and report.message_is_open
            return _with_text(report, before, text, was_cut=was_cut, is_open=True)
        case MessageSaid(text):
            if not text.strip():
                return evolve(report, message_is_open=False)
            return _with_text(report, (), text, was_cut=False, is_open=False)
        case ThoughtSaid():
            return evolve(report, message_is_open=False)
        case _:
            assert_never(event)


def _with_text(
    report: Report, before: tuple[str, ...], text: str, *, was_cut: bool, is_open: bool
) -> Report:
    pieces = [*before, text[-LONGEST_TEXT:]]
    # Joining a piece only with those that are no longer keeps the work for n pieces at n log n.
    while len(pieces) > 1 and len(pieces[-2]) <= len(pieces[-1]):
        pieces[-2:] = ["".join(pieces[-2:])]
    is_cut = was_cut or len(text) > LONGEST_TEXT
    if sum(map(len, pieces)) > 2 * LONGEST_TEXT:
        pieces = ["".join(pieces)[-LONGEST_TEXT:]]
        is_cut = True
    return evolve(report, pieces=tuple(pieces), text_is_cut=is_cut, message_is_open=is_open)


def _tool(report: Report, event: ToolUpdated) -> Report:
    known = report.tools.get(event.id)
    before = None if event.begins else known
    is_new = before is None
    seen = before or ToolSeen(event.id)
    seen = ToolSeen(
        event.id,
        seen.title if event.title is None else event.title,
        seen.kind if event.kind is None else event.kind,
        seen.status if event.status is None else event.status,
        seen.paths if event.paths is None else event.paths[:MOST_PATHS],
    )
    tools = {**report.tools, event.id: seen}
    earlier = report.earlier if known is None or not is_new else (*report.earlier, known)
    kinds = report.earlier_kinds
    if len(tools) > MOST_TOOLS:
        kinds |= {tools.pop(next(iter(tools))).kind}
    if len(earlier) > MOST_TOOLS:
        kinds |= {earlier[0].kind}
        earlier = earlier[1:]
    return evolve(
        report,
        tools=tools,
        earlier=earlier,
        tool_count=report.tool_count + is_new,
        earlier_kinds=kinds,
        message_is_open=report.message_is_open and not is_new,
    )


def _ended(report: Report, event: Failed | Finished) -> Report:
    failure = report.failure
    match event:
        case Finished():
            # What went wrong on the way was overcome, and stays worth knowing.
            warned = report if failure is None else _with_warning(report, failure.text)
            return evolve(warned, finished=event, failure=None)
        case Failed():
            event = evolve(event, text=cut(event.text, _LONGEST_WORDS))
            if event.resets_at is None and failure is not None and failure.kind is event.kind:
                event = evolve(event, resets_at=failure.resets_at)
            return evolve(report, finished=None, failure=event)
        case _:
            assert_never(event)


def _noted(report: Report, event: Warned | Logged) -> Report:
    match event:
        case Warned(text):
            return _with_warning(report, text)
        case Logged(text):
            return evolve(report, logged=(*report.logged, text[:_LONGEST_LOGGED])[-MOST_LOGGED:])
        case _:
            assert_never(event)


def _with_warning(report: Report, text: str) -> Report:
    words = cut(text, _LONGEST_WORDS)
    kept = tuple(each for each in report.warnings if each != words)
    return evolve(report, warnings=(*kept, words)[-MOST_WARNINGS:])


def _known(
    report: Report,
    event: SessionOpened | Prompted | ToDoSet | ContextFilled | PermissionSettled,
) -> Report:
    match event:
        case SessionOpened(session, resumed):
            known = session if names_session(session) else None
            return evolve(report, session=known, resumed=resumed)
        case Prompted():
            # What came before the task, such as a banner, is no word about it.
            pieces = report.pieces if report.prompted else ()
            return evolve(report, prompted=True, message_is_open=False, pieces=pieces)
        case ToDoSet(entries):
            return evolve(report, to_do=_short(entries))
        case ContextFilled():
            return evolve(report, context=event)
        case PermissionSettled():
            return report
        case _:
            assert_never(event)


def _short(entries: tuple[ToDoEntry, ...]) -> tuple[ToDoEntry, ...]:
    """Bring a plan into bounds: it is shown and sent again with each of its changes."""
    return tuple(
        evolve(entry, text=cut(entry.text, _LONGEST_ENTRY)) for entry in entries[:_MOST_ENTRIES]
    )
