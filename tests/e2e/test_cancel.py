from __future__ import annotations

import os
import shlex
import signal
import sys

import pytest

from tests.adapters.git.installed import git_program
from tests.e2e.scene import Client, Machine, Repo, sh, task, task_of
from tests.wire_client import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

STUBBORN = "trap '' INT TERM"
QUICK = "stop.cancelMs = 100\nstop.closeMs = 100\nstop.termMs = 100\n"


def stopped(result: dict[str, object]) -> dict[str, str]:
    tasks = result["tasks"]
    assert isinstance(tasks, list)
    return {each["id"]: each["stopped"] for each in tasks}


def test_without_force_a_cancel_only_tells_what_would_be_lost(machine: Machine, repo: Repo) -> None:
    gate = machine.gate()
    server = machine.serve(repo)
    ticket = server.dispatch(
        task("ended", "true"), task("held", gate.prompt("sed -i s/two/TWO/ a.txt")),
        task("after", "true", dependsOn=["held"]),
    )  # fmt: skip
    gate.reached()
    server.until_state(ticket, "ended", "completed")
    server.until_state(ticket, "held", "running")
    told = server.ask("cancel", ticket=ticket)
    assert (told["done"], told["state"]) == (False, "running")
    assert stopped(told) == {
        "ended": "alreadyEnded", "held": "inTheMiddle", "after": "neverStarted",
    }  # fmt: skip
    assert "kept" in next(each["keeps"] for each in told["tasks"] if each["id"] == "held")
    assert server.task(ticket, "held")["state"] == "running"
    done = server.ask("cancel", ticket=ticket, force=True)
    assert (done["done"], stopped(done)) == (True, stopped(told))
    view = server.settled(ticket)
    assert view["state"] == "cancelled"
    states = {each["id"]: (each["state"], each.get("stopped")) for each in view["tasks"]}
    assert states == {
        "ended": ("completed", None),
        "held": ("cancelled", "inTheMiddle"),
        "after": ("cancelled", "neverStarted"),
    }


def test_a_ticket_of_another_server_is_cancelled_there_before_the_answer(
    machine: Machine, repo: Repo
) -> None:
    gate = machine.gate()
    server, other = machine.serve(repo), machine.serve(repo)
    ticket = server.dispatch(
        task("ended", "true"),
        task("held", gate.prompt()),
        task("after", "true", dependsOn=["held"]),
    )
    gate.reached()
    other.until_state(ticket, "ended", "completed")
    other.until_state(ticket, "held", "running")
    done = other.ask("cancel", ticket=ticket, force=True)
    assert (done["done"], done["asked"]) == (True, False)
    assert done["state"] in {"cancelling", "cancelled"}
    assert stopped(done) == {
        "ended": "alreadyEnded", "held": "inTheMiddle", "after": "neverStarted",
    }  # fmt: skip
    assert server.settled(ticket)["state"] == "cancelled"


def test_a_server_that_does_not_cancel_its_ticket_in_time_was_only_asked_to(
    machine: Machine, repo: Repo
) -> None:
    gate = machine.gate()
    server, other = machine.serve(repo), machine.serve(repo)
    ticket = server.dispatch(task("held", gate.prompt()))
    gate.reached()
    other.until_state(ticket, "held", "running")
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        done = other.ask("cancel", ticket=ticket, force=True)
    finally:
        os.kill(server.process.pid, signal.SIGCONT)
    assert (done["done"], done["asked"], done["state"]) == (False, True, "running")
    assert stopped(done) == {"held": "inTheMiddle"}
    assert server.settled(ticket)["state"] == "cancelled"


def test_the_work_of_a_cancelled_task_is_kept_and_never_offered(
    machine: Machine, repo: Repo
) -> None:
    gate = machine.gate()
    server = machine.serve(repo)
    ticket = server.dispatch(task("held", gate.prompt("sed -i s/two/TWO/ a.txt")))
    gate.reached()
    server.until_state(ticket, "held", "running")
    server.ask("cancel", ticket=ticket, force=True)
    view = server.settled(ticket)
    [proposal] = server.proposals(ticket)
    assert proposal["integration"] == "retained"
    patch = server.ask("proposal", proposal=proposal["id"], format="patch")["patch"]
    assert "+TWO" in patch
    assert view["state"] == "cancelled"
    assert repo.read("a.txt").startswith("one\ntwo\n")


