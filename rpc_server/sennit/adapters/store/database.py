"""One connection to the database: steps in, one transaction each; what others changed out.

All but ``prepare`` blocks and runs in one thread, see ``writer``.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar, cast

import apsw
from attrs import frozen

from sennit.adapters.store.codec import Codec, UnreadableError
from sennit.adapters.store.files import Presence, identity_of_log, log_of, suspect
from sennit.adapters.store.problems import problem, problem_of_sqlite, problem_of_text
from sennit.adapters.store.transactions import reading, roll_back, writing
from sennit.core.engine.step_values import Change, Delete, Issued, Put, Step
from sennit.core.stored import (
    Committed,
    Foreign,
    Loaded,
    OutboxEntry,
    StoreCounts,
    StoreProblem,
    StoreProblemKind,
    StoryLine,
    StoryPage,
)
from sennit_protocol.ids import CommandId

ResultT = TypeVar("ResultT")

_encode = json.JSONEncoder(separators=(",", ":")).encode

# Rows of one step are told apart in `made` by their place in it.
_PLACES = 1 << 20


class StoredEvent(Protocol):
    """What the store needs of an event; ``at`` is in milliseconds since 1970 UTC."""

    TYPE: ClassVar[str]
    VERSION: ClassVar[int]

    @property
    def at(self) -> int:
        """When it happened."""

    @property
    def cause(self) -> str | None:
        """The command that it ends."""


_Value = str | int | None
_Statement = tuple[str, tuple[_Value, ...]]


@frozen
class Prepared:
    """A step with the statements that store it under its sequence number; none if it is empty."""

    sequence: int
    step: Step[Any]
    statements: tuple[_Statement, ...]


class Database:
    """Made by ``opening.open_database``. Only the thread that uses it may close it."""

    def __init__(
        self,
        path: Path,
        connection: apsw.Connection,
        codec: Codec,
        owner: str,
        presence: Presence,
    ) -> None:
        self._path = path
        self._connection = connection
        self._codec = codec
        self._owner = owner
        self._presence = presence
        self._log = identity_of_log(path)
        self._data_version = -1
        self._put = {row: _put_statement(name) for name, row in codec.tables.items()}
        self._delete = {row: _delete_statement(name) for name, row in codec.tables.items()}

    def prepare(self, event: StoredEvent, step: Step[Any], sequence: int) -> Prepared:
        """Spell a step that was decided for that sequence number; any thread may."""
        codec = self._codec
        changed: list[tuple[str, str]] = []
        statements: list[_Statement] = []
        for place, change in enumerate(step.changes):
            table, key, statement = self._spell(change, sequence, place)
            changed.append((table, key))
            statements.append(statement)
        if step.changes or step.commands or step.done or step.journal:
            body, keys = codec.dump(event), _encode(changed)
            values = (sequence, event.at, event.TYPE, event.VERSION, event.cause, body, keys)
            statements.append((_EVENT, values))
        for number, line in enumerate(step.journal):
            statements.append((_STORY, (line.ticket, sequence, number, line.task, line.message)))
        for each in step.commands:
            name, body = type(each.command).__name__, codec.dump(each.command)
            row = (each.id, self._owner, name, body, int(each.once), sequence, event.at)
            statements.append((_ISSUE, row))
        statements.extend((_END, (done,)) for done in step.done)
        return Prepared(sequence, step, tuple(statements))

    def commit(self, prepared: Prepared) -> Committed | Foreign | StoreProblem:
        """Store a step in one transaction, on disk when this returns.

        If others have committed since the number before its own, nothing is stored and their
        changes are given back: take them over, decide and prepare again.
        """
        return self._guarded(lambda: self._commit(prepared))

    def catch_up(self, seen: int) -> Foreign | StoreProblem | None:
        """What others have committed after ``seen``; None, at next to no cost, if nothing."""
        return self._guarded(lambda: self._gone() or self._catch_up(seen))

    def load(self) -> Loaded | StoreProblem:
        """All rows."""
        return self._guarded(self._load)

    def outbox(self) -> tuple[OutboxEntry, ...] | StoreProblem:
        """The commands of all servers that have not ended, in the order of their steps."""
        return self._guarded(self._outbox)

    def story(
        self, ticket: str, task: str | None = None, limit: int = 1000, before: int | None = None
    ) -> StoryPage | StoreProblem:
        """The newest lines of a ticket, or of one of its tasks, before a sequence number."""
        return self._guarded(lambda: self._story(ticket, task, limit, before))

    def counts(self) -> StoreCounts | StoreProblem:
        """How much there is."""
        return self._guarded(lambda: self._gone() or self._counts())

    def prune(self, before: int, tickets: type) -> int | StoreProblem:
        """Forget what was before a time (milliseconds since 1970 UTC) and is of no ticket any more.

        ``tickets`` is the class of their rows. Stories of tickets that are there stay whole. Gives
        the number of events forgotten. The newest one stays: it carries the sequence.
        """
        return self._guarded(lambda: self._prune(before, self._codec.table(tickets)))

    def close(self) -> None:
        """Close the database; the last one to do so leaves it in a single file."""
        self._connection.close()
        self._presence.leave()

    def _guarded(self, work: Callable[[], ResultT]) -> ResultT | StoreProblem:
        try:
            # A disk that failed at a commit may have kept it from being taken back, too.
            roll_back(self._connection)
            return work()
        except apsw.ConstraintError:
            # No state of the disk breaks a rule of the tables: this is a bug of ours.
            raise
        except apsw.Error as error:
            found = problem_of_sqlite(self._path, error, self._connection.system_errno)
            if found.kind is StoreProblemKind.CORRUPT:
                suspect(self._path)
            return found
        except UnreadableError as error:
            return problem_of_text(self._path, error)

    # Steps.

    def _commit(self, prepared: Prepared) -> Committed | Foreign | StoreProblem:
        # Spelled out and not by `writing`: most of what is here is in the way of every step.
        execute = self._connection.execute
        seen = prepared.sequence - 1
        if not prepared.statements:
            return self._confirm(prepared, seen)
        gone = self._gone()
        if gone is not None:
            return gone
        latest: int = execute(_BEGIN).get
        try:
            if latest != seen:
                return self._changed_since(seen, latest)
            for statement, values in prepared.statements:
                execute(statement, values)
            execute("COMMIT")
        finally:
            roll_back(self._connection)
        return Committed(prepared.sequence, prepared.step)

    def _gone(self) -> StoreProblem | None:
        """Tell whether the open files still have their names; what has none is lost at the end."""
        moved = ctypes.c_int(0)
        self._connection.file_control("main", apsw.SQLITE_FCNTL_HAS_MOVED, ctypes.addressof(moved))
        if moved.value:
            return problem(StoreProblemKind.GONE, self._path)
        log = identity_of_log(self._path)
        self._log = self._log or log
        if log == self._log:
            return None
        if log is None:
            # Nobody else has begun a new one: what this one holds can still be brought home.
            self._connection.pragma("wal_checkpoint")
        return problem(StoreProblemKind.GONE, log_of(self._path))

    def _confirm(self, prepared: Prepared, seen: int) -> Committed | Foreign | StoreProblem:
        """Nothing to write, but what was decided has to hold for the newest state too."""
        with reading(self._connection):
            latest = self._latest()
            if latest != seen:
                return self._changed_since(seen, latest)
        return Committed(seen, prepared.step)

    def _spell(self, change: Change, sequence: int, place: int) -> tuple[str, str, _Statement]:
        match change:
            case Put(row=row):
                values = (row.key, self._codec.dump(row), sequence, sequence * _PLACES + place)
                return self._codec.table(type(row)), row.key, (self._put[type(row)], values)
            case Delete(table=table, key=key):
                return self._codec.table(table), key, (self._delete[table], (key,))

    # What others did.

    def _catch_up(self, seen: int) -> Foreign | StoreProblem | None:
        version: int = self._connection.execute("PRAGMA data_version").get
        if version == self._data_version:
            return None
        with reading(self._connection):
            latest = self._latest()
            found = self._changed_since(seen, latest) if latest != seen else None
        if not isinstance(found, StoreProblem):
            self._data_version = version
        return found

    def _changed_since(self, seen: int, latest: int) -> Foreign | StoreProblem:
        query = "SELECT sequence, changed FROM events WHERE sequence > ? ORDER BY sequence"
        steps = self._connection.execute(query, (seen,)).fetchall()
        if len(steps) != latest - seen:
            return problem(StoreProblemKind.BEHIND, self._path)
        # A key that comes again takes the later place, as in the order of the steps.
        keys: dict[tuple[str, str], None] = {}
        for _, changed in steps:
            for table, key in json.loads(cast("str", changed)):
                keys.pop((table, key), None)
                keys[table, key] = None
        return Foreign(latest, tuple(self._as_it_is(table, key) for table, key in keys))

    def _as_it_is(self, table: str, key: str) -> Change:
        if table not in self._codec.tables:
            raise UnreadableError(table, "is not known to this program", newer=True)
        query = f"SELECT body FROM {table} WHERE key = ?"  # noqa: S608  the name of a known class
        body = self._connection.execute(query, (key,)).get
        if body is None:
            return Delete(self._codec.tables[table], key)
        return Put(self._codec.row(table, body))

    def _latest(self) -> int:
        return int(self._connection.execute(_LATEST).get)

    # Reading.

    def _load(self) -> Loaded:
        with reading(self._connection):
            rows = tuple(row for table in self._codec.tables for row in self._rows(table))
            return Loaded(self._latest(), rows)

    def _rows(self, table: str) -> Iterator[Any]:
        query = f"SELECT body FROM {table} ORDER BY made"  # noqa: S608  the name of a known class
        for (body,) in self._connection.execute(query):
            yield self._codec.row(table, cast("str", body))

    def _outbox(self) -> tuple[OutboxEntry, ...]:
        query = "SELECT id, owner, type, body, once, sequence, at FROM outbox ORDER BY sequence, id"
        return tuple(self._entry(*row) for row in cast("Any", self._connection.execute(query)))

    def _entry(
        self, name: str, owner: str, type_: str, body: str, once: int, sequence: int, at: int
    ) -> OutboxEntry:
        issued = Issued(CommandId(name), self._codec.command(type_, body), bool(once))
        return OutboxEntry(issued, owner, sequence, at)

    def _story(self, ticket: str, task: str | None, limit: int, before: int | None) -> StoryPage:
        # One more than asked for tells whether there are older ones.
        parameters = (ticket, before, before, task, task, limit + 1)
        rows = cast("list[Any]", self._connection.execute(_READ_STORY, parameters).fetchall())
        lines = [StoryLine(*row) for row in rows[:limit]]
        return StoryPage(tuple(reversed(lines)), len(rows) > limit)

    def _counts(self) -> StoreCounts:
        with reading(self._connection):
            rows = tuple((table, self._count(table)) for table in self._codec.tables)
            return StoreCounts(rows, self._count("events"), self._count("outbox"))

    def _count(self, table: str) -> int:
        return int(self._connection.execute(f"SELECT count(*) FROM {table}").get)  # noqa: S608  a known name

    def _prune(self, before: int, tickets: str) -> int:
        with writing(self._connection):
            # What others may not have seen yet is without gaps: it is younger, also where a clock
            # jumped back.
            keep = self._connection.execute(_FIRST_KEPT, (before,)).get or self._latest()
            gone = f"ticket NOT IN (SELECT key FROM {tickets})"  # noqa: S608  a known name
            self._connection.execute(f"DELETE FROM story WHERE sequence < ? AND {gone}", (keep,))  # noqa: S608  as above
            self._connection.execute(_FORGET_EVENTS, (keep,))
            return self._connection.changes()


def _put_statement(table: str) -> str:
    return (
        f"INSERT INTO {table} (key, body, sequence, made) VALUES (?, ?, ?, ?) "  # noqa: S608  the name of a known class
        "ON CONFLICT (key) DO UPDATE SET body = excluded.body, sequence = excluded.sequence"
    )


def _delete_statement(table: str) -> str:
    return f"DELETE FROM {table} WHERE key = ?"  # noqa: S608  the name of a known class


_LATEST = "SELECT coalesce(max(sequence), 0) FROM events"
_BEGIN = f"BEGIN IMMEDIATE; {_LATEST}"
_EVENT = (
    "INSERT INTO events (sequence, at, type, version, cause, body, changed) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_STORY = "INSERT INTO story (ticket, sequence, line, task, message) VALUES (?, ?, ?, ?, ?)"
# An idempotent command may be issued again by the server that takes it over; a `once` one may not.
_ISSUE = (
    "INSERT INTO outbox (id, owner, type, body, once, sequence, at) VALUES (?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (id) DO UPDATE SET owner = CASE WHEN once THEN NULL ELSE excluded.owner END"
)
_END = "DELETE FROM outbox WHERE id = ?"
_READ_STORY = """
  SELECT sequence, at, type, ticket, task, message, cause FROM story JOIN events USING (sequence)
  WHERE ticket = ? AND (? IS NULL OR sequence < ?) AND (? IS NULL OR task = ?)
  ORDER BY sequence DESC, line DESC LIMIT ?
"""
_FORGET_EVENTS = """
  DELETE FROM events WHERE sequence < ? AND sequence NOT IN (SELECT sequence FROM story)
"""
_FIRST_KEPT = "SELECT min(sequence) FROM events WHERE at >= ?"
