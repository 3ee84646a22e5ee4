"""Leads the database forward, one transaction a version, after a copy of what was there.

A new class of rows needs a new version too (with nothing to do, if only its table is new): an older
program has to refuse a database with rows that it does not know.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import apsw
from attrs import frozen

from sennit.adapters.store.problems import problem
from sennit.adapters.store.transactions import writing
from sennit.core.stored import StoreProblem, StoreProblemKind

APPLICATION_ID = 0x53454E54  # "SENT", in SQLite's header: tells our file from another program's


@frozen
class Migration:
    """What leads to ``version`` from the one before."""

    version: int
    about: str
    apply: Callable[[apsw.Connection], None]


def _first(connection: apsw.Connection) -> None:
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(
        # `changed` lists [table, key] of the rows that the step put or deleted: it tells the other
        # processes what to read again, also what is gone.
        """
        CREATE TABLE events (
          sequence INTEGER PRIMARY KEY,
          at INTEGER NOT NULL,
          type TEXT NOT NULL,
          version INTEGER NOT NULL,
          cause TEXT,
          body TEXT NOT NULL,
          changed TEXT NOT NULL
        ) STRICT;
        CREATE TABLE story (
          ticket TEXT NOT NULL,
          sequence INTEGER NOT NULL,
          line INTEGER NOT NULL,
          task TEXT,
          message TEXT NOT NULL,
          PRIMARY KEY (ticket, sequence, line)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE outbox (
          id TEXT PRIMARY KEY,
          owner TEXT NOT NULL,
          type TEXT NOT NULL,
          body TEXT NOT NULL,
          once INTEGER NOT NULL,
          sequence INTEGER NOT NULL,
          at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        """
    )


MIGRATIONS: tuple[Migration, ...] = (Migration(1, "events, story, outbox, meta", _first),)


def migrate(
    connection: apsw.Connection,
    path: Path,
    tables: Collection[str],
    migrations: Sequence[Migration] = MIGRATIONS,
) -> StoreProblem | None:
    """Bring the database to the newest version, with these tables. Raises ``apsw.Error``."""
    newest = migrations[-1].version
    refusal = _refusal(connection, path, newest)
    while refusal is None and not _is_ready(connection, tables, newest):
        with writing(connection):
            # Another server may have been here while we waited for the lock.
            refusal = _refusal(connection, path, newest)
            if refusal is None:
                _step(connection, path, tables, migrations)
                # A class of rows may be new without a new version while nothing is released.
                _make_tables(connection, tables)
    return refusal


def row_tables(connection: apsw.Connection) -> set[str]:
    """The tables that hold rows."""
    query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'row_*'"
    return {str(row[0]) for row in connection.execute(query)}


def _is_ready(connection: apsw.Connection, tables: Collection[str], newest: int) -> bool:
    return _version(connection) == newest and row_tables(connection) == set(tables)


def _step(
    connection: apsw.Connection,
    path: Path,
    tables: Collection[str],
    migrations: Sequence[Migration],
) -> None:
    version = _version(connection)
    # A new database goes all the way at once; there is nothing to copy in between.
    following = [each for each in migrations if each.version > version]
    following = following[:1] if version > 0 else following
    if following and version > 0:
        _back_up(path, version)
    for migration in following:
        migration.apply(connection)
        _make_tables(connection, tables)
        connection.execute(f"PRAGMA user_version = {migration.version}")


def _make_tables(connection: apsw.Connection, tables: Collection[str]) -> None:
    for table in tables:
        # All alike: their columns are in the body. `made` keeps the order in which rows were made
        # over all of their later changes.
        connection.execute(
            f"CREATE TABLE IF NOT EXISTS {table} (key TEXT PRIMARY KEY, body TEXT NOT NULL, "
            "sequence INTEGER NOT NULL, made INTEGER NOT NULL) STRICT, WITHOUT ROWID"
        )


def _refusal(connection: apsw.Connection, path: Path, newest: int) -> StoreProblem | None:
    version, application = _version(connection), connection.pragma("application_id")
    empty = connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").get is None
    if application != APPLICATION_ID and not (empty and version == 0):
        return problem(StoreProblemKind.NOT_OURS, path)
    if version > newest:
        return problem(StoreProblemKind.NEWER, path, f"version {version}, we know {newest}")
    return None


def _version(connection: apsw.Connection) -> int:
    return int(connection.pragma("user_version"))


def _back_up(path: Path, version: int) -> None:
    """Copy the database as it is committed, beside it; the copy appears whole or not at all."""
    final = path.with_name(f"{path.name}.version-{version}")
    part = path.with_name(f"{final.name}.part")
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    # A second connection: VACUUM cannot run in the transaction that keeps others from writing.
    reader = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        reader.execute("VACUUM INTO ?", (str(part),))
    finally:
        reader.close()
    descriptor = os.open(part, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    part.rename(final)
