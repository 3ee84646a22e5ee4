"""The values of an application before it is carried out."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen
from sennit_protocol.ids import RevisionId
from sennit_protocol.states import Target
from sennit_protocol.views import Notice

from sennit.adapters.git.live import Folded
from sennit.core.disk_application import Staged
from sennit.core.edits import EditSet
from sennit.core.objects import FileChange, Snapshot
from sennit.core.units import Unit
from sennit.server.open_documents import Buffer
from sennit.server.repositories import Opened


@frozen
class Part:
    """One thing to fold onto the live text: a revision, or an application that is undone."""

    base_tree: str
    units: tuple[Unit, ...]
    accepted: frozenset[str]
    revision: RevisionId | None = None


@frozen
class Wish:
    """What is to be applied where. ``revisions`` are named in the record."""

    parts: tuple[Part, ...]
    target: Target
    revisions: tuple[RevisionId, ...] = ()


@frozen
class Held:
    """A file that is not touched, and why."""

    path: bytes
    reason: str


@frozen
class Plan:
    """An application that is worked out: nothing has been written yet.

    ``editor`` is what the client is asked to do, ``staged`` what the server writes itself.
    ``buffers`` are the client's documents, by absolute path, as the plan saw them.
    """

    opened: Opened
    target: Target
    live: Snapshot
    folded: Folded
    changes: tuple[FileChange, ...]
    editor: EditSet
    staged: Staged | None
    buffers: Mapping[bytes, Buffer]
    held: tuple[Held, ...] = ()
    notices: tuple[Notice, ...] = ()
    revisions: tuple[RevisionId, ...] = ()
    before_text: Mapping[bytes, str] = field(factory=dict)
    after_text: Mapping[bytes, str | None] = field(factory=dict)