def test_a_task_that_waits_for_a_slot_never_starts(machine: Machine, repo: Repo) -> None:
    gate, other = machine.gate(), machine.gate("other")
    server = machine.serve(repo)
    ticket = server.dispatch(
        task("held", gate.prompt()), task("queued", other.prompt()), maxConcurrent=1
    )
    gate.reached()
    done = server.ask("cancel", ticket=ticket, tasks=["queued"], force=True)
    assert stopped(done) == {"queued": "neverStarted"}
    assert done["state"] == "running"
    assert server.task(ticket, "queued")["state"] == "cancelled"
    gate.open()
    assert server.settled(ticket)["state"] == "partial"
    assert not other.was_reached


def test_a_task_in_preparation_never_starts(machine: Machine, repo: Repo) -> None:
    gate, agent = machine.gate("git"), machine.gate()
    hold_git(machine, gate, "read-tree")
    server = machine.serve(repo)
    ticket = server.dispatch(task("one", agent.prompt()))
    gate.reached()
    assert server.task(ticket, "one")["state"] == "preparing"
    done = server.ask("cancel", ticket=ticket, force=True)
    assert stopped(done) == {"one": "neverStarted"}
    gate.open()
    view = server.settled(ticket)
    assert (view["state"], task_of(view, "one")["stopped"]) == ("cancelled", "neverStarted")
    assert not agent.was_reached


def test_a_task_whose_work_is_being_taken_is_cancelled_with_its_work(
    machine: Machine, repo: Repo
) -> None:
    gate = machine.gate("git")
    hold_git(machine, gate, "update-index", "TWO")
    server = machine.serve(repo)
    ticket = server.dispatch(task("one", "sed -i s/two/TWO/ a.txt"))
    gate.reached()
    assert server.task(ticket, "one")["runs"][0]["state"] == "ended"
    done = server.ask("cancel", ticket=ticket, force=True)
    assert stopped(done) == {"one": "inTheMiddle"}
    gate.open()
    assert server.settled(ticket)["state"] == "cancelled"
    assert [each["integration"] for each in server.proposals(ticket)] == ["retained"]


def hold_git(machine: Machine, gate: object, command: str, when: str = "") -> None:
    """Let git stand still once at a command; ``when``: only where the folder's a.txt holds that."""
    folder = machine.root / "bin"
    folder.mkdir(exist_ok=True)
    condition = f'[ "$1" = {command} ] && [ ! -e {folder}/held ]'
    if when:
        condition += f" && grep -q {when} a.txt 2>/dev/null"
    script = gate.script()  # type: ignore[attr-defined]
    program = folder / "git"
    program.write_text(
        f"#!/bin/sh\nif {condition}; then : > {folder}/held; {script} </dev/null; fi\n"
        f'exec {git_program()} "$@"\n'
    )
    program.chmod(0o755)
    machine.variables["PATH"] = f"{folder}:{machine.environment['PATH']}"


def test_a_task_that_waits_for_an_answer_is_cancelled(machine: Machine, repo: Repo) -> None:
    server = machine.serve(repo)
    ticket = server.dispatch(task("one", asking("Which?")))
    found = server.until_state(ticket, "one", "waiting")
    done = server.ask("cancel", ticket=ticket, tasks=["one"], force=True)
    assert stopped(done) == {"one": "inTheMiddle"}
    assert server.settled(ticket)["state"] == "cancelled"
    error = server.refused(
        "answer", ticket=ticket, task="one", question=found["question"]["id"], answer="late"
    )
    assert error["code"] == 12
    assert "closed" in error["message"]


def asking(text: str) -> str:
    return shlex.join([sys.executable, "-P", "-m", "sennit", "ask", text])


