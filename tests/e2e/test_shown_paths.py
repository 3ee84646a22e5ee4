"""Wherever people read of a path in a workspace, it is spelled as that of their own folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve

from tests.e2e.desk import Desk
from tests.e2e.editor import BARE
from tests.e2e.scene import Client, Machine, Repo, sh, task
from tests.e2e.talking import peer

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


def test_the_output_of_a_command_has_them_but_not_the_raw_one(server: Client, repo: Repo) -> None:
    script = "pwd; echo in $PWD/src/b.txt; echo bad $PWD/x >&2"
    ticket = server.run(task("one", sh(script)))["id"]
    told = {
        stream: server.ask("output", ticket=ticket, task="one", stream=stream)["text"]
        for stream in ("stdout", "stderr", "raw")
    }
    assert told["stdout"] == f"{repo.folder}\nin {repo.folder}/src/b.txt\n"
    assert told["stderr"] == f"bad {repo.folder}/x\n"
    assert "/workspaces/" in told["raw"]
    assert str(repo.folder) not in told["raw"]
    text = server.ask("content", uri=f"sennit://ticket/{ticket}/task/one/output")["text"]
    assert text == told["stdout"]


@pytest.mark.parametrize("limit", [1, 7, 300])
def test_no_page_cuts_one_in_two(server: Client, repo: Repo, limit: int) -> None:
    ticket = server.run(task("one", sh("for n in 1 2 3 4 5 6; do echo é $PWD/$n; done; echo ///")))[
        "id"
    ]
    pages, at, total = [], 0, 1
    while at < total:
        page = server.ask("output", ticket=ticket, task="one", offset=at, limit=limit)
        assert page["nextOffset"] > at
        pages.append(page["text"])
        at, total = page["nextOffset"], page["total"]
    whole = server.ask("output", ticket=ticket, task="one")["text"]
    assert whole == "".join(f"é {repo.folder}/{n}\n" for n in range(1, 7)) + "///\n"
    # A page that is shorter than the path cannot hold it.
    assert ("".join(pages) == whole) == (limit == 300)


def test_what_is_sent_as_it_is_written_has_them_whole(
    bare: Callable[..., Desk], tmp_path: Path
) -> None:
    made = bare(evolve(BARE, sennit={"clientId": "scripted", "output": True, "review": True}))
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    # The path is written in two parts, with a moment between in which the first one can be read.
    code = (
        "import os, sys, time\n"
        "here = os.getcwd()\n"
        "os.write(1, here[:-3].encode()); os.write(2, b'cut\\n')\n"
        f"open({str(gate)!r}).read()\n"
        "os.write(1, here[-3:].encode() + b'/end\\n')\n"
        "for n in range(9000): print(here)\n"
    )
    ticket = made.editor.ask("sennit/dispatch", {"tasks": [made.task(code)], "offer": "manual"})[
        "ticket"
    ]
    made.editor.ask("sennit/ticket", {"ticket": ticket})
    wanted = f"{made.folder}/end\n" + f"{made.folder}\n" * 9000
    text = ""
    while len(text) < len(wanted):
        piece = made.editor.next_of("sennit/taskOutput", 10)["params"]
        if piece["stream"] == "stderr":
            with gate.open("w"):
                pass
        else:
            text += piece["text"]
    assert text == wanted


def test_a_permission_is_asked_for_with_them_and_told_with_them(
    machine: Machine, repo: Repo
) -> None:
    peer(machine, "peer")
    server = machine.serve(repo)
    ticket = server.dispatch(
        {"id": "one", "agent": "peer", "prompt": "permit execute r cat $PWD/a.txt"}
    )
    question = server.until_state(ticket, "one", "waiting")["question"]
    assert f"Command: cat {repo.folder}/a.txt" in question["text"]
    assert "/workspaces/" not in question["text"]
    server.ask("answer", ticket=ticket, task="one", question=question["id"], answer="Reject")
    server.settled(ticket)
    assert "/workspaces/" not in server.story(ticket)


def test_so_is_the_question_of_a_program(server: Client, repo: Repo) -> None:
    script = f'{sys.executable} -m sennit ask "May I read $PWD/a.txt?" > answer'
    ticket = server.dispatch(task("one", sh(script)))
    question = server.until_state(ticket, "one", "waiting")["question"]
    assert question["text"] == f"May I read {repo.folder}/a.txt?"
    server.ask("answer", ticket=ticket, task="one", question=question["id"], answer="yes")
    assert server.settled(ticket)["state"] == "completed"


def test_so_is_what_it_does_just_now(machine: Machine, server: Client, repo: Repo) -> None:
    gate = machine.gate()
    ticket = server.dispatch(task("one", gate.prompt("echo reading $PWD/a.txt")))
    gate.reached()
    view = server.until(ticket, "one", lambda found: found.get("progress", {}).get("lastLine"))
    assert view["progress"]["lastLine"] == f"reading {repo.folder}/a.txt"
    gate.open()
    server.settled(ticket)


def test_so_is_a_result_by_a_schema(machine: Machine, repo: Repo) -> None:
    program = machine.root / "tells.py"
    program.write_text(
        "import json, os\n"
        "here = os.getcwd()\n"
        'result = json.dumps({"files": [f"{here}/a.txt"]})\n'
        "for line in (\n"
        '    {"type": "system", "subtype": "init", "session_id": "s"},\n'
        '    {"type": "result", "subtype": "success", "is_error": False, "result": result},\n'
        "):\n"
        "    print(json.dumps(line))\n"
    )
    more = ("output = 'claude-json'", "prompt = 'stdin'", "sandbox = 'off'")
    machine.agent("tells", [sys.executable, str(program)], *more)
    server = machine.serve(repo)
    schema = {"type": "object"}
    view = server.run({"id": "one", "agent": "tells", "prompt": "go", "outputSchema": schema})
    [one] = view["tasks"]
    assert one["structured"] == {"files": [str(repo.folder / "a.txt")]}
