from __future__ import annotations

from sennit.cli.flags import flag_lines
from sennit_protocol.ids import TicketId
from sennit_protocol.states import Flag, TaskState, TicketState
from sennit_protocol.views import TaskView, TicketView


def test_every_flag_of_a_task_has_words_and_its_story_where_there_is_more() -> None:
    task = TaskView("x", TaskState.COMPLETED, "fixer", flags=tuple(Flag))
    ticket = TicketView(
        TicketId("t_1"), TicketState.COMPLETED, 1, "2020-01-02T03:04:05Z", tasks=(task,)
    )
    lines = [line.plain for line in flag_lines(task, ticket)]
    assert len(lines) == len(Flag)
    changed = "  look: its repository changed while it ran; see: sennit story t_1/x"
    assert changed in lines
