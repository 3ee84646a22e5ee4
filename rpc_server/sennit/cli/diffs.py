"""Proposals as people read them: files, coloured hunks with context, conflicts explained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from attrs import frozen
from rich.text import Text

from sennit.cli.flags import WORDS
from sennit.cli.notices import notice_lines
from sennit.cli.prose import Prose
from sennit.cli.safe_text import safe_code, safe_line
from sennit.cli.tables import state
from sennit.core.counted import counted
from sennit_protocol.conflicts import ConflictView, LineRange
from sennit_protocol.proposals import FileView, ProposalSummary, ProposalView, UnitKind, UnitView
from sennit_protocol.states import ApplicationState, Decision, Integration, Review, UnitFlag

CONTEXT_LINES = 3

Lines = Sequence[str]
Bases = Mapping[str, Lines]
"""URI of a file's base → its lines; files that are not in it are shown without context."""

_WHOLE = {
    UnitKind.CREATE: "new file",
    UnitKind.DELETE: "deleted file",
    UnitKind.RENAME: "renamed file",
    UnitKind.MODE: "changed mode",
    UnitKind.LINK: "changed link",
    UnitKind.BINARY: "changed binary file",
    UnitKind.SUBMODULE: "changed submodule",
    UnitKind.TYPE: "changed type of file",
}
_WHOLE_BINARY = {
    UnitKind.CREATE: "new binary file",
    UnitKind.DELETE: "deleted binary file",
    UnitKind.RENAME: "renamed binary file",
}
_FLAGS = {
    UnitFlag.UNCERTAIN: "two merges disagree about it",
    UnitFlag.OUTSIDE_WRITES: "outside what the task meant to change",
    UnitFlag.DELETION: "a deletion that the agent never mentioned",
    UnitFlag.MODE_CHANGE: "changes the file's mode",
    UnitFlag.NEW_EXECUTABLE: "a new executable file",
    UnitFlag.LINK_OUT_OF_TREE: "a link that leaves the tree",
    UnitFlag.VERY_LARGE: "a very large file",
    UnitFlag.SENSITIVE: "a sensitive file",
    UnitFlag.UNPORTABLE_NAME: "a name that other systems cannot hold",
    UnitFlag.GENERATED: "a generated file",
}


def headline(summary: ProposalSummary) -> Text:
    """Say in a line whose proposal it is, how large, and how it stands."""
    line = Text(safe_line(summary.task), style="bold")
    line.append(f"  {summary.id}  ", style="dim")
    return line.append_text(changes_of(summary)).append("  ").append_text(standing_of(summary))


def changes_of(summary: ProposalSummary) -> Text:
    """Say how large a proposal is."""
    line = Text().append(f"{counted(summary.files, 'file')}, ", style="not bold")
    line.append(f"+{summary.lines_added}", style="not bold green")
    return line.append(f" -{summary.lines_removed}", style="not bold red")


def standing_of(summary: ProposalSummary) -> Text:
    """Say how a proposal merges, what was decided about it, and what was applied of it."""
    line = Text("  ").join(map(state, _standing(summary)))
    if summary.flags:
        said = ", ".join(WORDS[flag] for flag in summary.flags)
        line.append(f"  ({said})", style="not bold yellow")
    return line


def _standing(summary: ProposalSummary) -> Iterator[str]:
    yield summary.integration
    if summary.review is not Review.OFFERED:
        yield summary.review
    if summary.application is not ApplicationState.NONE:
        yield summary.application


def proposal_lines(view: ProposalView, bases: Bases) -> Iterator[Text]:
    """Show a proposal whole, a line at a time."""
    yield headline(view.summary)
    yield from remarks(view)
    for file in view.files:
        yield from file_lines(file, bases)
    if view.files_total > len(view.files):
        more = counted(view.files_total - len(view.files), "more file")
        yield Text(f"… and {more}", style="yellow")


def remarks(view: ProposalView) -> Iterator[Text]:
    """Show what is to be known before the changes: failure, notices, conflicts."""
    if view.failure is not None:
        yield Prose(f"  failed: {safe_line(view.failure.message)}", style="red")
    if view.summary.integration is Integration.RETAINED:
        yield Prose(f"  {_UNFINISHED}", style="yellow")
    yield from notice_lines(view.notices)
    for conflict in view.conflicts:
        yield from conflict_lines(conflict)
    if view.conflicts:
        yield from (Text("    ").append_text(line) for line in ways_out(view.summary))
    yield from settled_lines(view)


_UNFINISHED = "unfinished: what its run had done is kept; accepting it adopts it"


def settled_lines(view: ProposalView) -> Iterator[Text]:
    """Show which conflicts were settled, and how."""
    for conflict in view.resolved:
        if conflict.resolution is not None:
            how = conflict.resolution.suggestion or conflict.resolution.take
            yield Text(f"  settled: {safe_line(conflict.path)} ({how})", style="green")


def ways_out(summary: ProposalSummary) -> Iterator[Text]:
    """Name the commands that get a proposal out of its conflicts."""
    task = f"{summary.ticket}/{safe_line(summary.task)}"
    yield Text(f"To settle it: sennit resolve {summary.id}", style="yellow")
    yield Text(f"Or let its agent do it again: sennit follow {task}", style="yellow")


def conflict_lines(conflict: ConflictView) -> Iterator[Text]:
    """Explain a conflict, and name what could settle it."""
    yield from conflict_head(conflict)
    for one in conflict.suggestions:
        yield Prose(f"    suggestion {one.kind}: {safe_line(one.title)}", style="yellow")
    yield from unsettled(conflict)


