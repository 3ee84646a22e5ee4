"""``sennit/answer``: the user answers a question of an agent."""

from __future__ import annotations

from sennit.core.engine.asking import Answered, NotAnswered
from sennit.core.engine.events import AnswerGiven
from sennit.core.engine.rows import QuestionRow
from sennit.core.stored import StoreProblem
from sennit.server.errors import store_error, task_or_error
from sennit.server.jsonrpc import Context
from sennit.server.services import Services
from sennit_protocol.errors import ErrorCode, RpcError
from sennit_protocol.requests import AnswerParams, AnswerResult


async def answer(
    services: Services, _context: Context, params: AnswerParams
) -> AnswerResult | RpcError:
    """Give an answer; the same again is fine, a different one is refused."""
    task = task_or_error(services, params.ticket, params.task)
    if isinstance(task, RpcError):
        return task
    outcome: Answered | NotAnswered | StoreProblem = await services.tell(
        AnswerGiven,
        ticket=params.ticket,
        task=params.task,
        question=params.question,
        answer=params.answer,
    )
    match outcome:
        case StoreProblem():
            return store_error(outcome)
        case NotAnswered(message=message):
            known = services.state.get(QuestionRow, params.question) is not None
            code = ErrorCode.WRONG_STATE if known else ErrorCode.UNKNOWN_QUESTION
            return RpcError(code, message)
        case Answered(repeated=repeated):
            return AnswerResult(repeated=repeated)
