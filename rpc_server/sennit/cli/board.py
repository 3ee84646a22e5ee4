"""The progress of a ticket: a live table on a terminal, a line for each change elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from attrs import evolve
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from sennit.cli.phases import phase_of
from sennit.cli.safe_text import safe_line
from sennit.cli.tables import STATE_STYLES, duration, table
from sennit_protocol.states import FINAL_TASK_STATES
from sennit_protocol.views import RunView, TaskView, TicketView

_REFRESHES_PER_S = 10
_MS = 1000


class Board:
    """What is known of each task, in the order of the ticket."""

    def __init__(self, console: Console, *, transient: bool = False) -> None:
        """Show on ``console``, live where that is a terminal; ``transient`` leaves nothing."""
        self._transient = transient
        self._console = console
        self._tasks: dict[str, TaskView] = {}
        self._heard: dict[str, float] = {}
        self._live: Live | None = None
        self._hiding = 0

    def take_ticket(self, view: TicketView) -> None:
        """Learn of every task of the ticket."""
        for task in view.tasks:
            self.take_task(task)

    def take_task(self, task: TaskView) -> None:
        """Learn of one task; says so in a line where there is no live table."""
        before = self._tasks.get(task.id)
        if task.progress is None and before is not None:
            # What was last heard of its work stays on the board when it has ended.
            task = evolve(task, progress=before.progress)
        self._tasks[task.id] = task
        self._heard[task.id] = time.monotonic()
        if self._live is None and (before is None or _told(before) != _told(task)):
            # Without a terminal a line stays one line, however long.
            self._console.print(Text(f"{safe_line(task.id)}: {_told(task)}"), soft_wrap=True)

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Keep the table on the screen for as long as this lasts."""
        if not self._console.is_terminal:
            yield
            return
        self._live = Live(
            get_renderable=self.table,
            console=self._console,
            refresh_per_second=_REFRESHES_PER_S,
            vertical_overflow="crop",
            transient=self._transient,
        )
        try:
            with self._live:
                yield
        finally:
            self._live = None

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Take the table off the screen while a person is asked something, or several things."""
        live = self._live
        self._hiding += 1
        if live is not None and self._hiding == 1:
            live.stop()
        try:
            yield
        finally:
            self._hiding -= 1
            if live is not None and live is self._live and not self._hiding:
                live.start(refresh=True)

    def table(self) -> Table:
        """Show every task as it is now."""
        made = table("task", "agent", "phase", ">time", "last line")
        for column in made.columns:
            column.no_wrap, column.overflow = True, "ellipsis"
        made.columns[-1].ratio = 1
        for task in self._tasks.values():
            made.add_row(
                Text(safe_line(task.id), style="bold"),
                Text(safe_line(task.agent)),
                Text(phase_of(task), style=STATE_STYLES.get(task.state, "")),
                Text(self._elapsed(task)),
                Text(_last_line(task), style="dim"),
            )
        return made

    def _elapsed(self, task: TaskView) -> str:
        if task.state in FINAL_TASK_STATES and task.runs:
            return _time_of_last_run(task.runs[-1])
        if task.progress is None:
            return ""
        since = 0.0 if task.state in FINAL_TASK_STATES else time.monotonic() - self._heard[task.id]
        return duration(task.progress.elapsed_ms + int(since * _MS))


def _told(task: TaskView) -> str:
    failure = f": {safe_line(task.failure.message)}" if task.failure else ""
    return phase_of(task) + failure


def _last_line(task: TaskView) -> str:
    if task.failure is not None:
        return safe_line(task.failure.message)
    result = (task.result_text or "").strip()
    if result:
        return safe_line(result.rpartition("\n")[2])
    return safe_line((task.progress and task.progress.last_line) or "")


def _time_of_last_run(run: RunView) -> str:
    if run.started_at is None or run.ended_at is None:
        return ""
    took = datetime.fromisoformat(run.ended_at) - datetime.fromisoformat(run.started_at)
    # The clock may have been set back meanwhile, and then nobody knows.
    return duration(int(took.total_seconds() * _MS)) if took >= timedelta() else ""
