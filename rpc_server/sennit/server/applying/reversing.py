"""The edit that takes an edit back."""

from __future__ import annotations

from attrs import evolve

from sennit.core.edits import EditKind, FileEdit
from sennit.core.text_edits import text_edits

_OPPOSITE = {EditKind.CREATE: EditKind.DELETE, EditKind.DELETE: EditKind.CREATE}


def reversed_edit(edit: FileEdit) -> FileEdit:
    """From the state after back to the state before."""
    before = "" if edit.before is None else edit.before.text or ""
    after = "" if edit.after is None else edit.after.text or ""
    return evolve(
        edit,
        kind=_OPPOSITE.get(edit.kind, edit.kind),
        path=edit.old_path,
        old_path=edit.path,
        before=edit.after,
        after=edit.before,
        text_edits=() if edit.before is None else text_edits(after, before),
    )
