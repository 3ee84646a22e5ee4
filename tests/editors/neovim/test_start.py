"""What happens before there is a good server: not trusted, not found, too old, rubbish."""

from __future__ import annotations

import json

import pytest

from tests.editors.neovim.neovim import Neovim
from tests.editors.neovim.scene import Scene, dispatch, done, program, proposals, settled

ANSWER = """
import json, sys
length = 0
while (line := sys.stdin.buffer.readline()).strip():
    name, _, value = line.partition(b":")
    length = int(value) if name.lower() == b"content-length" else length
asked = json.loads(sys.stdin.buffer.read(length))
body = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": RESULT}).encode()
sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
sys.stdout.flush()
sys.stdin.buffer.read()
"""


def _answers(result: object) -> str:
    return ANSWER.replace("RESULT", repr(json.loads(json.dumps(result))))


@pytest.fixture
def bare(scene: Scene) -> Scene:
    """A machine whose PATH has no server."""
    scene.write("a.txt", "one\n")
    scene.commit()
    scene.programs = scene.root / "bin"
    scene.programs.mkdir()
    return scene


def test_nothing_is_started_before_the_user_wants_something(scene: Scene) -> None:
    scene.write("a.txt", "one\n")
    editor = scene.start()
    editor.edit(scene.path("a.txt"))
    assert editor.lua("return package.loaded['sennit.client'] == nil")
    assert editor.lua("return vim.fn.exists(':Sennit')") == 2


def test_it_starts_with_no_buffer_open(scene: Scene) -> None:
    scene.write("a.txt", "one\n")
    scene.commit()
    editor = scene.start()
    ticket = dispatch(editor, [{"id": "one", "prompt": "sed -i s/one/ONE/ a.txt"}])
    assert settled(editor, ticket) == "completed"


def test_it_starts_by_vim_lsp_enable(scene: Scene) -> None:
    scene.write("a.txt", "one\n")
    scene.commit()
    editor = scene.start()
    editor.lua("vim.lsp.enable('sennit')")
    editor.edit(scene.path("a.txt"))
    editor.until_lua(
        "return (vim.lsp.get_clients({ name = 'sennit', bufnr = 0 })[1] or {}).initialized"
    )
    done(editor, "true")
    assert editor.lua("return #vim.lsp.get_clients({ name = 'sennit' })") == 1


def test_by_vim_lsp_enable_a_missing_server_is_said_once(bare: Scene) -> None:
    bare.write("b.txt", "two\n")
    editor = bare.start()
    editor.lua("vim.lsp.enable('sennit')")
    editor.edit(bare.path("a.txt"))
    editor.edit(bare.path("b.txt"))
    editor.until_notice("no program `sennit` was found on PATH")
    editor.lua("vim.wait(50)")
    assert len(editor.notices()) == 1


def test_in_an_untrusted_folder_nothing_runs_until_the_user_grants_it(scene: Scene) -> None:
    # Where agents are confined, this one cannot leave a mark but in its own workspace.
    scene.write(".sennit.toml", '[agents.evil]\nargv = ["touch", "ran"]\nprompt = "none"\n')
    scene.write("a.txt", "one\n")
    scene.commit()
    editor = scene.start(before="")
    editor.edit(scene.path("a.txt"))
    editor.sennit("dispatch agent=command touch x")
    editor.until_notice("not trusted", ":Sennit trust")
    agents = [one["name"] for one in editor.ask("sennit/agents")["agents"]]
    assert "evil" not in agents
    assert editor.ask("sennit/tickets")["tickets"] == []
    editor.choose("Trust it")
    editor.sennit("trust")
    editor.until_notice("is trusted")
    agents = [one["name"] for one in editor.ask("sennit/agents")["agents"]]
    assert "evil" in agents
    assert editor.asked()[0]["items"] == ["Trust it", "Do not trust it"]
    ticket = dispatch(editor, [{"id": "one", "agent": "evil", "prompt": "go"}])
    settled(editor, ticket)
    assert [one["task"] for one in proposals(editor, ticket)] == ["one"]


def test_trust_is_revoked(scene: Scene) -> None:
    scene.write("a.txt", "one\n")
    scene.commit()
    editor = scene.start(before="")
    editor.sennit("trust grant")
    editor.until_notice("is trusted")
    editor.sennit("trust revoke")
    editor.until_notice("not trusted any more")
    editor.sennit("dispatch agent=command touch x")
    editor.until_notice("Nothing was dispatched", "not trusted")


def test_a_server_that_is_not_found_is_said_with_what_to_do(bare: Scene) -> None:
    editor = bare.start()
    editor.sennit("tickets")
    told = editor.until_notice("no program `sennit` was found on PATH")
    assert "uv tool install ." in told
    assert ":checkhealth sennit" in told


def test_a_named_server_that_is_no_program_is_said(bare: Scene) -> None:
    editor = bare.start("vim.g.sennit = { cmd = { '/no/such/program', 'serve' } }")
    editor.sennit("tickets")
    editor.until_notice('the option `cmd` names "/no/such/program"')


@pytest.mark.parametrize("on_path", [False, True], ids=["not on PATH", "on PATH"])
def test_a_server_of_the_folder_itself_is_started_only_after_consent(
    bare: Scene, *, on_path: bool
) -> None:
    if on_path:
        bare.programs = bare.repo / ".venv" / "bin"
    mark = bare.root / "ran"
    program(
        bare.repo / ".venv" / "bin", "sennit",
        f"open({str(mark)!r}, 'w').close()\n" + _answers({"capabilities": {}}),
    )  # fmt: skip
    editor = bare.start()
    editor.sennit("tickets")
    editor.until_notice("a program of this folder, which is not trusted", ":Sennit trust grant")
    assert not mark.exists()
    editor.sennit("trust grant")
    editor.until(mark.exists, "the start of the server")
    editor.until_notice("does not speak the protocol of Sennit")


