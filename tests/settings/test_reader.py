from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from sennit.core.agents import COMMAND_LINE, AgentKind, PromptAs, StopTimes
from sennit.core.named_limits import LimitOf, NamedLimit
from sennit.settings.builtin_agents import BUILT_IN
from sennit.settings.decided import default_settings, effective
from sennit.settings.keys import LogLevel, Source
from sennit.settings.reader import Sources, config_folder, read_settings, state_folder
from sennit.settings.review_globs import GENERATED, SENSITIVE
from sennit.settings.values import Settings, SettingsProblem, SettingsProblems
from sennit_protocol.states import Offer
from sennit_protocol.tasks import ExpectChanges


@pytest.fixture
def user(tmp_path: Path) -> Path:
    folder = tmp_path / "config"
    folder.mkdir()
    return folder


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    return folder


def good(sources: Sources) -> Settings:
    found = read_settings(sources)
    assert isinstance(found, Settings), found
    return found


def bad(sources: Sources) -> SettingsProblems:
    found = read_settings(sources)
    assert isinstance(found, SettingsProblems), found
    return found


def only(sources: Sources) -> SettingsProblem:
    found = bad(sources).problems
    assert len(found) == 1, found
    return found[0]


def trusting(repository: Path) -> Sources:
    return Sources(repository=repository, is_trusted=lambda _: True)


def test_without_any_source_the_defaults_count() -> None:
    settings = good(Sources())
    assert settings == default_settings()
    assert settings.limits.tasks == 4
    assert settings.limits.output_file_bytes == 64 * 1024 * 1024
    assert settings.task.deadline_ms is None
    assert settings.stop == StopTimes(5_000, 8_000, 2_000)
    assert set(settings.agents) == {"command", *BUILT_IN}
    assert settings.agents["command"] == COMMAND_LINE


def test_missing_files_are_no_problem(user: Path, repository: Path) -> None:
    good(Sources(user_folder=user, repository=repository))
    good(Sources(user_folder=user / "no", repository=repository / "no"))


def test_later_sources_win_key_by_key(user: Path, repository: Path) -> None:
    (user / "config.toml").write_text(
        "task = {deadlineMs = 1, idleMs = 1_000, expectChanges = 'off'}\n"
        "ask.deadlineMs = 2_000\nreview.offer = 'manual'\n"
    )
    (repository / ".sennit.toml").write_text("[task]\ndeadlineMs = 2\nidleMs = 2_000\n")
    settings = good(
        Sources(
            user_folder=user,
            repository=repository,
            environment={"SENNIT_TASK_DEADLINE_MS": "3", "SENNIT_ASK_DEADLINE_MS": "3000"},
            initialization_options={"task": {"deadlineMs": 4}, "ask": {"deadlineMs": 4_000}},
            configuration={"sennit": {"task": {"deadlineMs": 5}}},
        )
    )
    assert settings.task.deadline_ms == 5
    assert settings.ask_deadline_ms == 4_000
    assert settings.task.idle_ms == 2_000
    assert settings.task.expect_changes is ExpectChanges.OFF
    assert settings.review.offer is Offer.MANUAL


def test_every_source_of_a_key_can_be_told(user: Path) -> None:
    file = user / "config.toml"
    file.write_text("[limits]\n\ntasks = 2\n")
    settings = good(Sources(user_folder=user, environment={"SENNIT_LIMITS_TASKS": "3"}))
    told = [
        (each.source, each.where, each.line, each.value)
        for each in settings.given
        if each.name == "limits.tasks"
    ]
    assert told == [
        (Source.DEFAULT, "built in", None, 4),
        (Source.USER, str(file), 3, 2),
        (Source.ENVIRONMENT, "SENNIT_LIMITS_TASKS", None, 3),
    ]
    last = {each.name: each.source for each in effective(settings)}
    assert last["limits.tasks"] is Source.ENVIRONMENT
    assert last["limits.tickets"] is Source.DEFAULT


