"""A repository whose folder has a name that is not UTF-8, and one that git cannot read."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.e2e.cli_process import Desk, a_desk
from tests.e2e.scene import sh

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    begun = a_desk(tmp_path, {"a.txt": "a\n"})
    named = Path(os.fsdecode(bytes(tmp_path) + b"/caf\xe9"))
    begun.repository.rename(named)
    return Desk(named, begun.environment).trusted()


FINE = (
    ("apply", "@"),
    ("undo", "@"),
    ("review", "@", "--accept", "all"),
    ("show", "@"),
    ("show", "@/one"),
    ("story", "@"),
    ("output", "@/one"),
    ("materialise", "@/one"),
    ("tickets",),
    ("overlaps",),
    ("overlaps", "@"),
    ("trust", "list"),
    ("trust", "grant"),
    ("agents",),
    ("config",),
    ("doctor",),
    ("gc",),
    ("drop", "@", "--confirm"),
)


def test_every_command_works_in_a_folder_that_is_not_utf_8(desk: Desk) -> None:
    file = desk.repository.parent / "tasks.toml"
    file.write_text(f"[[tasks]]\nid = 'one'\ncommand = {json.dumps(sh('echo b > a.txt'))}\n")
    done = desk.sennit("run", "--file", str(file), "--accept-all", "--json")
    assert done.code == 0, done.out + done.err
    assert desk.sennit("undo", "--last").code == 0
    assert (desk.repository / "a.txt").read_text() == "a\n"
    for words in FINE:
        said = desk.sennit(*words)
        assert said.code == 0, (words, said.out + said.err)
    assert "caf\\xe9" in desk.sennit("tickets").out
    gone = desk.sennit("show", "@")
    assert gone.code == 2, gone.err
    assert "caf\\xe9" in gone.err
    told = json.dumps(desk.sennit("doctor", "--json").json)
    assert "caf\\\\xe9" in told


def test_a_folder_that_is_not_utf_8_and_not_trusted_is_named_so_that_it_can_be_read(
    desk: Desk,
) -> None:
    assert desk.sennit("trust", "revoke").code == 0
    said = desk.sennit("run", "--command", "true")
    assert said.code == 3, said.out + said.err
    assert "caf\\xe9" in said.err
    assert "sennit trust grant" in said.err
    for words in (("config",), ("trust", "list"), ("doctor",)):
        assert desk.sennit(*words).code == 0


def test_a_damaged_repository_is_not_to_be_made_anew(tmp_path: Path) -> None:
    desk = a_desk(tmp_path, {"a.txt": "a\n"}).trusted()
    (desk.repository / ".git" / "HEAD").write_text("rubbish\n")
    for words in (("doctor",), ("run", "--command", "true")):
        said = desk.sennit(*words)
        told = " ".join((said.out + said.err).split())
        assert said.code != 0, told
        assert "git init" not in told
        assert "HEAD" in told
