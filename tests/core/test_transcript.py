from sennit.core.agent_events import (
    AgentEvent,
    Failed,
    Finished,
    Logged,
    MessageSaid,
    PermissionSettled,
    TextSaid,
    ThoughtSaid,
    ToDoSet,
    ToolUpdated,
    Warned,
)
from sennit.core.transcript import Transcript
from sennit_protocol.agents import ToDoEntry, ToDoStatus, ToolKind, ToolStatus
from sennit_protocol.states import FailureKind

TOLD: list[AgentEvent] = [
    TextSaid("I will "),
    TextSaid("look."),
    ToolUpdated("1", kind=ToolKind.READ),
    ToolUpdated("1", title="read a.txt"),
    ToolUpdated("2", "run tests", ToolKind.EXECUTE, ToolStatus.PENDING),
    ToolUpdated("2", status=ToolStatus.FAILED),
    ThoughtSaid("hm"),
    ToDoSet((ToDoEntry("first", ToDoStatus.COMPLETED), ToDoEntry("next", ToDoStatus.PENDING))),
    PermissionSettled("push", allowed=False, why="the user rejected it"),
    Warned("careful"),
    Logged("a stray line"),
    MessageSaid("All done.\n"),
    Failed(FailureKind.LIMIT, "too long"),
    Finished("end_turn"),
]


def test_what_an_agent_told_is_written_for_people() -> None:
    transcript = Transcript()
    assert "".join(transcript.add(event) for event in TOLD) == (
        "I will look.\n"
        "> read a.txt\n"
        "> execute: run tests\n"
        "! failed: run tests\n"
        "[x] first\n[ ] next\n"
        "? refused: push (the user rejected it)\n"
        "! careful\n"
        "a stray line\n"
        "All done.\n"
        "! too long\n"
    )
