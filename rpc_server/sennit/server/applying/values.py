"""The values of an application before it is carried out."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from attrs import field, frozen

from sennit.adapters.git.live import Folded
from sennit.core.disk_application import Staged
from sennit.core.edits import EditSet
from sennit.core.engine.rows import Image
from sennit.core.objects import Entry, FileChange, Snapshot
from sennit.core.resolutions import Resolution
from sennit.core.units import Unit
from sennit.server.open_documents import Buffer
from sennit.server.repositories import Opened
from sennit_protocol.ids import RevisionId
from sennit_protocol.states import Target
from sennit_protocol.views import Notice


@frozen
class Part:
    """One thing to fold onto the live text: a revision, or an application that is undone.

    ``applied`` are units that an earlier application has put in and that nobody took back.
    """

    base_tree: str
    units: tuple[Unit, ...]
    accepted: frozenset[str]
    revision: RevisionId | None = None
    resolutions: tuple[Resolution, ...] = ()
    applied: frozenset[str] = frozenset()


class Rest(Enum):
    """What becomes of files that an editor could change, but not the client at hand."""

    WRITE = auto()
    LEAVE = auto()


@frozen
class Wish:
    """What is to be applied where. ``revisions`` are named in the record.

    ``absent_before`` is what git holds of files that an application which is undone has written and
    that were not on the disk before it; ``left_alone`` are the paths that it did not touch after
    all, so that what is not there was not removed by it; ``written`` is what it left at each path.
    """

    parts: tuple[Part, ...]
    target: Target
    revisions: tuple[RevisionId, ...] = ()
    rest: Rest = Rest.WRITE
    absent_before: Mapping[bytes, Entry] = field(factory=dict)
    left_alone: frozenset[bytes] = frozenset()
    written: Mapping[bytes, Image] = field(factory=dict)


@frozen
class Held:
    """A file that is not touched, and why."""

    path: bytes
    reason: str


@frozen
class Plan:
    """An application that is worked out: nothing has been written yet.

    ``editor`` is what the client is asked to do, ``staged`` what the server writes itself.
    ``to_consent`` are those of the latter that need the user's consent, since other editors would
    do them. ``buffers`` are the client's documents, by absolute path, as the plan saw them.
    ``changed_since`` are paths where something else stands now in place of what was applied before.
    ``seen`` is the sequence number of the engine's state before the text was looked at.
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
    to_consent: tuple[bytes, ...] = ()
    notices: tuple[Notice, ...] = ()
    revisions: tuple[RevisionId, ...] = ()
    changed_since: tuple[bytes, ...] = ()
    seen: int | None = None

    @property
    def does_nothing(self) -> bool:
        """Whether no file would change."""
        return not self.editor.files and self.staged is None
