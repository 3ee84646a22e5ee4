"""A change carried over to the same text with other line endings: only changed lines change."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from sennit.core.text import lsp_lines
from sennit.core.text_edits import apply_text_edits, text_edits

BOM = "\ufeff"


def carried_over(actual: str, before: str, after: str) -> str:
    """Change ``actual`` as ``before`` is changed to ``after``, in its own line endings.

    ``before`` is what git would write for ``actual``. Where that has other line endings or no
    byte-order mark, the user's stay in every line that is not changed.
    """
    mark = BOM if actual.startswith(BOM) else ""
    bare = actual.removeprefix(BOM)
    if bare == before:
        return mark + after
    mine, theirs = lsp_lines(bare), lsp_lines(before)
    if [line.rstrip("\r\n") for line in mine] != [line.rstrip("\r\n") for line in theirs]:
        # A filter that does not give back what it took: git's version of the text counts.
        return mark + after
    ending = _usual_ending(mine)
    edits = [
        evolve(edit, new_text=_with_ending(edit.new_text, ending))
        for edit in text_edits(before, after)
    ]
    return mark + apply_text_edits(bare, edits)


def _usual_ending(lines: Sequence[str]) -> str:
    pairs = sum(line.endswith("\r\n") for line in lines)
    return "\r\n" if 2 * pairs > len(lines) else "\n"


def _with_ending(text: str, ending: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", ending)
