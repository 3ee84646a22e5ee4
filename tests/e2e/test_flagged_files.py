"""Files that git was told not to look at, and files that a sparse checkout did not write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.adapters.git.bench import untouched_view
from tests.e2e.cli_process import Desk, Ended, a_desk
from tests.e2e.scene import sh

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

LINES = "".join(f"line {number}\n" for number in range(1, 21))
FILES = {"a.txt": "a\n", "goes.txt": LINES, "moves.txt": LINES.upper(), "same.txt": "same\n"}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return a_desk(tmp_path, FILES).trusted()


def on_disk(desk: Desk) -> dict[str, bytes]:
    """Every file of the work tree with its bytes."""
    top = desk.repository
    files = (path for path in top.rglob("*") if ".git" not in path.parts and path.is_file())
    return {str(path.relative_to(top)): path.read_bytes() for path in files}


def ran(desk: Desk, script: str, *options: str) -> Ended:
    """What one task has done; the user's git directory stays as it was."""
    before = untouched_view(desk.repository / ".git")
    file = desk.repository.parent / "tasks.toml"
    file.write_text(f"[[tasks]]\nid = 'one'\ncommand = {json.dumps(sh(script))}\n")
    done = desk.sennit("run", "--file", str(file), *options)
    assert untouched_view(desk.repository / ".git") == before
    return done


def applied(desk: Desk, script: str) -> Ended:
    return ran(desk, script, "--accept-all", "--json")


def undone(desk: Desk, *options: str) -> None:
    done = desk.sennit("undo", "--last", "--json", *options)
    assert done.code == 0, done.out + done.err
    assert (done.json["state"], done.json["notices"]) == ("applied", [])


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
@pytest.mark.parametrize("edited", [True, False], ids=["edited", "as committed"])
def test_an_undo_brings_back_what_git_does_not_look_at(
    desk: Desk, flag: str, *, edited: bool
) -> None:
    desk.git("update-index", flag, "goes.txt", "moves.txt", "same.txt")
    if edited:
        for name in ("goes.txt", "moves.txt"):
            with (desk.repository / name).open("a") as file:
                file.write("mine\n")
    before = on_disk(desk)
    done = applied(desk, "rm goes.txt; mv moves.txt moved.txt; echo b > same.txt")
    assert done.code == 0, done.out + done.err
    after = {"a.txt": b"a\n", "moved.txt": before["moves.txt"], "same.txt": b"b\n"}
    assert on_disk(desk) == after
    again = desk.sennit("apply", done.json["ticket"]["id"], "--json")
    assert (again.code, on_disk(desk)) == (0, after), again.out
    undone(desk)
    assert on_disk(desk) == before
    # What an undo has done can be undone too.
    assert desk.sennit("undo", "--last").code == 0
    assert on_disk(desk) == after


def folders(desk: Desk) -> None:
    for name, text in (("in/x.txt", "x\n"), ("out/y.txt", LINES), ("out/z.txt", "z\n")):
        (desk.repository / name).parent.mkdir(exist_ok=True)
        (desk.repository / name).write_text(text)
    desk.git("add", "--all")
    desk.git("commit", "--quiet", "--message", "folders")


def leave_out(desk: Desk, *options: str) -> None:
    """Leave the folder ``out`` out of the work tree."""
    desk.git("sparse-checkout", "set", *options, "in")
    # Git has written into its configuration.
    desk.trusted()


def sparse(desk: Desk, *options: str) -> None:
    folders(desk)
    leave_out(desk, *options)


def reaching_out(script: str) -> str:
    """A task that works on what is outside of the patterns."""
    return f"git sparse-checkout disable; {script}"


@pytest.mark.parametrize("options", [(), ("--cone", "--sparse-index")], ids=["plain", "index"])
def test_an_edit_outside_the_sparse_patterns_is_applied_and_undone(
    desk: Desk, options: tuple[str, ...]
) -> None:
    sparse(desk, *options)
    before = on_disk(desk)
    assert not (desk.repository / "out").exists()
    script = "sed -i 's/line 7$/seven/' out/y.txt; chmod +x out/z.txt; echo n > out/new"
    done = applied(desk, reaching_out(f"{script}; echo b > a.txt"))
    assert done.code == 0, done.out + done.err
    edited = LINES.replace("line 7\n", "seven\n").encode()
    after = {**before, "out/y.txt": edited, "out/z.txt": b"z\n", "out/new": b"n\n", "a.txt": b"b\n"}
    assert on_disk(desk) == after
    assert (desk.repository / "out/z.txt").stat().st_mode & 0o100
    undone(desk)
    assert on_disk(desk) == before
    assert not (desk.repository / "out").exists()
    assert desk.git("status", "--porcelain") == b""
    assert desk.sennit("undo", "--last").code == 0
    assert on_disk(desk) == after


def test_an_undo_writes_what_git_has_come_to_look_at(desk: Desk) -> None:
    sparse(desk)
    done = applied(desk, reaching_out("echo changed >> out/y.txt"))
    assert done.code == 0, done.out + done.err
    # Git sees the file and takes the mark away from the index: without it, it would be deleted.
    desk.git("sparse-checkout", "add", "out")
    undone(desk)
    assert (desk.repository / "out/y.txt").read_text() == LINES
    assert desk.git("status", "--porcelain") == b""


def test_what_the_user_changed_since_stays_in_an_undo(desk: Desk) -> None:
    sparse(desk)
    assert applied(desk, reaching_out("sed -i 's/line 7$/seven/' out/y.txt")).code == 0
    with (desk.repository / "out/y.txt").open("a") as file:
        file.write("mine\n")
    undone(desk)
    assert (desk.repository / "out/y.txt").read_text() == LINES + "mine\n"


def test_a_file_that_is_not_there_cannot_be_deleted_and_the_reason_is_told(desk: Desk) -> None:
    folders(desk)
    done = ran(desk, "rm out/y.txt; echo b > a.txt", "--json")
    ticket = done.json["ticket"]["id"]
    leave_out(desk)
    before = on_disk(desk)
    assert desk.sennit("review", ticket, "--accept", "all").code == 0
    applied = desk.sennit("apply", ticket, "--json")
    assert (applied.code, applied.json["state"]) == (1, "partlyApplied"), applied.out
    assert on_disk(desk) == {**before, "a.txt": b"b\n"}
    assert "git keeps it out of the work tree" in applied.out
    assert "git sparse-checkout add" in applied.out
    again = desk.sennit("apply", ticket, "--json")
    assert "git keeps it out of the work tree" in again.out
    desk.git("sparse-checkout", "add", "out")
    assert desk.sennit("apply", ticket).code == 0
    assert not (desk.repository / "out/y.txt").exists()
    assert desk.git("status", "--porcelain", "--", "out") == b" D out/y.txt\n"


@pytest.mark.parametrize("how", ["rm out/y.txt", "git rm -q out/y.txt; git commit -qm gone"])
def test_what_an_agent_deleted_outside_the_patterns_is_told_and_left(desk: Desk, how: str) -> None:
    sparse(desk)
    before = on_disk(desk)
    done = applied(desk, reaching_out(f"echo b > a.txt; {how}"))
    assert done.json["application"]["state"] == "partlyApplied", done.out
    assert "git keeps it out of the work tree" in done.out
    assert on_disk(desk) == {**before, "a.txt": b"b\n"}
    undone(desk)
    assert on_disk(desk) == before
