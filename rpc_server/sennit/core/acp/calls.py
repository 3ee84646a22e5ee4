"""What is known of an agent's calls of tools: it tells each part of a call once, in any message."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, field

from sennit.core.output_formats.fields import array, text
from sennit_protocol.agents import ToolStatus

MOST_CALLS = 200
"""Calls that may be open at once; of more, those that began first are forgotten."""

_KEPT = ("toolCallId", "title", "kind", "locations", "rawInput")
_ENDS = frozenset({ToolStatus.COMPLETED, ToolStatus.FAILED})

Call = Mapping[str, object]


@define(eq=False)
class Calls:
    """The calls that are under way. What a call gives out is not kept, nor one that has ended."""

    _known: dict[str, dict[str, object]] = field(factory=dict)

    def merged(self, told: Call) -> Call:
        """Lay what is told over what is known, and give the whole; a call without id has none."""
        name = text(told, "toolCallId")
        whole = {**self._known.get(name, {}), **_parts(told)}
        if not name:
            return whole
        # Put last, so that the first are those of which nothing was told for longest.
        self._known.pop(name, None)
        if text(told, "status") not in _ENDS:
            self._known[name] = whole
        if len(self._known) > MOST_CALLS:
            del self._known[next(iter(self._known))]
        return whole

    def forget(self) -> None:
        """Forget all; nobody will ask about them."""
        self._known.clear()


def _parts(told: Call) -> dict[str, object]:
    """Those parts that say something: an empty one says that the agent does not know it yet."""
    parts = {name: told.get(name) for name in _KEPT}
    # Of a change only where it is: the text of it may be as long as the file.
    parts["content"] = [
        {"type": "diff", "path": text(each, "path")}
        for each in array(told, "content")
        if text(each, "type") == "diff"
    ]
    return {name: value for name, value in parts.items() if value not in (None, "", [], {})}
