"""What each agent must go through, each check on a machine of its own."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, field

from tests.agents.model import CONTENT, FILE, HANGING, RAN, REMEMBERS
from tests.agents.stage import STATE_PATIENCE_S, Stage, of_task
from tests.e2e.scene import Client

ONE = "one"
CANCEL_MAY_TAKE_S = 30
"""The ladder of a stop takes at most 15 s; the rest is for a machine that is busy."""
IDLE_MS = 20_000
ASK_MS = 5_000
_MINUTE_S = 60
DRIFT = {"sourceDrift", "escaped"}


@define
class Found:
    """What a check saw: the words for the table, and what is not as it should be."""

    said: list[str] = field(factory=list)
    wrong: list[str] = field(factory=list)

    def expect(self, holds: object, otherwise: str) -> None:
        """Note what is wrong."""
        if not holds:
            self.wrong.append(otherwise)

    def ended(self, stage: Stage) -> None:
        """What must hold after every run."""
        left = stage.left_over()
        self.expect(not left, f"left over: {sorted(set(left.values()))}")
        self.expect(not (touched := stage.untouched()), touched)


def edit(stage: Stage) -> Found:
    """A task that edits a file and runs a command, applied to the user's files."""
    found = Found()
    server = stage.serve()
    ticket = server.dispatch(stage.task(ONE, "[script edit]"))
    task = _ended(server, ticket, found)
    found.expect(task["state"] == "completed", f"not completed: {_why(task)}")
    patch = _patch(server, ticket)
    wanted = [f"b/{FILE}", *([f"b/{RAN}", "+TWO"] if stage.agent.runs_commands else [])]
    missing = [each for each in wanted if each not in patch]
    found.expect(not missing, f"the proposal lacks {missing}")
    litter = _names(patch) - {FILE, RAN, "a.txt"}
    found.expect(not litter, f"the proposal has more: {sorted(litter)}")
    found.ended(stage)
    server.accept_all(ticket)
    server.apply(ticket)
    file = stage.repo / FILE
    found.expect(file.exists() and file.read_text() == CONTENT, f"{FILE} is not as written")
    found.said.append(task["state"])
    if not stage.agent.runs_commands:
        found.said.append("runs no commands")
    return found


def follow(stage: Stage) -> Found:
    """A follow-up: the session goes on where the agent can, and the earlier work is kept."""
    found = Found()
    server = stage.serve()
    first = server.dispatch(stage.task(ONE, "[script edit]"))
    _ended(server, first, found)
    if stage.agent.sessions_by_minute:
        time.sleep(_MINUTE_S - time.time() % _MINUTE_S)
    second = server.ask("follow", ticket=first, task=ONE, prompt="[script recall]")["ticket"]
    task = _ended(server, second, found)
    [run] = task["runs"]
    resumed = run.get("resumed")
    found.said += [task["state"], "resumed" if resumed else "began anew"]
    found.expect(task["state"] == "completed", f"not completed: {_why(task)}")
    found.expect(FILE in _names(_patch(server, second)), "the earlier work is gone")
    can = resumed is not None
    told = " ".join(note["message"] for note in task["notices"])
    found.expect(not can or resumed, f"the session could not be opened again: {told}")
    said = task.get("resultText", "")
    remembers = REMEMBERS in said and f"{REMEMBERS}0" not in said
    found.expect(not can or remembers, f"it remembered nothing: {said[-100:]}")
    found.ended(stage)
    return found


def cancel(stage: Stage) -> Found:
    """A cancel while a command of the agent runs, with children that hide."""
    found = Found()
    server = stage.serve()
    ticket = server.dispatch(stage.task(ONE, "[script hang]"))
    if not stage.hangs(server, ticket):
        return _never_hung(server, ticket, found)
    began = time.monotonic()
    server.ask("cancel", ticket=ticket, force=True)
    task = _ended(server, ticket, found)
    took = time.monotonic() - began
    found.said += [task["state"], f"{took:.1f} s"]
    found.expect(task["state"] == "cancelled", f"not cancelled: {_why(task)}")
    found.expect(took < CANCEL_MAY_TAKE_S, f"the cancel took {took:.1f} s")
    _expect_partial_work(server, ticket, stage, found)
    found.ended(stage)
    return found


def sigterm(stage: Stage) -> Found:
    """SIGTERM to the server while a command of the agent runs."""
    found = Found()
    server = stage.serve()
    ticket = server.dispatch(stage.task(ONE, "[script hang]"))
    if not stage.hangs(server, ticket):
        return _never_hung(server, ticket, found)
    began = time.monotonic()
    server.signal(signal.SIGTERM)
    code = server.exit_code()
    found.said.append(f"rc {code} in {time.monotonic() - began:.1f} s")
    found.ended(stage)
    task = _ended(stage.serve(), ticket, found)
    found.said.append(task["state"])
    found.expect(task["state"] in {"interrupted", "cancelled"}, f"said {_why(task)}")
    _expect_partial_work(stage.servers[-1], ticket, stage, found)
    return found


