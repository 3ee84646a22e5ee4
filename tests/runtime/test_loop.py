from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import apsw
import pytest

from sennit.adapters.store.opening import Options
from sennit.core.engine.state import State
from sennit.core.engine.step_values import Issued, Put, Step
from sennit.core.stored import OutboxEntry, StoreProblem, StoreProblemKind
from sennit.runtime.loop import OnceRepeatedError
from sennit.runtime.ports import Event, Report
from tests.adapters.store.examples import (
    Added,
    Asked,
    CounterRow,
    Ended,
    Fetch,
    Impossible,
    Launch,
    Looked,
    Removed,
    started,
    step,
    value,
)
from tests.runtime.running import running, until
from tests.runtime.virtual_clock import VirtualClock

pytestmark = pytest.mark.anyio


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "sennit.db"


async def end(issued: Issued, _report: Report) -> Event:
    await anyio.lowlevel.checkpoint()
    return Ended(cause=issued.id)


async def never(_issued: Issued, _report: Report) -> Event:
    await anyio.sleep_forever()
    raise AssertionError


def has(key: str) -> Callable[[State], bool]:
    return lambda state: state.get(CounterRow, key) is not None


async def test_an_event_gives_its_outcome_and_changes_the_state(path: Path) -> None:
    async with running(path) as run:
        assert await run.loop.submit(Added()) == 1
        assert await run.loop.submit(Added()) == 2
        assert await run.loop.submit(Looked()) == 2
        assert (value(run.loop.state), run.loop.sequence) == (2, 2)


async def test_the_state_is_there_again_after_a_restart(path: Path) -> None:
    async with running(path) as run:
        await run.loop.submit(Added())
    async with running(path) as run:
        assert (value(run.loop.state), run.loop.sequence) == (1, 1)


async def test_events_of_many_tasks_take_their_turns(path: Path) -> None:
    async with running(path) as run:
        async with anyio.create_task_group() as many:
            for _ in range(20):
                many.start_soon(run.loop.submit, Added())
        assert value(run.loop.state) == 20


async def test_a_command_is_carried_out_and_its_event_ends_it(path: Path) -> None:
    async with running(path, {Fetch: end}) as run:
        name = await run.loop.submit(Asked(command=Fetch("x")))
        await run.loop.wait_until(has(f"ended {name}"))
        assert await run.store.outbox() == ()
        assert run.loop.running == frozenset()


async def test_an_effect_begins_after_its_command_is_on_disk(path: Path) -> None:
    found: list[object] = []

    async def look(issued: Issued, _report: Report) -> Event:
        other = apsw.Connection(str(path))
        found.extend(row[0] for row in other.execute("SELECT id FROM outbox"))
        other.close()
        return await end(issued, _report)

    async with running(path, {Launch: look}) as run:
        name = await run.loop.submit(Asked(command=Launch("x")))
        await run.loop.wait_until(has(f"ended {name}"))
    assert found == [name]


async def boom(_issued: Issued, _report: Report) -> Event:
    raise ValueError("boom")


async def of_another(_issued: Issued, _report: Report) -> Event:
    return Ended(cause=None)


@pytest.mark.parametrize(
    ("effects", "message"),
    [
        ({Fetch: boom}, "raised: ValueError: boom"),
        ({Fetch: of_another}, "raised: its effect gave the event of another"),
        ({}, "missing: this program cannot carry out Fetch"),
    ],
)
async def test_an_effect_without_an_event_of_its_own_ends_as_failed(
    path: Path, effects: dict[type, Any], message: str
) -> None:
    async with running(path, effects) as run:
        name = await run.loop.submit(Asked(command=Fetch("x")))
        await run.loop.wait_until(has(f"{name} {message}"))
        assert await run.store.outbox() == ()
        assert await run.loop.submit(Added()) == 1


async def test_a_cancelled_effect_ends_as_failed(path: Path) -> None:
    async with running(path, {Fetch: never}) as run:
        name: Any = await run.loop.submit(Asked(command=Fetch("x")))
        assert run.loop.running == {name}
        assert run.loop.cancel(name)
        await run.loop.wait_until(has(f"{name} cancelled: it was cancelled"))
        assert not run.loop.cancel(name)


async def test_an_event_that_the_engine_cannot_take_ends_its_command_as_failed(path: Path) -> None:
    async def strange(issued: Issued, _report: Report) -> Event:
        return Impossible(cause=issued.id)

    async with running(path, {Fetch: strange}) as run:
        name = await run.loop.submit(Asked(command=Fetch("x")))
        await run.loop.wait_until(
            lambda state: any(
                row.key.startswith(f"{name} raised: ValueError") for row in state.rows(CounterRow)
            )
        )


async def test_a_bug_of_the_engine_reaches_who_asked_and_nothing_is_stored(path: Path) -> None:
    async with running(path) as run:
        with pytest.raises(ValueError, match="Impossible"):
            await run.loop.submit(Impossible())
        assert await run.loop.submit(Added()) == 1
        assert run.loop.sequence == 1


