"""Applies what is accepted, and tells what came of it."""

from __future__ import annotations

import base64
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.text import Text

from sennit.cli.client import Client
from sennit.cli.decided import accepts_anything
from sennit.cli.failures import RefusedError, UsageError
from sennit.cli.notices import notice_lines
from sennit.cli.patches import counts_of_patch
from sennit.cli.prose import Prose
from sennit.cli.safe_text import safe_line
from sennit.cli.tables import state
from sennit.core.counted import counted
from sennit_protocol.applications import ApplicationView, AppliedFile
from sennit_protocol.ids import ApplicationId, UnitId
from sennit_protocol.proposals import ProposalView
from sennit_protocol.review import ApplyParams, Selected
from sennit_protocol.states import UNDOABLE_STATES, ApplicationState, Flag, Review, Target

APPLY_LIMIT_S = 300.0

GOOD_STATES = frozenset({ApplicationState.APPLIED, ApplicationState.UNDONE, ApplicationState.NONE})
"""States of an application after which nothing is left to be looked at."""


def accepted(views: Sequence[ProposalView]) -> tuple[Selected, ...]:
    """Name the proposals of which anything is accepted, at the revisions that were seen."""
    return tuple(
        Selected(view.summary.id, view.summary.revision)
        for view in views
        if view.summary.review in {Review.ACCEPTED, Review.PARTLY_ACCEPTED}
        or accepts_anything(view)
    )


async def apply(
    client: Client, target: Target, selected: tuple[Selected, ...], *, confirm_moved: bool = False
) -> ApplicationView:
    """Apply what is accepted of the proposals."""
    params = ApplyParams(target, proposals=selected, confirm_moved=confirm_moved)
    try:
        return await client.ask("sennit/apply", params, ApplicationView, limit_s=APPLY_LIMIT_S)
    except RefusedError as error:
        if not _is_held(error):
            raise
        said = error.message.replace("confirmMoved", "--confirm-moved")
        raise RefusedError(error.code, f"{said} Nothing was applied.", error.data) from error


def _is_held(error: RefusedError) -> bool:
    """Whether everything is held because HEAD has moved."""
    return isinstance(error.data, Mapping) and error.data.get("reason") == Flag.HEAD_MOVED


def patch_bytes(view: ApplicationView | ProposalView) -> bytes:
    """Give the bytes of the patch that an answer carries."""
    if view.patch_base64 is not None:
        return base64.b64decode(view.patch_base64)
    return (view.patch or "").encode()


TO_STDOUT = Path("-")
"""Stands for standard output where the file of a patch is named."""


def write_patch(path: Path, data: bytes) -> None:
    """Write a patch to a file or to `TO_STDOUT`; raises `UsageError` where that cannot be done."""
    if path == TO_STDOUT:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        path.write_bytes(data)
    except OSError as error:
        raise UsageError(
            f"The patch cannot be written to {path}: {error.strerror}. Nothing was applied; "
            "name another file with --patch."
        ) from error


def application_lines(
    view: ApplicationView, patch: Path | None = None, of: Sequence[ProposalView] = ()
) -> Iterator[Text]:
    """Tell what was applied and what was not, with the reasons.

    ``patch`` is where one went; ``of`` the proposals, by which what was left out is named.
    """
    if patch is not None:
        yield _patch_line(patch, patch_bytes(view))
    else:
        yield _head(view)
    told = [file for file in view.files if not _is_told_by_its_task(file, view, of)]
    for file in told:
        line = Prose(f"  {safe_line(file.path)}: ").append_text(outcome(file.state, view.undoes))
        if file.message:
            line.append(f": {safe_line(file.message)}")
        yield line
    said = {(file.path, file.message) for file in told}
    yield from notice_lines([one for one in view.notices if (one.path, one.message) not in said])
    yield from _left_out(view, of)
    if _found_nothing_to_do(view):
        yield Text(f"  To take back what was applied: sennit undo {view.ticket}", style="dim")
    elif view.already_there:
        yield Text(f"  there already: {counted(len(view.already_there), 'change')}", style="dim")
    if patch is None and view.state in UNDOABLE_STATES and view.files:
        what = "it" if view.undoes is None else "the undo"
        yield Text(f"  To take {what} back: sennit undo {view.id}", style="dim")


