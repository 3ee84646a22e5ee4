"""Opens the database: place, presence, soundness, version; every obstacle is a value."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import apsw
from attrs import evolve, frozen

from sennit.adapters.platform.filesystems import filesystem_type
from sennit.adapters.store.codec import Codec
from sennit.adapters.store.database import Database
from sennit.adapters.store.files import (
    FilesystemType,
    Presence,
    be_present,
    make_place,
    needs_check,
    quarantine,
    share,
    trust_again,
)
from sennit.adapters.store.migrations import MIGRATIONS, Migration, migrate, row_tables
from sennit.adapters.store.problems import problem, problem_of_sqlite, problem_of_system
from sennit.core.stored import StoreProblem, StoreProblemKind

# Older ones can damage the database when several processes write with a write-ahead log.
OLDEST_SQLITE = (3, 51, 3)
_SHOWN_FAULTS = 3


@frozen
class Options:
    """How the database is opened; ``busy_timeout_ms`` is how long to wait for another process."""

    busy_timeout_ms: int = 10_000
    filesystem_type: FilesystemType = filesystem_type
    migrations: Sequence[Migration] = MIGRATIONS


def open_database(
    path: Path, codec: Codec, owner: str, options: Options | None = None
) -> Database | StoreProblem:
    """Open the database, or make it. ``owner`` is the id of the server that will issue commands.

    A damaged database is moved aside; opening again then begins a new one.
    """
    chosen = options or Options()
    _require_sqlite()
    real = path.parent.resolve() / path.name
    obstacle = make_place(real, chosen.filesystem_type)
    if obstacle is not None:
        return obstacle
    presence = be_present(real, chosen.busy_timeout_ms)
    if isinstance(presence, StoreProblem):
        return presence
    opened = _open_present(real, codec, owner, chosen, presence)
    if isinstance(opened, StoreProblem):
        presence.leave()
    return opened


def _require_sqlite() -> None:
    found = tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
    if found < OLDEST_SQLITE:
        oldest = ".".join(map(str, OLDEST_SQLITE))
        raise RuntimeError(f"SQLite {apsw.sqlite_lib_version()} is too old: install {oldest}")


def _open_present(
    path: Path, codec: Codec, owner: str, options: Options, presence: Presence
) -> Database | StoreProblem:
    try:
        connection: apsw.Connection | None = None
        try:
            check = needs_check(path, presence)
            connection = _connect(path, options)
            obstacle = _prepare(connection, path, codec, options, check=check)
        except apsw.Error as error:
            number = connection.system_errno if connection is not None else 0
            obstacle = problem_of_sqlite(path, error, number)
        if obstacle is None and connection is not None:
            share(presence)
            return Database(path, connection, codec, owner, presence)
        if connection is not None:
            # Closing would write the log into the file, and a damaged file stays as it was found.
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.close()
        return _put_aside(path, presence, obstacle)
    except OSError as error:
        return problem_of_system(path, error)


def _connect(path: Path, options: Options) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_NOFOLLOW
    connection = apsw.Connection(str(path), flags=flags)
    connection.set_busy_timeout(options.busy_timeout_ms)
    connection.pragma("mmap_size", 0)
    connection.pragma("foreign_keys", 1)
    return connection


def _prepare(
    connection: apsw.Connection, path: Path, codec: Codec, options: Options, *, check: bool
) -> StoreProblem | None:
    if check:
        faults = quick_check(connection)
        if faults:
            return problem(StoreProblemKind.CORRUPT, path, "; ".join(faults))
        trust_again(path)
    mode = connection.pragma("journal_mode", "wal")
    if mode != "wal":
        return problem(StoreProblemKind.BROKEN, path, f"journal mode {mode} instead of wal")
    connection.pragma("synchronous", "full")
    unknown = row_tables(connection) - codec.tables.keys()
    if unknown:
        return problem(StoreProblemKind.NEWER, path, f"tables {', '.join(sorted(unknown))}")
    return migrate(connection, path, codec.tables, options.migrations)


def quick_check(connection: apsw.Connection) -> tuple[str, ...]:
    """What SQLite finds wrong with the file; nothing when it is sound."""
    rows = connection.execute(f"PRAGMA quick_check({_SHOWN_FAULTS})").fetchall()
    return tuple(str(row[0]) for row in rows if row != ("ok",))


def _put_aside(path: Path, presence: Presence, obstacle: StoreProblem | None) -> StoreProblem:
    if obstacle is None:
        return problem(StoreProblemKind.BROKEN, path)
    if obstacle.kind is not StoreProblemKind.CORRUPT or not presence.alone:
        return obstacle
    aside = quarantine(path)
    message = (
        f"The database {path} was damaged. It has been moved, whole, to {aside}, and a new one is "
        "begun, which knows no ticket from before; repositories are not touched, and workspaces "
        f"stay. What SQLite found: {obstacle.detail or obstacle.message}"
    )
    return evolve(obstacle, message=message, moved_to=str(aside))