def test_every_problem_is_told_with_file_key_and_line(user: Path) -> None:
    file = user / "config.toml"
    file.write_text(
        "[limits]\ntasks = 0\nmemory = 5\nnonsense = 1\n[log]\nlevel = 'loud'\n"
        "[store]\npath = 'relative'\n[task]\nidleMs = '30 s'\n[sandbox]\nx = 1\n"
    )
    told = {each.name: each for each in bad(Sources(user_folder=user)).problems}
    assert {name: each.line for name, each in told.items()} == {
        "limits.tasks": 2,
        "limits.memory": 3,
        "limits.nonsense": 4,
        "log.level": 6,
        "store.path": 8,
        "task.idleMs": 10,
        "sandbox": 11,
    }
    assert {each.where for each in told.values()} == {str(file)}
    assert told["limits.tasks"].valid == ("a whole number from 1 to 256",)
    assert told["limits.memory"].message == "is not available in this version"
    assert "tasksPerCall" in told["limits.nonsense"].valid
    assert told["log.level"].valid == tuple(LogLevel)
    assert told["limits.tasks"].as_problem().path == f"{file}:2: limits.tasks"


def test_what_is_right_counts_while_the_rest_is_being_mended(user: Path) -> None:
    (user / "config.toml").write_text("log.level = 'debug'\nlimits.tasks = 'many'\n")
    meanwhile = bad(Sources(user_folder=user)).meanwhile
    assert meanwhile.log.level is LogLevel.DEBUG
    assert meanwhile.limits.tasks == 4


@pytest.mark.parametrize(
    ("content", "line"), [(b"a =\n", 1), (b"\n\nx = \xff\n", 3), (b"[a]\nb = 1\nb = 2\n", 3)]
)
def test_a_broken_file_is_one_problem_with_its_line(user: Path, content: bytes, line: int) -> None:
    (user / "config.toml").write_bytes(content)
    found = only(
        Sources(user_folder=user, environment={"SENNIT_LIMITS_TASKS": "7"}),
    )
    assert (found.name, found.line) == ("", line)
    both = bad(Sources(user_folder=user, environment={"SENNIT_LIMITS_TASKS": "7"}))
    assert both.meanwhile.limits.tasks == 7


def test_named_limits_come_together_and_the_later_word_on_a_name_counts(user: Path) -> None:
    (user / "config.toml").write_text(
        "[limits.model]\n'maxi-1.5/large' = 2\n[limits.agent]\ncommand = 3\nfixer = 1\n"
    )
    client = {"limits": {"agent": {"fixer": 5}, "provider": {"us": 4}}}
    limits = good(Sources(user_folder=user, configuration=client)).limits
    assert limits.named == (
        NamedLimit(LimitOf.PROVIDER, "us", 4),
        NamedLimit(LimitOf.MODEL, "maxi-1.5/large", 2),
        NamedLimit(LimitOf.AGENT, "command", 3),
        NamedLimit(LimitOf.AGENT, "fixer", 5),
    )


def test_a_bad_limit_of_a_quoted_name_is_told_at_its_line(user: Path) -> None:
    (user / "config.toml").write_text("limits.tasks = 2\nlimits.model.'maxi-1.5' = 0\n")
    found = only(Sources(user_folder=user))
    assert (found.name, found.line) == ("limits.model.maxi-1.5", 2)


