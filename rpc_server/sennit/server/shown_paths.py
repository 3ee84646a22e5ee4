"""Spells the paths of a workspace as people know them: as those of their own repository."""

from __future__ import annotations

import json
import os

from attrs import evolve, frozen

from sennit.core.engine.rows import RunRow
from sennit.core.uris import display
from sennit.server.services import Services
from sennit_protocol.agents import ToDoEntry
from sennit_protocol.ids import RunId


@frozen
class ShownPaths:
    """The top of a workspace, and that of the user's repository to put in its place.

    A run without a workspace has an empty one, and nothing to put back.
    """

    workspace: bytes
    repository: bytes

    def shown(self, text: str) -> str:
        """Give a text with the user's own paths."""
        if not self.workspace:
            return text
        return text.replace(os.fsdecode(self.workspace), display(self.repository))

    def shown_json(self, text: str) -> str:
        """Give JSON with the user's own paths."""
        if not self.workspace:
            return text
        return text.replace(
            _in_json(os.fsdecode(self.workspace)), _in_json(display(self.repository))
        )

    def shown_to_do(self, entries: tuple[ToDoEntry, ...]) -> tuple[ToDoEntry, ...]:
        """Give a plan with the user's own paths."""
        return tuple(evolve(entry, text=self.shown(entry.text)) for entry in entries)

    def read(self, data: bytes) -> str:
        """Read what an agent wrote, with the user's own paths; what is not UTF-8 is replaced."""
        return self.put_back(data).decode("utf-8", "replace")

    def put_back(self, data: bytes) -> bytes:
        """Give what an agent wrote with the user's own paths, before it is read as text."""
        return data.replace(self.workspace, self.repository) if self.workspace else data

    def whole(self, data: bytes) -> bytes:
        """Leave a path that the end of a piece may cut in two to the next piece."""
        for length in range(min(len(self.workspace) - 1, len(data)), 0, -1):
            if data.endswith(self.workspace[:length]):
                return data[:-length]
        return data


def _in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def shown_paths(services: Services, run: RunId) -> ShownPaths:
    """Tell how the paths that the agent of a run sees are spelled for people."""
    row = services.state.the(RunRow, run)
    top = services.state.task(row.ticket, row.task).spec.repository.top
    workspace = b"" if row.folder is None else os.fsencode(services.workspace_of(run))
    return ShownPaths(workspace, top)
