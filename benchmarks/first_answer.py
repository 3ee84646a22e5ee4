"""How soon a fresh server answers ``initialize``, against ``python -c pass`` of its environment.

Ours is from the start of the process to the last byte of the answer; the reference is a whole
process that does nothing. In turns, so that a busy machine troubles both.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from benchmarks.ratio import Ratio

ROUNDS = 25
TARGET = 3.0
_MS = 1000


def measure() -> Ratio:
    """Medians of both."""
    ours, reference = [], []
    with tempfile.TemporaryDirectory() as state:
        for _ in range(ROUNDS):
            ours.append(_first_answer(state))
            reference.append(_nothing())
    mine, bare = statistics.median(ours) * _MS, statistics.median(reference) * _MS
    return Ratio("answer to initialize / python -c pass", mine, bare, mine / bare, TARGET, "ms")


def _first_answer(state: str) -> float:
    body = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {"processId": os.getpid(), "rootUri": None, "capabilities": {}},
        }
    ).encode()
    message = b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    environment = {**os.environ, "SENNIT_STATE_DIR": state, "SENNIT_CONFIG_DIR": state}
    began = time.perf_counter()
    server = subprocess.Popen(
        [sys.executable, "-m", "sennit", "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    if server.stdin is None or server.stdout is None:
        raise RuntimeError("the server has no pipes")
    server.stdin.write(message)
    server.stdin.flush()
    header = server.stdout.readline()
    server.stdout.readline()
    server.stdout.read(int(header.split(b":")[1]))
    took = time.perf_counter() - began
    server.stdin.close()
    server.stdout.close()
    server.wait()
    return took


def _nothing() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - began
