"""Agents that speak ACP badly: each gives a clear state, loses no work, leaves no process."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import pytest

from tests.e2e.scene import PATIENCE_S, Client, Machine, Repo
from tests.e2e.talking import Case, log_of, outcome, peer, written
from tests.wire_client import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

MIB = 1 << 20
WORK = "write kept.txt work\n"
DEATHS = {
    "early": Case("say x", ("dies-early",), "failed", "exit", ("initialize", "exit code 1")),
    "code": Case(WORK + "die 3", (), "failed", "exit", ("session/prompt", "exit code 3")),
    "well": Case(WORK + "die 0", (), "failed", "protocol", ("session/prompt",)),
    "signal": Case(WORK + "die -11", (), "failed", "signal", ("signal 11",)),
    "term": Case(WORK + "die -15", (), "failed", "signal", ("session/prompt", "signal 15")),
    "half": Case(WORK + "half", (), "failed", "protocol", ("session/prompt",)),
    "mute": Case(WORK + "close-stdout\nsleep 900", (), "failed", "protocol", ("closed its",)),
    # It does not go by itself: the signal that ends it then is ours.
    "mute and deaf": Case(
        WORK + "close-stdout\nsleep 900",
        ("deaf",),
        "failed",
        "protocol",
        ("closed its",),
        ("stop.cancelMs = 100", "stop.closeMs = 100", "stop.termMs = 100"),
    ),
    "asks without end": Case(
        WORK + "beg 1000\nsleep 900",
        (),
        "failed",
        "protocol",
        ("things at once",),
    ),
}
ANSWERS = {
    "future": Case("say x", ("future",), "failed", "protocol", ("version 7", "version 1")),
    "unversioned": Case(WORK, ("no-version",)),
    "signed-out": Case(
        "say x", ("signed-out",), "failed", "notSignedIn",
        ("Sign in with a browser", "`peer login`"), ("signIn = 'peer login'",),
    ),
    "401": Case(
        WORK + "error -32603 API Error: 401 Unauthorized", (), "failed", "notSignedIn", ("401",)
    ),
    "429": Case(WORK + "error -32603 429 rate limit reached", (), "failed", "rateLimited"),
    "model": Case(WORK + "error -32603 overloaded", (), "failed", "modelError", ("overloaded",)),
    "refusal": Case(WORK + "stop refusal", (), "failed", "refused"),
    "tokens": Case(WORK + "stop max_tokens", (), "failed", "limit", ("tokens",)),
    "own-cancel": Case(WORK + "stop cancelled", (), "failed", "protocol"),
    "odd-stop": Case(WORK + "stop for_lunch"),
    "unknown-kind": Case(WORK + "unknown something\nsay done"),
    "no-answer": Case(WORK + 'raw {"id":2,"error":null}\nsay done'),
    "odd-error": Case(WORK + 'raw {"id":2,"error":"broken"}', (), "failed", "modelError",
                      ("broken",)),
    "odd-code": Case(WORK + 'raw {"id":2,"error":{"code":null,"message":[1]}}', (), "failed",
                     "modelError"),
}  # fmt: skip
NOISE = {
    "chatty": Case(WORK + "say done", ("chatty",)),
    "between": Case(
        WORK
        + "raw 42\nraw [1]\nraw null\nraw migrating...\nbytes fffe0a\nraw \\x1b[31mred\\x1b[0m\n"
        + 'raw {"id":[1]}\nraw {"id":{},"result":1}\nraw {"id":{},"method":7}\nsay done'
    ),
    "before": Case("say x", ("babbles",), "failed", "protocol", ("no messages", "no protocol")),
    "middle": Case(WORK + "babble 2000\nsay x", (), "failed", "protocol", ("in a row",)),
    "some": Case(WORK + "babble 900\nsay x\nbabble 900\nsay done"),
    "flood": Case(WORK + f"flood {3 * 1024}\nsay done"),
    "half a character": Case(
        WORK + 'raw {"method":"session/update","params":{"update":{"sessionUpdate":'
        r'"agent_message_chunk","content":{"type":"text","text":"x\\ud800y"}}}}'
    ),
}


@pytest.mark.parametrize("cases", [DEATHS, ANSWERS, NOISE], ids=["deaths", "answers", "noise"])
def test_each_has_a_clear_end_and_its_work_is_kept(
    machine: Machine, repo: Repo, cases: dict[str, Case]
) -> None:
    machine.settings(f"{QUICK_ENDS}")
    named = {name.replace(" ", "-"): case for name, case in cases.items()}
    for name, case in named.items():
        peer(machine, name, *case.habits, also=case.also)
    found = outcome(machine, machine.serve(repo), named)
    for name, case in named.items():
        if "kept.txt" in case.prompt and name not in {"early", "before"}:
            assert found[name]["files"] == ["kept.txt"], name


QUICK_ENDS = "task.retries = 0\nstop.cancelMs = 1000\nstop.closeMs = 1000\nstop.termMs = 1000\n"


def test_a_step_without_an_answer_is_named_and_ends_in_time(machine: Machine, repo: Repo) -> None:
    machine.settings(f"task.startMs = 4500\n{QUICK_ENDS}")
    cases = {
        "silent": Case("say x", ("silent",), "failed", "timeout", ("`initialize`", "4.5 s")),
        "slow": Case("say x", ("slow-session",), "failed", "timeout", ("`session/new`", "4.5 s")),
    }
    for name, case in cases.items():
        peer(machine, name, *case.habits)
    found = outcome(machine, machine.serve(repo), cases)
    assert {view["failure"]["phase"] for view in found.values()} == {"starting"}


def test_large_messages_and_many_arrive_whole_and_in_order(machine: Machine, repo: Repo) -> None:
    cases = {"huge": Case(f"huge {20 * MIB}\nwrite a.txt hi"), "many": Case("many 20000")}
    for name in cases:
        peer(machine, name)
    found = outcome(machine, machine.serve(repo), cases)
    assert found["huge"]["runs"][0]["writtenBytes"] > 20 * MIB
    assert found["huge"]["resultText"].endswith("hhhh")
    # Only the end of it is kept, which may begin within a number.
    _, *told = found["many"]["resultText"].split()
    assert told == [str(number) for number in range(20_000)][-len(told) :]
    assert len(told) > 100


def test_more_output_than_is_kept_ends_the_run_and_says_which_limit(
    machine: Machine, repo: Repo
) -> None:
    machine.settings(f"limits.output.fileBytes = 100000\n{QUICK_ENDS}")
    cases = {
        "long": Case(
            WORK + "huge 200000\nsleep 900", (), "failed", "protocol", ("limits.output.fileBytes",)
        )
    }
    peer(machine, "long")
    [view] = outcome(machine, machine.serve(repo), cases).values()
    assert view["files"] == ["kept.txt"]
    assert "outputTruncated" in view["flags"]


def test_what_is_not_offered_is_refused_and_the_agent_goes_on(machine: Machine, repo: Repo) -> None:
    asked = (
        "fs/write_text_file fs/read_text_file terminal/create terminal/output _ext/thing "
        "elicitation/create session/update"
    )
    peer(machine, "peer")
    server = machine.serve(repo)
    ticket = server.dispatch({"id": "one", "agent": "peer", "prompt": f"refused codes {asked}"})
    [view] = server.settled(ticket)["tasks"]
    assert view["state"] == "completed", view
    assert written(server, ticket, "codes") == " ".join(["-32601"] * 7)


def test_a_server_does_not_grow_with_what_agents_write(machine: Machine, repo: Repo) -> None:
    peer(machine, "peer")
    server = machine.serve(repo)
    work = {"id": "one", "agent": "peer"}
    once = f"many 3000\ncalls 50 {MIB // 8}"
    server.run({**work, "prompt": "many 3000\nsay done"})
    server.run({**work, "prompt": once})
    before = resident(server.process.pid)
    for _ in range(6):
        [view] = server.run({**work, "prompt": once})["tasks"]
        assert view["state"] == "completed"
    grown = resident(server.process.pid) - before
    assert grown < 12 * MIB, f"{grown / MIB:.1f} MiB more after 38 MiB of output"


def test_an_agent_that_reads_nothing_is_ended_by_a_cancel_in_time(
    machine: Machine, repo: Repo
) -> None:
    machine.settings("stop.cancelMs = 500\nstop.closeMs = 500\nstop.termMs = 500\n")
    peer(machine, "peer", "unread")
    server = machine.serve(repo)
    # Larger than the pipe, so that the server cannot say it to its end.
    ticket = server.dispatch({"id": "one", "agent": "peer", "prompt": "p" * 400_000})
    assert eventually(lambda: any("reads no more" in line for line in log_of(machine)), PATIENCE_S)
    server.ask("cancel", ticket=ticket, force=True)
    view = server.settled(ticket)
    took = ended_after(server, ticket)
    assert view["state"] == "cancelled"
    assert took < 12, f"the end took {took:.1f} s"


def ended_after(server: Client, ticket: str) -> float:
    """Seconds from the cancel to the end of the ticket, by its story."""
    events = server.ask("story", ticket=ticket)["events"]
    moments = [_seconds(each["at"]) for each in events]
    began = next(
        moment for moment, each in zip(moments, events, strict=True)
        if "cancel" in each["message"]
    )  # fmt: skip
    return max(moments) - began


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()


def resident(pid: int) -> int:
    """Bytes of a process that are in memory and its own."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Private_Dirty"):
            return int(line.split()[1]) * 1024
    raise AssertionError(os.strerror(0))
