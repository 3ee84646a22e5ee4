"""What the scripted peer asks its client: permissions, and things that are not offered."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.acp_peer_wire import ask, next_id, receive, send, update


def permission(session: str, kind: str | None, **call: Any) -> str:
    options = [
        {"optionId": "always", "name": "Always", "kind": "allow_always"},
        {"optionId": "once", "name": "Once", "kind": "allow_once"},
        {"optionId": "once-and-mode", "name": "Once, and change the mode", "kind": "allow_once"},
        {"optionId": "no", "name": "No", "kind": "reject_once"},
    ]
    told = {"toolCallId": "asked", "title": "ask", "kind": kind, **call}
    params = {"sessionId": session, "toolCall": told, "options": options}
    answer = ask("session/request_permission", params)
    outcome = answer.get("result", {}).get("outcome", {})
    return str(outcome.get("optionId", outcome.get("outcome")))


def do_permit(session: str, rest: str) -> None:
    """`permit KIND FILE PATH|COMMAND`: writes the answer to FILE; $PWD is where the peer works."""
    kind, file, what = rest.replace("$PWD", str(Path.cwd())).split(" ", 2)
    told = {"rawInput": {"command": what}} if kind == "execute" else {"locations": [{"path": what}]}
    answer = permission(session, None if kind == "none" else kind, **told)
    Path(file).write_text(answer + "\n")


def do_partial(session: str, rest: str) -> None:
    """`partial KIND FILE PATH`: tells the parts of a call one by one, and asks with its id only."""
    kind, file, what = rest.split(" ", 2)
    update(session, "tool_call", toolCallId="asked", title="in parts", kind=kind, rawInput={})
    update(session, "tool_call_update", toolCallId="asked", locations=[{"path": what}])
    update(session, "tool_call_update", toolCallId="asked", kind=None, status="in_progress")
    options = [{"optionId": "once", "name": "Once", "kind": "allow_once"},
               {"optionId": "no", "name": "No", "kind": "reject_once"}]  # fmt: skip
    told = {"sessionId": session, "toolCall": {"toolCallId": "asked"}, "options": options}
    answer = ask("session/request_permission", told)
    Path(file).write_text(json.dumps(answer["result"]["outcome"]) + "\n")


def do_nameless(session: str, rest: str) -> None:
    """Ask twice without the id of a call: for a harmless one, then for one that tells nothing."""
    harmless = {"toolCallId": "", "kind": "edit", "locations": [{"path": "in.txt"}]}
    answer: dict[str, Any] = {}
    for told in (harmless, {"toolCallId": "", "title": "something else"}):
        options = [{"optionId": "once", "name": "Once", "kind": "allow_once"}]
        params = {"sessionId": session, "toolCall": told, "options": options}
        answer = ask("session/request_permission", params)
    Path(rest).write_text(json.dumps(answer["result"]["outcome"]) + "\n")


def do_always(session: str, rest: str) -> None:
    """`always FILE`: offers only answers that count always."""
    options = [{"optionId": "always", "name": "Always", "kind": "allow_always"}]
    told = {"toolCallId": "a", "title": "edit", "kind": "edit", "locations": [{"path": "in.txt"}]}
    params = {"sessionId": session, "toolCall": told, "options": options}
    Path(rest).write_text(json.dumps(ask("session/request_permission", params)["result"]) + "\n")


def do_both(session: str, rest: str) -> None:
    """Ask two things at once, and write both answers in the order of the questions."""
    numbers = [next_id(), next_id()]
    for number in numbers:
        options = [{"optionId": f"yes-{number}", "name": "Once", "kind": "allow_once"},
                   {"optionId": f"no-{number}", "name": "No", "kind": "reject_once"}]  # fmt: skip
        told = {"toolCallId": f"c{number}", "title": f"fetch {number}", "kind": "fetch"}
        params = {"sessionId": session, "toolCall": told, "options": options}
        send({"id": number, "method": "session/request_permission", "params": params})
    found: dict[int, str] = {}
    while len(found) < len(numbers):
        message = receive()
        if message.get("id") in numbers:
            outcome = message["result"]["outcome"]
            found[message["id"]] = outcome.get("optionId", outcome["outcome"])
    words = [found[number].removesuffix(f"-{number}") for number in numbers]
    Path(rest).write_text(" ".join(words) + "\n")


def do_bare_permit(session: str, rest: str) -> None:
    Path(rest).write_text(permission(session, "fetch") + "\n")


def do_unheard(session: str, rest: str) -> None:
    """`unheard KIND FILE`: asks, waits until FILE is there and for no answer."""
    kind, file = rest.split(" ")
    told = {"toolCallId": "asked", "title": "ask", "kind": kind}
    params = {"sessionId": session, "toolCall": told, "options": []}
    send({"id": next_id(), "method": "session/request_permission", "params": params})
    while not Path(file).exists():
        time.sleep(0.005)


def do_fs(session: str, rest: str) -> None:
    params = {"sessionId": session, "path": str(Path(rest).resolve()), "content": "by fs\n"}
    answer = ask("fs/write_text_file", params)
    Path("fs-answer").write_text(f"{answer.get('error', {}).get('code')}\n")


def do_refused(session: str, rest: str) -> None:
    """`refused FILE METHOD...`: asks for what is not offered; writes the codes of the errors."""
    file, *methods = rest.split()
    update(session, "_ext/notice", anything=1)
    send({"method": "_ext/notice", "params": {"anything": [1]}})
    codes = [str(ask(each, {"sessionId": session})["error"]["code"]) for each in methods]
    Path(file).write_text(" ".join(codes) + "\n")


ASKING: dict[str, Callable[[str, str], None]] = {
    "permit": do_permit,
    "bare-permit": do_bare_permit,
    "partial": do_partial,
    "nameless": do_nameless,
    "always": do_always,
    "both": do_both,
    "unheard": do_unheard,
    "fs": do_fs,
    "refused": do_refused,
}
