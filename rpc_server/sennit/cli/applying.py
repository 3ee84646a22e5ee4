"""Applies what is accepted, and tells what came of it."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.text import Text

from sennit.cli.client import Client
from sennit.cli.failures import UsageError
from sennit.cli.safe_text import safe_line
from sennit.cli.tables import counted, state
from sennit_protocol.proposals import ApplicationView, ProposalView
from sennit_protocol.review import ApplyParams, Selected
from sennit_protocol.states import ApplicationState, Decision, Review, Target

APPLY_LIMIT_S = 300.0

GOOD_STATES = frozenset({ApplicationState.APPLIED, ApplicationState.UNDONE, ApplicationState.NONE})
"""States of an application after which nothing is left to be looked at."""


def accepted(views: Sequence[ProposalView]) -> tuple[Selected, ...]:
    """Name the proposals of which anything is accepted, at the revisions that were seen."""
    return tuple(
        Selected(view.summary.id, view.summary.revision)
        for view in views
        if view.summary.review in {Review.ACCEPTED, Review.PARTLY_ACCEPTED}
        or any(u.decision is Decision.ACCEPTED for file in view.files for u in file.units)
    )


async def apply(
    client: Client, target: Target, selected: tuple[Selected, ...], *, confirm_moved: bool = False
) -> ApplicationView:
    """Apply what is accepted of the proposals."""
    params = ApplyParams(target, proposals=selected, confirm_moved=confirm_moved)
    return await client.ask("sennit/apply", params, ApplicationView, limit_s=APPLY_LIMIT_S)


def patch_bytes(view: ApplicationView | ProposalView) -> bytes:
    """Give the bytes of the patch that an answer carries."""
    if view.patch_base64 is not None:
        return base64.b64decode(view.patch_base64)
    return (view.patch or "").encode()


def write_patch(path: Path, data: bytes) -> None:
    """Write a patch to a file; raises `UsageError` where that cannot be done."""
    try:
        path.write_bytes(data)
    except OSError as error:
        raise UsageError(
            f"The patch cannot be written to {path}: {error.strerror}. Nothing was applied; "
            "name another file with --patch."
        ) from error


def application_lines(view: ApplicationView) -> Iterator[Text]:
    """Tell what was applied and what was not, with the reasons."""
    verb = "Undo of" if view.undoes else "Application"
    name = f"{verb} {view.undoes}: " if view.undoes else f"{verb} {view.id}: "
    head = Text(name, style="bold").append_text(state(view.state))
    done = sum(1 for each in view.files if each.state in GOOD_STATES)
    head.append(f", {counted(done, 'file')}", style="not bold")
    yield head
    for file in view.files:
        line = Text(f"  {safe_line(file.path)}: ").append_text(state(file.state))
        if file.message:
            line.append(f": {safe_line(file.message)}")
        yield line
    for notice in view.notices:
        yield Text(f"  note: {safe_line(notice.message)}", style="yellow")
    if view.conflicts:
        what = counted(len(view.conflicts), "accepted change")
        yield Text(f"  left out, because the text changed there: {what}", style="yellow")
    if view.already_there:
        yield Text(f"  there already: {counted(len(view.already_there), 'change')}", style="dim")
    if view.undoes is None and view.state is ApplicationState.APPLIED and view.files:
        yield Text(f"  To take it back: sennit undo {view.id}", style="dim")