def test_a_file_that_cannot_be_read_is_a_problem(user: Path) -> None:
    (user / "config.toml").mkdir()
    assert "cannot be read" in only(Sources(user_folder=user)).message


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        ({"limits": {"tasks": True}}, "limits.tasks"),
        ({"limits": {"tasks": 1.0}}, "limits.tasks"),
        ({"limits": 4}, "limits"),
        ({"limits": []}, "limits"),
        ({"review": {"sensitive": "x"}}, "review.sensitive"),
        ({"review": {"sensitive": [1]}}, "review.sensitive"),
        ({"review": {"sensitive": ["["]}}, "review.sensitive"),
        ({"review": {"offer": "AUTO"}}, "review.offer"),
        ({"limits.tasks": 4}, "limits.tasks"),
        ({"store": {"path": "/x"}}, "store.path"),
        ({"agents": {"a b": {"argv": ["x"]}}}, "agents.a b"),
        ({"agents": {"command": {"argv": ["x"]}}}, "agents.command"),
        ({"agents": {"x": {}}, "hooks": {}}, "hooks"),
        ({"agents": {"x": {"kind": "command"}}}, "agents.x.argv"),
        ({"agents": {"x": {"argv": []}}}, "agents.x.argv"),
        ({"agents": {"x": {"argv": "run me"}}}, "agents.x.argv"),
        ({"agents": {"x": {"argv": ["x"], "env": {"GIT_DIR": "y"}}}}, "agents.x.env"),
        ({"agents": {"x": {"argv": ["x"], "passEnv": ["SENNIT_*"]}}}, "agents.x.passEnv"),
        ({"agents": {"x": {"argv": ["x"], "passEnv": ["*"]}}}, "agents.x.passEnv"),
        ({"agents": {"x": {"argv": ["x"], "cwd": "y"}}}, "agents.x.cwd"),
    ],
)
def test_a_client_is_told_what_is_wrong(raw: dict[str, Any], key: str) -> None:
    found = bad(Sources(configuration=raw)).problems
    assert [each.name for each in found] == [key]
    assert {each.where for each in found} == {"workspace/didChangeConfiguration"}


def test_null_from_a_client_is_as_if_absent() -> None:
    for nothing in (None, {}, {"sennit": None}, {"limits": None}, {"limits": {"tasks": None}}):
        assert good(Sources(configuration=nothing)) == default_settings()


@pytest.mark.parametrize("raw", [4, [], "x", {"sennit": 4}])
def test_what_is_no_object_is_a_problem(raw: object) -> None:
    only(Sources(configuration=raw))


def test_the_trust_of_a_client_is_no_setting() -> None:
    settings = good(Sources(initialization_options={"trusted": True, "limits": {"tasks": 2}}))
    assert settings.limits.tasks == 2
    assert only(Sources(configuration={"trusted": True})).name == "trusted"
    assert only(Sources(initialization_options=[])).where == "initializationOptions"


def test_variables_are_read_and_unknown_ones_are_told() -> None:
    settings = good(
        Sources(
            environment={
                "SENNIT_LIMITS_OUTPUT_VIEW_CHARS": "500",
                "SENNIT_REVIEW_SENSITIVE": "a/:*.b",
                "SENNIT_LOG_FILE": "/tmp/x.log",  # noqa: S108  a name, nothing is written
                "SENNIT_LOG_LEVEL": "",
                "SENNIT_RUN": "n_x",
                "HOME": "/",
            }
        )
    )
    assert settings.limits.output_view_chars == 500
    assert settings.review.sensitive == ("a/", "*.b")
    assert settings.log.level is LogLevel.WARNING
    assert only(Sources(environment={"SENNIT_LIMIT_TASKS": "3"})).where == "SENNIT_LIMIT_TASKS"
    for text in ("x", "-1", "1e3", "9" * 5_000, "\u0663"):
        found = only(Sources(environment={"SENNIT_LIMITS_TASKS": text}))
        assert (found.where, found.name) == ("SENNIT_LIMITS_TASKS", "limits.tasks")
    assert only(Sources(environment={"SENNIT_AGENTS_X_ARGV": "y"})).name == ""


AGENT = '[agents.fixer]\nargv = ["ruff", "--fix"]\nprompt = "stdin"\nstop = {termMs = 1}\n'


def test_an_agent_is_made_from_its_keys(user: Path) -> None:
    (user / "config.toml").write_text(
        AGENT + 'description = "Fixes."\npassEnv = ["RUFF_*"]\nenv = {A = "b"}\n'
    )
    settings = good(Sources(user_folder=user))
    fixer = settings.agents["fixer"]
    assert (fixer.name, fixer.kind) == ("fixer", AgentKind.COMMAND)
    assert fixer.argv == ("ruff", "--fix")
    assert fixer.prompt_as is PromptAs.STDIN
    assert (fixer.env, fixer.pass_env) == ({"A": "b"}, ("RUFF_*",))
    assert fixer.stop == StopTimes(5_000, 8_000, 1)
    assert fixer.description == "Fixes."


