"""Edit sets as LSP's ``WorkspaceEdit``, shaped for what the client can do.

LSP 3.18, "WorkspaceEdit": one ``TextDocumentEdit`` a document with its version, resource operations
in the order in which they are to be done, annotations that ask for a confirmation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from attrs import evolve, frozen

from sennit.core.counted import counted
from sennit.core.edits import EditKind, EditSet, FileEdit
from sennit.core.text import PositionEncoding, TextIndex
from sennit.core.uris import file_uri
from sennit.server import lsp_words as types
from sennit.server.applying.carrying import Carrier
from sennit.server.open_documents import Buffer

Operation: TypeAlias = (
    "types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile"
)
Edits = tuple[FileEdit, ...]

CHANGES = "sennit"
DELETIONS = "sennit.delete"


@frozen
class Shape:
    """How an edit set is turned into LSP: for whom, where, and under which label.

    With ``label`` every change asks for a confirmation, where the client has annotations.
    """

    carrier: Carrier
    encoding: PositionEncoding
    top: bytes
    buffers: Mapping[bytes, Buffer]
    label: str | None = None

    @property
    def annotates(self) -> bool:
        """Whether every change names an annotation."""
        return self.label is not None and self.carrier.annotations


def rounds(edit_set: EditSet) -> tuple[Edits, ...]:
    """What can be sent together, one after the other.

    Editors do it wrongly within one edit to rename a file and then change it under its new name,
    or to put another file in its old place: then the renames and deletions go first, alone.
    """
    files = edit_set.files
    if not files:
        return ()
    renames = [edit for edit in files if edit.kind is EditKind.RENAME]
    left = {edit.old_path for edit in renames}
    reused = any(edit.path in left for edit in files if edit.kind is EditKind.CREATE)
    if not reused and not any(edit.text_edits for edit in renames):
        return (files,)
    moving = {EditKind.RENAME, EditKind.DELETE}
    first = tuple(evolve(edit, text_edits=()) for edit in files if edit.kind in moving)
    rest = tuple(_renamed(edit) for edit in files if edit.kind is not EditKind.DELETE)
    second = tuple(edit for edit in rest if edit.kind is not EditKind.EDIT or edit.text_edits)
    return (first, second) if second else (first,)


def _renamed(edit: FileEdit) -> FileEdit:
    if edit.kind is not EditKind.RENAME:
        return edit
    return evolve(edit, kind=EditKind.EDIT, old_path=edit.path)


def workspace_edit(files: Edits, shape: Shape) -> types.WorkspaceEdit:
    """Everything that goes together, as one edit."""
    if not shape.carrier.document_changes:
        changes = {_uri(edit.path, shape): list(_encoded(edit, shape))
                   for edit in files}  # fmt: skip
        return types.WorkspaceEdit(changes=changes)
    operations = [one for edit in files for one in _operations(edit, shape)]
    return types.WorkspaceEdit(
        document_changes=operations, change_annotations=_annotations(files, shape)
    )


def _annotations(files: Edits, shape: Shape) -> dict[str, types.ChangeAnnotation] | None:
    """Deletions have a label of their own: previews show them as if something was added."""
    if not shape.annotates:
        return None
    found = {}
    deleted = [edit for edit in files if edit.kind is EditKind.DELETE]
    if len(deleted) < len(files):
        found[CHANGES] = types.ChangeAnnotation(label=shape.label or "", needs_confirmation=True)
    if deleted:
        label = f"{shape.label}: delete {counted(len(deleted), 'file')}"
        found[DELETIONS] = types.ChangeAnnotation(label=label, needs_confirmation=True)
    return found


def _operations(edit: FileEdit, shape: Shape) -> Iterator[Operation]:
    annotation = CHANGES if shape.annotates else None
    uri = _uri(edit.path, shape)
    match edit.kind:
        case EditKind.CREATE:
            # A file that has appeared since is not emptied, whatever the editor does without it.
            options = types.CreateFileOptions(ignore_if_exists=True)
            yield types.CreateFile(uri=uri, options=options, annotation_id=annotation)
        case EditKind.DELETE:
            yield types.DeleteFile(uri=uri, annotation_id=annotation and DELETIONS)
        case EditKind.RENAME:
            old = _uri(edit.old_path, shape)
            yield types.RenameFile(old_uri=old, new_uri=uri, annotation_id=annotation)
        case _:
            pass
    if edit.text_edits:
        yield _text(edit, shape)


def _text(edit: FileEdit, shape: Shape) -> types.TextDocumentEdit:
    buffer = shape.buffers.get(shape.top + b"/" + edit.path)
    version = None if buffer is None else buffer.document.version
    document = types.OptionalVersionedTextDocumentIdentifier(
        uri=_uri(edit.path, shape), version=version
    )
    return types.TextDocumentEdit(
        text_document=document, edits=[_annotated(one, shape) for one in _encoded(edit, shape)]
    )


def _encoded(edit: FileEdit, shape: Shape) -> Iterator[types.TextEdit]:
    before = edit.before.text if edit.before is not None and edit.before.text is not None else ""
    index = TextIndex(before)
    for one in edit.text_edits:
        start, end = (index.encoded(place, shape.encoding) for place in (one.start, one.end))
        yield types.TextEdit(
            range=types.Range(
                start=types.Position(line=start.line, character=start.character),
                end=types.Position(line=end.line, character=end.character),
            ),
            new_text=one.new_text,
        )


def _annotated(
    one: types.TextEdit, shape: Shape
) -> types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit:
    if not shape.annotates:
        return one
    return types.AnnotatedTextEdit(annotation_id=CHANGES, range=one.range, new_text=one.new_text)


def _uri(path: bytes, shape: Shape) -> str:
    """The client's own spelling where the document is open, else ours."""
    full = shape.top + b"/" + path
    buffer = shape.buffers.get(full)
    return file_uri(full) if buffer is None else buffer.uri
