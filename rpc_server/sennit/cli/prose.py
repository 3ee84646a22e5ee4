"""Sentences for a person, which a terminal shows in lines of whole words."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

_HANGING = 2
_LEAST_WIDTH = 20


class Prose(Text):
    """A line of words and no code: a terminal may break it between words.

    Any other line is left to the terminal, so that it can be copied whole.
    """

    def folded(self, console: Console) -> Text:
        """Break it to the width of ``console``; what follows stands further in than its start."""
        indent = len(self.plain) - len(self.plain.lstrip(" "))
        width = max(_LEAST_WIDTH, console.width - indent - _HANGING)
        first, *rest = self[indent:].wrap(console, width) or [Text()]
        margin, further = " " * indent, " " * (indent + _HANGING)
        lines = [Text(margin) + first, *(Text(further) + line for line in rest)]
        for line in lines:
            line.rstrip()
        return Text("\n").join(lines)
