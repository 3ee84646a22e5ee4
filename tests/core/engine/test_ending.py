"""A server that ends in order hands over what it carries."""

from __future__ import annotations

from sennit.core.engine.commands import (
    PrepareWorkspace,
    RecoverRun,
    StopRun,
    TakeBase,
)
from sennit.core.engine.events import (
    DocumentUnsaved,
    ServerStopped,
    ServerStopping,
    Tick,
)
from sennit.core.engine.rows import OpenDocumentRow
from sennit_protocol.ids import ServerId
from sennit_protocol.states import (
    Flag,
    Integration,
    RunState,
    TaskState,
    TicketState,
)
from tests.core.engine.builders import (
    HERE,
    THERE,
    a_task,
    a_ticket,
)
from tests.core.engine.deaths import dies, reaches
from tests.core.engine.world import a_world

# The orderly end.


def test_a_server_that_ends_interrupts_what_it_carries_and_starts_nothing() -> None:
    world = a_world(a_ticket(a_task("a"), a_task("b"), a_task("c")), limit=2)
    world.dispatch(a_ticket(a_task("x"), ticket="t_two"))
    world.take_bases()
    world.to_running("a")
    prepared = len(world.asked_for(PrepareWorkspace))

    world.tell(ServerStopping, server=HERE)

    assert len(world.asked_for(PrepareWorkspace)) == prepared
    world.answer(world.the(StopRun, "a"))
    assert world.states()["c"] is TaskState.INTERRUPTED
    assert world.verdict("t_two") is TicketState.INTERRUPTED
    world.to_end("a")
    world.to_captured("a")
    world.to_workspace("b")
    assert world.verdict() is TicketState.INTERRUPTED
    assert world.revision("a").integration is Integration.RETAINED
    assert world.open == {}


def test_work_that_has_ended_is_still_captured_and_merged_at_the_end() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_running("a")
    world.to_end("a")

    world.tell(ServerStopping, server=HERE)
    world.to_captured("a")
    world.merge()

    assert world.verdict() is TicketState.COMPLETED


def test_another_servers_tickets_go_on_when_one_ends() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.begin(THERE)
    world.to_running("a")

    world.send(world.now(ServerStopping, server=THERE), THERE)
    world.send(world.now(ServerStopped, server=THERE), THERE)

    assert world.states() == {"a": TaskState.RUNNING}
    assert world.state.server(THERE) is None


def test_what_an_ended_server_has_left_is_taken_over_by_one_that_looks() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.to_running("a")
    world.tell(ServerStopping, server=HERE)
    world.tell(ServerStopped, server=HERE)
    world.begin(THERE)

    assert world.ticket().owner == THERE
    assert world.the(RecoverRun).server == THERE


def test_a_look_takes_over_what_nobody_carries() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.begin(THERE)
    world.to_running("a")
    world.tell(ServerStopped, server=HERE)

    world.send(world.now(Tick, server=THERE), THERE)
    world.send(world.now(Tick, server=THERE), THERE)

    assert len(world.asked_for(RecoverRun)) == 1
    assert world.ticket().owner == THERE


def test_a_server_that_ends_takes_nothing_over() -> None:
    world = a_world(a_ticket(a_task("a")))
    world.begin(THERE)
    world.send(world.now(ServerStopping, server=THERE), THERE)
    world.tell(ServerStopped, server=HERE)

    world.send(world.now(Tick, server=THERE), THERE)

    assert world.ticket().owner == HERE


def test_a_look_of_a_server_without_work_changes_nothing() -> None:
    world = a_world(a_ticket(a_task("a")))

    world.tell(Tick, server=HERE)
    world.tell(Tick, server=ServerId("s_none"))

    assert world.last.changes == ()
    assert world.last.commands == ()


# Documents.


def test_unsaved_documents_are_known_until_they_are_saved() -> None:
    world = a_world()
    world.tell(DocumentUnsaved, server=HERE, path=b"/a\xff", sha256="1")
    world.tell(DocumentUnsaved, server=HERE, path=b"/a\xff", sha256="2")
    assert [row.sha256 for row in world.state.rows(OpenDocumentRow)] == ["2"]

    world.tell(DocumentUnsaved, server=HERE, path=b"/a\xff", sha256=None)
    world.tell(DocumentUnsaved, server=HERE, path=b"/a\xff", sha256=None)

    assert list(world.state.rows(OpenDocumentRow)) == []


def test_a_run_of_a_taken_over_ticket_can_be_quarantined() -> None:
    world = reaches(lambda world: world.to_running("a"))
    dies(world)

    world.to_end("a", survivors=(7,))

    assert world.run("a").state is RunState.QUARANTINED
    assert world.states() == {"a": TaskState.INTERRUPTED}
    assert set(world.task("a").flags) == {Flag.RECOVERED, Flag.QUARANTINED}
    assert world.asked_for(TakeBase)
