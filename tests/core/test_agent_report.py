from __future__ import annotations

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from sennit.core.agent_events import (
    AgentEvent,
    ContextFilled,
    Failed,
    Finished,
    Logged,
    MessageSaid,
    Prompted,
    SessionOpened,
    TextSaid,
    ThoughtSaid,
    ToDoSet,
    ToolUpdated,
    UsageStep,
    Warned,
)
from sennit.core.agent_report import (
    LONGEST_TEXT,
    MOST_LOGGED,
    MOST_PATHS,
    MOST_TOOLS,
    MOST_WARNINGS,
    Report,
    ToolSeen,
    take,
    verdict,
)
from sennit.core.agents import COMMAND_LINE, AgentKind, AgentSettings, OutputFormat
from sennit_protocol.agents import (
    ToDoEntry,
    ToDoStatus,
    ToolKind,
    ToolStatus,
    Usage,
    UsageKnown,
)
from sennit_protocol.states import FailureKind
from sennit_protocol.views import Failure


def told(*events: AgentEvent, before: Report | None = None) -> Report:
    report = before or Report()
    for event in events:
        report = take(report, event)
    return report


def test_pieces_are_joined_until_something_else_happens() -> None:
    report = told(TextSaid("one "), TextSaid("two"))
    assert report.text == "one two"
    report = told(ToolUpdated("1"), TextSaid("three"), before=report)
    assert report.text == "three"
    assert told(ThoughtSaid("hm"), TextSaid("four"), before=report).text == "four"


def test_a_tool_that_ends_in_the_middle_of_a_message_does_not_cut_it() -> None:
    report = told(
        ToolUpdated("1"),
        TextSaid("one "),
        ToolUpdated("1", status=ToolStatus.COMPLETED),
        TextSaid("two"),
    )
    assert report.text == "one two"


def test_a_whole_message_stands_in_place_of_its_pieces_and_an_empty_one_of_nothing() -> None:
    report = told(TextSaid("one t"), MessageSaid("one two"))
    assert report.text == "one two"
    assert told(MessageSaid(" \n"), before=report).text == "one two"
    assert told(TextSaid("three"), before=report).text == "three"


def test_what_was_said_before_the_task_is_no_word_about_it() -> None:
    report = told(TextSaid("banner"), Prompted())
    assert (report.text, report.prompted) == ("", True)
    again = told(TextSaid("done"), Prompted(), before=report)
    assert again.text == "done"


def test_what_was_overcome_twice_is_one_warning() -> None:
    failed = Failed(FailureKind.MODEL_ERROR, "bad")
    assert told(failed, Finished(), failed, Finished()).warnings == ("bad",)


def test_only_the_end_of_an_endless_message_is_kept() -> None:
    piece = "x" * 10_000
    report = told(*(TextSaid(piece) for _ in range(100)), TextSaid("the end"))
    assert report.text.endswith("x" * 1_000 + "the end")
    assert LONGEST_TEXT <= len(report.text) <= 2 * LONGEST_TEXT
    assert report.text_is_cut
    assert not told(MessageSaid("short"), before=report).text_is_cut
    assert told(MessageSaid("x" * (LONGEST_TEXT + 1))).text == "x" * LONGEST_TEXT


def test_many_small_pieces_are_cheap() -> None:
    report = told(*(TextSaid("word ") for _ in range(20_000)))
    assert report.text == "word " * 20_000
    assert len(report.pieces) < 40


def test_what_an_update_of_a_tool_does_not_tell_stays() -> None:
    report = told(
        ToolUpdated("1", "Edit a", ToolKind.EDIT, ToolStatus.PENDING, ("a",)),
        ToolUpdated("1", status=ToolStatus.COMPLETED),
        ToolUpdated("2"),
    )
    assert report.tools == {
        "1": ToolSeen("1", "Edit a", ToolKind.EDIT, ToolStatus.COMPLETED, ("a",)),
        "2": ToolSeen("2"),
    }
    assert report.tool_count == 2
    assert report.tool_kinds == {ToolKind.EDIT, ToolKind.OTHER}


def test_of_endless_tools_the_last_are_kept_and_all_counted() -> None:
    first = ToolUpdated("first", kind=ToolKind.EXECUTE)
    rest = (ToolUpdated(str(number), kind=ToolKind.READ) for number in range(MOST_TOOLS))
    report = told(first, *rest)
    assert len(report.tools) == MOST_TOOLS
    assert report.tool_count == MOST_TOOLS + 1
    assert report.tool_kinds == {ToolKind.EXECUTE, ToolKind.READ}


def test_a_call_whose_id_is_used_again_is_kept_beside_the_new_one() -> None:
    report = told(
        ToolUpdated("1", "Edit a", ToolKind.EDIT, ToolStatus.COMPLETED, ("a",), begins=True),
        ToolUpdated("1", kind=ToolKind.READ, begins=True),
    )
    assert report.calls == (
        ToolSeen("1", "Edit a", ToolKind.EDIT, ToolStatus.COMPLETED, ("a",)),
        ToolSeen("1", kind=ToolKind.READ),
    )
    assert report.tool_kinds == {ToolKind.EDIT, ToolKind.READ}
    assert report.tool_count == 2


