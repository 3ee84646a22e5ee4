"""Tasks whose workspaces are layers over a kept checkout, through the server."""

from __future__ import annotations

from pathlib import Path

import pytest

from sennit.core.workspace_kinds import LEAST_FILES
from tests.adapters.workspaces.mounted import where_there_are_layers
from tests.e2e.scene import Client, Gate, Machine, Repo, sh, task, task_of
from tests.wire_client import eventually

pytestmark = pytest.mark.e2e

SCRIPT = """
git status --short
git mv src moved && rm a.txt && echo new > new.txt && echo more >> moved/b.txt
git log --format=%s -1
grep -c "^overlay $PWD overlay rw" /proc/self/mounts
"""


@pytest.fixture
def layers(machine: Machine) -> Machine:
    """A machine that makes layers, where the system can."""
    where_there_are_layers()
    machine.settings('[workspace]\nkind = "overlay"\n')
    return machine


def moves_on(repo: Repo) -> None:
    """What a user does while agents work."""
    repo.unwatch()
    repo.git("checkout", "-q", "-b", "elsewhere")
    repo.write("a.txt", "mine\n")
    repo.write("src/b.txt", "also mine\n")
    repo.write(".gitattributes", "*.txt text\n")
    repo.commit("moved on")
    repo.git("gc", "-q", "--prune=now")
    repo.watch()


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
    moves_on(repo)
    # The kept checkout stays as it is for the one at work, whatever the next one begins with.
    next_one = server.run(task("next", sh("cat a.txt src/b.txt; echo x > y")))["id"]
    assert server.ask("output", ticket=next_one, task="next")["text"] == "mine\nalso mine\n"
    how = server.ask("run", ticket=next_one, task="next")["workspace"]
    assert how["kind"] == "checkout"
    assert how["refused"][0].startswith("overlay: other tasks work over the kept checkout")
    server.kill_9()
    server = layers.serve(repo)
    assert task_of(server.settled(ticket), "held")["state"] == "interrupted"
    assert eventually(lambda: not Path(f"/proc/{pid}").exists())
    assert "+TWO" in patches(server, ticket)["held"]
    # The kept checkout is nobody's any more, so that it can be brought to a new base.
    repo.write("a.txt", "quite another text\n")
    ticket = server.run(task("next", sh("cat a.txt; echo x > y")))["id"]
    assert server.ask("output", ticket=ticket, task="next")["text"] == "quite another text\n"


SET_UP = """
grep -c "^overlay $PWD overlay rw" /proc/self/mounts
git mv src moved && git mv moved src && git status --short && cat src/b.txt
echo installed > packages
touch ~/outside || echo confined >&2
"""


def large(machine: Machine, files: int) -> Repo:
    """A repository in which layers are taken without being asked for."""
    repo = machine.repo()
    repo.write(".gitignore", "packages\n")
    for number in range(files):
        repo.write(f"many/{number % 50}/{number}", f"{number}\n")
    repo.commit("many files")
    return repo


def boxed_agent(machine: Machine, gate: Gate) -> dict[str, object]:
    """An agent in a sandbox that stands still at a gate when it has done its work."""
    words = machine.home / "agent.sh"
    work = "cat packages; rm -rf many/7; echo more >> a.txt; pwd"
    words.write_text(f"{work}; {gate.script()}\n")
    known = ('prompt = "none"', 'sandbox = "preferred"', f"stateFolders = ['{machine.gates}']")
    machine.agent("boxed", ["sh", str(words)], *known)
    return {"id": "boxed", "agent": "boxed", "prompt": "go"}


def test_a_large_repository_is_worked_on_in_layers(machine: Machine) -> None:
    where_there_are_layers()
    script = machine.home / "setup.sh"
    script.write_text(SET_UP)
    machine.settings(f"[workspace]\nsetup = ['sh', '{script}']\n")
    gate = machine.gate()
    boxed = boxed_agent(machine, gate)
    server = machine.serve(large(machine, LEAST_FILES))
    lines = [each["message"] for each in server.ask("doctor")["lines"]]
    assert "Made by: overlay." in lines
    bare = task("bare", sh("cat packages; sed -i s/one/ONE/ a.txt"))
    ticket = server.dispatch(boxed, bare)
    gate.reached()
    server.until_state(ticket, "bare", "completed")
    can_be_seen_from_outside(server, ticket)
    gate.open()
    assert server.settled(ticket)["state"] == "completed"
    assert "+more" in patches(server, ticket)["boxed"]
    runs = [server.ask("run", ticket=ticket, task=name) for name in ("boxed", "bare")]
    layered, other = (run["workspace"] for run in runs)
    assert layered == {"kind": "overlay", "refused": []}
    # What was typed runs without a sandbox, and is not put into a namespace either.
    assert other["kind"] in {"checkout", "reflink"}
    assert other["refused"][0].startswith("overlay: what runs without a sandbox")
    # The set-up ran where the agents did: in the mount and the sandbox of the one that has them.
    logs = (machine.state / "setups" / f"{run['run']['id']}.log" for run in runs)
    in_box, plain = (log.read_text().splitlines() for log in logs)
    assert plain == ["0", "b"]
    assert (in_box[:2], in_box[-1]) == (["1", "b"], "confined")
    (machine.gates / "gate.at").unlink()
    is_gone_on_with(server, ticket, gate)


def can_be_seen_from_outside(server: Client, ticket: str) -> None:
    """What an agent has done so far, though nothing is mounted here."""
    [pair] = server.ask("overlaps", ticket=ticket)["overlaps"]
    assert [each["path"] for each in pair["files"]] == ["a.txt"]
    seen = Path(server.ask("materialise", ticket=ticket, task="boxed")["folder"])
    assert seen.joinpath("a.txt").read_text().endswith("six\nmore\n")
    assert seen.joinpath("many/6/6").is_file()
    assert not seen.joinpath("many/7").exists()


def is_gone_on_with(server: Client, ticket: str, gate: Gate) -> None:
    """A follow-up has the same path, by which agents key what they remember, and the work."""
    followed = server.ask("follow", ticket=ticket, task="boxed")["ticket"]
    gate.reached()
    gate.open()
    assert server.settled(followed)["state"] == "completed"
    before, after = (server.ask("run", ticket=one, task="boxed") for one in (ticket, followed))
    assert after["folder"] == before["folder"]
    assert after["workspace"]["kind"] == "overlay"
    for one in (ticket, followed):
        told = server.ask("output", ticket=one, task="boxed", stream="raw")["text"].splitlines()
        assert told == ["installed", before["folder"]]
    seen = Path(server.ask("materialise", ticket=followed, task="boxed")["folder"])
    assert seen.joinpath("a.txt").read_text().endswith("six\nmore\nmore\n")


def test_doctor_tells_of_layers(layers: Machine, repo: Repo) -> None:
    server = layers.serve(repo)
    lines = [each["message"] for each in server.ask("doctor")["lines"]]
    assert "Made by: overlay." in lines


def test_what_layers_lie_over_is_made_ready_where_there_is_room_for_it(
    machine: Machine,
) -> None:
    where_there_are_layers()
    repo = large(machine, LEAST_FILES)
    machine.settings("[workspace]\nspareBytes = 1000000\n")
    tight = machine.serve(repo)
    assert eventually(lambda: "No workspace is prepared" in tight.stderr())
    assert not [*machine.state.glob("stores/*/pristine")]
    machine.settings("")
    machine.serve(repo)
    assert eventually(lambda: [*machine.state.glob("stores/*/pristine/many/7/7")] != [])
