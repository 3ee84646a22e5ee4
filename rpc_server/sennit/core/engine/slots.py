"""How many more tasks may run on this machine: in all, of a provider, with a model, an agent."""

from __future__ import annotations

from attrs import define

from sennit.core.engine.indexes import TASKS_IN_SLOTS
from sennit.core.engine.row_values import TaskSpec
from sennit.core.engine.rows import ServerRow
from sennit.core.engine.state import Tables
from sennit.core.named_limits import LimitOf, NamedLimit

Shared = tuple[LimitOf, str]
"""What a named limit counts: tasks that share this."""


def shared_by(spec: TaskSpec) -> tuple[Shared, ...]:
    """What a task shares with others, as far as somebody has named it."""
    named = (
        (LimitOf.PROVIDER, spec.agent.provider),
        (LimitOf.MODEL, spec.model or spec.agent.model),
        (LimitOf.AGENT, spec.agent.name),
    )
    return tuple((of, name) for of, name in named if name is not None)


def free_slots(tables: Tables) -> int:
    """How many more tasks may run on this machine: the lowest limit of all servers counts."""
    limit = min((server.limit_tasks for server in tables.rows(ServerRow)), default=0)
    return limit - len(tables.find(TASKS_IN_SLOTS, value=True))


@define
class Room:
    """What is free at the moment; lives for one look. ``free`` counts slots, ``left`` the rest."""

    free: int
    limits: dict[Shared, NamedLimit]
    left: dict[Shared, int]

    def holder(self, spec: TaskSpec) -> NamedLimit | None:
        """The limit that keeps such a task from starting now, the first of several."""
        for shared in shared_by(spec) if self.limits else ():
            if self.left.get(shared, 1) < 1:
                return self.limits[shared]
        return None

    def take(self, spec: TaskSpec) -> None:
        """Count a task that starts."""
        self.free -= 1
        self._count(spec)

    def _count(self, spec: TaskSpec) -> None:
        for shared in shared_by(spec) if self.limits else ():
            if shared in self.left:
                self.left[shared] -= 1

    @classmethod
    def of(cls, tables: Tables) -> Room:
        """See what runs, on all servers; of limits on the same the lowest counts."""
        limits: dict[Shared, NamedLimit] = {}
        for server in tables.rows(ServerRow):
            for limit in server.limits:
                shared = (limit.of, limit.name)
                limits[shared] = min(limits.get(shared, limit), limit, key=lambda one: one.most)
        room = cls(free_slots(tables), limits, {one: limit.most for one, limit in limits.items()})
        for task in tables.find(TASKS_IN_SLOTS, value=True) if limits else ():
            room._count(task.spec)
        return room
