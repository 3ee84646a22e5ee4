"""Refuses a folder in which somebody still works: an earlier agent, or a git of a killed server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sennit.adapters.platform.open_files import at_work_in
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from pathlib import Path


def in_use(doing: str, folder: Path) -> GitFailed | None:
    """Say who works in a folder; blocks, and costs a look at every process of the user."""
    at_work = at_work_in(folder)
    if not at_work:
        return None
    pids = ", ".join(map(str, at_work))
    return GitFailed(doing, None, f"processes still work in {folder}: {pids}")
