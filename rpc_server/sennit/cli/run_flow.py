"""The way of `sennit run`: dispatch, follow, review, apply."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from attrs import frozen
from rich.text import Text

from sennit.cli.applying import (
    GOOD_STATES,
    accepted,
    application_lines,
    apply,
    patch_bytes,
    write_patch,
)
from sennit.cli.board import Board
from sennit.cli.calls import CANCEL_REQUEST, ServerHandler
from sennit.cli.client import Client
from sennit.cli.diffs import proposal_lines
from sennit.cli.exits import Exit
from sennit.cli.failures import RefusedError
from sennit.cli.flags import flag_lines
from sennit.cli.last_words import last_words
from sennit.cli.manifest import manifest_lines
from sennit.cli.notices import notice_lines
from sennit.cli.phases import how_it_ended
from sennit.cli.place import Place, told_in_full
from sennit.cli.proposals_read import bases_of, proposal_of, summaries_of
from sennit.cli.review_loop import accept_whole, decide_all, fits_whole, review
from sennit.cli.safe_text import safe_line
from sennit.cli.server_requests import answer_of_person
from sennit.cli.unapplied import unapplied_lines
from sennit.cli.watching import Watch
from sennit_protocol.applications import ApplicationView
from sennit_protocol.errors import ErrorCode
from sennit_protocol.following import FollowParams
from sennit_protocol.ids import TicketId
from sennit_protocol.proposals import ProposalSummary, ProposalView
from sennit_protocol.requests import DispatchResult
from sennit_protocol.states import Decision, Integration, Review, Target, TaskState
from sennit_protocol.tasks import DispatchParams
from sennit_protocol.told import AskParams
from sennit_protocol.upkeep import TrustAction, TrustParams, TrustResult
from sennit_protocol.views import TicketView
from sennit_protocol.wire import structure_open, unstructure

Call = DispatchParams | FollowParams

DISPATCH_LIMIT_S = 300.0
"""Taking the base of a very large repository for the first time takes this long at most."""


class AfterRun(StrEnum):
    """What becomes of the proposals when the tasks have ended."""

    ASK = "ask"
    ACCEPT = "accept"
    REJECT = "reject"
    LEAVE = "leave"


@frozen
class Outcome:
    """What `sennit run` came to."""

    ticket: TicketView
    proposals: tuple[ProposalView, ...]
    application: ApplicationView | None
    interrupted: bool


@frozen
class _Decided:
    """The proposals after the decisions, and those that this command was told to apply.

    Decisions of earlier revisions are carried over: that a proposal is accepted is not enough.
    """

    views: Sequence[ProposalView]
    to_apply: Sequence[ProposalView] = ()


class Flow:
    """One `sennit run`."""

    def __init__(
        self,
        *,
        place: Place,
        after: AfterRun,
        apply: bool,
        patch: Path | None,
        confirm_moved: bool,
        as_json: bool,
        explain: Callable[[RefusedError], RefusedError],
    ) -> None:
        """Say what follows the run: ``apply`` to disk, or to the file ``patch``.

        ``explain`` says in the user's words why the server refuses the call.
        """
        self._explain = explain
        self._as_json = as_json
        self._place = place
        self._terminal = place.terminal
        self._after = after
        self._apply = apply
        self._patch = patch
        self._confirm_moved = confirm_moved
        self._watch = Watch(place.terminal, Board(place.terminal.err))
        self._ticket: TicketId | None = None
        self._applying = False
        self._watching = False

    def handlers(self) -> Mapping[str, ServerHandler]:
        """Answer questions of agents while the live table stands aside."""

        async def ask(params: Any) -> object:  # noqa: ANN401  a JSON value
            with self._watch.board.hidden():
                asked = structure_open(params, AskParams)
                return unstructure(await answer_of_person(self._terminal, asked))

        async def taken_back(request: Any) -> object:  # noqa: ANN401  a JSON value
            if request["method"] == "sennit/ask":
                asked = structure_open(request["params"], AskParams)
                self._watch.withdrawn.take_question(asked)
            return None

        return {"sennit/ask": ask, CANCEL_REQUEST: taken_back}

    @property
    def watches(self) -> bool:
        """Whether a ticket is at work that is waited for."""
        return self._watching

    def left_behind(self) -> str:
        """Say what an interrupt has left, and how to go on with it."""
        if self._ticket is None:
            return "If anything was started, `sennit tickets` lists it."
        if self._applying:
            return f"Files may have been changed: `sennit show {self._ticket}` tells which."
        return f"No file was changed. To decide: sennit review {self._ticket}"

    async def run(self, client: Client, call: Call) -> Outcome:
        """Do it all; raises the errors of commands."""
        self._ticket = ticket = await self._dispatched(client, call)
        self._watching = True
        watched = await self._watch.until_settled(client, ticket)
        self._watching = False
        self._say_how_it_ended(watched.view)
        async for line in last_words(client, watched.view):
            self._terminal.note(line)
        views = [await proposal_of(client, e.id) for e in await summaries_of(client, ticket)]
        decided = await self._decided(client, views)
        application = await self._applied(client, decided.to_apply)
        if application is None and (views or self._patch is not None):
            for line in unapplied_lines(ticket, decided.views, self._patch):
                self._terminal.note(line)
        return Outcome(watched.view, tuple(decided.views), application, watched.interrupted)

    async def _dispatched(self, client: Client, call: Call) -> TicketId:
        try:
            result = await self._dispatch(client, call)
        except RefusedError as error:
            if error.code != ErrorCode.NOT_TRUSTED or not self._terminal.interactive:
                raise
            if not await self._trust_is_granted(client, error):
                # Why has been said before the question.
                said = f"{self._place.folder} is not trusted, so nothing was started."
                raise RefusedError(error.code, said, None) from error
            result = await self._dispatch(client, call)
        for line in notice_lines(result.notices, ""):
            self._terminal.note(line)
        return result.ticket

    async def _dispatch(self, client: Client, call: Call) -> DispatchResult:
        method = "sennit/follow" if isinstance(call, FollowParams) else "sennit/dispatch"
        try:
            return await client.ask(method, call, DispatchResult, limit_s=DISPATCH_LIMIT_S)
        except RefusedError as error:
            raise self._explain(error) from error

    async def _trust_is_granted(self, client: Client, error: RefusedError) -> bool:
        for line in told_in_full(error).split("\n"):
            self._terminal.note(Text(safe_line(line), style="yellow"))
        question = Text(
            f"Trust {safe_line(str(self._place.folder))}? Programs named by it will run. [y/n]",
            style="bold",
        )
        if await self._terminal.choose(question, ("y", "n")) != "y":
            return False
        params = TrustParams(TrustAction.GRANT, self._place.folder.as_uri())
        await client.ask("sennit/trust", params, TrustResult)
        return True

    def _say_how_it_ended(self, view: TicketView) -> None:
        for manifest in view.bases:
            for line in manifest_lines(manifest):
                self._terminal.note(line)
        self._terminal.note(Text(f"The ticket {view.id} {how_it_ended(view.state)}."))
        for task in view.tasks:
            name = f"{safe_line(task.id)}: "
            for line in (*flag_lines(task, view, name), *notice_lines(task.notices, name)):
                self._terminal.note(line)
        for line in notice_lines(view.notices, ""):
            self._terminal.note(line)

    async def _decided(self, client: Client, views: Sequence[ProposalView]) -> _Decided:
        match self._after:
            case AfterRun.ASK:
                reviewed = await review(client, self._terminal, views)
                named = reviewed.accepted if reviewed.finished else frozenset()
                to_apply = [each for each in reviewed.views if each.summary.id in named]
                return _Decided(reviewed.views, to_apply)
            case AfterRun.ACCEPT:
                await self._show(client, views)
                after = [await accept_whole(client, self._terminal, each) for each in views]
                return _Decided(after, [each for each in after if fits_whole(each)])
            case AfterRun.REJECT:
                return _Decided([await decide_all(client, e, Decision.REJECTED) for e in views])
            case AfterRun.LEAVE:
                await self._show(client, views)
                return _Decided(views)

    async def _show(self, client: Client, views: Sequence[ProposalView]) -> None:
        bases = await bases_of(client, views)
        for view in views:
            for line in proposal_lines(view, bases):
                self._result(line)

    def _result(self, line: Text) -> None:
        if not self._as_json:
            self._terminal.show(line)

    async def _applied(
        self, client: Client, views: Sequence[ProposalView]
    ) -> ApplicationView | None:
        selected = accepted(views)
        if not selected or not self._apply:
            return None
        target = Target.DISK if self._patch is None else Target.PATCH
        self._applying = True
        view = await apply(client, target, selected, confirm_moved=self._confirm_moved)
        if self._patch is not None:
            write_patch(self._patch, patch_bytes(view))
        for line in application_lines(view, self._patch, views):
            self._result(line)
        return view


def exit_of(outcome: Outcome) -> Exit:
    """Judge the whole by its exit code."""
    if outcome.interrupted:
        return Exit.INTERRUPTED
    ended_well = all(task.state is TaskState.COMPLETED for task in outcome.ticket.tasks)
    settled = all(_is_settled(each.summary) for each in outcome.proposals)
    applied = outcome.application is None or outcome.application.state in GOOD_STATES
    return Exit.FINE if ended_well and settled and applied else Exit.PARTLY


def _is_settled(summary: ProposalSummary) -> bool:
    """Whether it goes in, holds nothing, or was rejected by a person who has seen why not."""
    return summary.integration in _GOES_IN or summary.review is Review.REJECTED


_GOES_IN = frozenset({Integration.CLEAN, Integration.ALREADY_PRESENT, Integration.NO_CHANGES})


def outcome_json(outcome: Outcome, code: Exit) -> dict[str, object]:
    """Give everything as one JSON value; the keys are stable."""
    return {
        "ticket": outcome.ticket,
        "proposals": outcome.proposals,
        "application": outcome.application,
        "interrupted": outcome.interrupted,
        "exitCode": int(code),
    }
