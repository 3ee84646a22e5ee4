"""One look at the folder of a run: what is new since the last one."""

from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from sennit.adapters.runs.folder import RunFolder
from sennit.adapters.runs.questions import open_questions, was_answered
from sennit.adapters.runs.values import (
    Asked,
    Cursor,
    Output,
    OutputOver,
    Over,
    Progress,
    RunEvent,
    Stream,
    Withdrawn,
)
from sennit.adapters.small_files import regular_file

_PIECE = 1 << 16
_PIECES = 16


@frozen
class Seen:
    """What a reader knows already: output up to a cursor, whether it is over, open questions."""

    cursor: Cursor
    questions: tuple[Asked, ...] = ()
    is_over: bool = False


@frozen
class Look:
    """New events, what is known after them, and whether more output lies ready."""

    events: tuple[RunEvent, ...]
    seen: Seen
    more: bool


def look(folder: RunFolder, seen: Seen) -> Look:
    """Tell what is new in a run's folder; blocks shortly, reads at most 1 MiB of each stream."""
    outputs: list[Output] = []
    cursor = seen.cursor
    # Looked at first: all that came before is then in the pieces.
    over = None if seen.is_over else _over(folder)
    for piece in _pieces(folder.stdout, cursor.stdout):
        cursor = Cursor(cursor.stdout + len(piece), cursor.stderr)
        outputs.append(Output(Stream.STDOUT, piece, cursor))
    for piece in _pieces(folder.stderr, cursor.stderr):
        cursor = Cursor(cursor.stdout, cursor.stderr + len(piece))
        outputs.append(Output(Stream.STDERR, piece, cursor))
    questions = open_questions(folder, {each.question_id for each in seen.questions})
    asked = tuple(each for each in questions if each not in seen.questions)
    withdrawn = tuple(
        Withdrawn(each.question_id)
        for each in seen.questions
        if each not in questions and not was_answered(folder, each.question_id)
    )
    progress = (Progress(cursor.stdout, cursor.stderr),) if outputs else ()
    more = len(outputs) >= _PIECES
    told = () if over is None or more else (OutputOver(over),)
    return Look(
        events=(*outputs, *progress, *asked, *withdrawn, *told),
        seen=Seen(cursor, questions, seen.is_over or bool(told)),
        more=more,
    )


def _over(folder: RunFolder) -> Over | None:
    if folder.stdout_cut.exists():
        return Over.CUT
    return Over.CLOSED if folder.stdout_closed.exists() else None


def _pieces(path: Path, offset: int) -> Iterator[bytes]:
    with regular_file(path) as file:
        if file is None:
            # The shim has not come so far yet.
            return
        file.seek(offset)
        for _ in range(_PIECES):
            piece = file.read(_PIECE)
            if not piece:
                return
            yield piece
