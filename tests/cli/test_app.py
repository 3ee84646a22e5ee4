from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sennit.cli import main
from sennit.cli.app import COMMANDS
from sennit.cli.exits import MEANINGS, Exit


def test_the_help_lists_every_command_and_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    assert all(f"\n  {name} " in said for name in COMMANDS)
    assert "130  ended by Ctrl-C" in said
    assert "@             the newest ticket" in said


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
        ["undo", "p_aaaaaaaaaa"],
        ["resolve", "a_aaaaaaaaaa"],
        ["resolve", "p_a", "--take", "ours", "--suggestion", "imports"],
        ["trust", "perhaps"],
        ["trust", "list", "/"],
        ["drop"],
        ["drop", "a_aaaaaaaaaa"],
        ["gc", "--list", "--confirm"],
        ["output", "t_a", "x", "--stderr", "--raw"],
        ["output", "t_a", "x", "--record", "--follow"],
        ["output", "t_a", "x", "--follow", "--json"],
        ["run", "p", "--accept-all", "--reject-all"],
        ["run", "p", "--reject-all", "--patch", "x"],
        ["run", "p", "--patch", "x"],
        ["review", "t_a", "--accept", "all", "--reset"],
        ["review", "t_a", "--reject", "all", "--accept", "x"],
        ["review", "t_a", "--accept", "x", "--reject", "x"],
        ["show", "t_a", "--agent"],
        ["-C", "/nowhere/at/all", "tickets"],
    ],
)
def test_wrong_use_ends_with_2_and_is_one_json_value_with_json(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    plain = capsys.readouterr()
    assert plain.err
    assert main([*arguments, "--json"]) == 2
    told = capsys.readouterr()
    assert json.loads(told.out)["exitCode"] == 2
    assert json.loads(told.out)["error"]["message"]
    assert told.err


def all_commands() -> list[tuple[str, ...]]:
    return [*((name,) for name in COMMANDS if name not in {"ask", "serve"}), ("agents", "check")]


@pytest.mark.parametrize("words", all_commands(), ids=" ".join)
def test_every_command_takes_json_and_answers_in_it(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--json", "--no-such-option"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert "--no-such-option" in told["error"]["message"]
    assert told["error"]["code"] is None
    assert main([*words, "--help"]) == 0
    assert "--json" in capsys.readouterr().out


def test_json_that_is_no_option_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["story", "--no-such-option", "--", "--json"]) == 2
    assert capsys.readouterr().out == ""


def test_an_interrupt_is_told_in_json_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sennit.cli.app.group.main", interrupted)
    assert main(["tickets", "--json"]) == Exit.INTERRUPTED
    assert json.loads(capsys.readouterr().out)["exitCode"] == Exit.INTERRUPTED


def test_the_guide_says_of_every_command_what_its_json_is() -> None:
    guide = Path(__file__).parents[2] / "docs" / "guide" / "getting-started.md"
    rows = [line for line in guide.read_text().splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall("`([a-z -]+)`", row.split(" | ")[0])}
    assert {" ".join(words) for words in all_commands()} <= named


def test_the_guide_has_the_exit_codes_and_their_meanings() -> None:
    guide = Path(__file__).parents[2] / "docs" / "guide" / "getting-started.md"
    rows = [f"| {int(code)} | {meaning} |" for code, meaning in MEANINGS.items()]
    assert "\n".join(rows) in guide.read_text()


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


def test_a_slip_in_a_command_is_told_with_what_was_meant(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["tickts"]) == Exit.USAGE
    assert "There is no command 'tickts'. Did you mean tickets?" in capsys.readouterr().err
    assert main(["xyzzy"]) == Exit.USAGE
    assert "Did you mean" not in capsys.readouterr().err
