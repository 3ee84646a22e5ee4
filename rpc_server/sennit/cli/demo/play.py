"""Plays the demonstration, from the stage to the proof."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from attrs import evolve, frozen

from sennit.cli.applying import accepted, apply
from sennit.cli.board import Board
from sennit.cli.client import Client
from sennit.cli.demo.editor import CAPABILITIES, Editor, line_of_first_class
from sennit.cli.demo.picture import write_picture
from sennit.cli.demo.proof import (
    Moment,
    Proof,
    accepted_changes,
    expected_after,
    proofs_of_applying,
    proofs_of_undoing,
)
from sennit.cli.demo.scenario import (
    SHARED_FILE,
    UNSAVED_LINE,
    Fixer,
    call_of_demo,
    fixer,
    tasks_of_demo,
)
from sennit.cli.demo.snapshots import files_of, git_entries_of
from sennit.cli.demo.stage import Stage, set_stage
from sennit.cli.demo.telling import Teller
from sennit.cli.exits import Exit
from sennit.cli.place import Place
from sennit.cli.proposals_read import bases_of, proposal_of, summaries_of
from sennit.cli.review_loop import decide_all
from sennit.cli.watching import Watch
from sennit_protocol.applications import ApplicationView
from sennit_protocol.ids import ApplicationId, TicketId
from sennit_protocol.proposals import ProposalView
from sennit_protocol.requests import DispatchResult
from sennit_protocol.review import UndoParams
from sennit_protocol.states import Decision, Integration, Target
from sennit_protocol.views import TicketView


@frozen
class Played:
    """What the demonstration came to."""

    ticket: TicketView
    proposals: tuple[ProposalView, ...]
    applications: tuple[ApplicationView, ...]
    proofs: tuple[Proof, ...]


def play(place: Place, *, svg: Path | None, keep: bool, as_json: bool) -> Exit:
    """Play it in a temporary folder, which is removed unless ``keep``; gives the exit code."""
    began = time.monotonic()
    teller = Teller(place.terminal, silent=as_json)
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="sennit-demo-")))
    try:
        stage = place.guarded(lambda: set_stage(folder), as_json=as_json)
        played = _played(place, teller, stage, as_json=as_json)
    finally:
        if keep:
            place.terminal.note(f"Everything is kept in {folder}")
        else:
            shutil.rmtree(folder)
    seconds = time.monotonic() - began
    code = Exit.FINE if _is_proved(played) else Exit.PARTLY
    teller.verdict(played.proofs, seconds)
    if svg is not None:
        place.guarded(lambda: write_picture(teller.console, svg), as_json=as_json)
    if as_json:
        place.terminal.show_json(_json(played, seconds, code))
    return code


def _played(place: Place, teller: Teller, stage: Stage, *, as_json: bool) -> Played:
    editor = Editor(stage.repository / SHARED_FILE)
    options = evolve(
        place.client,
        folder=stage.repository,
        trusted=True,
        environment=stage.environment,
        capabilities=CAPABILITIES,
    )
    scene = Scene(evolve(place, client=options), teller, stage, editor)
    return scene.place.converse(
        scene.play, as_json=as_json, handlers={"workspace/applyEdit": editor.apply_edit}
    )


class Scene:
    """One demonstration on its stage."""

    def __init__(self, place: Place, teller: Teller, stage: Stage, editor: Editor) -> None:
        """Tell with ``teller`` what happens on ``stage``."""
        self.place = place
        self._teller = teller
        self._stage = stage
        self._editor = editor

    async def play(self, client: Client) -> Played:
        """Dispatch, review, apply, undo, prove."""
        self._editor.open_in(client)
        self._editor.type_line(line_of_first_class(self._editor.text), UNSAVED_LINE)
        before = self._moment()
        program = fixer()
        self._teller.stage(self._stage, program)
        ticket = await self._run(client, program)
        views = [await proposal_of(client, e.id) for e in await summaries_of(client, ticket.id)]
        self._teller.proposals(views, await bases_of(client, views))
        views = [await _accepted_where_clean(client, view) for view in views]
        applied = await self._apply(client, views)
        top = os.fsencode(self._stage.repository)
        changes = await accepted_changes(client, top, views)
        expected = expected_after(before, changes, os.fsencode(SHARED_FILE))
        proofs = proofs_of_applying(before, self._moment(), expected)
        undone = await self._undo(client, applied)
        proofs += proofs_of_undoing(before, self._moment())
        return Played(ticket, tuple(views), (*applied, *undone), proofs)

    def _moment(self) -> Moment:
        top = self._stage.repository
        return Moment(files_of(top), git_entries_of(top), self._editor.text.encode())

    async def _run(self, client: Client, program: Fixer) -> TicketView:
        call = call_of_demo(self._stage.repository, tasks_of_demo(program))
        result = await client.ask("sennit/dispatch", call, DispatchResult)
        # The table is told below as a part of the picture, so that the live one leaves nothing.
        watch = Watch(self.place.terminal, Board(self.place.terminal.err, transient=True))
        watched = await watch.until_settled(client, TicketId(result.ticket))
        self._teller.run(watched.view, watch.board)
        return watched.view

    async def _apply(
        self, client: Client, views: Sequence[ProposalView]
    ) -> tuple[ApplicationView, ...]:
        """Apply what is about the open document in the editor, and the rest on disk."""
        in_editor = [each for each in views if _is_about(each, self._editor.uri)]
        on_disk = [each for each in views if each not in in_editor]
        text = self._editor.text
        applied = (
            await apply(client, Target.EDITOR, accepted(in_editor)),
            await apply(client, Target.DISK, accepted(on_disk)),
        )
        self._teller.applied(applied)
        self._teller.buffer(text, self._editor.text)
        return applied

    async def _undo(
        self, client: Client, applied: Sequence[ApplicationView]
    ) -> tuple[ApplicationView, ...]:
        undone = [await _undone(client, each.id) for each in reversed(applied)]
        self._teller.applied(undone)
        return tuple(undone)


async def _undone(client: Client, application: ApplicationId) -> ApplicationView:
    return await client.ask("sennit/undo", UndoParams(application), ApplicationView)


async def _accepted_where_clean(client: Client, view: ProposalView) -> ProposalView:
    if view.summary.integration is Integration.CLEAN:
        return await decide_all(client, view, Decision.ACCEPTED)
    return view


def _is_about(view: ProposalView, uri: str) -> bool:
    return any(file.uri == uri for file in view.files)


def _is_proved(played: Played) -> bool:
    integrations = [each.summary.integration for each in played.proposals]
    as_told = sorted(integrations) == sorted([Integration.CLEAN] * 4 + [Integration.CONFLICT])
    return as_told and all(each.holds for each in played.proofs)


def _json(played: Played, seconds: float, code: Exit) -> dict[str, object]:
    return {
        "ticket": played.ticket,
        "proposals": played.proposals,
        "applications": played.applications,
        "proofs": [
            {"claim": each.claim, "holds": each.holds, "detail": each.detail}
            for each in played.proofs
        ],
        "seconds": round(seconds, 2),
        "exitCode": int(code),
    }