def _is_told_by_its_task(
    file: AppliedFile, view: ApplicationView, of: Sequence[ProposalView]
) -> bool:
    """Whether nothing of it was applied but since changes were left out, which are named below."""
    # Of one that was held for another reason a note says the same.
    held = any((one.path, one.message) == (file.path, file.message) for one in view.notices)
    left_out = any(file.path in _units_left_out(proposal, view.conflicts) for proposal in of)
    return file.state is ApplicationState.FAILED and left_out and not held


def _units_left_out(
    proposal: ProposalView, left_out: Sequence[UnitId]
) -> Mapping[str, frozenset[UnitId]]:
    """Path → those of its units that were left out; paths without any are not in it."""
    units = {file.path: frozenset(unit.id for unit in file.units) for file in proposal.files}
    without = {path: ids.intersection(left_out) for path, ids in units.items()}
    return {path: ids for path, ids in without.items() if ids}


def _left_out(view: ApplicationView, of: Sequence[ProposalView]) -> Iterator[Text]:
    """Name what was accepted and does not fit, by task and file, and what can be done.

    Why it does not fit is said by a note of the application.
    """
    named: set[UnitId] = set()
    for proposal in of:
        summary, task = proposal.summary, safe_line(proposal.summary.task)
        for path, ids in _units_left_out(proposal, view.conflicts).items():
            what = f"{counted(len(ids), 'accepted change')} of {safe_line(path)}"
            yield Prose(f"  left out of {task}: {what}", style="yellow")
            named |= ids
        if _units_left_out(proposal, view.conflicts):
            yield Text(f"    To see it: sennit show {summary.id}")
            yield Text(f"    Make the text there fit, then: sennit apply {summary.id}")
            again = f"sennit follow {summary.ticket}/{task}"
            yield Text(f"    Or let its agent do it on your text: {again}")
    rest = set(view.conflicts) - named
    if rest:
        what = counted(len(rest), "accepted change")
        if view.undoes is not None:
            what = f"{counted(len(rest), 'change')}, which is still there: take it back by hand"
        yield Prose(f"  left out: {what}", style="yellow")


def outcome(name: ApplicationState, undoes: ApplicationId | None) -> Text:
    """Show what became of an application or a file of it; of an undo in words that fit one."""
    shown = state(name)
    return shown if undoes is None else Text(_OF_UNDOS.get(name, name), style=shown.style)


_OF_UNDOS = {
    ApplicationState.APPLIED: "taken back",
    ApplicationState.PARTLY_APPLIED: "partly taken back",
}


def _found_nothing_to_do(view: ApplicationView) -> bool:
    """Whether all that is accepted is there already, and no file had to be changed."""
    applies = view.undoes is None and view.target is not Target.PATCH
    return applies and bool(view.already_there) and not (view.files or view.conflicts)


def _head(view: ApplicationView) -> Text:
    if _found_nothing_to_do(view):
        changes = counted(len(view.already_there), "accepted change")
        return Text(f"Nothing to apply: {changes}, applied already or there already", style="bold")
    name = f"Undo of {view.undoes}: " if view.undoes else f"Application {view.id}: "
    head = Text(name, style="bold").append_text(outcome(view.state, view.undoes))
    done = sum(1 for each in view.files if each.state in GOOD_STATES)
    of_what = "none of " if view.files and not done else ""
    count = done or len(view.files)
    return head.append(f", {of_what}{counted(count, 'file')}", style="not bold")


def _patch_line(path: Path, data: bytes) -> Text:
    counts = counts_of_patch(data)
    what = f"{counted(counts.files, 'file')}, +{counts.added} -{counts.removed}"
    if not data:
        what = "empty, since the text holds all of it already"
    if path == TO_STDOUT:
        return Text(f"The patch is written to standard output: {what}. No file was changed.")
    return Text(f"The patch is in {safe_line(str(path))}: {what}. No other file was changed.")
