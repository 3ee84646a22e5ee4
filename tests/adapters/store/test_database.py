from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import apsw
import pytest

from sennit.adapters.store.database import Database
from sennit.core.engine.state import State
from sennit.core.engine.step_values import Delete, Issued, JournalLine, Put, Step
from sennit.core.stored import (
    Committed,
    Foreign,
    StoreCounts,
    StoreProblem,
    StoreProblemKind,
    StoryLine,
    StoryPage,
)
from sennit_protocol.ids import CommandId
from tests.adapters.store.examples import (
    Added,
    Asked,
    Ball,
    Colour,
    CounterRow,
    Fetch,
    Launch,
    Looked,
    Removed,
    ToyRow,
    opened,
    step,
    store_step,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "sennit.db"


def commit(database: Database, seen: int, made: Step[None]) -> object:
    return database.commit(database.prepare(Looked(at=seen), made, seen + 1))


def rows(database: Database) -> dict[tuple[type, str], object]:
    loaded = database.load()
    assert not isinstance(loaded, StoreProblem)
    return {(type(row), row.key): row for row in loaded.rows}


def test_what_was_committed_is_there_after_opening_again(path: Path) -> None:
    database, state = opened(path), State()
    assert store_step(database, state, Added(), 0) == 1
    assert store_step(database, state, Added(), 1) == 2
    database.close()
    loaded = opened(path).load()
    assert not isinstance(loaded, StoreProblem)
    assert (loaded.sequence, loaded.rows) == (2, (CounterRow("n", 2),))


def test_rows_of_every_kind_come_back(path: Path) -> None:
    toy = ToyRow(
        "ä\n'\"", bytes(range(256)), Ball(1, Colour.RED), (b"\xff",), (("a", Colour.BLUE),)
    )
    database = opened(path)
    commit(database, 0, Step((Put(toy),)))
    assert rows(database) == {(ToyRow, toy.id): toy}


def test_rows_are_loaded_in_the_order_in_which_they_were_made(path: Path) -> None:
    database = opened(path)
    names = ("z", "a", "m")
    commit(database, 0, Step(tuple(Put(ToyRow(name, b"")) for name in names)))
    commit(database, 1, Step((Put(ToyRow("z", b"again")), Put(ToyRow("b", b"")))))
    assert [key for _, key in rows(database)] == ["z", "a", "m", "b"]


def test_an_empty_step_takes_no_number_and_writes_nothing(path: Path) -> None:
    database = opened(path)
    prepared = database.prepare(Looked(), Step(outcome="seen"), 1)
    assert database.commit(prepared) == Committed(0, Step(outcome="seen"))
    assert counts(database).events == 0


def test_a_step_of_only_a_line_of_the_story_is_stored(path: Path) -> None:
    database = opened(path)
    commit(database, 0, Step(journal=(JournalLine("t_a", None, "Nothing else."),)))
    assert [line.message for line in story(database)] == ["Nothing else."]


def test_a_step_after_others_is_not_stored_but_told_what_changed(path: Path) -> None:
    ours, theirs, state = opened(path, "s_a"), opened(path, "s_b"), State()
    store_step(theirs, state, Added(), 0)
    store_step(theirs, state, Added(counter="m"), 1)
    store_step(theirs, state, Added(), 2)
    answer = commit(ours, 0, step(State(), Added(), 1))
    assert answer == Foreign(3, (Put(CounterRow("m", 1)), Put(CounterRow("n", 2))))
    assert isinstance(commit(ours, 3, step(state, Added(), 4)), Committed)


def test_an_empty_step_after_others_does_not_hold_either(path: Path) -> None:
    ours, theirs = opened(path), opened(path)
    store_step(theirs, State(), Added(), 0)
    assert isinstance(commit(ours, 0, Step()), Foreign)


def test_rows_that_others_deleted_are_told_as_deleted(path: Path) -> None:
    ours, theirs, state = opened(path), opened(path), State()
    store_step(theirs, state, Added(), 0)
    assert ours.catch_up(0) == Foreign(1, (Put(CounterRow("n", 1)),))
    store_step(theirs, state, Removed(), 1)
    assert ours.catch_up(1) == Foreign(2, (Delete(CounterRow, "n"),))
    assert ours.catch_up(2) is None


def test_our_own_steps_are_nothing_to_catch_up_with(path: Path) -> None:
    database, state = opened(path), State()
    assert database.catch_up(0) is None
    store_step(database, state, Added(), 0)
    assert database.catch_up(1) is None


def test_commands_are_in_the_outbox_until_they_are_done(path: Path) -> None:
    database, state = opened(path, "s_a"), State()
    store_step(database, state, Asked(at=7, command=Launch("x")), 0)
    store_step(database, state, Asked(at=8, command=Fetch("y")), 1)
    found = database.outbox()
    assert not isinstance(found, StoreProblem)
    assert [(e.issued, e.owner, e.sequence, e.at) for e in found] == [
        (Issued(CommandId("c_1"), Launch("x"), once=True), "s_a", 1, 7),
        (Issued(CommandId("c_2"), Fetch("y")), "s_a", 2, 8),
    ]
    commit(database, 2, Step(done=(CommandId("c_1"), CommandId("c_2"))))
    assert database.outbox() == ()


def test_an_idempotent_command_can_be_taken_over(path: Path) -> None:
    dead, heir = opened(path, "s_dead"), opened(path, "s_heir")
    issued = Issued(CommandId("c_a"), Fetch("x"))
    commit(dead, 0, Step(commands=(issued,)))
    commit(heir, 1, Step(commands=(issued,)))
    found = heir.outbox()
    assert not isinstance(found, StoreProblem)
    assert [(entry.issued, entry.owner) for entry in found] == [(issued, "s_heir")]


def test_a_once_command_cannot_be_issued_twice(path: Path) -> None:
    database = opened(path)
    issued = Issued(CommandId("c_a"), Launch("x"), once=True)
    commit(database, 0, Step(commands=(issued,)))
    with pytest.raises(apsw.ConstraintError):
        commit(database, 1, Step((Put(CounterRow("n", 1)),), commands=(issued,)))
    assert rows(database) == {}
    assert isinstance(commit(database, 1, Step((Put(CounterRow("n", 1)),))), Committed)


def story(database: Database) -> tuple[StoryLine, ...]:
    page = database.story("t_a")
    assert isinstance(page, StoryPage)
    return page.lines


def test_the_story_of_a_ticket_is_read_in_pages(path: Path) -> None:
    database, state = opened(path), State()
    for seen in range(5):
        store_step(database, state, Added(at=seen, counter="ab"[seen % 2]), seen)
    newest = database.story("t_a", limit=2)
    assert isinstance(newest, StoryPage)
    assert ([line.sequence for line in newest.lines], newest.more) == ([4, 5], True)
    older = database.story("t_a", limit=3, before=4)
    assert isinstance(older, StoryPage)
    assert ([line.sequence for line in older.lines], older.more) == ([1, 2, 3], False)
    only = database.story("t_a", task="b")
    assert isinstance(only, StoryPage)
    assert [(line.at, line.type, line.message) for line in only.lines] == [
        (1, "added", "b is 1."),
        (3, "added", "b is 2."),
    ]
    assert database.story("t_b") == StoryPage((), more=False)


def counts(database: Database) -> StoreCounts:
    found = database.counts()
    assert isinstance(found, StoreCounts)
    return found


def test_what_there_is_is_counted(path: Path) -> None:
    database, state = opened(path), State()
    store_step(database, state, Added(), 0)
    store_step(database, state, Asked(command=Fetch("x")), 1)
    assert counts(database) == StoreCounts(
        (("row_toy", 0), ("row_counter", 1), ("row_timer", 0)), events=2, outbox=1
    )


def test_old_events_are_forgotten_but_the_sequence_goes_on(path: Path) -> None:
    database, state = opened(path), State()
    for seen in range(4):
        store_step(database, state, Added(at=seen), seen)
    assert database.prune(2, ToyRow) == 2
    assert database.prune(100, ToyRow) == 1
    assert counts(database).events == 1
    assert store_step(database, state, Added(), 4) == 5


def test_the_story_of_a_ticket_that_is_there_is_not_forgotten(path: Path) -> None:
    database, state = opened(path), State()
    commit(database, 0, Step((Put(ToyRow("t_a", b"")),)))
    for seen in range(1, 4):
        store_step(database, state, Added(at=seen), seen)
    told = story(database)
    assert len(told) == 3
    assert database.prune(100, ToyRow) == 1
    assert story(database) == told
    assert counts(database).events == 3
    commit(database, 4, Step((Delete(ToyRow, "t_a"),)))
    assert database.prune(2, ToyRow) == 1
    assert story(database) == told[1:]
    assert database.prune(100, ToyRow) == 2
    assert story(database) == ()
    assert counts(database).events == 1


def test_who_missed_forgotten_events_is_told_to_start_again(path: Path) -> None:
    ours, theirs, state = opened(path), opened(path), State()
    for seen in range(3):
        store_step(theirs, state, Added(at=seen), seen)
    theirs.prune(2, ToyRow)
    found = ours.catch_up(0)
    assert isinstance(found, StoreProblem)
    assert found.kind is StoreProblemKind.BEHIND
    assert ours.catch_up(2) == Foreign(3, (Put(CounterRow("n", 3)),))


def test_a_closed_database_is_one_file_for_its_owner_only(path: Path) -> None:
    database = opened(path)
    store_step(database, State(), Added(), 0)
    sides = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
    assert set(sides) == {"sennit.db", "sennit.db-wal", "sennit.db-shm", "sennit.db.users"}
    assert set(sides.values()) == {0o600}
    assert path.parent.stat().st_mode & 0o777 == 0o700
    database.close()
    assert {file.name for file in path.parent.iterdir()} == {"sennit.db", "sennit.db.users"}


def test_the_settings_that_durability_needs_are_on(path: Path) -> None:
    connection = opened(path)._connection
    names = ("journal_mode", "synchronous", "foreign_keys", "mmap_size")
    assert [connection.pragma(name) for name in names] == ["wal", 2, 1, 0]


def test_a_row_that_this_program_cannot_read_is_a_problem(path: Path) -> None:
    database = opened(path)
    store_step(database, State(), Added(), 0)
    for body, kind in (
        ('{"id":"n"}', StoreProblemKind.CORRUPT),
        ('{"id":"n","value":1,"later":1}', StoreProblemKind.NEWER),
    ):
        database._connection.execute("UPDATE row_counter SET body = ?", (body,))
        found = database.load()
        assert isinstance(found, StoreProblem)
        assert found.kind is kind
        assert "row_counter" in found.message


def test_a_writer_waits_for_another_and_then_sees_what_it_did(path: Path) -> None:
    ours, theirs = opened(path), opened(path)
    theirs._connection.execute("BEGIN IMMEDIATE")
    answers: list[object] = []
    waiting = threading.Thread(
        target=lambda: answers.append(commit(ours, 0, step(State(), Added(), 1)))
    )
    waiting.start()
    for statement, values in theirs.prepare(Added(), step(State(), Added(), 1), 1).statements:
        theirs._connection.execute(statement, values)
    assert not answers
    theirs._connection.execute("COMMIT")
    waiting.join()
    assert answers == [Foreign(1, (Put(CounterRow("n", 1)),))]


def test_a_database_that_was_taken_away_takes_no_step_until_it_is_back(path: Path) -> None:
    database, state = opened(path), State()
    seen = store_step(database, state, Added(), 0)
    away = path.parent.rename(path.parent.with_name("away"))
    answer = database.commit(database.prepare(Added(), step(state, Added(), seen + 1), seen + 1))
    assert isinstance(answer, StoreProblem)
    assert answer.kind is StoreProblemKind.GONE
    away.rename(path.parent)
    assert store_step(database, state, Added(), seen) == 2


def test_a_log_that_was_deleted_is_told_and_what_it_held_is_in_the_database(path: Path) -> None:
    database, beside, state = opened(path), opened(path), State()
    seen = store_step(database, state, Added(), 0)
    for tail in ("-wal", "-shm"):
        path.with_name(path.name + tail).unlink()
    answer = database.commit(database.prepare(Added(), step(state, Added(), seen + 1), seen + 1))
    assert isinstance(answer, StoreProblem)
    assert answer.kind is StoreProblemKind.GONE
    assert f"{path}-wal" in answer.message
    assert isinstance(beside.catch_up(0), StoreProblem)
    with sqlite3.connect(path) as reader:
        assert reader.execute("SELECT max(sequence) FROM events").fetchone() == (seen,)
    reader.close()


def test_a_log_that_another_process_has_begun_anew_is_not_written_to(path: Path) -> None:
    database, state = opened(path), State()
    seen = store_step(database, state, Added(), 0)
    log = path.with_name(f"{path.name}-wal")
    log.rename(log.with_name("away"))
    log.write_bytes(b"")
    before = path.read_bytes()
    answer = database.commit(database.prepare(Added(), step(state, Added(), seen + 1), seen + 1))
    assert isinstance(answer, StoreProblem)
    assert answer.kind is StoreProblemKind.GONE
    assert (log.read_bytes(), path.read_bytes()) == (b"", before)
    log.with_name("away").rename(log)
    assert store_step(database, state, Added(), seen) == 2
