"""Tasks whose workspaces are layers over a kept checkout, through the server."""

from __future__ import annotations

from pathlib import Path

import pytest

from sennit.adapters.overlay.probing import probe
from sennit.core.workspace_kinds import KindRefused
from tests.e2e.scene import Client, Machine, Repo, sh, task, task_of
from tests.wire_client import eventually

pytestmark = pytest.mark.e2e

SCRIPT = """
git status --short
git mv src moved && rm a.txt && echo new > new.txt && echo more >> moved/b.txt
git log --format=%s -1
grep -c "^overlay $PWD overlay rw" /proc/self/mounts
"""


@pytest.fixture
def layers(machine: Machine, tmp_path: Path) -> Machine:
    """A machine that makes layers, where the system can."""
    found = probe(tmp_path / "store", tmp_path / "workspaces")
    if isinstance(found, KindRefused):
        pytest.skip(f"there are no layers on this machine: {found.why}")
    machine.settings('[workspace]\nkind = "overlay"\n')
    return machine


def agent(machine: Machine, name: str, sandbox: str) -> dict[str, object]:
    file = machine.home / f"{name}.sh"
    file.write_text(SCRIPT)
    machine.agent(name, ["sh", str(file)], 'prompt = "none"', f'sandbox = "{sandbox}"')
    return {"id": name, "agent": name, "prompt": "go"}


def patches(server: Client, ticket: str) -> dict[str, str]:
    found = server.proposals(ticket)
    ask = {each["task"]: {"proposal": each["id"], "format": "patch"} for each in found}
    return {name: server.ask("proposal", **asked)["patch"] for name, asked in ask.items()}


def test_agents_work_in_layers_with_and_without_a_sandbox(layers: Machine, repo: Repo) -> None:
    works = [agent(layers, "bare", "off"), agent(layers, "boxed", "preferred")]
    server = layers.serve(repo)
    ticket = server.run(*works)["id"]
    for name in ("bare", "boxed"):
        assert server.ask("output", ticket=ticket, task=name)["text"].split() == ["first", "1"]
    bare, boxed = (patches(server, ticket)[name] for name in ("bare", "boxed"))
    assert "+++ b/moved/b.txt" in bare
    assert "+++ b/new.txt" in bare
    assert "deleted file mode" in bare
    assert boxed == bare
    workspaces = [each for each in (layers.state / "workspaces").iterdir() if each.is_dir()]
    # Outside there is just what differs, and nothing is mounted.
    assert not any((each / "src" / "b.txt").is_file() for each in workspaces)
    assert str(layers.state) not in Path("/proc/self/mounts").read_text()


def test_work_in_a_layer_outlives_its_server(layers: Machine, repo: Repo) -> None:
    gate = layers.gate()
    server = layers.serve(repo)
    ticket = server.dispatch(task("held", gate.prompt("sed -i s/two/TWO/ a.txt; mv src moved")))
    pid = gate.reached()
    server.until_state(ticket, "held", "running")
    server.kill_9()
    server = layers.serve(repo)
    assert task_of(server.settled(ticket), "held")["state"] == "interrupted"
    assert eventually(lambda: not Path(f"/proc/{pid}").exists())
    assert "+TWO" in patches(server, ticket)["held"]
    # The kept checkout is nobody's any more, so that it can be brought to a new base.
    repo.write("a.txt", "quite another text\n")
    ticket = server.run(task("next", sh("cat a.txt; echo x > y")))["id"]
    assert server.ask("output", ticket=ticket, task="next")["text"] == "quite another text\n"


def test_doctor_tells_of_layers(layers: Machine, repo: Repo) -> None:
    server = layers.serve(repo)
    lines = [each["message"] for each in server.ask("doctor")["lines"]]
    assert "Made by: overlay." in lines