def test_of_endless_calls_under_one_id_the_last_are_kept_and_all_counted() -> None:
    first = ToolUpdated("1", kind=ToolKind.EXECUTE, begins=True)
    more = ToolUpdated("1", kind=ToolKind.READ, begins=True)
    report = told(first, *(more for _ in range(MOST_TOOLS + 1)))
    assert len(report.calls) == MOST_TOOLS + 1
    assert report.tool_count == MOST_TOOLS + 2
    assert report.tool_kinds == {ToolKind.EXECUTE, ToolKind.READ}


def test_the_rest_of_what_is_told_is_kept() -> None:
    entry = ToDoEntry("do", ToDoStatus.PENDING)
    report = told(
        SessionOpened("s"),
        ToDoSet((entry,)),
        ContextFilled(3, 10),
        UsageStep(Usage(UsageKnown.SUM, input=1)),
        UsageStep(Usage(UsageKnown.SUM, input=2)),
    )
    assert (report.session, report.to_do, report.context) == (
        "s",
        (entry,),
        ContextFilled(3, 10),
    )
    assert report.usage == Usage(UsageKnown.SUM, input=3)


def test_warnings_and_lines_are_bounded_and_a_warning_is_told_once() -> None:
    report = told(Warned("a"), Warned("b"), Warned("a"))
    assert report.warnings == ("b", "a")
    report = told(*(event for n in range(99) for event in (Warned(f"w{n}"), Logged(f"l{n}"))))
    assert report.warnings == tuple(f"w{n}" for n in range(99 - MOST_WARNINGS, 99))
    assert report.logged == tuple(f"l{n}" for n in range(99 - MOST_LOGGED, 99))


def test_the_last_word_of_the_agent_counts() -> None:
    failed, finished = Failed(FailureKind.MODEL_ERROR, "bad"), Finished("stop")
    report = told(failed, finished)
    assert (report.failure, report.finished, report.warnings) == (None, finished, ("bad",))
    report = told(finished, failed)
    assert (report.failure, report.finished) == (failed, None)


def test_the_time_at_which_a_limit_ends_outlives_a_second_word_about_it() -> None:
    kind = FailureKind.RATE_LIMITED
    report = told(Failed(kind, "a", 5), Failed(kind, "b"))
    assert report.failure == Failed(kind, "b", 5)


PROTOCOL = AgentSettings("x", AgentKind.COMMAND, ("x",), output=OutputFormat.CLAUDE)
TEXT = evolve(PROTOCOL, output=OutputFormat.TEXT)
ACP = AgentSettings("x", AgentKind.ACP, ("x",))
EXIT = Failure(FailureKind.EXIT, "The program ended with exit code 3.", exit_code=3)
SIGNAL = Failure(FailureKind.SIGNAL, "Signal 9.", signal=9)
DISK = Failure(FailureKind.DISK_FULL, "Full.")


def kind(failure: Failure | None) -> FailureKind | None:
    return None if failure is None else failure.kind


@pytest.mark.parametrize("agent", [PROTOCOL, ACP])
def test_a_stream_without_its_end_is_a_broken_protocol_though_the_exit_was_good(
    agent: AgentSettings,
) -> None:
    assert kind(verdict(told(MessageSaid("done")), agent, None)) is FailureKind.PROTOCOL
    assert verdict(told(MessageSaid("done"), Finished("end_turn")), agent, None) is None


@pytest.mark.parametrize("text", ["", " \n", "pi v1.6.0\n---\n"])
def test_a_turn_over_acp_of_which_nothing_came_is_a_model_that_refused(text: str) -> None:
    report = told(TextSaid(text), Finished("end_turn"))
    assert kind(verdict(report, ACP, None)) is FailureKind.MODEL_ERROR
    assert verdict(report, PROTOCOL, None) is None
    assert verdict(told(TextSaid(text + "Hi"), Finished("end_turn")), ACP, None) is None
    assert verdict(told(ToolUpdated("1"), Finished("end_turn")), ACP, None) is None
    assert verdict(told(Finished("cancelled")), ACP, None) is None


def test_words_for_people_need_no_end() -> None:
    assert verdict(told(TextSaid("done")), TEXT, None) is None


@pytest.mark.parametrize("agent", [PROTOCOL, TEXT, ACP])
def test_what_the_agent_says_counts_though_the_exit_was_good(agent: AgentSettings) -> None:
    report = told(Failed(FailureKind.NOT_SIGNED_IN, "401"))
    found = verdict(report, agent, None)
    assert kind(found) is FailureKind.NOT_SIGNED_IN
    assert found is not None
    assert "401" in found.message


def test_the_exit_stays_known_beside_what_the_agent_says() -> None:
    found = verdict(told(Failed(FailureKind.MODEL_ERROR, "bad")), PROTOCOL, EXIT)
    assert found is not None
    assert (found.kind, found.exit_code) == (FailureKind.MODEL_ERROR, 3)


