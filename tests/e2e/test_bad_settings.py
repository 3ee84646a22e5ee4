"""Settings that are broken are told, by file and line, until they are mended."""

from __future__ import annotations

import pytest

from tests.e2e.scene import Machine, Repo, task
from tests.wire_client import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


def test_broken_settings_are_told_by_file_key_and_line_until_they_are_mended(
    machine: Machine, repo: Repo
) -> None:
    server = machine.serve(repo)
    machine.settings('log.level = "warning"\n[limits]\ntasks = "many"\n')
    file = str(machine.config / "config.toml")

    def broken() -> bool:
        answer = server.call("sennit/dispatch", {"tasks": [task("one", "true")]})
        if "error" not in answer:
            server.settled(answer["result"]["ticket"])
        return "error" in answer

    assert eventually(broken)
    error = server.refused("dispatch", tasks=[task("one", "true")])
    assert error["code"] == 8
    told = str(error["data"]["problems"])
    assert file in told
    assert "limits.tasks" in told
    assert "3" in told
    machine.settings('log.level = "warning"\n[limits]\ntasks = 2\n')
    assert eventually(lambda: not broken())


def test_work_can_be_looked_at_and_ended_while_settings_are_broken(
    machine: Machine, repo: Repo
) -> None:
    right = f'store.path = "{machine.root / "elsewhere"}"\n'
    machine.settings(right)
    gate = machine.gate()
    server = machine.serve(repo)
    ticket = server.dispatch(task("held", gate.prompt("sed -i s/two/TWO/ a.txt")))
    gate.reached()
    server.until_state(ticket, "held", "running")
    machine.settings("[store\n")
    assert eventually(lambda: "error" in server.call("sennit/retained", {}))
    assert server.ask("tickets")["tickets"]
    assert server.ask("trust", action="list")["folders"]
    assert server.ask("cancel", ticket=ticket, force=True)["done"]
    assert server.settled(ticket)["state"] == "cancelled"
    machine.settings(right)
    assert eventually(lambda: "result" in server.call("sennit/retained", {}))
    (proposal,) = server.ask("proposals", ticket=ticket)["proposals"]
    assert proposal["integration"] == "retained"
    whole = server.ask("proposal", proposal=proposal["id"])
    assert [file["path"] for file in whole["files"]] == ["a.txt"]


@pytest.mark.parametrize(
    "text", ["[limits\n", "limits.taks = 3\n", "limits.tasks = 0\n", b"\xff\n".decode("latin-1")]
)
def test_every_kind_of_broken_settings_is_an_error_from_the_start(
    machine: Machine, repo: Repo, text: str
) -> None:
    (machine.config / "config.toml").write_bytes(text.encode("latin-1"))
    server = machine.serve(repo)
    error = server.refused("dispatch", tasks=[task("one", "true")])
    assert (error["code"], "config.toml" in error["message"]) == (8, True)
    lines = server.ask("doctor")["lines"]
    assert any(each["area"] == "settings" and each["health"] == "bad" for each in lines)


@pytest.mark.parametrize("options", [{"limits": {"tasks": "x"}}, {"nonsense": 1}])
def test_broken_options_of_the_client_are_told(
    machine: Machine, repo: Repo, options: dict[str, object]
) -> None:
    server = machine.serve(repo, options=options)
    error = server.refused("dispatch", tasks=[task("one", "true")])
    assert (error["code"], "initializationOptions" in error["message"]) == (8, True)
    server.notify("workspace/didChangeConfiguration", {"settings": None})
    assert server.refused("dispatch", tasks=[task("one", "true")])["code"] == 8


def test_a_broken_file_of_the_repository_is_told(machine: Machine, repo: Repo) -> None:
    repo.write(".sennit.toml", "[task]\nidleMs = 'long'\n")
    server = machine.serve(repo)
    error = server.refused("dispatch", tasks=[task("one", "true")])
    assert error["code"] == 8
    assert ".sennit.toml" in error["message"]
    repo.write(".sennit.toml", "[task]\nidleMs = 2000\n")
    server.ask("trust", action="grant", folder=str(repo.folder))
    assert "result" in server.call("sennit/preflight", {"tasks": [task("one", "true")]})
