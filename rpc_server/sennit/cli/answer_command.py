"""`sennit answer`."""

from __future__ import annotations

import click

from sennit.cli.client import Client
from sennit.cli.failures import NotNowError, UsageError
from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.safe_text import safe_line
from sennit_protocol.ids import QuestionId, TicketId
from sennit_protocol.requests import AnswerParams, AnswerResult
from sennit_protocol.views import TaskView

_TASK_AND_TEXT = 2


@click.command("answer")
@click.argument("name", metavar="TICKET[/TASK]")
@click.argument("words", metavar="TEXT", nargs=-1, required=True)
@click.option("--question", metavar="ID", help="Which question, where several wait.")
@json_option
@click.pass_obj
def command(
    place: Place, *, name: str, words: tuple[str, ...], question: str | None, as_json: bool
) -> None:
    """Answer the question of TASK that waits; the same answer again is fine.

    A ticket with one task names it; a task can also be named by two words: TICKET TASK TEXT.
    """
    typed, text = _task_and_text(name, words)

    async def work(client: Client) -> AnswerResult:
        names = place.names(client)
        named, task = await names.task(name, typed)
        asked = (
            await names.question(named, task, question)
            if question
            else the_question(named, await names.task_view(named, task))
        )
        params = AnswerParams(named, task, asked, text)
        return await client.ask("sennit/answer", params, AnswerResult)

    result = place.converse(work, as_json=as_json)
    if as_json:
        place.terminal.show_json(result)
    else:
        place.terminal.show("That answer had been given." if result.repeated else "Answered.")


def _task_and_text(name: str, words: tuple[str, ...]) -> tuple[str | None, str]:
    """Tell the task, where it is a word of its own, from the answer; raises click's error."""
    if len(words) == 1:
        return None, words[0]
    if "/" not in name and len(words) == _TASK_AND_TEXT:
        return words[0], words[1]
    raise click.UsageError(
        "Give the task and one answer, in quotes where it has several words: "
        f'sennit answer {safe_line(name.partition("/")[0])}/TASK "TEXT"'
    )


def the_question(ticket: TicketId, task: TaskView) -> QuestionId:
    """The only question of a task; raises `NotNowError` if it has none, `UsageError` if several."""
    if not task.questions:
        raise NotNowError(f"The task `{task.id}` of {ticket} asks nothing now.")
    if len(task.questions) > 1:
        told = "; ".join(f"{one.id}: {safe_line(one.text)}" for one in task.questions)
        raise UsageError(
            f"The task `{task.id}` of {ticket} asks several things. Name one by --question: {told}"
        )
    return task.questions[0].id
