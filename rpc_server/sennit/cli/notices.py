"""Notices as people read them: each said once, with the paths that it was said of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sennit.cli.prose import Prose
from sennit.cli.safe_text import safe_line
from sennit.core.counted import listed
from sennit_protocol.views import Notice

MOST_NAMED = 8
"""Paths that a note names."""


def notice_lines(notices: Sequence[Notice], indent: str = "  ") -> Iterator[Prose]:
    """Show notices in their order."""
    for message, paths in told_once(notices):
        told = f"{listed(paths[:MOST_NAMED], len(paths) - MOST_NAMED)}: {message}"
        yield Prose(f"{indent}note: {safe_line(told if paths else message)}", style="yellow")


def told_once(notices: Sequence[Notice]) -> list[tuple[str, list[str]]]:
    """Messages in their order, each once, with the paths that it was said of."""
    found: dict[str, list[str]] = {}
    for notice in notices:
        paths = found.setdefault(notice.message, [])
        if notice.path is not None:
            paths.append(notice.path)
    return list(found.items())