def test_a_link_of_the_folder_to_a_program_elsewhere_is_one_of_the_folder(bare: Scene) -> None:
    mark = bare.root / "ran"
    elsewhere = program(bare.root / "elsewhere", "tool", f"open({str(mark)!r}, 'w').close()\n")
    bare.programs = bare.repo / "bin"
    bare.programs.mkdir()
    (bare.programs / "sennit").symlink_to(elsewhere)
    editor = bare.start()
    editor.sennit("tickets")
    editor.until_notice("a program of this folder, which is not trusted")
    assert not mark.exists()


def test_a_program_that_only_a_relative_entry_of_path_leads_to_is_refused(bare: Scene) -> None:
    mark = bare.root / "ran"
    program(bare.repo / "bin", "sennit", f"open({str(mark)!r}, 'w').close()\n")
    editor = bare.start("vim.env.PATH = 'bin:' .. vim.env.PATH")
    editor.sennit("tickets")
    editor.until_notice('PATH leads to a `sennit` only by "bin"')
    assert not mark.exists()


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (
            {"capabilities": {"experimental": {"sennit": {"protocolVersion": "9.7"}}},
             "serverInfo": {"name": "sennit", "version": "9.7.1"}},
            ("it speaks protocol 9.7 (version 9.7.1), this plugin speaks 0.1", "Update"),
        ),
        ({"capabilities": {}}, ("does not speak the protocol of Sennit", "too old")),
    ],
)  # fmt: skip
def test_a_server_of_another_version_is_ended_and_said(
    bare: Scene, result: object, words: tuple[str, ...]
) -> None:
    program(bare.programs, "sennit", _answers(result))
    editor = bare.start()
    editor.sennit("tickets")
    editor.until_notice(*words)
    assert bare.processes().keys() == {editor.pid}


@pytest.mark.parametrize(
    ("source", "words", "patience_ms"),
    [
        ("print('Hello, this is no protocol')\ninput()",
         ('no message of the protocol: "Hello, this is no protocol"',), 60_000),
        ("import sys; sys.exit('cannot import name x')",
         ("ended with exit code 1 before it had answered", "cannot import name x"), 60_000),
        ("import sys; sys.stdin.buffer.read()", ("did not answer within 1 s",), 1_000),
    ],
    ids=["rubbish", "ends", "silent"],
)  # fmt: skip
def test_a_server_that_prints_rubbish_is_ended_and_said(
    bare: Scene, source: str, words: tuple[str, ...], patience_ms: int
) -> None:
    program(bare.programs, "sennit", source)
    editor = bare.start(f"vim.g.sennit = {{ start_ms = {patience_ms} }}")
    editor.sennit("tickets")
    editor.until_notice(*words)
    editor.until(lambda: bare.processes().keys() == {editor.pid}, "the end of the server")
    editor.lua("vim.wait(200)")
    errors = [one for one in editor.notices() if "bug" in one]
    assert errors == []


def test_rubbish_in_the_middle_ends_the_server_and_starts_it_again(bare: Scene) -> None:
    good = {"capabilities": {"experimental": {"sennit": {"protocolVersion": "0.1"}}},
            "serverInfo": {"name": "sennit", "version": "0.1.0"}}  # fmt: skip
    source = _answers(good).replace(
        "sys.stdin.buffer.read()",
        "sys.stdin.buffer.readline()\nprint('Traceback')"
        "\nsys.stdout.flush()\nsys.stdin.buffer.read()",
    )
    program(bare.programs, "sennit", source)
    editor = bare.start("vim.g.sennit = { restart_ms = { 50 } }")
    editor.sennit("tickets")
    editor.until_notice('no message of the protocol: "Traceback', "started again")
    editor.until_notice("It has ended too often")


def test_outside_of_a_repository_it_says_so(scene: Scene) -> None:
    editor = scene.start()
    (scene.root / "plain").mkdir()
    editor.command(f"cd {scene.root / 'plain'}")
    editor.sennit("dispatch agent=command true")
    editor.until_notice("git repository")


def test_a_wrong_option_is_named(scene: Scene) -> None:
    editor = scene.start()
    told = editor.lua("return select(2, pcall(require('sennit').setup, { colour = 1, ask = 2 }))")
    assert "there is no option `colour`" in told
    assert "`ask` must be a string" in told


def _health(editor: Neovim) -> str:
    editor.sennit("health")
    return "\n".join(editor.lines())


def test_checkhealth_tells_what_is_there(scene: Scene) -> None:
    scene.write("a.txt", "one\n")
    scene.commit()
    text = _health(scene.start())
    for words in ("protocol 0.1", "Machine and repository", "Agents", "command ("):
        assert words in text
    assert "ERROR" not in text


def test_checkhealth_says_how_trust_is_granted_in_the_editor(scene: Scene) -> None:
    scene.write("a.txt", "one\n")
    scene.commit()
    text = _health(scene.start(before=""))
    assert "is untrusted" in text
    assert "`:Sennit trust` shows and grants it" in text
    assert "sennit trust grant" not in text


def test_checkhealth_tells_what_is_missing(bare: Scene) -> None:
    text = _health(bare.start())
    assert "no program `sennit` was found on PATH" in text
