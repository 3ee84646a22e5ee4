"""Neutral edit sets: what has to happen to files, before anyone turns it into LSP or writes it.

Images carry the content's SHA-256, so that whoever applies an edit set can compare what it finds
with what was meant, before and after.
"""

from __future__ import annotations

from enum import StrEnum
from hashlib import sha256

from attrs import frozen

from sennit.core.objects import (
    MODE_FILE,
    MODE_LINK,
    MODE_SUBMODULE,
    ChangeKind,
    Entry,
    FileChange,
)
from sennit.core.text_edits import MOST_EDITS, TextEdit, text_edits


class EditKind(StrEnum):
    """What happens to a file; only ``EDIT``, ``CREATE`` and ``RENAME`` can carry text edits."""

    CREATE = "create"
    DELETE = "delete"
    RENAME = "rename"
    EDIT = "edit"
    MODE = "mode"
    BINARY = "binary"
    LINK = "link"
    SUBMODULE = "submodule"
    TYPE = "type"


@frozen
class Image:
    """One side of a file: its entry and the SHA-256 of its content (of a link: of its target).

    ``text`` is None where the content is no text in its encoding; ``sha256`` is empty for a
    submodule, which has no content here.
    """

    entry: Entry
    sha256: str
    text: str | None = None


@frozen
class FileEdit:
    """What happens to one file. ``text_edits`` turn the text of ``before`` into that of ``after``.

    A rename with other content has both: first ``old_path`` becomes ``path``, then the edits. A
    change of the mode beside other changes shows in the two entries. ``travels`` is false for
    what no text protocol can carry and the server writes itself.
    """

    kind: EditKind
    path: bytes
    old_path: bytes
    before: Image | None
    after: Image | None
    text_edits: tuple[TextEdit, ...] = ()
    travels: bool = True


@frozen
class EditSet:
    """Everything that one application does, one item a file."""

    files: tuple[FileEdit, ...]


def image_of(entry: Entry, content: bytes, encoding: str = "utf-8") -> Image:
    """Describe one side of a file; binary content and unfit bytes have no text."""
    if entry.mode == MODE_SUBMODULE:
        return Image(entry, "")
    digest = sha256(content).hexdigest()
    if entry.mode == MODE_LINK or b"\0" in content:
        return Image(entry, digest)
    try:
        return Image(entry, digest, content.decode(encoding))
    except UnicodeDecodeError:
        return Image(entry, digest)


def file_edit(
    change: FileChange, before: Image | None, after: Image | None, most_edits: int = MOST_EDITS
) -> FileEdit:
    """Say what has to happen to one file so that ``before`` becomes ``after``."""
    kind = _kind(change, before, after)
    edits: tuple[TextEdit, ...] = ()
    if kind in {EditKind.CREATE, EditKind.RENAME, EditKind.EDIT} and after and after.text:
        edits = text_edits((before and before.text) or "", after.text, most_edits)
    elif kind in {EditKind.RENAME, EditKind.EDIT} and before and before.text and after:
        edits = text_edits(before.text, "", most_edits)
    return FileEdit(
        kind=kind,
        path=change.path,
        old_path=change.old_path,
        before=before,
        after=after,
        text_edits=edits,
        travels=_travels(kind, before, after),
    )


def _kind(change: FileChange, before: Image | None, after: Image | None) -> EditKind:
    match change.kind:
        case ChangeKind.CREATE:
            return EditKind.CREATE
        case ChangeKind.DELETE:
            return EditKind.DELETE
        case ChangeKind.RENAME:
            return EditKind.RENAME
        case ChangeKind.TYPE:
            return EditKind.TYPE
        case ChangeKind.MODIFY:
            return _modified(before, after)


def _modified(before: Image | None, after: Image | None) -> EditKind:
    if before is None or after is None:
        raise ValueError("a modified file has both sides")
    if after.entry.mode == MODE_LINK:
        return EditKind.LINK
    if after.entry.mode == MODE_SUBMODULE:
        return EditKind.SUBMODULE
    if before.entry.id == after.entry.id:
        return EditKind.MODE
    return EditKind.BINARY if before.text is None or after.text is None else EditKind.EDIT


def _travels(kind: EditKind, before: Image | None, after: Image | None) -> bool:
    """Tell whether text edits and resource operations alone bring the file to ``after``."""
    match kind:
        case EditKind.DELETE:
            return True
        case EditKind.CREATE:
            return after is not None and after.text is not None and not _special(after)
        case EditKind.EDIT | EditKind.RENAME:
            if before is None or after is None or before.entry.mode != after.entry.mode:
                return False
            if after.entry.mode in {MODE_LINK, MODE_SUBMODULE}:
                return False
            texts = before.text is not None and after.text is not None
            return texts or _same_content(before, after)
        case EditKind.MODE | EditKind.BINARY | EditKind.LINK | EditKind.SUBMODULE | EditKind.TYPE:
            return False


def _same_content(before: Image, after: Image) -> bool:
    # The digest of a text is that of another encoding, too, and a filter may change a blob.
    return (before.entry.id, before.sha256) == (after.entry.id, after.sha256)


def _special(image: Image) -> bool:
    """Tell whether the mode says more than an editor can: a link, a submodule, an executable."""
    return image.entry.mode != MODE_FILE
