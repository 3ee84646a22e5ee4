import subprocess
from pathlib import Path

from sennit.adapters.agents.catalogue import catalogue
from sennit.core.agents import COMMAND_LINE, AgentKind, AgentSettings


def an_agent(program: str, **environment: str) -> AgentSettings:
    return AgentSettings("mine", AgentKind.COMMAND, (program, "x"), env=environment)


def test_a_program_in_the_path_is_usable(tmp_path: Path) -> None:
    program = tmp_path / "agent"
    program.touch(mode=0o700)
    (entry,) = catalogue([an_agent("agent")], {"PATH": str(tmp_path)})
    assert (entry.name, entry.program, entry.usable, entry.problem) == ("mine", program, True, "")


def test_the_path_that_counts_is_the_agents_own(tmp_path: Path) -> None:
    (tmp_path / "agent").touch(mode=0o700)
    (entry,) = catalogue([an_agent("agent", PATH=str(tmp_path))], {"PATH": "/nowhere"})
    assert entry.usable


def test_a_missing_program_says_what_to_do(tmp_path: Path) -> None:
    (entry,) = catalogue([an_agent("agent")], {"PATH": str(tmp_path)})
    assert not entry.usable
    assert entry.problem is not None
    assert "was not found in the folders of PATH" in entry.problem
    assert str(tmp_path) not in entry.problem
    assert "agents.mine.argv" in entry.advice


def test_a_file_that_is_not_executable_says_so(tmp_path: Path) -> None:
    (tmp_path / "agent").touch(mode=0o600)
    for program in ("agent", str(tmp_path / "agent")):
        (entry,) = catalogue([an_agent(program)], {"PATH": str(tmp_path)})
        assert not entry.usable
        assert "chmod +x" in entry.advice


def test_how_to_make_it_executable_can_be_given_to_a_shell(tmp_path: Path) -> None:
    folder = tmp_path / "it's $HOME"
    folder.mkdir()
    (folder / "an agent").touch(mode=0o600)
    (entry,) = catalogue([an_agent("an agent")], {"PATH": str(folder)})
    command = entry.advice.removeprefix("Make it executable: ")
    subprocess.run(["sh", "-c", command], check=True)
    (entry,) = catalogue([an_agent("an agent")], {"PATH": str(folder)})
    assert entry.usable


def test_the_built_in_agent_and_relative_programs_are_found_when_they_run() -> None:
    entries = catalogue([COMMAND_LINE, an_agent("./tool")], {})
    assert [(each.usable, each.program) for each in entries] == [(True, None), (True, None)]
