"""Tasks that build on each other."""

from __future__ import annotations

from sennit.core.engine.commands import PrepareWorkspace
from tests.core.engine.builders import (
    a_task,
)
from tests.core.engine.world import World

CHAIN = (a_task("a"), a_task("b", "a"), a_task("c", "b"))


def prepared(world: World) -> list[str]:
    return [each.task for each in world.asked_for(PrepareWorkspace)]