async def test_progress_goes_beside_the_journal(path: Path) -> None:
    async def slow(issued: Issued, report: Report) -> Event:
        report("half")
        return await end(issued, report)

    async with running(path, {Fetch: slow}) as run:
        name = await run.loop.submit(Asked(command=Fetch("x")))
        await run.loop.wait_until(has(f"ended {name}"))
        assert run.progress == [(name, "half")]
        assert run.loop.sequence == 2


async def test_once_begun_a_step_is_carried_through_though_its_caller_is_gone(path: Path) -> None:
    async with running(path) as run:
        with anyio.CancelScope() as scope:
            scope.cancel()
            await run.loop.submit(Added())
        # Cancelled before its turn or carried through: memory and disk agree.
        async with running(path) as other:
            assert value(other.loop.state) == value(run.loop.state)


# After a restart.


async def test_open_commands_are_found_again_and_once_ones_are_not_repeated(path: Path) -> None:
    async with running(path, {Fetch: never, Launch: never}, owner="s_dead") as run:
        fetch = await run.loop.submit(Asked(command=Fetch("x")))
        launch = await run.loop.submit(Asked(command=Launch("y")))
    carried_out: list[str] = []

    async def note(issued: Issued, report: Report) -> Event:
        carried_out.append(issued.id)
        return await end(issued, report)

    async with running(path, {Fetch: note, Launch: note}, owner="s_heir") as run:
        await run.loop.recover(lambda owner: owner == "s_dead", started)
        await run.loop.wait_until(has(f"ended {fetch}"))
        assert has(f"lost {launch}")(run.loop.state)
        assert await run.store.outbox() == ()
    assert carried_out == [fetch]


async def test_an_engine_that_repeats_a_once_command_is_stopped(path: Path) -> None:
    async with running(path, {Launch: never}) as run:
        await run.loop.submit(Asked(command=Launch("y")))

    def repeat(state: State, event: Any, sequence: int) -> Step[Any]:
        made = step(state, event, sequence)
        return Step(made.changes, getattr(event, "found", ()), done=())

    async with running(path, {Launch: never}, step=repeat) as run:
        with pytest.raises(OnceRepeatedError):
            await run.loop.recover(lambda _: True, started)
        assert run.loop.running == frozenset()


async def test_commands_of_a_living_server_are_left_to_it(path: Path) -> None:
    found: list[OutboxEntry] = []

    def note(entries: tuple[OutboxEntry, ...]) -> Event:
        found.extend(entries)
        return started(entries)

    async with (
        running(path, {Fetch: never}, owner="s_alive") as alive,
        running(path, owner="s_new") as new,
    ):
        await alive.loop.submit(Asked(command=Fetch("x")))
        await new.loop.recover(lambda owner: owner == "s_dead", note)
        assert value(new.loop.state, "starts") == 1
    assert found == []


# Others.


async def test_a_step_is_decided_on_what_others_have_committed(path: Path) -> None:
    async with running(path) as ours, running(path) as theirs:
        for turn in range(1, 6):
            assert await ours.loop.submit(Added()) == 2 * turn - 1
            assert await theirs.loop.submit(Added()) == 2 * turn


async def test_what_others_did_is_told_to_subscribers_as_foreign(path: Path) -> None:
    async with running(path) as ours, running(path) as theirs:
        with ours.loop.changes() as batches:
            await theirs.loop.submit(Added())
            assert await ours.loop.catch_up() is True
            assert await ours.loop.catch_up() is False
            batch = await anext(batches)
        assert (batch.foreign, batch.changes) == (True, (Put(CounterRow("n", 1)),))
        await theirs.loop.submit(Removed())
        await ours.loop.catch_up()
        assert value(ours.loop.state) == 0


# The store has a problem.


async def test_a_problem_of_the_store_is_the_answer_and_changes_nothing(path: Path) -> None:
    async with running(path, options=Options(busy_timeout_ms=20)) as run:
        other = apsw.Connection(str(path))
        other.execute("BEGIN IMMEDIATE")
        answer = await run.loop.submit(Added())
        assert isinstance(answer, StoreProblem)
        assert answer.kind is StoreProblemKind.LOCKED
        assert value(run.loop.state) == 0
        other.execute("ROLLBACK")
        assert await run.loop.submit(Added()) == 1


async def test_the_end_of_an_effect_waits_until_it_can_be_stored(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = None

    async def lock_out(issued: Issued, report: Report) -> Event:
        nonlocal other
        other = apsw.Connection(str(path))
        other.execute("BEGIN IMMEDIATE")
        return await end(issued, report)

    clock = VirtualClock()
    async with running(
        path, {Fetch: lock_out}, clock=clock, options=Options(busy_timeout_ms=20)
    ) as run:
        name = await run.loop.submit(Asked(command=Fetch("x")))
        await until(lambda: clock.sleeping == 1)
        assert [problem.kind for problem in run.problems] == [StoreProblemKind.LOCKED]
        clock.advance(1)
        await until(lambda: len(run.problems) > 1)
        await until(lambda: clock.sleeping == 1)
        # What goes on is logged when it begins.
        assert len(caplog.records) == 1
        assert other is not None
        other.execute("ROLLBACK")
        clock.advance(1)
        await run.loop.wait_until(has(f"ended {name}"))
