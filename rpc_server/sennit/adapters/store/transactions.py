"""Transactions on a connection of SQLite."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import apsw


@contextmanager
def writing(connection: apsw.Connection) -> Iterator[None]:
    """A transaction that has the lock for writing from its start; rolled back by any exception.

    A deferred one would fail when another process writes between its first read and first write.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        roll_back(connection)
        raise


@contextmanager
def reading(connection: apsw.Connection) -> Iterator[None]:
    """A transaction that sees one state of the database throughout."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        roll_back(connection)


def roll_back(connection: apsw.Connection) -> None:
    """Leave the transaction without a trace, if SQLite has not done so already."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")
