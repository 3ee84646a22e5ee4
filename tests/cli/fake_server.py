"""A server for the client's own error cases: follows a script from a file.

The script maps methods to what is done when they come: `result`, `error`, `die` (exit code),
`rubbish` (bytes that are no message), `silent`, `ask` (a request to the client; its answer is the
result), `tell` (notifications before the answer; "PID" in them becomes its process id).
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

DEFAULTS: dict[str, dict[str, Any]] = {
    "initialize": {"result": {"capabilities": {}}},
    "shutdown": {"result": None},
}


def read() -> dict[str, Any] | None:
    length = 0
    while (line := sys.stdin.buffer.readline()) not in {b"", b"\r\n"}:
        length = int(line.partition(b":")[2])
    body = sys.stdin.buffer.read(length)
    return json.loads(body) if body else None


def send(message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    sys.stdout.buffer.flush()


def asked(request: dict[str, Any]) -> dict[str, Any]:
    send({"id": "asked", **request})
    while (message := read()) is not None:
        if message.get("id") == "asked":
            return {"result": message.get("result"), "error": message.get("error")}
    sys.exit(0)


def act(number: object, step: dict[str, Any]) -> None:
    for told in step.get("tell", []):
        send(json.loads(json.dumps(told).replace('"PID"', str(os.getpid()))))
    if "die" in step:
        sys.stderr.write(step.get("words", ""))
        sys.exit(step["die"])
    if "rubbish" in step:
        sys.stdout.write(step["rubbish"])
        sys.stdout.flush()
    elif "ask" in step:
        send({"id": number, "result": asked(step["ask"])})
    elif "silent" not in step:
        send({"id": number, **step})


def main() -> int:
    script = {**DEFAULTS, **json.loads(Path(sys.argv[1]).read_text())}
    while (message := read()) is not None:
        if message["method"] == "exit":
            return 0
        if "id" in message:
            act(message["id"], script[message["method"]])
    return 0


if __name__ == "__main__":
    sys.exit(main())