def asking_quickly() -> str:
    """As ``asking``, without the time that a large program takes to start."""
    program = """
import fcntl, json, os, time
name = os.environ["SENNIT_RUN_DIR"] + "/%s/q-quick.json"
with open(name % "questions" + ".new", "w") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    file.write(json.dumps({"text": "Well?", "options": [], "deadline_ms": None, "pid": 0}))
    file.flush()
    os.rename(file.name, name % "questions")
    while not os.path.exists(name % "answers"):
        time.sleep(0.02)
"""
    return shlex.join([sys.executable, "-I", "-S", "-c", program])


def test_a_settled_ticket_is_not_touched_by_a_cancel(server: Client) -> None:
    ticket = server.dispatch(task("one", "sed -i s/two/TWO/ a.txt"))
    server.settled(ticket)
    done = server.ask("cancel", ticket=ticket, force=True)
    assert (stopped(done), done["state"]) == ({"one": "alreadyEnded"}, "completed")
    assert [each["integration"] for each in server.proposals(ticket)] == ["clean"]


def test_a_stubborn_program_and_its_children_are_ended_by_the_ladder(
    machine: Machine, repo: Repo
) -> None:
    machine.settings(QUICK)
    gate = machine.gate()
    server = machine.serve(repo)
    script = gate.script(f"{STUBBORN}; (setsid sh -c 'sleep 600') & sleep 600 & echo x > new.txt")
    ticket = server.dispatch(task("one", sh(script)))
    gate.reached()
    server.until_state(ticket, "one", "running")
    server.ask("cancel", ticket=ticket, force=True)
    assert server.settled(ticket)["state"] == "cancelled"
    assert eventually(lambda: not any("sleep" in each for each in machine.ours().values()))


def test_a_cancel_that_is_repeated_is_fine(machine: Machine, repo: Repo) -> None:
    gate = machine.gate()
    server = machine.serve(repo)
    ticket = server.dispatch(task("one", gate.prompt()), task("two", "true", dependsOn=["one"]))
    gate.reached()
    ids = [server.request("sennit/cancel", {"ticket": ticket, "force": True}) for _ in range(3)]
    assert all("result" in server.answer_to(id_) for id_ in ids)
    assert server.settled(ticket)["state"] == "cancelled"


def test_another_server_cancels_by_letter(machine: Machine, repo: Repo) -> None:
    gate = machine.gate()
    server, other = machine.serve(repo), machine.serve(repo)
    ticket = server.dispatch(task("one", gate.prompt("sed -i s/two/TWO/ a.txt")))
    gate.reached()
    server.until_state(ticket, "one", "running")
    assert eventually(lambda: bool(other.ask("tickets")["tickets"]))
    done = other.ask("cancel", ticket=ticket, force=True)
    assert (done["done"], stopped(done)) == (True, {"one": "inTheMiddle"})
    assert other.settled(ticket)["state"] == "cancelled"
    assert [each["integration"] for each in server.proposals(ticket)] == ["retained"]


def test_the_cancel_button_of_the_progress_cancels_the_ticket(machine: Machine, repo: Repo) -> None:
    gate = machine.gate()
    server = machine.serve(repo)
    id_ = server.request(
        "sennit/dispatch",
        {"tasks": [task("one", gate.prompt())], "wait": True, "workDoneToken": 7},
    )
    gate.reached()
    server.next_where(
        lambda message: message.get("method") == "$/progress" and message["params"]["token"] == 7
    )
    server.notify("window/workDoneProgress/cancel", {"token": 7})
    result = server.answer_to(id_)["result"]
    assert result["state"] == "cancelled"


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"ticket": "t_nope"}, 2),
        ({"ticket": "t_nope", "force": True}, 2),
        ({"ticket": "T", "tasks": ["nope"], "force": True}, 3),
        ({"ticket": "T", "tasks": []}, -32602),
        ({"ticket": "T", "tasks": "one"}, -32602),
    ],
)
def test_what_cannot_be_cancelled_is_an_error(
    server: Client, params: dict[str, object], code: int
) -> None:
    ticket = server.dispatch(task("one", "true"))
    server.settled(ticket)
    if params["ticket"] == "T":
        params = {**params, "ticket": ticket}
    assert server.refused("cancel", **params)["code"] == code
