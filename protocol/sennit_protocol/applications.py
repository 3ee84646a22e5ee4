"""What clients are shown of applications: what was meant, and what became of each file."""

from __future__ import annotations

from attrs import field, frozen

from sennit_protocol.describe import APPLICATION, FILE_URI, NOTICES, SHOWN_PATH, TICKET, says
from sennit_protocol.ids import ApplicationId, ProposalId, TicketId, UnitId
from sennit_protocol.states import ApplicationState, Target
from sennit_protocol.views import Notice


@frozen
class AppliedFile:
    """What an application did, or could not do, to one file."""

    path: str = field(metadata=SHOWN_PATH)
    uri: str = field(metadata=FILE_URI)
    state: ApplicationState = field(metadata=says("What became of it."))
    message: str | None = field(
        default=None, metadata=says("Why, and what to do; absent where there is nothing to say.")
    )


@frozen
class ApplicationView:
    """One application: what was meant, what was observed."""

    id: ApplicationId = field(metadata=APPLICATION)
    state: ApplicationState = field(
        metadata=says("Of an undo `applied` says that it was taken back; of a patch `none`.")
    )
    target: Target = field(metadata=says("Where it went."))
    at: str = field(metadata=says("When it began."))
    ticket: TicketId = field(metadata=TICKET)
    proposals: tuple[ProposalId, ...] = field(
        default=(), metadata=says("Ids of the proposals that it is about.")
    )
    files: tuple[AppliedFile, ...] = field(default=(), metadata=says("What became of each file."))
    notices: tuple[Notice, ...] = field(default=(), metadata=NOTICES)
    undoes: ApplicationId | None = field(
        default=None,
        metadata=says("Id of the application that it takes back; absent where it is no undo."),
    )
    patch: str | None = field(default=None, metadata=says("The patch, for the target `patch`."))
    patch_base64: str | None = field(
        default=None, metadata=says("The same where its bytes are not UTF-8.")
    )
    conflicts: tuple[UnitId, ...] = field(
        default=(), metadata=says("Ids of accepted units that do not fit, and were left out.")
    )
    already_there: tuple[UnitId, ...] = field(
        default=(), metadata=says("Ids of accepted units that the text held already.")
    )
