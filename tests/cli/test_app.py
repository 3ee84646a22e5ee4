from __future__ import annotations

import json
import subprocess
import sys

import pytest

from sennit.cli import main
from sennit.cli.app import COMMANDS


def test_the_help_lists_every_command_and_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    assert all(f"\n  {name} " in said for name in COMMANDS)
    assert "130  ended by Ctrl-C" in said


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "ask"])
def test_every_command_has_a_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    assert f"Usage: sennit {name}" in capsys.readouterr().out


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("sennit 0.")


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["run"],
        ["run", "--no-apply", "--patch", "x", "p"],
        ["show", "x_1"],
        ["apply", "nonsense"],
        ["undo"],
        ["undo", "a_1", "--last"],
        ["trust", "perhaps"],
        ["drop"],
    ],
)
def test_wrong_use_ends_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err


def test_wrong_use_is_one_json_object_with_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert told["exitCode"] == 2
    assert "nothing to do" in told["error"]["message"]


def test_help_imports_neither_rich_nor_anyio_nor_the_server() -> None:
    program = (
        "import sys\nfrom sennit.cli import main\nmain(['--help'])\n"
        "heavy = {'rich', 'anyio', 'pygls', 'lsprotocol', 'pygit2', 'cattrs'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_client_loads_nothing_of_the_server_and_no_type_that_it_does_not_speak() -> None:
    program = (
        "import sys\nimport sennit.cli.app, sennit.cli.place, sennit.cli.tickets_command\n"
        "import sennit.cli.terminal\n"
        "heavy = {'pygls', 'lsprotocol', 'pygit2', 'sqlite3', 'importlib.metadata', 'rich.live',\n"
        "  'sennit.server', 'sennit.settings', 'sennit_protocol.methods', 'sennit_protocol.told',\n"
        "  'sennit_protocol.proposals', 'sennit_protocol.upkeep'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