def outside(stage: Stage) -> Found:
    """A file that the model wants to be written outside the workspace."""
    found = Found()
    server = stage.serve()
    target = stage.elsewhere / "outside.txt"
    ticket = server.dispatch(stage.task(ONE, f"[script outside {target}]"))
    task = _ended(server, ticket, found)
    found.said += [task["state"], "WRITTEN" if target.exists() else "not written"]
    _note_refusal(server, ticket, found)
    found.expect(not target.exists(), "it was written")
    found.ended(stage)
    return found


def tree(stage: Stage) -> Found:
    """A file that the model wants to be written into the user's own work tree."""
    found = Found()
    server = stage.serve()
    target = stage.repo / "outside.txt"
    ticket = server.dispatch(stage.task(ONE, f"[script outside {target}]"))
    task = _ended(server, ticket, found)
    flags = [*task["flags"], *([task["failure"]["kind"]] if "failure" in task else [])]
    told = ", ".join(flags) or "not flagged"
    found.said += [task["state"], f"WRITTEN, {told}" if target.exists() else "not written"]
    _note_refusal(server, ticket, found)
    found.expect(not target.exists(), "it was written")
    found.expect(not target.exists() or DRIFT & {*flags}, "it was written and nobody said so")
    target.unlink(missing_ok=True)
    found.ended(stage)
    return found


def unauthorised(stage: Stage) -> Found:
    """A model that answers 401 to everything."""
    found = Found()
    server = stage.serve()
    began = time.monotonic()
    ticket = server.dispatch(stage.task(ONE, "[script 401]"))
    task = _ended(server, ticket, found)
    kind = (task.get("failure") or {}).get("kind", "no failure")
    found.said += [task["state"], kind, *task["flags"], f"{time.monotonic() - began:.0f} s"]
    found.expect(task["state"] in {"failed", "partial"}, f"said {_why(task)}")
    found.ended(stage)
    return found


def three(stage: Stage) -> Found:
    """Three tasks of the agent at once, in one home folder."""
    found = Found()
    server = stage.serve()
    names = [f"file{number}.txt" for number in range(3)]
    tasks = [stage.task(name.removesuffix(".txt"), f"[script add {name}]") for name in names]
    ticket = server.dispatch(*tasks)
    view = _settled(server, ticket, found)
    states = [each["state"] for each in view["tasks"]]
    found.said.append(f"{states.count('completed')} of 3 completed")
    for each in view["tasks"]:
        found.expect(each["state"] == "completed", f"{each['id']}: {_why(each)}")
    patch = _patch(server, ticket)
    found.expect(all(f"b/{name}" in patch for name in names), "a file is missing")
    found.ended(stage)
    return found


CHECKS: Mapping[str, Callable[[Stage], Found]] = {
    "edit": edit,
    "follow": follow,
    "cancel": cancel,
    "SIGTERM": sigterm,
    "outside": outside,
    "tree": tree,
    "401": unauthorised,
    "three": three,
}


def settings_of(agent: str, check: str) -> Mapping[str, object]:
    """The settings of a check: nobody answers questions, and claude tries for ever."""
    tries_for_ever = (agent, check) == ("claude", "401")
    return {"ask.deadlineMs": ASK_MS, **({"task.idleMs": IDLE_MS} if tries_for_ever else {})}


def _ended(server: Client, ticket: str, found: Found) -> Mapping[str, Any]:
    return of_task(_settled(server, ticket, found), ONE)


def _settled(server: Client, ticket: str, found: Found) -> Mapping[str, Any]:
    result = server.ask("wait", ticket=ticket, timeoutMs=STATE_PATIENCE_S * 1000)
    if result["timedOut"]:
        found.wrong.append("the ticket did not settle")
        server.ask("cancel", ticket=ticket, force=True)
        result = server.ask("wait", ticket=ticket, timeoutMs=60_000)
    view: Mapping[str, Any] = server.ask("ticket", ticket=ticket)
    return view


def _note_refusal(server: Client, ticket: str, found: Found) -> None:
    if "is refused:" in server.story(ticket):
        found.said.append("asked and refused")


def _expect_partial_work(server: Client, ticket: str, stage: Stage, found: Found) -> None:
    if stage.agent.runs_commands:
        found.expect(HANGING in _patch(server, ticket), "the partial work was lost")


def _never_hung(server: Client, ticket: str, found: Found) -> Found:
    task = of_task(server.ask("ticket", ticket=ticket), ONE)
    found.said.append("its command never ran")
    found.wrong.append(f"its command never ran: {_why(task)}")
    return found


def _why(task: Mapping[str, Any]) -> str:
    failure = task.get("failure") or {}
    told = f"{failure.get('kind', '')} {failure.get('message', '')}".strip()
    return f"{task['state']} {told} {(task.get('resultText') or '')[-300:]}".strip()


def _patch(server: Client, ticket: str) -> str:
    shown = [
        server.ask("proposal", proposal=each["id"], format="patch")
        for each in server.proposals(ticket)
    ]
    return "\n".join(each.get("patch") or "" for each in shown)


def _names(patch: str) -> set[str]:
    lines = [line for line in patch.splitlines() if line.startswith("diff --git ")]
    return {line.rpartition(" b/")[2] for line in lines}
