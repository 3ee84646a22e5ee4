from __future__ import annotations

import sys
from pathlib import Path

import pytest
from attrs import evolve

from tests.e2e.cli_process import Desk, a_desk

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

WRITES = "echo ready > ready.txt"
SAYS_401 = 'echo "Error: invalid API key"; exit 1'


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A user in whose PATH there are git and a shell, and none of the agents that are known."""
    made = a_desk(tmp_path, {"a.txt": "one\n"})
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("git", "sh", "sleep"):
        found = next(p for p in map(Path, ("/usr/bin", "/bin")) if (p / name).exists())
        (programs / name).symlink_to(found / name)
    return evolve(made, environment={**made.environment, "PATH": str(programs)})


def program(desk: Desk, name: str, script: str) -> None:
    path = Path(desk.environment["PATH"], name)
    path.write_text(
        f'#!/bin/sh\nif test "$1" = --version; then echo {name} 7.8; exit; fi\n{script}\n'
    )
    path.chmod(0o700)


def configure(desk: Desk, text: str) -> None:
    folder = Path(desk.environment["SENNIT_CONFIG_DIR"])
    folder.mkdir(exist_ok=True)
    (folder / "config.toml").write_text(text)


def test_agents_that_are_known_and_not_installed_are_named_in_one_line(desk: Desk) -> None:
    program(desk, "aider", WRITES)
    shown = desk.sennit("agents").out
    listed, _, absent = shown.partition("Known, but not installed:")
    assert "aider" in listed
    assert "codex" not in listed
    assert "codex" in absent
    assert "implement" in absent
    assert "codex-acp" in desk.sennit("agents", "--all").out


def test_the_catalogue_tells_what_is_known_of_each_agent(desk: Desk) -> None:
    program(desk, "claude", WRITES)
    configure(desk, '[agents.mine]\nargv = ["claude"]\nroles = ["review"]\n')
    told = {each["name"]: each for each in desk.sennit("agents", "--json").json["agents"]}
    claude, codex, mine = told["claude-p"], told["codex"], told["mine"]
    assert (claude["usable"], claude["found"], claude["builtIn"]) == (True, True, True)
    assert claude["can"]["tellsCost"]
    assert claude["signIn"]
    assert "version" not in claude
    assert (codex["usable"], codex["found"]) == (False, False)
    assert "agents.codex.argv" in codex["problem"]
    # What a person typed runs without one, unless everything has to be in one.
    assert (told["mine"]["sandbox"], told["command"]["sandbox"]) == ("preferred", "off")
    assert (mine["roles"], mine["builtIn"]) == (["review"], False)
    told = {
        each["name"]: each for each in desk.sennit("agents", "--versions", "--json").json["agents"]
    }
    assert told["claude-p"]["version"] == "7.8"


def test_definitions_are_listed_with_those_that_are_skipped(desk: Desk) -> None:
    folder = Path(desk.environment["SENNIT_CONFIG_DIR"], "agents")
    folder.mkdir(parents=True)
    (folder / "cook.md").write_text("---\nname: cook\ndescription: Cooks.\n---\nYou cook.\n")
    (folder / "bad.md").write_text("nothing")
    theirs = desk.repository / ".claude" / "agents"
    theirs.mkdir(parents=True)
    (theirs / "guard.md").write_text("---\nname: guard\ntools: Read\n---\nYou guard.\n")
    told = desk.sennit("agents", "--json").json
    assert [each["name"] for each in told["definitions"]] == [
        "cook", "explore", "review", "implement", "verify",
    ]  # fmt: skip
    skipped, untrusted = (notice["message"] for notice in told["notices"])
    assert "bad.md" in skipped
    assert "those in .claude/agents do not count" in untrusted
    told = desk.trusted().sennit("agents", "--json").json
    (guard,) = [each for each in told["definitions"] if each["name"] == "guard"]
    assert guard["readOnly"]


def test_an_agent_that_works_passes_its_check_and_leaves_nothing(desk: Desk) -> None:
    program(desk, "fixer", WRITES)
    configure(desk, '[agents.fixer]\nargv = ["fixer"]\n')
    done = desk.sennit("agents", "check", "fixer")
    assert done.code == 0, done.out + done.err
    assert [line[:4].strip() for line in done.out.splitlines()] == ["ok", "ok", "ok"]
    assert "version 7.8" in done.out
    assert {each.name for each in desk.repository.iterdir()} == {".git", "a.txt"}
    assert desk.sennit("tickets", "--json").json["tickets"] == []


def test_values_of_variables_are_never_shown(desk: Desk) -> None:
    configure(desk, '[agents.fixer]\nargv = ["fixer"]\nenv = {TOKEN = "hush", MODE = "hush"}\n')
    for arguments in (["config"], ["config", "--explain"], ["config", "--json"], ["agents"]):
        done = desk.sennit(*arguments)
        assert "hush" not in done.out + done.err, arguments
    assert "TOKEN, MODE" in desk.sennit("config").out
    settings = desk.sennit("config", "--json").json["settings"]
    assert settings["agents.fixer.env"]["value"] == ["TOKEN", "MODE"]


def test_the_command_line_itself_can_be_checked(desk: Desk) -> None:
    assert desk.sennit("agents", "check", "command").code == 0


@pytest.mark.parametrize(
    ("script", "step", "told"),
    [
        (SAYS_401, "worked", "fix login"),
        ("exit 3", "worked", "exit code 3"),
        ("exit 0", "proposed", "there is no ready.txt"),
        ("echo other > ready.txt", "proposed", "not the word ready"),
    ],
)
def test_an_agent_that_does_not_work_fails_its_check_with_advice(
    desk: Desk, script: str, step: str, told: str
) -> None:
    program(desk, "fixer", script)
    configure(desk, '[agents.fixer]\nargv = ["fixer"]\nsignIn = "fix login"\n')
    done = desk.sennit("agents", "check", "fixer", "--json")
    assert done.code == 1
    last = done.json["steps"][-1]
    assert (last["name"], last["ok"]) == (step, False)
    assert told in last["message"] + last["advice"]


def test_an_agent_that_is_not_there_says_which_are(desk: Desk) -> None:
    done = desk.sennit("agents", "check", "cook")
    assert done.code == 2
    assert "command" in done.out
    missing = desk.sennit("agents", "check", "codex")
    assert (missing.code, "not found" in missing.out) == (1, True)


def test_a_check_names_the_ways_to_sign_in_that_an_agent_offers(desk: Desk) -> None:
    peer = Path(__file__).parents[1] / "acp_peer.py"
    configure(
        desk,
        f"[agents.peer]\nkind = 'acp'\nargv = ['{sys.executable}', '{peer}', 'signed-out']\n"
        "sandbox = 'off'\nauthMethod = 'letter'\n",
    )
    shown = desk.sennit("agents", "check", "peer")
    assert shown.code == 1
    assert "no way to sign in that it calls 'letter'" in shown.out
    assert "Use a key (`key`)" in shown.out
