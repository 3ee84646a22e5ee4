"""What a partial clone lacks is told before an agent starts, and never fetched."""

from __future__ import annotations

import pytest

from tests.e2e.scene import Machine, Repo, sh, task, task_of

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


def clone(machine: Machine) -> Repo:
    """A clone that has no more blobs than those below `src`, and a remote that is gone."""
    origin = machine.repo("origin")
    origin.write("docs/b", "docs b\n")
    origin.write("docs/ü c", "c\n")
    origin.commit("docs")
    origin.git("config", "uploadpack.allowFilter", "true")
    made = Repo(machine.root / "clone", machine.environment)
    source = f"file://{origin.folder}"
    origin.git("clone", "-q", "--filter=blob:none", "--sparse", source, str(made.folder))
    made.git("sparse-checkout", "set", "src")
    made.git("config", "remote.origin.url", "file:///nowhere")
    machine.repos.append(made)
    return made


def wide(made: Repo) -> None:
    """Let the sparse patterns count no more, as somebody does without a network."""
    made.git("config", "core.sparseCheckout", "false")
    made.git("config", "--worktree", "core.sparseCheckout", "false")


def test_what_lies_outside_the_sparse_patterns_is_not_needed(machine: Machine) -> None:
    made = clone(machine)
    server = machine.serve(made)
    ticket = server.dispatch(task("one", sh("ls docs; echo more >> src/b.txt")))
    assert server.settled(ticket)["state"] == "completed"


@pytest.mark.parametrize("base", ["live", "head"])
def test_what_is_missing_is_told_before_any_agent_starts(machine: Machine, base: str) -> None:
    made = clone(machine)
    wide(made)
    server = machine.serve(made)
    error = server.refused("preflight", tasks=[task("one", "true")], defaults={"base": base})
    assert "2 objects are not on this machine" in error["message"]
    tasks = [task("one", sh("true")), task("two", sh("true"))]
    ticket = server.dispatch(*tasks, defaults={"base": base})
    view = server.settled(ticket)
    assert view["state"] == "failed"
    for name in ("one", "two"):
        told = task_of(view, name)
        assert told["runs"] == []
        assert "docs/b, docs/ü c. Sennit fetches nothing." in told["failure"]["message"]


def test_what_the_user_has_in_files_is_taken_from_there(machine: Machine) -> None:
    made = clone(machine)
    wide(made)
    made.write("docs/b", "docs b\n")
    made.write("docs/ü c", "changed\n")
    server = machine.serve(made)
    ticket = server.dispatch(task("one", sh("cat docs/* > all")))
    assert server.settled(ticket)["state"] == "completed"
    (proposal,) = server.proposals(ticket)
    (file,) = server.ask("proposal", proposal=proposal["id"])["files"]
    assert file["units"][0]["afterText"] == "docs b\nchanged\n"


def without_trees(machine: Machine, *options: str) -> Repo:
    """A clone of commits alone, and a remote that is gone."""
    origin = machine.repo("origin")
    origin.git("config", "uploadpack.allowFilter", "true")
    made = Repo(machine.root / "clone", machine.environment)
    source = f"file://{origin.folder}"
    origin.git("clone", "-q", "--filter=tree:0", *options, source, str(made.folder))
    made.git("config", "remote.origin.url", "file:///nowhere")
    machine.repos.append(made)
    return made


def test_a_clone_without_older_trees_works_on_what_is_checked_out(machine: Machine) -> None:
    made = without_trees(machine)
    server = machine.serve(made)
    ticket = server.dispatch(task("one", sh("echo more >> src/b.txt; rm a.txt")))
    assert server.settled(ticket)["state"] == "completed"
    server.accept_all(ticket)
    assert server.apply(ticket)["state"] == "applied"
    assert made.read("src/b.txt") == "b\nmore\n"
    assert not made.path("a.txt").exists()


@pytest.mark.parametrize("base", ["live", "head"])
def test_a_clone_without_any_tree_is_told_before_any_agent_starts(
    machine: Machine, base: str
) -> None:
    made = without_trees(machine, "--no-checkout")
    server = machine.serve(made)
    error = server.refused("preflight", tasks=[task("one", "true")], defaults={"base": base})
    assert "not on this machine, since this is a partial clone" in error["message"]
    ticket = server.dispatch(task("one", sh("true")), defaults={"base": base})
    view = server.settled(ticket)
    assert view["state"] == "failed"
    told = task_of(view, "one")
    assert told["runs"] == []
    assert "not on this machine, since this is a partial clone" in told["failure"]["message"]
    assert "Sennit fetches nothing." in told["failure"]["message"]
