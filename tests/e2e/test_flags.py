"""What is told of files whose contents are no text: whether they are, how large they are."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.scene import Client, Machine, Repo, sh, task

pytestmark = pytest.mark.e2e

SIX_MIB = 6 << 20


@pytest.fixture
def server(machine: Machine, repo: Repo) -> Client:
    for name in ("grown", "gone", "same"):
        (repo.folder / name).write_bytes(b"\0" + name.encode())
    for name in ("becomes", "leaves"):
        (repo.folder / name).write_text("text\n")
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--message", "contents that are no text")
    return machine.serve(repo)


def files_after(server: Client, script: str) -> dict[str, dict[str, Any]]:
    ticket = server.run(task("one", sh(script)))["id"]
    [proposal] = server.proposals(ticket)
    view = server.ask("proposal", proposal=proposal["id"])
    return {file["path"]: file for file in view["files"]}


def test_a_file_is_binary_whether_it_is_new_gone_or_changed(server: Client) -> None:
    changed = "printf '\\0new' > new; printf '\\0x' > grown; rm gone"
    files = files_after(server, f"{changed}; mv same moved; echo x > text")
    told = {path: file["binary"] for path, file in files.items()}
    assert told == {"new": True, "grown": True, "gone": True, "moved": False, "text": False}


def test_binary_content_that_became_very_large_is_not_preselected(server: Client) -> None:
    script = f"head -c {SIX_MIB} /dev/zero > grown; printf '\\0x' > same"
    units = {path: file["units"][0] for path, file in files_after(server, script).items()}
    assert (units["grown"]["flags"], units["grown"]["preselected"]) == (["veryLarge"], False)
    assert (units["same"]["flags"], units["same"]["preselected"]) == ([], True)


def test_what_became_a_link_is_flagged_by_where_that_leads(server: Client) -> None:
    files = files_after(server, "ln -sf grown becomes; ln -sf ../elsewhere leaves")
    flags = {path: file["units"][0]["flags"] for path, file in files.items()}
    assert flags == {"becomes": ["modeChange"], "leaves": ["modeChange", "linkOutOfTree"]}
