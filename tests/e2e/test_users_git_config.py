"""What the user's git is told for this folder alone holds from the base to the application."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attrs import evolve

from tests.e2e.cli_process import Desk, Ended, a_desk
from tests.e2e.scene import sh

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A desk whose user has a configuration of git, in a home of the test."""
    made = a_desk(tmp_path, {"dos.txt": "one\n", "run": "#!/bin/sh\n"})
    (made.repository / "Src").mkdir()
    (made.repository / "Src/a.txt").write_text("a\n")
    made.git("add", "--all")
    made.git("commit", "--quiet", "--message", "a folder")
    home = tmp_path / "home"
    home.mkdir()
    own = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / "xdg")}
    kept = {name: one for name, one in made.environment.items() if name != "GIT_CONFIG_GLOBAL"}
    return evolve(made, environment={**kept, **own})


def accepted(desk: Desk, script: str) -> Ended:
    file = desk.repository.parent / "tasks.toml"
    file.write_text(f"[[tasks]]\nid = 'one'\ncommand = {json.dumps(sh(script))}\n")
    return desk.sennit("run", "--file", str(file), "--accept-all", "--json")


def test_a_file_that_an_included_configuration_converts_is_applied(desk: Desk) -> None:
    included = desk.repository.parent / "included"
    included.write_text("[core]\n\tautocrlf = true\n")
    desk.git("config", "--global", f"includeIf.gitdir:{desk.repository}/.path", str(included))
    (desk.repository / "dos.txt").write_bytes(b"one\r\n")
    done = accepted(desk.trusted(), r"printf 'one\r\ntwo\r\n' > dos.txt")
    assert done.code == 0, done.out + done.err
    assert (desk.repository / "dos.txt").read_bytes() == b"one\r\ntwo\r\n"


def test_what_another_disk_cannot_do_loses_no_work_of_an_agent(desk: Desk) -> None:
    desk.git("config", "core.ignoreCase", "true")
    desk.git("config", "core.fileMode", "false")
    script = "mkdir src && git mv Src/a.txt src/a.txt && git commit -qm renamed && chmod +x run"
    done = accepted(desk.trusted(), script)
    assert done.code == 0, done.out + done.err
    assert (desk.repository / "src/a.txt").read_text() == "a\n"
    assert not (desk.repository / "Src").exists()
    assert (desk.repository / "run").stat().st_mode & 0o100
