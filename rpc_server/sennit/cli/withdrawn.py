"""Questions that were taken from the screen, told once it is known what became of them."""

from __future__ import annotations

from sennit.cli.safe_text import safe_line
from sennit.cli.server_requests import TAKEN_BACK
from sennit.cli.terminal import Terminal
from sennit_protocol.ids import QuestionId
from sennit_protocol.told import AskParams
from sennit_protocol.views import Question, TaskView


class Withdrawn:
    """Brings together that a question is withdrawn and why, whichever comes first."""

    def __init__(self, terminal: Terminal) -> None:
        """Tell on ``terminal``."""
        self._terminal = terminal
        self._waiting: dict[QuestionId, str] = {}
        self._closed: dict[QuestionId, Question] = {}

    def take_question(self, asked: AskParams) -> None:
        """Learn that a question is not waited for here any more."""
        self._waiting[asked.question.id] = asked.task
        self._tell()

    def take_task(self, task: TaskView) -> None:
        """Learn what became of the questions of a task."""
        self._closed |= {one.id: one for one in task.closed_questions}
        self._tell()

    def tell_rest(self) -> None:
        """Tell of those of which nothing more will be heard."""
        for task in self._waiting.values():
            self._terminal.note(f"{safe_line(task)}: {TAKEN_BACK}")
        self._waiting = {}

    def _tell(self) -> None:
        for name in [one for one in self._waiting if one in self._closed]:
            task, question = self._waiting.pop(name), self._closed[name]
            self._terminal.note(
                f"{safe_line(task)}: the question is taken back: {_became(question)}"
            )


def _became(question: Question) -> str:
    if question.answer is None:
        return f"{safe_line(question.closed or '')}."
    return f"it was answered elsewhere: {safe_line(question.answer)}"
