from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.scene import Client, Machine, Repo, sh, task, task_of
from tests.e2e.test_cancel import asking_quickly
from tests.wire_client import eventually, framed_bytes

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


def problems(error: dict[str, Any]) -> dict[str, str]:
    """The problems of an error by path."""
    assert error["code"] == -32602, error
    return {each["path"]: each["message"] for each in error["data"]["problems"]}


@pytest.mark.parametrize(
    ("params", "path", "words"),
    [
        ({}, "tasks", "missing"),
        ({"tasks": []}, "tasks", "empty"),
        ({"tasks": {}}, "tasks", "array"),
        ({"tasks": ["x"]}, "tasks[0]", "object"),
        ({"tasks": [{"id": "one"}]}, "tasks[0].prompt", "missing"),
        ({"tasks": [{"id": 1, "prompt": "true"}]}, "tasks[0].id", "string"),
        ({"tasks": [task("one", "true", agents=["a"])]}, "tasks[0].agents", "not available yet"),
        ({"tasks": [task("one", "true")], "approval": "plan"}, "approval", "not available yet"),
        ({"tasks": [task("one", "true", color=3)]}, "tasks[0].color", "not a known key"),
        ({"tasks": [task("one", "true")], "waits": True}, "waits", "not a known key"),
        ({"tasks": [task("one", "true", workspace="shared")]}, "tasks[0].workspace", ""),
        ({"tasks": [task("one", "true", base="yesterday")]}, "tasks[0].base", ""),
        ({"tasks": [task("one", "true", deadlineMs=0)]}, "tasks[0].deadlineMs", ""),
        ({"tasks": [task("one", "true", idleMs=-1)]}, "tasks[0].idleMs", ""),
        ({"tasks": [task("one", "true", writes=["[a"])]}, "tasks[0].writes[0]", ""),
        ({"tasks": [task("a b", "true")]}, "tasks[0].id", "no task id"),
        ({"tasks": [task("one", " ")]}, "tasks[0].prompt", "empty"),
        ({"tasks": [task("one", "true"), task("one", "true")]}, "tasks[1].id", "taken"),
        ({"tasks": [task("one", "true", dependsOn=["two"])]}, "tasks[0].dependsOn[0]", "no task"),
        ({"tasks": [task("one", "true", dependsOn=["one"])]}, "tasks[0].dependsOn[0]", "itself"),
        (
            {"tasks": [task("a", "true", dependsOn=["b"]), task("b", "true", dependsOn=["a"])]},
            "tasks[0].dependsOn",
            "circle",
        ),
        ({"tasks": [{"id": "x", "prompt": "y", "agent": "nobody"}]}, "tasks[0].agent", ""),
        ({"tasks": [{"id": "x", "prompt": "y"}]}, "tasks[0].agent", "missing"),
        ({"tasks": [task("one", "true", cwd="relative")]}, "tasks[0].cwd", "not absolute"),
        ({"tasks": [task("one", "true", cwd="/no/such/folder")]}, "tasks[0].cwd", ""),
        ({"tasks": [task("one", "true")], "maxConcurrent": 0}, "maxConcurrent", "less than 1"),
        ({"tasks": [task("one", "true")], "operationId": "a b"}, "operationId", "visible"),
        ({"tasks": [task("one", "true")], "workDoneToken": 1}, "workDoneToken", "wait"),
        ({"tasks": [task("one", "echo 'open")]}, "tasks[0].prompt", "quote"),
        ({"tasks": [task("one", "cat a | wc")]}, "tasks[0].prompt", "shell"),
    ],
)
def test_a_wrong_call_is_refused_whole_with_the_place_of_its_fault(
    shared: Client, params: dict[str, object], path: str, words: str
) -> None:
    found = problems(shared.refused("dispatch", **params))
    assert words in found[path], found
    assert problems(shared.refused("preflight", **params))[path] == found[path]
    assert shared.ask("tickets")["tickets"] == []


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One server for what never starts anything."""
    machine = Machine(tmp_path_factory.mktemp("bad"))
    yield machine.serve(machine.repo())
    machine.close()


def test_every_problem_is_told_at_once(shared: Client) -> None:
    found = problems(
        shared.refused(
            "dispatch",
            tasks=[
                task("one", "true", dependsOn=["gone"], cwd="relative"),
                task("one", "", agent="nobody"),
            ],
            maxConcurrent=-1,
        )
    )
    assert found.keys() == {
        "tasks[0].dependsOn[0]", "tasks[0].cwd", "tasks[1].id", "tasks[1].prompt",
        "tasks[1].agent", "maxConcurrent",
    }  # fmt: skip


def test_an_unknown_key_comes_with_the_valid_ones(shared: Client) -> None:
    error = shared.refused("dispatch", tasks=[task("one", "true", promt="x")])
    [problem] = error["data"]["problems"]
    assert {"prompt", "agent", "dependsOn"} <= set(problem["valid"])


@pytest.mark.parametrize("method", ["pause", "compare", "deadLetters"])
def test_a_method_of_later_says_so(shared: Client, method: str) -> None:
    error = shared.refused(method)
    assert (error["code"], error["data"]["reason"]) == (-32601, "notAvailableYet")
    assert "not available yet" in error["message"]


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("ticket", {"ticket": "t_nope"}, 2),
        ("ticket", {"ticket": 3}, -32602),
        ("ticket", {}, -32602),
        ("wait", {"ticket": "t_nope"}, 2),
        ("wait", {"ticket": "t_nope", "timeoutMs": -1}, -32602),
        ("tickets", {"limit": 0}, -32602),
        ("tickets", {"limit": 10_000}, -32602),
        ("tickets", {"before": "t_nope"}, 2),
        ("answer", {"ticket": "t_nope", "task": "x", "question": "q", "answer": "a"}, 2),
        ("proposals", {"ticket": "t_nope"}, 2),
        ("proposal", {"proposal": "p_nope"}, 4),
        ("decide", {"proposal": "p_nope", "revision": "r_nope", "choices": []}, 4),
        ("resolve", {"proposal": "p_nope", "revision": "r_nope", "choices": []}, 4),
        ("overlaps", {"ticket": "t_nope"}, 2),
        ("overlaps", {"limit": 0}, -32602),
        ("preview", {"ticket": "t_nope"}, 2),
        ("apply", {"ticket": "t_nope", "target": "disk"}, 2),
        ("undo", {"application": "a_nope"}, 4),
        ("content", {"uri": "sennit:/nowhere"}, 15),
        ("content", {"uri": "sennit://ticket/t_nope/task/x/output"}, 2),
        ("output", {"ticket": "t_nope", "task": "x"}, 2),
        ("run", {"ticket": "t_nope", "task": "x"}, 2),
        ("materialise", {"ticket": "t_nope", "task": "x"}, 2),
        ("story", {"ticket": "t_nope"}, 2),
        ("story", {"ticket": "t_nope", "limit": 0}, -32602),
        ("drop", {"ids": ["nope"], "confirm": True}, -32602),
        ("drop", {"ids": []}, -32602),
        ("trust", {"action": "grant"}, -32602),
        ("trust", {"action": "grant", "folder": "/no/such"}, -32602),
        ("trust", {"action": "revoke", "folder": "/no/such"}, 12),
        ("trust", {"action": "love"}, -32602),
        ("doctor", {"cwd": "relative"}, -32602),
        ("agents", {"x": 1}, -32602),
    ],
)
def test_an_unknown_id_or_wrong_value_has_its_code(
    shared: Client, method: str, params: dict[str, object], code: int
) -> None:
    error = shared.refused(method, **params)
    assert error["code"] == code, error
    assert error["message"]


def test_broken_messages_leave_the_server_answering(server: Client) -> None:
    for body in (b"{", b"[]", b'"x"', b"\xff\xfe", b'{"jsonrpc":"2.0","id":[],"method":"x"}'):
        server.send_bytes(framed_bytes(body))
    assert server.ask("tickets")["tickets"] == []
    assert server.run(task("one", "true"))["state"] == "completed"


# Folders.


@pytest.mark.parametrize("kind", ["missing", "no repository", "bare", "git folder"])
def test_a_folder_that_is_no_repository_is_refused_with_what_to_do(
    machine: Machine, server: Client, repo: Repo, kind: str
) -> None:
    folder = machine.root / "odd"
    if kind == "git folder":
        folder = repo.folder / ".git"
    elif kind != "missing":
        folder.mkdir()
    if kind == "bare":
        repo.git("clone", "-q", "--bare", ".", str(folder / "x.git"))
        folder /= "x.git"
        repo.watch()
    error = server.refused("dispatch", tasks=[task("one", "true", cwd=str(folder))])
    message = problems(error)["tasks[0].cwd"]
    words = {
        "missing": "exist",
        "no repository": "repository",
        "bare": "work tree",
        "git folder": ".git",
    }  # fmt: skip
    assert words[kind] in message.lower()
    assert server.ask("tickets")["tickets"] == []
    assert server.run(task("one", "true"))["state"] == "completed"


def test_a_file_stands_for_its_folder_or_is_refused(server: Client, repo: Repo) -> None:
    answer = server.call(
        "sennit/dispatch", {"tasks": [task("one", "pwd", cwd=str(repo.folder / "a.txt"))]}
    )
    message = problems(answer["error"])["tasks[0].cwd"]
    assert "folder" in message


def test_a_git_that_cannot_merge_is_refused_before_anything_starts(
    machine: Machine, repo: Repo
) -> None:
    programs = machine.root / "programs"
    programs.mkdir()
    path = machine.environment["PATH"]
    script = (
        f'#!/bin/sh\ncase "$*" in version) echo git version 2.30.2; exit;; esac\n'
        f'PATH="{path}" exec git "$@"\n'
    )
    (programs / "git").write_text(script)
    (programs / "git").chmod(0o755)
    machine.variables["PATH"] = f"{programs}:{path}"
    error = machine.serve(repo).refused("dispatch", tasks=[task("one", sh("true"))])
    assert error["code"] == 9
    assert "git version 2.30.2 is too old. Install git 2.38" in error["message"]


def test_a_repository_of_another_owner_is_refused(machine: Machine, server: Client) -> None:
    other = machine.repo("other")
    for place, folders, names in os.walk(other.folder):
        for name in (".", *folders, *names):
            os.lchown(Path(place) / name, 12345, 12345)
    machine.repos.remove(other)
    error = server.refused("dispatch", tasks=[task("one", "true", cwd=str(other.folder))])
    assert "safe.directory" in problems(error)["tasks[0].cwd"]


def test_one_bad_repository_refuses_the_whole_call(machine: Machine, server: Client) -> None:
    plain = machine.root / "plain"
    plain.mkdir()
    server.refused("dispatch", tasks=[task("one", "true"), task("two", "true", cwd=str(plain))])
    assert server.ask("tickets")["tickets"] == []
    assert not list((machine.state / "workspaces").iterdir())


# Programs.


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
    assert found["runs"][0]["outputBytes"] == 3_000_000
    page = server.ask("output", ticket=ticket, task="one")
    assert (page["total"], page["truncated"]) == (65_536, True)
    assert len(found["resultText"]) <= 8_000


def test_a_program_that_never_ends_is_ended_at_its_deadline(machine: Machine, repo: Repo) -> None:
    gate = machine.gate()
    server = machine.serve(repo)
    view = server.run(task("one", gate.prompt("echo x > new.txt"), deadlineMs=300))
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
    server.until(ticket, "quiet", lambda found: _phase(found) == "running")
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


# Settings.


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
    assert eventually(lambda: not broken(), 5)


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
