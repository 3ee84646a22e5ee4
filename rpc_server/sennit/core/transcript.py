"""What an agent told, written for people, from its events as they come."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, field

from sennit.core.agent_events import (
    AgentEvent,
    Failed,
    Logged,
    MessageSaid,
    PermissionSettled,
    TextSaid,
    ToDoSet,
    ToolUpdated,
    Warned,
)
from sennit_protocol.agents import ToDoStatus, ToolStatus

_BOXES: Mapping[ToDoStatus, str] = {
    ToDoStatus.PENDING: "[ ]",
    ToDoStatus.IN_PROGRESS: "[~]",
    ToDoStatus.COMPLETED: "[x]",
}


@define
class Transcript:
    """Gives the text that each event adds. Thoughts are left out: they are in the raw output."""

    _in_line: bool = False
    _titles: dict[str, str] = field(factory=dict)

    def add(self, event: AgentEvent) -> str:
        """The text of one more event, "" where it has none."""
        if isinstance(event, TextSaid):
            self._in_line = not event.text.endswith("\n")
            return event.text
        told = self._told(event)
        if not told:
            return ""
        start = "\n" if self._in_line else ""
        self._in_line = False
        return f"{start}{told}\n"

    def _told(self, event: AgentEvent) -> str:
        match event:
            case MessageSaid(text):
                return text.rstrip("\n")
            case ToolUpdated():
                return self._tool(event)
            case ToDoSet(entries):
                return "\n".join(f"{_BOXES[each.status]} {each.text}" for each in entries)
            case PermissionSettled(title, allowed, why):
                return f"? {'allowed' if allowed else 'refused'}: {title} ({why})"
            case Warned(text) | Failed(text=text):
                return f"! {text}"
            case Logged(text):
                return text
            case _:
                return ""

    def _tool(self, event: ToolUpdated) -> str:
        known = self._titles.get(event.id)
        lines = []
        if known is None and event.title:
            self._titles[event.id] = known = event.title
            named = event.kind is None or event.title.startswith(event.kind)
            lines.append(f"> {event.title}" if named else f"> {event.kind}: {event.title}")
        if event.status is ToolStatus.FAILED:
            lines.append(f"! failed: {known or event.id}")
        return "\n".join(lines)
