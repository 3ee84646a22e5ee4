"""What the story says must be understood by people: names and short ids."""

from __future__ import annotations

from sennit.core.engine.events import ApplicationIntended, BaseTaken, DecisionsMade
from sennit.core.engine.rows import BaseRow
from sennit.core.views import ticket_summary
from sennit_protocol.ids import UnitId
from sennit_protocol.states import Decision, Integration, Target
from tests.core.engine.builders import REPOSITORY, a_manifest, a_task, a_ticket, an_application
from tests.core.engine.world import a_world

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def test_a_base_is_told_with_its_folder_and_a_short_id() -> None:
    world = a_world(a_ticket(a_task("a")))
    assert "takes the base of /repo" in world.story
    (base,) = world.state.rows(BaseRow)
    world.tell(
        BaseTaken,
        base=base.id,
        ticket=base.ticket,
        repository=REPOSITORY,
        commit=COMMIT,
        tree="tree",
        manifest=a_manifest(),
    )
    assert "has the base of /repo, kept as 0123456789ab" in world.story


def test_a_patch_is_not_told_as_a_change_of_files() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.take_bases()
    world.finish("a")
    world.tell(ApplicationIntended, application=an_application(target=Target.PATCH))
    assert "makes a patch of what is accepted as a_one; no file is changed" in world.story


def test_what_is_rejected_waits_for_nobody() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.take_bases()
    world.to_running("a")
    world.to_end("a")
    world.to_captured("a")
    world.merge(a=Integration.CONFLICT)
    assert ticket_summary(world.state, world.ticket()).proposals_pending == 1
    rejected = ((UnitId("u1"), Decision.REJECTED),)
    world.tell(DecisionsMade, revision=world.revision("a").id, decisions=rejected, total=1)
    assert ticket_summary(world.state, world.ticket()).proposals_pending == 0