def test_what_the_machine_did_outranks_what_the_agent_says() -> None:
    report = told(Failed(FailureKind.MODEL_ERROR, "bad"))
    assert verdict(report, PROTOCOL, DISK) == DISK


def test_a_bad_exit_after_a_complete_stream_is_a_bad_exit() -> None:
    assert verdict(told(Finished()), PROTOCOL, EXIT) == EXIT
    assert verdict(told(Finished()), PROTOCOL, SIGNAL) == SIGNAL


def test_the_reason_of_a_bad_exit_is_read_from_the_output() -> None:
    found = verdict(Report(), TEXT, EXIT, "hello\nError: invalid API key\n")
    assert found is not None
    assert (found.kind, found.exit_code) == (FailureKind.NOT_SIGNED_IN, 3)
    assert "invalid API key" in found.message
    assert kind(verdict(told(Logged("429: rate limit")), PROTOCOL, EXIT)) is (
        FailureKind.RATE_LIMITED
    )


def test_a_command_that_uses_no_model_is_never_said_to_be_signed_out() -> None:
    assert verdict(Report(), COMMAND_LINE, EXIT, "FAILED test_login: 401 Unauthorized") == EXIT


def test_how_a_server_of_the_protocol_exits_after_its_turn_tells_nothing() -> None:
    assert verdict(told(MessageSaid("done"), Finished("end_turn")), ACP, SIGNAL) is None
    assert verdict(Report(), ACP, SIGNAL) == SIGNAL


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("refusal", FailureKind.REFUSED),
        ("max_tokens", FailureKind.LIMIT),
        ("max_turn_requests", FailureKind.LIMIT),
        ("length", FailureKind.LIMIT),
        ("end_turn", None),
        ("cancelled", None),
        ("something_new", None),
    ],
)
def test_a_turn_that_stopped_short_did_not_do_its_work(
    reason: str, expected: FailureKind | None
) -> None:
    for agent in (PROTOCOL, ACP):
        report = told(MessageSaid("done"), Finished(reason))
        assert kind(verdict(report, agent, None)) is expected


EVENTS = st.one_of(
    st.builds(TextSaid, st.text(max_size=9)),
    st.builds(MessageSaid, st.text(max_size=9)),
    st.builds(ThoughtSaid, st.text(max_size=9)),
    st.builds(
        ToolUpdated,
        st.sampled_from("abc"),
        kind=st.none() | st.sampled_from(ToolKind),
        begins=st.booleans(),
    ),
    st.builds(UsageStep, st.builds(Usage, st.just(UsageKnown.SUM), st.none() | st.integers(0, 9))),
    st.builds(Failed, st.sampled_from([FailureKind.MODEL_ERROR, FailureKind.LIMIT]), st.text()),
    st.builds(Finished, st.sampled_from(["", "end_turn", "refusal", "cancelled"])),
    st.builds(Warned, st.text(max_size=3)),
    st.builds(Logged, st.text(max_size=3)),
    st.builds(SessionOpened, st.text(max_size=3)),
)


@given(st.lists(EVENTS, max_size=40))
def test_whatever_is_told_the_report_holds_together(events: list[AgentEvent]) -> None:
    report = told(*events)
    assert report.failure is None or report.finished is None
    assert report.tool_count == len(report.calls)
    assert len(set(report.warnings)) == len(report.warnings) <= MOST_WARNINGS
    said = [each for each in events if isinstance(each, TextSaid | MessageSaid)]
    assert bool(report.text.strip()) <= bool(said)
    for agent in (PROTOCOL, TEXT, ACP):
        for ended in (None, EXIT, SIGNAL, DISK):
            found = verdict(report, agent, ended)
            # A bad end is never taken for a good one, but of a program that Sennit ends itself.
            if ended is not None and agent is not ACP:
                assert found is not None


def test_what_is_kept_of_an_agents_words_is_bounded() -> None:
    words = "w" * 1_000_000
    entries = tuple(ToDoEntry(words, ToDoStatus.PENDING) for _ in range(1_000))
    report = told(Warned(words), Failed(FailureKind.MODEL_ERROR, words), ToDoSet(entries))
    assert report.failure is not None
    for text in (report.failure.text, *report.warnings, *(each.text for each in report.to_do)):
        assert len(text) < 5_000
        assert "more characters" in text
    assert len(report.to_do) < 1_000


def test_of_the_paths_of_a_call_the_first_are_kept() -> None:
    paths = tuple(map(str, range(1_000_000)))
    report = told(ToolUpdated("t", paths=paths))
    assert report.tools["t"].paths == paths[:MOST_PATHS]


@pytest.mark.parametrize(
    ("name", "is_kept"),
    [
        ("ses_1", True), ("a b", True), ("0f3-9", True), ("é", True), ("x" * 1_000, True),
        ("x" * 1_001, False), ("--yolo", False), ("a\0b", False), ("a\nb", False), (" a", False),
        ("\x1b[31m", False),
    ],
)  # fmt: skip
def test_a_session_is_kept_that_can_be_named_to_a_program(name: str, is_kept: bool) -> None:  # noqa: FBT001  a column
    assert told(SessionOpened(name)).session == (name if is_kept else None)
