"""Questions of agents are put to the client; its answer goes back as if the user had called."""

from __future__ import annotations

import anyio
from anyio.abc import TaskGroup
from attrs import define, field

from sennit.core.engine.asking import NotAnswered
from sennit.core.engine.events import AnswerGiven
from sennit.core.engine.rows import QuestionRow, TicketRow
from sennit.core.engine.state import State
from sennit.core.engine.step_values import Put
from sennit.core.views import question_view
from sennit.server import lsp_names
from sennit.server import lsp_words as types
from sennit.server.services import Services
from sennit_protocol.ids import QuestionId
from sennit_protocol.told import AskParams, AskResult


@define(eq=False)
class Asker:
    """Asks the client each open question of this server's tickets, once."""

    _services: Services
    _group: TaskGroup
    _asked: set[QuestionId] = field(factory=set, init=False)

    async def run(self) -> None:
        """Follow the state until cancelled."""
        with self._services.loop.changes() as batches:
            for question in self._services.state.rows(QuestionRow):
                self._consider(question)
            async for batch in batches:
                for change in batch.changes:
                    if isinstance(change, Put) and isinstance(change.row, QuestionRow):
                        self._consider(change.row)

    def _consider(self, question: QuestionRow) -> None:
        ticket = self._services.state.get(TicketRow, question.ticket)
        mine = ticket is not None and ticket.owner == self._services.server
        if mine and question.closed is None and question.id not in self._asked:
            self._asked.add(question.id)
            self._group.start_soon(self._ask, question)

    async def _ask(self, question: QuestionRow) -> None:
        answer = await self._answer_while_open(question)
        if answer is None:
            # Turned away, or no answer: the question stays open for others until its deadline.
            return
        outcome = await self._services.tell(
            AnswerGiven,
            ticket=question.ticket,
            task=question.task,
            question=question.id,
            answer=answer,
        )
        if isinstance(outcome, NotAnswered):
            self._services.connection.show_message(
                types.MessageType.Warning,
                f"The answer to {question.task} came too late: {outcome.message}.",
            )

    async def _answer_while_open(self, question: QuestionRow) -> str | None:
        """Ask the client; its question is taken from the screen once somebody has answered."""
        answer: str | None = None
        async with anyio.create_task_group() as group:

            async def withdraw() -> None:
                await self._services.loop.wait_until(lambda state: _is_closed(state, question.id))
                group.cancel_scope.cancel()

            group.start_soon(withdraw)
            answer = await self._answer(question)
            group.cancel_scope.cancel()
        return answer

    async def _answer(self, question: QuestionRow) -> str | None:
        left = (question.deadline_at - self._services.clock.now_ms()) / 1000
        connection = self._services.connection
        if connection.client.sennit.ask:
            params = AskParams(question.ticket, question.task, question_view(question))
            reply = await connection.request("sennit/ask", params, max(left, 0.0))
            return reply.answer if isinstance(reply, AskResult) else None
        if question.options:
            return await self._chosen(question, max(left, 0.0))
        connection.show_message(
            types.MessageType.Warning,
            f"{question.task} asks: {question.text} Answer in a terminal by `sennit answer"
            f" {question.ticket} {question.task} TEXT`, or by the command sennit.server.answer.",
        )
        return None

    async def _chosen(self, question: QuestionRow, seconds: float) -> str | None:
        request = types.ShowMessageRequestParams(
            type=types.MessageType.Info,
            message=f"{question.task} asks: {question.text}",
            actions=[types.MessageActionItem(title=option) for option in question.options],
        )
        reply = await self._services.connection.request(
            lsp_names.WINDOW_SHOW_MESSAGE_REQUEST, request, seconds
        )
        title = reply.title if isinstance(reply, types.MessageActionItem) else None
        return title if title in question.options else None


def _is_closed(state: State, name: QuestionId) -> bool:
    row = state.get(QuestionRow, name)
    return row is None or row.closed is not None
