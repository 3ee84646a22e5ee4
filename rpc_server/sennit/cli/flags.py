"""What a person should know of a task or a proposal beside its state, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.text import Text

from sennit.cli.prose import Prose
from sennit.cli.safe_text import safe_line
from sennit_protocol.states import Flag
from sennit_protocol.views import TaskView, TicketView

WORDS: Mapping[Flag, str] = {
    Flag.QUARANTINED: "a process of it could not be ended",
    Flag.RECOVERED: "recovered after its server had ended",
    Flag.STALE: "what it was made from has changed since",
    Flag.SOURCE_DRIFT: "its repository changed while it ran",
    Flag.CLEANUP_ISSUE: "not all of it was cleaned up",
    Flag.HEAD_MOVED: "HEAD has moved since its base",
    Flag.UNCHANGED: "changed nothing",
    Flag.OUTPUT_TRUNCATED: "its output was cut",
}
"""Flag → what it says of a task or a proposal."""

_MORE_IN_STORY = frozenset({Flag.QUARANTINED, Flag.SOURCE_DRIFT, Flag.CLEANUP_ISSUE})


def flag_lines(task: TaskView, ticket: TicketView, indent: str = "  ") -> Iterator[Text]:
    """Say what the flags of a task of ``ticket`` mean, and where more of it is told."""
    for flag in task.flags:
        name = f"{ticket.id}/{safe_line(task.id)}"
        more = f"; see: sennit story {name}" if flag in _MORE_IN_STORY else ""
        yield Prose(f"{indent}look: {WORDS[flag]}{more}", style="yellow")
