"""A change carried over to the same text with other line endings: only changed lines change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from sennit.core.text import lsp_lines
from sennit.core.text_edits import Block, blocks

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
    mine, was, new = lsp_lines(bare), lsp_lines(before), lsp_lines(after)
    bodies = [_body(line) for line in was]
    if [_body(line) for line in mine] != bodies:
        # A filter that does not give back what it took: git's version of the text counts.
        return mark + after
    return mark + "".join(_lines(_Lines(mine, was, new), bodies))


@frozen
class _Lines:
    """The lines of the user's text, of git's version of it, and of that version changed."""

    mine: Sequence[str]
    was: Sequence[str]
    new: Sequence[str]


def _lines(lines: _Lines, bodies: Sequence[str]) -> Iterator[str]:
    usual = _usual_ending(lines.mine)
    behind = 0, 0
    ends = Block(len(lines.was), len(lines.was), len(lines.new), len(lines.new))
    for block in (*blocks(bodies, [_body(line) for line in lines.new]), ends):
        kept = zip(range(behind[0], block.a0), range(behind[1], block.b0), strict=True)
        yield from (_line(lines, old, new, usual) for old, new in kept)
        if block.a1 - block.a0 == block.b1 - block.b0:
            pairs = zip(range(block.a0, block.a1), range(block.b0, block.b1), strict=True)
            yield from (_line(lines, old, new, usual) for old, new in pairs)
        else:
            yield from (_with_ending(line, usual) for line in lines.new[block.b0 : block.b1])
        behind = block.a1, block.b1


def _line(lines: _Lines, old: int, new: int, usual: str) -> str:
    """Give a new line the ending of the user's line in whose place it comes."""
    line = lines.new[new]
    mine, was, becomes = _end(lines.mine[old]), _end(lines.was[old]), _end(line)
    if not becomes or not was:
        return _with_ending(line, usual)
    # Another ending is a change like any other, but to a line whose ending git did not change.
    return _body(line) + (becomes if mine == was else mine)


def _body(line: str) -> str:
    return line.rstrip("\r\n")


def _end(line: str) -> str:
    return line[len(_body(line)) :]


def _usual_ending(lines: Sequence[str]) -> str:
    pairs = sum(line.endswith("\r\n") for line in lines)
    return "\r\n" if 2 * pairs > len(lines) else "\n"


def _with_ending(text: str, ending: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", ending)
