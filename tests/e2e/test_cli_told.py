"""What commands say before somebody decides, and what they leave unsaid."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from attrs import evolve

from tests.e2e.cli_process import LINES, Desk, OnTerminal, a_desk, sed

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

ASK = f"{shlex.quote(sys.executable)} -m sennit.ask_client 'Which greeting?'"
ASKING = ["--command", shlex.join(["sh", "-c", f"{ASK} > a.txt"])]


@pytest.fixture
def untrusted(tmp_path: Path) -> Desk:
    return a_desk(tmp_path, {"a.txt": LINES})


@pytest.fixture
def desk(untrusted: Desk) -> Desk:
    return untrusted.trusted()


def configure(desk: Desk, text: str) -> None:
    folder = Path(desk.environment["SENNIT_CONFIG_DIR"])
    folder.mkdir(exist_ok=True)
    (folder / "config.toml").write_text(text)


def test_a_run_tells_the_notes_of_its_tasks_before_somebody_decides(desk: Desk) -> None:
    configure(desk, '[workspace]\nsetup = ["touch", "made-by-setup"]\n')
    done = desk.sennit("run", *sed("s/line 5$/five/"))
    note = next(line for line in done.err.splitlines() if "made-by-setup" in line)
    assert note.startswith("command-1: note: "), done.err
    assert note.removeprefix("command-1: ") in desk.sennit("show", "@").out


def test_a_patch_goes_to_standard_output_alone(desk: Desk) -> None:
    desk.sennit("run", *sed("s/^line 5$/five/"))
    done = desk.sennit("apply", "@", "--accept-all", "--patch", "-")
    assert done.code == 0, done.err
    assert done.out.startswith("diff --git a/a.txt b/a.txt\n")
    assert "1 file, +1 -1. No file was changed." in done.err
    assert desk.git("status", "--porcelain") == b""
    desk.git("apply", "--check", data=done.out.encode())


def test_a_patch_and_json_do_not_share_standard_output(desk: Desk) -> None:
    desk.sennit("run", *sed("s/^line 5$/five/"))
    done = desk.sennit("apply", "@", "--accept-all", "--patch", "-", "--json")
    assert (done.code, done.json["exitCode"]) == (2, 2)
    assert desk.git("status", "--porcelain") == b""
    # Nothing was accepted by a command that was refused.
    assert "accepted" not in desk.sennit("show", "@").out


def test_to_drop_what_is_at_work_is_told_without_confirm_as_with_it(desk: Desk) -> None:
    with OnTerminal(desk, "run", *ASKING, "--accept-all") as terminal:
        terminal.wait_for("Answer (empty: leave it open):")
        for confirm in ([], ["--confirm"]):
            done = desk.sennit("drop", "@", *confirm)
            assert (done.code, "cancel it first" in done.out) == (1, True), done.out
            assert "Add --confirm" not in done.out
        terminal.type("Hi")
        assert terminal.end() == 0, terminal.seen
    assert "To drop: 1 thing. Add --confirm." in desk.sennit("drop", "@").out


def test_a_grant_to_what_is_no_repository_says_so(untrusted: Desk, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    done = untrusted.sennit("trust", "grant", str(plain))
    assert (done.code, f"{plain} is in no git repository" in done.err) == (0, True), done.err
    assert "no git repository" not in untrusted.sennit("trust", "grant").err


def test_roles_that_wait_for_trust_are_named(untrusted: Desk) -> None:
    folder = untrusted.repository / ".sennit" / "agents"
    folder.mkdir(parents=True)
    (folder / "careful.md").write_text("---\nname: careful\ndescription: Looks.\n---\nLook.\n")
    told = "those in .sennit/agents do not count until the folder is trusted"
    assert told in untrusted.sennit("agents").out
    listed = untrusted.trusted().sennit("agents").out
    assert ("careful" in listed, told in listed) == (True, False)


def test_values_are_spelled_as_settings_files_spell_them(desk: Desk) -> None:
    explained = desk.sennit("config", "--explain").out
    assert " true " in explained
    assert " True " not in explained


def test_a_folder_without_a_repository_is_named_as_the_folder_here(
    untrusted: Desk, tmp_path: Path
) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    done = evolve(untrusted, repository=plain).sennit("run", "--command", "true")
    assert done.code == 2, done.err
    assert "the folder here (`-C` names another) belongs to no git repository" in done.err


def test_a_file_is_named_from_the_folder_here_too(desk: Desk) -> None:
    inner = desk.repository / "inner"
    inner.mkdir()
    (inner / "b.txt").write_text(LINES)
    desk.sennit("run", *sed("s/^line 5$/five/", "inner/b.txt"), *sed("s/^line 5$/five/"))
    there = evolve(desk, repository=inner)
    assert there.sennit("review", "@/command-1", "--reject", "b.txt").code == 0
    assert there.sennit("review", "@/command-2", "--accept", "../a.txt").code == 0
    shown = desk.sennit("show", "@").out
    assert ("rejected" in shown, "accepted" in shown) == (True, True), shown


def test_what_an_undo_takes_is_named_once(desk: Desk) -> None:
    done = desk.sennit("undo", "@", "--last")
    assert (done.code, "not both" in done.err) == (2, True)


def test_the_next_page_is_named_by_a_command_of_one_line(desk: Desk) -> None:
    for _ in range(2):
        desk.sennit("run", "--command", "true")
    shown = desk.sennit("tickets", "--limit", "1").out
    newest = desk.sennit("tickets", "--limit", "1", "--json").json["tickets"][0]["id"]
    assert f"There are older ones: sennit tickets --before {newest}" in shown.splitlines()


def test_what_is_said_of_a_file_that_looks_like_a_secret_holds(desk: Desk) -> None:
    (desk.repository / "my.pem").write_text("key\n")
    copied = ["--command", "sh -c 'cat my.pem > a.txt'"]
    said = desk.sennit("run", *copied).err
    assert "let git ignore it to leave it out on purpose" in said
    (desk.repository / ".gitignore").write_text("my.pem\n")
    assert "my.pem: looksLikeASecret" not in desk.sennit("run", *copied).err
    configure(desk, '[workspace]\ninclude = ["my.pem"]\n')
    done = desk.sennit("run", *copied, "--accept-all")
    assert (done.code, (desk.repository / "a.txt").read_text()) == (0, "key\n"), done.err


def test_what_is_kept_and_what_would_be_dropped_are_told_in_words_of_their_own(
    desk: Desk, tmp_path: Path
) -> None:
    patch = ["--accept-all", "--patch", str(tmp_path / "x.patch")]
    assert desk.sennit("run", *sed("s/^line 5$/five/"), *patch).code == 0
    kinds = {
        each["kind"]: each["reason"] for each in desk.sennit("gc", "--list", "--json").json["items"]
    }
    assert kinds["application"] == "a patch"
    desk.sennit("run", "--command", "true")
    [would] = desk.sennit("drop", "@", "--json").json["items"]
    assert would["reason"] == "completed"


def test_a_folder_in_no_repository_is_not_to_be_made_one_blindly(
    desk: Desk, tmp_path: Path
) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    told = evolve(desk, repository=plain).sennit("doctor").out
    assert "run `git init` in a folder of its own" in told


def test_what_an_undo_leaves_is_told_in_words_of_an_undo(desk: Desk) -> None:
    assert desk.sennit("run", *sed("s/^line 5$/five/"), "--accept-all").code == 0
    file = desk.repository / "a.txt"
    file.write_text(file.read_text().replace("five", "mine"))
    done = desk.sennit("undo", "--last")
    assert (done.code, "take it back by hand" in done.out) == (1, True), done.out
    assert "accepted" not in done.out


def test_to_accept_all_is_advised_only_where_something_fits(desk: Desk) -> None:
    told = {}
    for script in ("echo x > a.txt", "echo y > a.txt; exit 1"):
        ran = desk.sennit("run", "--command", shlex.join(["sh", "-c", script]))
        told[script] = "--accept-all" in ran.err, "--accept-all" in desk.sennit("apply", "@").err
    assert list(told.values()) == [(True, True), (False, False)]


def test_what_is_not_trusted_is_told_in_a_sentence_on_a_terminal_too(untrusted: Desk) -> None:
    with OnTerminal(untrusted, "run", "--command", "true") as terminal:
        terminal.wait_for("[y/n]")
        assert f"{untrusted.repository} is not trusted" in " ".join(terminal.seen.split())
        terminal.type("n")
        terminal.end()
