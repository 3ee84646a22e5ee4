"""Which reader of lines belongs to which format."""

from __future__ import annotations

from collections.abc import Callable

from sennit.core.agent_events import AgentEvent
from sennit.core.agents import OutputFormat
from sennit.core.output_formats import claude, codex, gemini, kimi, opencode, pi, text

Reader = Callable[[str], tuple[AgentEvent, ...]]
"""Reads one line; any text gives events and never an exception."""

_READERS: dict[OutputFormat, Reader] = {
    OutputFormat.TEXT: text.events,
    OutputFormat.CLAUDE: claude.events,
    OutputFormat.CODEX: codex.events,
    OutputFormat.GEMINI: gemini.events,
    OutputFormat.OPENCODE: opencode.events,
    OutputFormat.PI: pi.events,
    OutputFormat.KIMI: kimi.events,
}


def reader_of(format_: OutputFormat) -> Reader:
    """Give the reader of a format's lines."""
    return _READERS[format_]
