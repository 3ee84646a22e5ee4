"""What is known of running runs beside their rows, which is shown and never stored there."""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from sennit.core.workspace_kinds import How
from sennit_protocol.ids import RunId
from sennit_protocol.views import Progress

OnProgress = Callable[[RunId], None]


@define(eq=False)
class LiveRuns:
    """Progress by run, with a subscriber that is told of each change; how workspaces were made."""

    progress: dict[RunId, Progress] = field(factory=dict)
    on_progress: OnProgress | None = None
    made: dict[RunId, How] = field(factory=dict)

    def update(self, run: RunId, change: Callable[[Progress], Progress]) -> None:
        """Change what is known of a run."""
        known = self.progress.get(run, Progress(phase="starting"))
        self.progress[run] = change(known)
        if self.on_progress is not None:
            self.on_progress(run)

    def forget(self, run: RunId) -> None:
        """Drop what is known of a run that has ended."""
        self.progress.pop(run, None)
        self.made.pop(run, None)