def conflict_head(conflict: ConflictView) -> Iterator[Text]:
    """Say what collides with what."""
    yield Text(f"  conflict in {safe_line(conflict.path)} ({conflict.kind})", style="bold red")
    yield Prose(f"    {safe_line(conflict.message)}")
    if conflict.with_tasks:
        yield Prose(f"    it collides with: {', '.join(map(safe_line, conflict.with_tasks))}")


def unsettled(conflict: ConflictView) -> Iterator[Text]:
    """Say where a resolution counts no longer."""
    if conflict.resolution is not None and not conflict.resolution.counts:
        said = "it was settled, but what it collides with has changed since; settle it again"
        yield Prose(f"    {said}", style="yellow")


def file_lines(file: FileView, bases: Bases) -> Iterator[Text]:
    """Show every unit of a file under its name, and each line around them once."""
    yield file_head(file)
    yield from settled_file(file)
    shown = [unit for unit in file.units if not _puts_nothing_in(unit)]
    for unit, room in zip(shown, _rooms(shown), strict=True):
        yield from unit_lines(file, unit, bases, room)


@frozen
class Room:
    """The lines of a base that can be shown around a unit: from ``start`` to before ``end``."""

    start: int = 0
    end: int | None = None


_WHOLE_FILE = Room()


def _rooms(units: Sequence[UnitView]) -> Iterator[Room]:
    """Give each unit the lines that none before it shows and none after it changes."""
    start = 0
    for unit, after in zip_longest(units, units[1:]):
        following = after.before if after is not None and after.kind is UnitKind.HUNK else None
        room = Room(start, None if following is None else following.start)
        yield room
        if unit.before is not None and unit.kind is UnitKind.HUNK:
            end = unit.before.start + unit.before.count + CONTEXT_LINES
            start = end if room.end is None else min(end, room.end)


def settled_file(file: FileView) -> Iterator[Text]:
    """Say of a file that this is what goes in since a conflict was settled, and what that means."""
    if file.settled is None:
        return
    how = file.settled.suggestion or file.settled.take
    yield Text(f"  as settled ({how}); it is decided as a whole", style="green")
    if all(map(_puts_nothing_in, file.units)):
        yield Text("  nothing goes in here: what is there stays", style="dim")


def _puts_nothing_in(unit: UnitView) -> bool:
    return unit.kind is UnitKind.HUNK and not unit.before_text and not unit.after_text


def file_head(file: FileView) -> Text:
    """Name the file, and what it was called before."""
    name = safe_line(file.path)
    if file.old_path is not None and file.old_path != file.path:
        name = f"{safe_line(file.old_path)} → {name}"
    return Text(f"── {name}", style="bold cyan")


def unit_lines(
    file: FileView, unit: UnitView, bases: Bases, room: Room = _WHOLE_FILE
) -> Iterator[Text]:
    """Show one unit: what it does, why it deserves a look, its lines, and those in ``room``."""
    lead, trail = _around(file, unit, bases, room)
    yield _unit_head(file, unit, len(lead), len(trail))
    for flag in unit.flags:
        yield Text(f"  look: {_FLAGS[flag]}", style="yellow")
    if unit.conflict is not None:
        yield Prose(f"  conflict: {safe_line(unit.conflict)}", style="red")
    yield from _context(lead)
    yield from _changed(unit.before_text, "-", "red")
    yield from _changed(unit.after_text, "+", "green")
    yield from _context(trail)


def _around(file: FileView, unit: UnitView, bases: Bases, room: Room) -> tuple[Lines, Lines]:
    """Give the lines before and after a hunk that show where it stands."""
    before = unit.before
    if before is None or unit.kind is not UnitKind.HUNK:
        return (), ()
    base = bases.get(file.base_uri or "", ())[: room.end]
    end = before.start + before.count
    lead = base[max(room.start, before.start - CONTEXT_LINES) : before.start]
    return lead, base[end : end + CONTEXT_LINES]


def _unit_head(file: FileView, unit: UnitView, lead: int, trail: int) -> Text:
    if unit.kind is UnitKind.HUNK:
        old, new = _widened(unit.before, lead, trail), _widened(unit.after, lead, trail)
        head = f"@@ {_range('-', old)} {_range('+', new)} @@"
    elif unit.kind is UnitKind.MODE:
        head = f"{_WHOLE[unit.kind]}: {file.mode_before} → {file.mode_after}"
    elif file.binary and unit.kind in _WHOLE_BINARY:
        head = _WHOLE_BINARY[unit.kind]
    else:
        head = _WHOLE[unit.kind]
    line = Text(head, style="magenta")
    if unit.decision is not Decision.UNDECIDED:
        line.append("  ").append_text(state(unit.decision))
    return line


def _widened(lines: LineRange | None, lead: int, trail: int) -> LineRange | None:
    if lines is None:
        return None
    return LineRange(lines.start - lead, lines.count + lead + trail)


def _range(sign: str, lines: LineRange | None) -> str:
    if lines is None:
        return f"{sign}0,0"
    # People and patches count lines from 1; an empty range names the line before it.
    return f"{sign}{lines.start + (1 if lines.count else 0)},{lines.count}"


def _context(lines: Lines) -> Iterator[Text]:
    return (Text(f" {safe_code(line)}", style="dim") for line in lines)


def _changed(text: str | None, sign: str, style: str) -> Iterator[Text]:
    if not text:
        return
    for line in text.removesuffix("\n").split("\n"):
        yield Text(f"{sign}{safe_code(line)}", style=style)
    if not text.endswith("\n"):
        yield Text("\\ no newline at the end", style="dim")
