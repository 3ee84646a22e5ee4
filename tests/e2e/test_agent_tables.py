"""An agent brings its workspace over to a reftable: nothing of its work is lost by that."""

from __future__ import annotations

import pytest

from tests.adapters.git.installed import needs_git
from tests.e2e.scene import Client, sh, task

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]

WORK = "echo {0} > {0}.txt; git add .; git commit -qm 'of the agent: {0}'"


def test_its_commits_are_told_and_the_folder_is_used_again(server: Client) -> None:
    needs_git((2, 48), "git refs migrate")
    script = f"{WORK.format('one')}; git refs migrate --ref-format=reftable; {WORK.format('two')}"
    ticket = server.run(task("one", sh(script)))["id"]
    (proposal,) = server.proposals(ticket)
    assert proposal["files"] == 2
    told = [one["message"] for one in server.ask("proposal", proposal=proposal["id"])["notices"]]
    assert [one for one in told if "of the agent" in one] == [
        "The agent committed: of the agent: one",
        "The agent committed: of the agent: two",
    ]
    followed = server.ask("follow", ticket=ticket, task="one", prompt=sh(WORK.format("three")))
    server.settled(followed["ticket"])
    (second,) = server.proposals(followed["ticket"])
    assert second["files"] == 3
    for ids in (followed["ticket"], ticket):
        assert server.ask("drop", ids=[ids], confirm=True)["done"]
    again = server.run(task("four", sh(WORK.format("four"))))["id"]
    assert server.proposals(again)[0]["files"] == 1