def test_values_of_variables_are_never_shown(user: Path) -> None:
    (user / "config.toml").write_text(AGENT + 'env = {TOKEN = "hush"}\n')
    for each in good(Sources(user_folder=user)).given:
        assert "hush" not in each.key.kind.shown(each.value)


def test_a_repository_that_is_not_trusted_brings_no_agent(repository: Path) -> None:
    (repository / ".sennit.toml").write_text("task.deadlineMs = 9\n" + AGENT)
    settings = good(Sources(repository=repository))
    assert set(settings.agents) == {"command", *BUILT_IN}
    assert settings.task.deadline_ms == 9
    told = [(each.name, each.line) for each in settings.ignored]
    assert told == [
        ("agents.fixer.argv", 3),
        ("agents.fixer.prompt", 4),
        ("agents.fixer.stop.termMs", 5),
    ]


def test_trust_is_asked_for_the_content_that_is_used(repository: Path) -> None:
    content = AGENT.encode()
    (repository / ".sennit.toml").write_bytes(content)
    asked: list[str] = []

    def is_trusted(digest: str) -> bool:
        asked.append(digest)
        return True

    settings = good(Sources(repository=repository, is_trusted=is_trusted))
    assert asked == [sha256(content).hexdigest()]
    assert "fixer" in settings.agents
    assert settings.ignored == ()


def test_a_repository_that_is_not_trusted_changes_nothing_of_the_users_agent(
    user: Path, repository: Path
) -> None:
    (user / "config.toml").write_text(AGENT)
    (repository / ".sennit.toml").write_text('agents.fixer.argv = ["evil"]\n')
    settings = good(Sources(user_folder=user, repository=repository))
    assert settings.agents["fixer"].argv == ("ruff", "--fix")


def test_a_repository_is_refused_what_concerns_the_machine(repository: Path) -> None:
    (repository / ".sennit.toml").write_text(
        "limits.tasks = 100\nlog.file = '/x'\nstore.path = '/x'\nstop.termMs = 1\n"
    )
    found = bad(trusting(repository)).problems
    assert {each.name for each in found} == {
        "limits.tasks", "log.file", "store.path", "stop.termMs"
    }  # fmt: skip
    assert {each.valid for each in found if each.name == "log.file"} == {("user", "environment")}


def test_a_repository_adds_to_the_sensitive_files_and_cannot_empty_them(
    repository: Path,
) -> None:
    (repository / ".sennit.toml").write_text(
        "review.sensitive = ['db/']\nreview.generated = ['*']\nworkspace.include = ['x']\n"
    )
    untrusted = good(Sources(repository=repository))
    assert untrusted.review.sensitive == (*SENSITIVE, "db/")
    assert untrusted.review.generated == GENERATED
    assert untrusted.workspace_include == ()
    trusted = good(trusting(repository))
    assert trusted.review.generated == (*GENERATED, "*")
    assert trusted.workspace_include == ("x",)


@pytest.mark.parametrize("name", ["SENNIT_CONFIG_DIR", "SENNIT_STATE_DIR"])
def test_a_folder_that_depends_on_where_one_is_is_a_problem(name: str) -> None:
    found = only(Sources(environment={name: "relative"}))
    assert (found.where, "relative" in found.message) == (name, True)
    assert good(Sources(environment={name: ""})) == good(Sources(environment={name: "/x"}))


def test_the_configuration_folder_can_be_chosen(tmp_path: Path) -> None:
    assert config_folder({"SENNIT_CONFIG_DIR": str(tmp_path)}) == tmp_path
    assert config_folder({}).name == "sennit"


def test_the_state_folder_can_be_chosen_and_is_named_by_its_real_path(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    assert state_folder({"SENNIT_STATE_DIR": str(link / "state")}) == tmp_path.resolve() / "state"
    assert state_folder({}).name == "sennit"
