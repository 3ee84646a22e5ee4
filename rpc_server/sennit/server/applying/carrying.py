"""What a client can carry of an edit set by ``workspace/applyEdit``."""

from __future__ import annotations

from attrs import frozen

from sennit.core.edits import EditKind, FileEdit
from sennit.server.jsonrpc import Client
from sennit_protocol.states import Target


@frozen
class Carrier:
    """The abilities of a client that decide how an edit is shaped.

    ``operations`` are the resource operations that it can do: create, rename, delete.
    """

    edits: bool = False
    document_changes: bool = False
    operations: frozenset[str] = frozenset()
    annotations: bool = False

    def carries(self, edit: FileEdit) -> bool:
        """Whether the client brings the file to its new state."""
        if not self.edits or not edit.travels:
            return False
        match edit.kind:
            case EditKind.EDIT:
                return True
            case EditKind.CREATE:
                return "create" in self.operations
            case EditKind.DELETE:
                return "delete" in self.operations
            case EditKind.RENAME:
                return "rename" in self.operations
            case (
                EditKind.MODE | EditKind.BINARY | EditKind.LINK | EditKind.SUBMODULE | EditKind.TYPE
            ):
                return False


def carrier_of(client: Client, target: Target) -> Carrier:
    """The abilities of the client, or none where the target is not the editor."""
    can = client.abilities
    if target is not Target.EDITOR or not can.edits:
        return Carrier()
    return Carrier(
        edits=True,
        document_changes=can.document_changes,
        operations=can.operations if can.document_changes else frozenset(),
        annotations=can.annotations and can.document_changes,
    )
