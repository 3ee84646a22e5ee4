"""An agent that speaks the Agent Client Protocol in raw JSON lines, well or badly, as it is told.

No SDK, so that ours is tried against what other programs write. The words of ``argv`` say how it
behaves before the first prompt; each line of a prompt is something to do, see ``DEEDS``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    # Started by its path, from wherever the agent works.
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from tests.acp_peer_asking import ASKING, do_permit
from tests.acp_peer_wire import (
    HABITS,
    STATE,
    AnsweredError,
    Cancelled,
    note,
    poll_cancel,
    receive,
    send,
    update,
    write,
)

_repairs: list[str] = []
_signed_in: list[str] = []


def do_write(session: str, rest: str) -> None:
    name, _, content = rest.partition(" ")
    call = {"toolCallId": f"w{name}", "title": f"write {name}", "kind": "edit", "status": "pending"}
    update(session, "tool_call", **call, rawInput={}, locations=[])
    update(session, "tool_call_update", toolCallId=f"w{name}", locations=[{"path": name}])
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(content + "\n")
    update(session, "tool_call_update", toolCallId=f"w{name}", status="completed")


def do_babble(_session: str, rest: str) -> None:
    write("no protocol here\n" * int(rest))


def do_bytes(_session: str, rest: str) -> None:
    sys.stdout.flush()
    os.write(1, bytes.fromhex(rest))


def do_many(session: str, rest: str) -> None:
    """Send so many updates, numbered."""
    lines = [
        json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": {
            "sessionId": session, "update": {"sessionUpdate": "agent_message_chunk",
            "content": {"type": "text", "text": f"{number} "}}}})
        for number in range(int(rest))
    ]  # fmt: skip
    write("\n".join(lines) + "\n")


def do_calls(session: str, rest: str) -> None:
    """`calls N SIZE`: so many calls of tools, each with an input of so many bytes; none ends."""
    many, size = map(int, rest.split())
    for number in range(many):
        update(session, "tool_call", toolCallId=f"c{number}", title="call", kind="edit",
               rawInput={"content": "c" * size})  # fmt: skip


def do_error(_session: str, rest: str) -> None:
    code, _, words = rest.partition(" ")
    raise AnsweredError(int(code), words)


def do_silence(_session: str, _rest: str) -> None:
    """Close standard input, and work on."""
    os.close(0)
    while True:
        time.sleep(1000)


def do_orphan(_session: str, rest: str) -> None:
    script = f"echo $$ > {rest}.new; mv {rest}.new {rest}; exec sleep 1000"
    subprocess.Popen(["setsid", "sh", "-c", script], stdin=subprocess.DEVNULL)
    while not Path(rest).exists():
        time.sleep(0.005)


def do_die(_session: str, rest: str) -> None:
    if rest.startswith("-"):
        os.kill(os.getpid(), int(rest[1:]))
    os._exit(int(rest or 0))


def do_beg(_session: str, rest: str) -> None:
    """Ask so many things at once, and wait for no answer."""
    for number in range(int(rest)):
        send({"id": 1_000_000 + number, "method": "session/request_permission", "params": {}})


def do_half(_session: str, _rest: str) -> None:
    write('{"jsonrpc":"2.0","method":"session/upd')
    os._exit(0)


def do_huge(session: str, rest: str) -> None:
    update(session, "agent_message_chunk", content={"type": "text", "text": "h" * int(rest)})


def do_raw(_session: str, rest: str) -> None:
    write(rest.encode().decode("unicode_escape") + "\n")


def do_flood(_session: str, rest: str) -> None:
    for _ in range(int(rest)):
        sys.stderr.write("x" * 1023 + "\n")
    sys.stderr.flush()


def do_fifo(_session: str, rest: str) -> None:
    """Stand still until somebody writes to a FIFO; see ``tests.e2e.scene.Gate``."""
    mark(rest)
    Path(f"{rest}.go").read_text()


def mark(place: str) -> None:
    """Tell that it has come to a place."""
    Path(f"{place}.at.new").write_text(f"{os.getpid()}\n")
    Path(f"{place}.at.new").rename(f"{place}.at")


def do_at(_session: str, rest: str) -> None:
    """Tell that it has come here, and wait to be let go (or for a cancel)."""
    mark(rest)
    while not Path(f"{rest}.go").exists():
        poll_cancel(0.02)


def do_late(session: str, rest: str) -> None:
    """`late FILE`: asks when its turn was cancelled already, and writes the answer to FILE."""
    try:
        poll_cancel(1000)
    except Cancelled:
        do_permit(session, f"edit {rest} in.txt")
        raise


def do_usage(session: str, rest: str) -> None:
    update(
        session, "usage_update", used=int(rest), size=1000, cost={"amount": 0.5, "currency": "USD"}
    )


def do_plan(session: str, rest: str) -> None:
    entries = [{"content": each, "status": "pending", "priority": "low"} for each in rest.split()]
    update(session, "plan", entries=entries)


def do_env(_session: str, rest: str) -> None:
    Path(rest).write_text("\n".join(f"{k}={v}" for k, v in sorted(os.environ.items())) + "\n")


DEEDS: dict[str, Callable[[str, str], None]] = {
    **ASKING,
    "write": do_write,
    "babble": do_babble,
    "bytes": do_bytes,
    "many": do_many,
    "calls": do_calls,
    "error": do_error,
    "link": lambda _session, rest: Path(rest.split()[1]).symlink_to(rest.split()[0]),
    "mark": lambda _session, rest: mark(rest),
    "late": do_late,
    "fail": lambda session, rest: do_error(session, f"-32603 {rest}"),
    # For the turn in which it is told that its result is wrong.
    "repair": lambda _session, rest: _repairs.append(rest),
    "close-stdin": do_silence,
    "orphan": do_orphan,
    "die": do_die,
    "beg": do_beg,
    "half": do_half,
    "huge": do_huge,
    "raw": do_raw,
    "flood": do_flood,
    "at": do_at,
    "fifo": do_fifo,
    "where": lambda session, _rest: update(
        session, "agent_message_chunk", content={"type": "text", "text": f"at {Path.cwd()}\n"}
    ),
    "usage": do_usage,
    "plan": do_plan,
    "env": do_env,
    "say": lambda session, rest: update(
        session, "agent_message_chunk", content={"type": "text", "text": rest + "\n"}
    ),
    "think": lambda session, rest: update(
        session, "agent_thought_chunk", content={"type": "text", "text": rest}
    ),
    "unknown": lambda session, rest: update(session, "subagent_update", anything=rest),
    "close-stdout": lambda _session, _rest: os.close(1),
    "sleep": lambda _session, rest: poll_cancel(float(rest)),
}


def instructions(text: str) -> Iterator[str]:
    """The lines that are said to it; what stands between fences is data."""
    fence = ""
    for line in text.splitlines():
        ticks = line if line and not line.strip("`") else ""
        if fence:
            fence = "" if line == fence else fence
        elif len(ticks) > 3:
            fence = ticks
        else:
            yield line


def prompt(session: str, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    reason = "end_turn"
    for line in instructions("\n".join(block.get("text", "") for block in blocks)):
        deed, _, rest = line.strip().partition(" ")
        if deed == "stop":
            reason = rest
        elif deed == "count":
            DEEDS["say"](session, str(sum(block["type"] == rest for block in blocks)))
        elif deed == "Your" and rest.startswith("result cannot be used"):
            for repair in _repairs:
                what, _, more = repair.partition(" ")
                DEEDS[what](session, more)
        elif deed in DEEDS:
            DEEDS[deed](session, rest)
    with (STATE / session).open("a") as file:
        file.write(json.dumps([block.get("text") for block in blocks]) + "\n")
    usage = {"totalTokens": 30, "inputTokens": 10, "outputTokens": 20}
    return {"stopReason": reason, "usage": usage}


def initialize(_params: dict[str, Any]) -> dict[str, Any]:
    note("begins")
    if "silent" in HABITS:
        poll_cancel(1000)
    if "dies-early" in HABITS:
        sys.stderr.write("database is locked\n")
        os._exit(1)
    if "dies-once" in HABITS and not (STATE / "died").exists():
        (STATE / "died").touch()
        os._exit(1)
    answer: dict[str, Any] = {
        "protocolVersion": 7 if "future" in HABITS else 1,
        "agentCapabilities": {
            "loadSession": True,
            "promptCapabilities": {"image": "sees" in HABITS},
            "sessionCapabilities": {"resume": {}} if {"resumes", "resumes-badly"} & HABITS else {},
        },
        "authMethods": [
            {"id": "browser", "name": "Sign in with a browser"},
            {"id": "key", "name": "Use a key"},
        ],
    }
    if "no-version" in HABITS:
        del answer["protocolVersion"]
    return answer


def authenticate(params: dict[str, Any]) -> dict[str, Any]:
    if params["methodId"] == "browser":
        raise AnsweredError(-32000, "There is no browser")
    _signed_in.append(params["methodId"])
    return {}


def new_session(params: dict[str, Any]) -> dict[str, Any]:
    if params["mcpServers"]:
        (STATE / "servers").write_text(json.dumps(params["mcpServers"]))
    if "signed-out" in HABITS and "key" not in _signed_in:
        raise AnsweredError(-32000, "Authentication required")
    if "slow-session" in HABITS:
        poll_cancel(1000)
    if "slow-start" in HABITS:
        poll_cancel(0.2)
    session = f"s-{os.getpid()}-{time.monotonic_ns()}"
    note("is open")
    modes = {
        "currentModeId": "ask",
        "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "edit", "name": "Edit"}],
    }
    return {"sessionId": session, "modes": modes}


def load_session(params: dict[str, Any]) -> dict[str, Any]:
    session = str(params["sessionId"])
    note(f"loads {session} in {params['cwd']}")
    if "forgets" in HABITS or not (STATE / session).exists():
        raise AnsweredError(-32603, "no such session")
    update(session, "agent_message_chunk", content={"type": "text", "text": "AN OLD STORY"})
    return {}


def resume_session(params: dict[str, Any]) -> dict[str, Any]:
    if "resumes-badly" in HABITS:
        raise AnsweredError(-32603, "not that way")
    return load_session(params)


def set_mode(params: dict[str, Any]) -> dict[str, Any]:
    (STATE / "mode").write_text(params["modeId"])
    return {}


METHODS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "initialize": initialize,
    "authenticate": authenticate,
    "session/new": new_session,
    "session/load": load_session,
    "session/resume": resume_session,
    "session/set_mode": set_mode,
    "session/prompt": lambda params: prompt(params["sessionId"], params["prompt"]),
}


def answer(message: dict[str, Any]) -> None:
    method, params = message.get("method"), message.get("params") or {}
    if "id" not in message or method is None:
        return
    try:
        result = METHODS[method](params)
    except Cancelled:
        send({"id": message["id"], "result": {"stopReason": "cancelled"}})
    except AnsweredError as error:
        send({"id": message["id"], "error": {"code": error.code, "message": str(error)}})
    else:
        send({"id": message["id"], "result": result})
        if method == "session/new" and "unread" in HABITS:
            note("reads no more")
            while True:
                time.sleep(1000)


def main() -> None:
    STATE.mkdir(parents=True, exist_ok=True)
    if "ignores-term" in HABITS:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "chatty" in HABITS:
        write("migrating the database ...\n\x1b[32mdone\x1b[0m\n42\n[1]\nnull\n\n")
        do_bytes("", "ff fe 0a 7b 22 80 22 0a 22 0a")
        write('{"id":[1]}\n{"id":{},"result":1}\n{"id":7,"error":5}\n{"id":null}\n{}\n')
    if "babbles" in HABITS:
        write("no protocol here\n" * 2000)
    while True:
        answer(receive())


if __name__ == "__main__":
    main()
