from __future__ import annotations

from pathlib import Path

import pytest

from sennit.core.agents import Sandboxing
from sennit.settings.decided import default_settings
from sennit.settings.reader import Sources, read_settings
from sennit.settings.values import Settings, SettingsProblems

AGENT = '[agents.fixer]\nargv = ["fix"]\n'


@pytest.fixture
def user(tmp_path: Path) -> Path:
    folder = tmp_path / "user"
    folder.mkdir()
    return folder


def settings_of(user: Path, text: str) -> Settings | SettingsProblems:
    (user / "config.toml").write_text(text)
    return read_settings(Sources(user_folder=user))


def test_a_sandbox_is_preferred_unless_said() -> None:
    assert default_settings().sandbox is Sandboxing.PREFERRED


def test_the_general_word_and_that_of_an_agent_are_kept_apart(user: Path) -> None:
    text = (
        'sandbox = "required"\n' + AGENT + 'sandbox = "off"\nstateFolders = ["~/.fix", "/var/x"]\n'
    )
    settings = settings_of(user, text)
    assert isinstance(settings, Settings)
    assert settings.sandbox is Sandboxing.REQUIRED
    assert settings.agents["fixer"].sandbox is Sandboxing.OFF
    assert settings.agents["fixer"].state_folders == ("~/.fix", "/var/x")


def test_an_agent_that_says_nothing_follows_the_general_word(user: Path) -> None:
    settings = settings_of(user, AGENT)
    assert isinstance(settings, Settings)
    assert settings.agents["fixer"].sandbox is None


@pytest.mark.parametrize("folder", ["relative", "~other/x", "", "$HOME/x"])
def test_a_state_folder_that_depends_on_who_reads_it_is_refused(user: Path, folder: str) -> None:
    found = settings_of(user, AGENT + f'stateFolders = ["{folder}"]\n')
    assert isinstance(found, SettingsProblems)
    assert [each.name for each in found.problems] == ["agents.fixer.stateFolders"]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ('sandbox = "off"\n', "sandbox"),
        ('agents.fixer.sandbox = "off"\n', "agents.fixer.sandbox"),
        ('agents.fixer.stateFolders = ["~/.ssh"]\n', "agents.fixer.stateFolders"),
    ],
)
def test_a_repository_says_nothing_about_the_sandbox_even_when_trusted(
    user: Path, tmp_path: Path, line: str, name: str
) -> None:
    (user / "config.toml").write_text(AGENT)
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / ".sennit.toml").write_text(line)
    sources = Sources(user_folder=user, repository=repository, is_trusted=lambda _: True)
    found = read_settings(sources)
    assert isinstance(found, SettingsProblems)
    assert [each.name for each in found.problems] == [name]
