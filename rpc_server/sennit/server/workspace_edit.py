"""Edit sets as LSP's ``WorkspaceEdit``, shaped for what the client can do.

LSP 3.18, "WorkspaceEdit": one ``TextDocumentEdit`` a document with its version, resource operations
in the order in which they are to be done, annotations that ask for a confirmation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import frozen
from lsprotocol import types

from sennit.core.edits import EditKind, EditSet, FileEdit
from sennit.core.text import Position, PositionEncoding, TextIndex
from sennit.core.uris import display, file_uri
from sennit.server.applying.carrying import Carrier
from sennit.server.open_documents import Buffer

Operation = types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile


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


@frozen
class Rounds:
    """The edits to send, one after the other: renames before edits of what was renamed.

    Editors apply a rename and an edit under the new name wrongly within one edit.
    """

    edits: tuple[types.WorkspaceEdit, ...]


def rounds(edit_set: EditSet, shape: Shape) -> Rounds:
    """Shape an edit set; one edit, or two where files are renamed and changed."""
    renames = [edit for edit in edit_set.files if edit.kind is EditKind.RENAME]
    both = any(edit.text_edits for edit in renames)
    if not both:
        return Rounds((workspace_edit(edit_set.files, shape),) if edit_set.files else ())
    first = [operation for edit in renames for operation in _renames(edit, shape)]
    rest = [
        operation
        for edit in edit_set.files
        for operation in (_text(edit, shape) if edit in renames else _operations(edit, shape))
    ]
    return Rounds((_document_edit(first, shape), _document_edit(rest, shape)))


def workspace_edit(files: tuple[FileEdit, ...], shape: Shape) -> types.WorkspaceEdit:
    """All files in one edit."""
    if not shape.carrier.document_changes:
        changes = {
            _uri(edit, shape): [_edit(one) for one in _encoded(edit, shape)] for edit in files
        }
        return types.WorkspaceEdit(changes=changes)
    return _document_edit([one for edit in files for one in _operations(edit, shape)], shape)


ANNOTATION = "sennit"


def _document_edit(operations: list[Operation], shape: Shape) -> types.WorkspaceEdit:
    annotations = None
    if _annotation(shape) is not None:
        annotation = types.ChangeAnnotation(label=shape.label or "", needs_confirmation=True)
        annotations = {ANNOTATION: annotation}
    return types.WorkspaceEdit(document_changes=operations, change_annotations=annotations)


def _annotation(shape: Shape) -> str | None:
    return ANNOTATION if shape.label is not None and shape.carrier.annotations else None


def _operations(edit: FileEdit, shape: Shape) -> Iterator[Operation]:
    match edit.kind:
        case EditKind.CREATE:
            options = types.CreateFileOptions(ignore_if_exists=True)
            yield types.CreateFile(
                uri=_uri(edit, shape), options=options, annotation_id=_annotation(shape)
            )
            yield from _text(edit, shape)
        case EditKind.DELETE:
            yield types.DeleteFile(uri=_uri(edit, shape), annotation_id=_annotation(shape))
        case EditKind.RENAME:
            yield from _renames(edit, shape)
            yield from _text(edit, shape)
        case _:
            yield from _text(edit, shape)


def _renames(edit: FileEdit, shape: Shape) -> Iterator[Operation]:
    old = _uri_of(edit.old_path, shape)
    yield types.RenameFile(old_uri=old, new_uri=_uri(edit, shape), annotation_id=_annotation(shape))


def _text(edit: FileEdit, shape: Shape) -> Iterator[Operation]:
    if not edit.text_edits:
        return
    buffer = shape.buffers.get(shape.top + b"/" + edit.path)
    version = None if buffer is None else buffer.document.version
    document = types.OptionalVersionedTextDocumentIdentifier(uri=_uri(edit, shape), version=version)
    yield types.TextDocumentEdit(
        text_document=document, edits=[_annotated(one, shape) for one in _encoded(edit, shape)]
    )


@frozen
class _Encoded:
    start: Position
    end: Position
    new_text: str


def _encoded(edit: FileEdit, shape: Shape) -> Iterator[_Encoded]:
    before = edit.before.text if edit.before is not None and edit.before.text is not None else ""
    index = TextIndex(before)
    for one in edit.text_edits:
        yield _Encoded(
            index.encoded(one.start, shape.encoding),
            index.encoded(one.end, shape.encoding),
            one.new_text,
        )


def _annotated(
    one: _Encoded, shape: Shape
) -> types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit:
    name = _annotation(shape)
    if name is None:
        return _edit(one)
    return types.AnnotatedTextEdit(annotation_id=name, range=_range(one), new_text=one.new_text)


def _edit(one: _Encoded) -> types.TextEdit:
    return types.TextEdit(range=_range(one), new_text=one.new_text)


def _range(one: _Encoded) -> types.Range:
    return types.Range(
        start=types.Position(line=one.start.line, character=one.start.character),
        end=types.Position(line=one.end.line, character=one.end.character),
    )


def _uri(edit: FileEdit, shape: Shape) -> str:
    return _uri_of(edit.path, shape)


def _uri_of(path: bytes, shape: Shape) -> str:
    """The client's own spelling where the document is open, else ours."""
    full = shape.top + b"/" + path
    buffer = shape.buffers.get(full)
    return file_uri(full) if buffer is None else buffer.uri


def label_of(task: str, description: str | None, files: int) -> str:
    """The label of a proposal's annotation."""
    what = description or display(task.encode("utf-8", "surrogateescape"))
    return f"Sennit: {what} ({files} files)"
