"""Rows about the servers that share the database, and what one asks of another."""

from __future__ import annotations

from attrs import frozen

from sennit.core.named_limits import NamedLimit
from sennit_protocol.ids import ServerId, TicketId


@frozen
class ServerRow:
    """A server process that shares the database; dead when no process has that id and start.

    ``start_time`` is in clock ticks since the boot named by ``boot_id``. It and ``pid`` count in
    the ``realm`` alone, which may be a container; an empty one is that of whoever reads it. One
    that is ``stopping`` takes no new work; behind one that is ``unattended`` nobody answers
    questions. ``limits`` count for the whole machine, as ``limit_tasks`` does.
    """

    id: ServerId
    pid: int
    start_time: int
    boot_id: str
    since: int
    limit_tasks: int
    stopping: bool = False
    unattended: bool = False
    limits: tuple[NamedLimit, ...] = ()
    realm: str = ""

    @property
    def key(self) -> str:
        """The server's id."""
        return self.id


@frozen
class TimerRow:
    """Something that is due at a time, in milliseconds since 1970 UTC."""

    id: str
    due: int
    ticket: TicketId
    sequence: int = 0

    @property
    def key(self) -> str:
        """The timer's id, such as ``deadline:RUN``."""
        return self.id


@frozen
class OpenDocumentRow:
    """A document that is open and unsaved in the editor of a server."""

    server: ServerId
    path: bytes
    sha256: str
    sequence: int = 0

    @property
    def key(self) -> str:
        """Server and path."""
        return f"{self.server}:{self.path.hex()}"


@frozen
class MailRow:
    """Something that a server asks of the one that owns a ticket."""

    id: str
    to: ServerId
    ticket: TicketId
    tasks: tuple[str, ...]
    sequence: int = 0

    @property
    def key(self) -> str:
        """The letter's id."""
        return self.id
