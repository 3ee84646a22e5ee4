"""Pipes in the place of files that git reads hold no ticket up: neither an agent's nor a user's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.adapters.workspaces.mounted import where_there_are_layers
from tests.e2e.scene import Machine, Repo, sh, task, task_of

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

AGENT = (
    "rm .gitignore; mkfifo .gitignore; mkdir new; mkfifo new/.gitattributes;"
    " echo more > new/file; echo secret > ignored"
)


@pytest.mark.parametrize("kind", ["checkout", "overlay"])
def test_what_an_agent_leaves_is_proposed_without_its_pipes(
    machine: Machine, repo: Repo, kind: str
) -> None:
    if kind == "overlay":
        where_there_are_layers()
    machine.settings(f'[workspace]\nkind = "{kind}"\n')
    repo.write(".gitignore", "ignored\n")
    repo.commit("rules")
    server = machine.serve(repo)
    ticket = server.run(task("one", sh(AGENT)))
    assert ticket["state"] == "completed"
    (proposal,) = server.proposals(ticket["id"])
    patch = server.ask("proposal", proposal=proposal["id"], format="patch")["patch"]
    notices = server.ask("proposal", proposal=proposal["id"])["notices"]
    assert "+++ b/new/file" in patch
    assert "ignore" not in patch
    told = {one["path"]: one["message"] for one in notices if "path" in one}
    assert {".gitignore", "new/.gitattributes"} <= told.keys()
    assert "specialFile" in told[".gitignore"]


LED_AWAY = (
    "echo more >> a.txt; mkdir -p nested; echo new > nested/file; echo 'gitdir: {0}' > nested/.git"
)


def hostile(machine: Machine) -> Path:
    """A folder that git takes for a repository until it comes to a pipe."""
    made = machine.root / "hostile"
    for name in ("objects", "refs"):
        (made / name).mkdir(parents=True)
    os.mkfifo(made / "HEAD")
    return made


def test_what_leads_git_to_a_pipe_elsewhere_holds_no_proposal_up(
    machine: Machine, repo: Repo
) -> None:
    elsewhere = hostile(machine)
    server = machine.serve(repo)
    ticket = server.run(task("one", sh(LED_AWAY.format(elsewhere))))
    assert ticket["state"] == "completed"
    (proposal,) = server.proposals(ticket["id"])
    shown = server.ask("proposal", proposal=proposal["id"])
    assert {one["path"] for one in shown["files"]} == {"a.txt", "nested/file"}
    told = {one["path"]: one["message"] for one in shown["notices"] if "path" in one}
    assert f"it leads to {elsewhere}/HEAD" in told["nested/.git"]
    # In the user's own folder it is the user's to put away.
    repo.write("nested/.git", f"gitdir: {elsewhere}\n")
    ticket = server.run(task("two", "true"))
    assert ticket["state"] == "failed"
    failure = task_of(ticket, "two")["failure"]["message"]
    assert f"nested/.git, which leads to {elsewhere}/HEAD" in failure
    # A look for drift may be held up just now, too: an orderly end leaves no git at the pipe.
    assert server.shut_down() == 0


def test_a_user_is_told_of_the_pipe(machine: Machine, repo: Repo) -> None:
    server = machine.serve(repo)
    pipe = repo.folder / ".gitignore"
    os.mkfifo(pipe)
    ticket = server.run(task("one", "true"))
    assert ticket["state"] == "failed"
    failure = task_of(ticket, "one")["failure"]["message"]
    assert ".gitignore" in failure
    assert "pipe" in failure
    pipe.unlink()
    assert server.run(task("two", "true"))["state"] == "completed"


@pytest.mark.parametrize("kind", ["checkout", "overlay"])
def test_a_sparse_checkout_of_an_agent_proposes_no_deletion(
    machine: Machine, repo: Repo, kind: str
) -> None:
    if kind == "overlay":
        where_there_are_layers()
    machine.settings(f'[workspace]\nkind = "{kind}"\n')
    server = machine.serve(repo)
    ticket = server.run(task("one", sh("git sparse-checkout set other; rm a.txt; echo x > new")))
    (proposal,) = server.proposals(ticket["id"])
    patch = server.ask("proposal", proposal=proposal["id"], format="patch")["patch"]
    notices = server.ask("proposal", proposal=proposal["id"])["notices"]
    assert "b.txt" not in patch
    assert "--- a/a.txt" in patch
    assert "+++ b/new" in patch
    assert any("out of view" in one["message"] for one in notices)
