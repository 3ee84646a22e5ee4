"""What a client can carry of an edit set by ``workspace/applyEdit``."""

from __future__ import annotations

from attrs import frozen
from lsprotocol import types

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
                return types.ResourceOperationKind.Create.value in self.operations
            case EditKind.DELETE:
                return types.ResourceOperationKind.Delete.value in self.operations
            case EditKind.RENAME:
                return types.ResourceOperationKind.Rename.value in self.operations
            case (
                EditKind.MODE | EditKind.BINARY | EditKind.LINK | EditKind.SUBMODULE | EditKind.TYPE
            ):
                return False


def carrier_of(client: Client, target: Target) -> Carrier:
    """The abilities of the client, or none where the target is not the editor."""
    workspace = client.capabilities.workspace
    if target is not Target.EDITOR or workspace is None or not workspace.apply_edit:
        return Carrier()
    edit = workspace.workspace_edit
    if edit is None:
        return Carrier(edits=True)
    documents = bool(edit.document_changes)
    operations = edit.resource_operations or ()
    names = frozenset(one.value for one in operations) if documents else frozenset()
    return Carrier(
        edits=True,
        document_changes=documents,
        operations=names,
        annotations=edit.change_annotation_support is not None and documents,
    )
