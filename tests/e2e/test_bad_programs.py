"""Programs that cannot be started, fail, never end or leave something running."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.scene import (
    Client,
    Machine,
    Repo,
    ended_at_a_limit,
    problems,
    sh,
    task,
    task_of,
)
from tests.e2e.test_cancel import asking_quickly

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


def failure(server: Client, prompt: str, **keys: object) -> dict[str, Any]:
    view = server.run(task("one", prompt, **keys))
    found: dict[str, Any] = task_of(view, "one")
    return found


def test_a_program_that_does_not_exist_fails_its_task_alone(server: Client) -> None:
    view = server.run(task("bad", "no-such-program x"), task("good", "true"))
    bad = task_of(view, "bad")
    assert (bad["state"], bad["failure"]["kind"]) == ("failed", "spawn")
    assert "no-such-program" in bad["failure"]["message"]
    assert "Install it" in bad["failure"]["message"]
    assert (view["state"], task_of(view, "good")["state"]) == ("partial", "completed")


def test_a_program_that_is_not_executable_says_so(server: Client) -> None:
    found = failure(server, "./a.txt")
    assert (found["state"], found["failure"]["kind"]) == ("failed", "spawn")
    assert "chmod +x" in found["failure"]["message"]


def test_a_configured_agent_without_its_program_is_refused_before_anything_starts(
    machine: Machine, repo: Repo
) -> None:
    machine.agent("gone", ["no-such-agent"])
    server = machine.serve(repo)
    error = server.refused("dispatch", tasks=[{"id": "x", "prompt": "y", "agent": "gone"}])
    assert "no-such-agent" in problems(error)["tasks[0].agent"]
    gone = next(each for each in server.ask("agents")["agents"] if each["name"] == "gone")
    assert (gone["usable"], "no-such-agent" in gone["problem"]) == (False, True)


def test_the_work_of_a_program_that_failed_is_kept(server: Client) -> None:
    ticket = server.dispatch(task("one", sh("sed -i s/two/TWO/ a.txt; echo oops >&2; exit 3")))
    found = task_of(server.settled(ticket), "one")
    assert (found["failure"]["kind"], found["failure"]["exitCode"]) == ("exit", 3)
    assert [each["integration"] for each in server.proposals(ticket)] == ["retained"]
    output = server.ask("output", ticket=ticket, task="one", stream="stderr")
    assert output["text"] == "oops\n"


def test_a_program_that_a_signal_ended_says_which(server: Client) -> None:
    found = failure(server, sh("kill -SEGV $$"))
    assert (found["failure"]["kind"], found["failure"]["signal"]) == ("signal", 11)


def test_a_flood_of_output_is_cut_and_flagged(machine: Machine, repo: Repo) -> None:
    machine.settings("limits.output.fileBytes = 65536\n")
    server = machine.serve(repo)
    ticket = server.dispatch(task("one", sh("yes | head -c 3000000; echo end > done.txt")))
    view = server.settled(ticket)
    found = task_of(view, "one")
    assert (found["state"], "outputTruncated" in found["flags"]) == ("completed", True)
    assert found["runs"][0]["writtenBytes"] == 3_000_000
    page = server.ask("output", ticket=ticket, task="one")
    assert (page["total"], page["truncated"]) == (65_536, True)
    assert len(found["resultText"]) <= 8_000


def test_a_program_that_never_ends_is_ended_at_its_deadline(machine: Machine, repo: Repo) -> None:
    gate = machine.gate()
    server = machine.serve(repo)

    def run(limit: int) -> dict[str, Any]:
        return server.run(task("one", gate.prompt("echo x > new.txt"), deadlineMs=limit))

    view = ended_at_a_limit(300, run, lambda _: gate.was_reached)
    found = task_of(view, "one")
    assert (found["failure"]["kind"], found["failure"]["phase"]) == ("timeout", "running")
    assert [each["integration"] for each in server.proposals(view["id"])] == ["retained"]


def test_a_silent_program_is_ended_after_its_idle_time(machine: Machine, repo: Repo) -> None:
    gate = machine.gate()
    server = machine.serve(repo)
    found = failure(server, gate.prompt("echo started"), idleMs=1000)
    assert (found["state"], found["failure"]["kind"]) == ("failed", "stalled")


def test_a_silent_program_is_shown_as_such_before_it_is_ended(server: Client, repo: Repo) -> None:
    ticket = server.dispatch(
        task("quiet", sh("echo hello; sleep 600"), cwd=str(repo.folder), idleMs=6000)
    )
    shown = server.until(ticket, "quiet", lambda found: _phase(found) == "silent")
    assert shown["progress"]["idleMs"] >= 2000
    assert shown["progress"]["lastLine"] == "hello"
    assert server.settled(ticket)["tasks"][0]["failure"]["kind"] == "stalled"


def _phase(found: dict[str, Any]) -> str | None:
    progress = found.get("progress")
    return progress["phase"] if progress else None


def test_a_program_that_waits_for_the_user_is_not_stalled(machine: Machine, repo: Repo) -> None:
    server = machine.serve(repo)
    ticket = server.dispatch(task("one", asking_quickly(), idleMs=2000))
    question = server.until_state(ticket, "one", "waiting")["question"]["id"]
    waited = server.ask("wait", ticket=ticket, timeoutMs=2600)
    assert waited["timedOut"]
    server.ask("answer", ticket=ticket, task="one", question=question, answer="fine")
    assert server.settled(ticket)["state"] == "completed"


def test_a_task_that_changed_nothing_is_flagged_or_fails_as_it_was_asked(server: Client) -> None:
    ticket = server.dispatch(
        task("off", "true", expectChanges="off"),
        task("flag", "true", expectChanges="flag"),
        task("fail", "true", expectChanges="fail"),
    )
    view = server.settled(ticket)
    found = {each["id"]: (each["state"], each["flags"]) for each in view["tasks"]}
    assert found == {
        "off": ("completed", []), "flag": ("completed", ["unchanged"]), "fail": ("failed", []),
    }  # fmt: skip
    assert task_of(view, "fail")["failure"]["kind"] == "noChanges"


def test_what_a_program_leaves_running_is_ended_before_its_work_is_taken(
    machine: Machine, server: Client
) -> None:
    script = "(setsid sh -c 'sleep 600; echo late > late.txt' >/dev/null 2>&1 &); echo x > new.txt"
    view = server.run(task("one", sh(script)))
    assert view["state"] == "completed"
    assert not any("sleep 600" in each.replace("\0", " ") for each in machine.ours().values())
