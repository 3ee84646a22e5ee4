"""Questions of agents are put to the client; its answer goes back as if the user had called."""

from __future__ import annotations

from anyio.abc import TaskGroup
from attrs import define, field
from lsprotocol import types
from sennit_protocol.ids import QuestionId
from sennit_protocol.requests import AskParams, AskResult

from sennit.core.engine.events import AnswerGiven
from sennit.core.engine.rows import QuestionRow, TicketRow
from sennit.core.engine.step_values import Put
from sennit.core.views import question_view
from sennit.server.jsonrpc import ClientError, ClientGone, ClientTimeout
from sennit.server.services import Services


@define(eq=False)
class Asker:
    """Asks the client each open question of this server's tickets, once."""

    _services: Services
    _group: TaskGroup
    _asked: set[QuestionId] = field(factory=set, init=False)

    async def run(self) -> None:
        """Follow the state until cancelled."""
        with self._services.loop.changes() as batches:
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
        left = (question.deadline_at - self._services.clock.now_ms()) / 1000
        answer = await self._answer(question, max(left, 0.0))
        if answer is not None:
            await self._services.tell(
                AnswerGiven,
                ticket=question.ticket,
                task=question.task,
                question=question.id,
                answer=answer,
            )

    async def _answer(self, question: QuestionRow, seconds: float) -> str | None:
        connection = self._services.connection
        if connection.client.sennit.ask:
            params = AskParams(question.ticket, question.task, question_view(question))
            reply = await connection.request("sennit/ask", params, seconds)
            return reply.answer if isinstance(reply, AskResult) else None
        message = f"{question.task} asks: {question.text}"
        if not question.options:
            connection.show_message(
                types.MessageType.Warning,
                f"{message} Answer by sennit/answer with the question {question.id}.",
            )
            return None
        request = types.ShowMessageRequestParams(
            type=types.MessageType.Info,
            message=message,
            actions=[types.MessageActionItem(title=option) for option in question.options],
        )
        reply = await connection.request(types.WINDOW_SHOW_MESSAGE_REQUEST, request, seconds)
        match reply:
            case ClientError() | ClientGone() | ClientTimeout():
                return None
            case types.MessageActionItem(title=title):
                return title
            case _:
                return None
