"""What real agents wrote, against a scripted model, and what has to come of it.

Each did the same: write `agent.txt`, run a command, say that it is done; with a model that answers
401; and without the right to do it. Ids, times and long lists were taken out of the transcripts.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import frozen

from sennit.core.agent_report import Report, take, verdict
from sennit.core.agents import AgentKind, AgentSettings, OutputFormat
from sennit.core.output_formats.formats import reader_of
from sennit.core.output_formats.lines import Lines
from sennit_protocol.agents import ToolKind, ToolStatus, Usage, UsageKnown
from sennit_protocol.states import FailureKind
from sennit_protocol.views import Failure

FOLDER = Path(__file__).parent / "golden"
FORMATS = {
    "aider": OutputFormat.TEXT,
    "claude": OutputFormat.CLAUDE,
    "codex": OutputFormat.CODEX,
    "gemini": OutputFormat.GEMINI,
    "kimi": OutputFormat.KIMI,
    "opencode": OutputFormat.OPENCODE,
    "pi": OutputFormat.PI,
    "qwen": OutputFormat.CLAUDE,
}
DONE = "Done: wrote agent.txt and ran the command."
WRITE = (ToolKind.EDIT, ToolStatus.COMPLETED)
RUN = (ToolKind.EXECUTE, ToolStatus.COMPLETED)
NOT_WRITTEN = (ToolKind.EDIT, ToolStatus.FAILED)
NOT_RUN = (ToolKind.EXECUTE, ToolStatus.FAILED)


def read(name: str) -> Report:
    (file,) = FOLDER.glob(f"{name}.*")
    reader, lines, report = reader_of(FORMATS[name.partition("-")[0]]), Lines(), Report()
    for line in (*lines.feed(file.read_bytes()), *lines.end()):
        for event in reader(line):
            report = take(report, event)
    return report


def judged(name: str, exit_code: int = 0, output_end: str = "") -> FailureKind | None:
    output = FORMATS[name.partition("-")[0]]
    agent = AgentSettings("x", AgentKind.COMMAND, ("x",), output=output)
    ended = Failure(FailureKind.EXIT, "It ended.", exit_code=exit_code) if exit_code else None
    found = verdict(read(name), agent, ended, output_end)
    return None if found is None else found.kind


@frozen
class Told:
    text: str
    tools: tuple[tuple[ToolKind, ToolStatus], ...]
    usage: Usage | None
    warnings: tuple[str, ...] = ()


def told(report: Report) -> Told:
    tools = tuple((each.kind, each.status) for each in report.tools.values())
    return Told(report.text.strip(), tools, report.usage, report.warnings)


METADATA = (
    "Model metadata for `scripted` not found. Defaulting to fallback metadata; this can degrade "
    "performance and cause issues."
)
CLAUDE = Usage(
    UsageKnown.TOTAL, input=3_600, output=102, cached_read=600, cached_write=0, cost=0.01251,
    currency="USD", turns=3,
)  # fmt: skip
CODEX = Usage(
    UsageKnown.TOTAL, input=3_000, output=102, cached_read=600, cached_write=0, reasoning=0
)
QWEN = Usage(UsageKnown.TOTAL, input=3_000, output=102, cached_read=600, turns=3)
GEMINI = Usage(UsageKnown.TOTAL, input=3_000, output=102, cached_read=600)
OPENCODE = Usage(
    UsageKnown.SUM, input=3_000, output=102, cached_read=600, cached_write=0, reasoning=0,
    cost=0.001068 + 0.001068 + 0.001068, currency="USD", turns=3,
)  # fmt: skip
PI = Usage(
    UsageKnown.SUM, input=3_000, output=102, cached_read=600, cached_write=0, reasoning=0,
    cost=0.001088 + 0.001088 + 0.001088, currency="USD", turns=3,
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("claude-edit", Told(DONE, (WRITE, RUN), CLAUDE)),
        ("codex-edit", Told(DONE, (RUN, RUN), CODEX, (METADATA,))),
        ("gemini-edit", Told(DONE, (WRITE, RUN), GEMINI)),
        ("kimi-edit", Told(DONE, (WRITE, RUN), None)),
        ("opencode-edit", Told(DONE, (WRITE, RUN), OPENCODE)),
        ("pi-edit", Told(DONE, (WRITE, RUN), PI)),
        ("qwen-edit", Told(DONE, (WRITE, RUN), QWEN)),
    ],
)
def test_a_task_that_was_done_is_told_in_full(name: str, expected: Told) -> None:
    assert told(read(name)) == expected
    assert judged(name) is None


def test_paths_and_commands_of_tools_are_told() -> None:
    for name in ("claude", "gemini", "kimi", "opencode", "pi", "qwen"):
        write, run = read(f"{name}-edit").tools.values()
        assert write.paths[0].endswith("agent.txt"), name
        assert "sed -i" in run.title, name


@pytest.mark.parametrize("name", ["claude", "codex", "kimi", "opencode", "pi", "qwen", "gemini"])
def test_the_session_is_told_for_those_who_resume_it(name: str) -> None:
    assert read(f"{name}-edit").session


def test_words_for_people_are_kept_as_they_are_with_the_usage_in_them() -> None:
    report = read("aider-edit")
    assert report.text.rstrip().endswith("Applied edit to agent.txt")
    assert report.usage == Usage(UsageKnown.SUM, input=1_200, output=34, turns=1)
    assert judged("aider-edit") is None


@pytest.mark.parametrize(
    ("name", "exit_code"),
    [
        ("claude", 0), ("codex", 1), ("gemini", 145), ("opencode", 1), ("pi", 0), ("qwen", 1),
    ],
)  # fmt: skip
def test_a_model_that_does_not_know_the_user_is_not_signed_in(name: str, exit_code: int) -> None:
    assert judged(f"{name}-401", exit_code) is FailureKind.NOT_SIGNED_IN


def test_kimi_tells_only_on_standard_error_that_nobody_is_signed_in() -> None:
    said = "401 The scripted model knows no such key.\nprovider.auth_error: Authentication failed"
    assert judged("kimi-401", 1, said) is FailureKind.NOT_SIGNED_IN
    assert judged("kimi-401", 1) is FailureKind.EXIT


def test_aider_fails_with_exit_code_0_where_its_library_raises() -> None:
    assert judged("aider-401") is FailureKind.MODEL_ERROR


DENIED = "The agent was not allowed to use {}."


@pytest.mark.parametrize(
    ("name", "tools", "warnings"),
    [
        ("claude-refused", (NOT_WRITTEN, NOT_RUN), ("Write", "Bash")),
        ("claude-outside", (NOT_WRITTEN,), ("Write",)),
    ],
)
def test_what_an_agent_was_not_allowed_is_a_warning_and_no_failure(
    name: str, tools: tuple[tuple[ToolKind, ToolStatus], ...], warnings: tuple[str, ...]
) -> None:
    report = told(read(name))
    assert report.tools == tools
    assert report.warnings == tuple(DENIED.format(each) for each in warnings)
    assert judged(name) is None


@pytest.mark.parametrize("name", ["codex-refused", "gemini-refused", "qwen-refused"])
def test_that_nothing_could_be_done_is_not_told_by_these(name: str) -> None:
    assert read(name).tools == {}
    assert judged(name) is None


def test_opencode_gives_up_without_a_word_where_it_would_have_to_ask() -> None:
    assert told(read("opencode-outside")).tools == (NOT_WRITTEN,)
    assert judged("opencode-outside") is FailureKind.REFUSED


@pytest.mark.parametrize("name", ["kimi-outside", "pi-outside"])
def test_agents_that_never_ask_write_outside_their_folder(name: str) -> None:
    assert told(read(name)).tools == (WRITE,)
    assert judged(name) is None


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.jsonl")), ids=lambda path: path.stem)
def test_a_stream_that_ends_in_the_middle_is_never_taken_for_a_whole_one(file: Path) -> None:
    output = FORMATS[file.stem.partition("-")[0]]
    agent = AgentSettings("x", AgentKind.COMMAND, ("x",), output=output)
    reader, whole = reader_of(output), judged(file.stem)
    report, kinds = Report(), []
    for line in file.read_text().splitlines():
        found = verdict(report, agent, None)
        kinds.append(None if found is None else found.kind)
        for event in reader(line):
            report = take(report, event)
    assert kinds[0] is FailureKind.PROTOCOL
    # Before its last words it is either not over or as it ends.
    assert set(kinds) <= {FailureKind.PROTOCOL, FailureKind.NOT_SIGNED_IN, whole}
