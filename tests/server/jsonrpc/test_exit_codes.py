from __future__ import annotations

import os
import signal
import subprocess
import sys
import tty
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.wire_client import DEADLINE_S, WireClient, eventually, framed

SERVER = Path(__file__).with_name("scripted_server.py")
Starter = Callable[..., WireClient]


def test_shutdown_and_exit_end_with_0(start: Starter) -> None:
    with start() as client:
        client.initialize()
        assert client.shut_down() == 0


def test_shutdown_and_exit_in_one_write_end_with_0_and_the_answer_comes(start: Starter) -> None:
    with start() as client:
        client.initialize()
        client.send(
            {"jsonrpc": "2.0", "id": "s", "method": "shutdown"},
            {"jsonrpc": "2.0", "method": "exit"},
        )
        assert client.answer_to("s")["result"] is None
        assert client.exit_code() == 0


def test_exit_without_shutdown_ends_with_1(start: Starter) -> None:
    with start() as client:
        client.initialize()
        client.notify("exit")
        assert client.exit_code() == 1


def test_exit_before_initialize_ends_with_1(start: Starter) -> None:
    with start() as client:
        client.notify("exit")
        assert client.exit_code() == 1


@pytest.mark.parametrize("data", [b"", b"Content-Len", b"Content-Length: 10\r\n\r\n{"])
def test_the_end_of_the_stream_ends_with_1(start: Starter, data: bytes) -> None:
    with start() as client:
        client.initialize()
        client.send_bytes(data)
        client.close_stdin()
        assert client.exit_code() == 1
        assert "closing" in client.stderr()


def test_a_terminal_that_hangs_up_ends_with_1() -> None:
    master, slave = os.openpty()
    tty.setraw(slave)
    server = subprocess.Popen(
        [sys.executable, str(SERVER)],
        stdin=slave,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    os.close(slave)
    params: dict[str, object] = {"processId": None, "rootUri": None, "capabilities": {}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    os.write(master, framed(message))
    assert server.stdout is not None
    assert server.stdout.readline().startswith(b"Content-Length")
    os.close(master)
    server.stdout.close()
    assert server.wait(DEADLINE_S) == 1


def test_the_end_of_the_stream_before_any_message_ends_with_1(start: Starter) -> None:
    with start() as client:
        client.close_stdin()
        assert client.exit_code() == 1


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_in_order(start: Starter, number: signal.Signals, code: int) -> None:
    with start() as client:
        client.initialize()
        id_ = client.request("sennit/block", {"name": "a"})
        client.next_of("sennit/told")
        client.signal(number)
        assert client.answer_to(id_)["error"]["code"] == -32800
        assert client.exit_code() == code
        assert client.stderr().count("closing") == 1


def test_a_client_that_stops_reading_ends_the_server(start: Starter) -> None:
    with start() as client:
        client.initialize()
        assert client.process.stdout is not None
        client.process.stdout.close()
        client.request("sennit/echo", {"prompt": "a"})
        assert client.exit_code() == 1


EDITOR = """
import json, os, subprocess, sys
body = json.dumps({
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"capabilities": {}, "processId": int(sys.argv[3]) or os.getpid()},
}).encode()
server = subprocess.Popen(
    [sys.executable, sys.argv[1]], stdin=int(sys.argv[2]), stdout=subprocess.PIPE
)
os.write(int(sys.argv[4]), b"Content-Length: %d\\r\\n\\r\\n%b" % (len(body), body))
server.stdout.read(1)
print(server.pid, flush=True)
sys.stdin.read()
"""


def editor(read: int, write: int, process_id: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", EDITOR, str(SERVER), str(read), str(process_id), str(write)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        pass_fds=(read, write),
    )


def is_gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"


def test_the_end_of_the_editor_is_noticed_while_the_stream_is_open() -> None:
    # The test holds the writing end open, so that the stream never ends.
    read, write = os.pipe()
    with editor(read, write, 0) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        process.kill()
    assert eventually(lambda: is_gone(pid))
    os.close(read)
    os.close(write)


def test_a_process_that_is_no_ancestor_is_not_watched(start: Starter) -> None:
    with subprocess.Popen(["/bin/sleep", "60"]) as other, start() as client:
        client.initialize(process_id=other.pid)
        other.kill()
        other.wait()
        assert "result" in client.call("sennit/echo", {"prompt": "a"})
        assert client.shut_down() == 0


def test_a_process_that_never_was_is_not_watched(start: Starter) -> None:
    with start() as client:
        client.initialize(process_id=2**22 - 1)
        assert "result" in client.call("sennit/echo", {"prompt": "a"})
