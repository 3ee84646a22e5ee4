"""What has happened to servers and in their editors."""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from sennit.core.engine.event import Event
from sennit.core.engine.rows import ServerRow
from sennit.core.engine.step_values import Issued
from sennit_protocol.ids import ServerId


@frozen(kw_only=True)
class ServerStarted(Event):
    """A server begins; ``dead`` are those that are no more, with what their outbox held."""

    TYPE: ClassVar[str] = "serverStarted"

    server: ServerRow
    dead: tuple[ServerId, ...] = ()
    outbox: tuple[Issued, ...] = ()


@frozen(kw_only=True)
class ServersGone(Event):
    """Servers were found dead while this one runs; ``outbox`` is what theirs held."""

    TYPE: ClassVar[str] = "serversGone"

    server: ServerId
    dead: tuple[ServerId, ...]
    outbox: tuple[Issued, ...] = ()


@frozen(kw_only=True)
class ServerUnattended(Event):
    """The client of a server has said that nobody is there to answer questions."""

    TYPE: ClassVar[str] = "serverUnattended"

    server: ServerId


@frozen(kw_only=True)
class ServerStopping(Event):
    """A server ends in order: what it carries is interrupted and kept."""

    TYPE: ClassVar[str] = "serverStopping"

    server: ServerId


@frozen(kw_only=True)
class ServerStopped(Event):
    """A server has ended in order."""

    TYPE: ClassVar[str] = "serverStopped"

    server: ServerId


@frozen(kw_only=True)
class DocumentUnsaved(Event):
    """A document is open and unsaved in the editor of a server, or is not any more."""

    TYPE: ClassVar[str] = "documentUnsaved"

    server: ServerId
    path: bytes
    sha256: str | None
