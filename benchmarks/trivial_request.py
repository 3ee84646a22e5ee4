"""A trivial request over stdio against the floor: asyncio and json that answer the same bytes.

Both are processes of the same environment, asked one request after the other, in turns.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.client import Client
from benchmarks.ratio import Ratio

ROUNDS = 12
CALLS = 150
TARGET = 1.3
_US = 1_000_000

FLOOR = """
import asyncio, json, sys
async def main():
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 26)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    transport, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, sys.stdout.buffer)
    while header := await reader.readline():
        await reader.readline()
        message = json.loads(await reader.readexactly(int(header.split(b":")[1])))
        if "id" in message:
            result = {"tickets": [], "more": False}
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
            body = json.dumps(answer).encode()
            transport.write(b"Content-Length: %d\\r\\n\\r\\n%b" % (len(body), body))
asyncio.run(main())
"""


def measure() -> Ratio:
    """Medians over all calls of both."""
    with tempfile.TemporaryDirectory() as name:
        state = Path(name)
        floor = Client([sys.executable, "-c", FLOOR], state, state)
        with Client.of_sennit(state, state) as ours, floor as reference:
            for client in (ours, reference):
                client.introduce()
                _calls(client)
            mine, bare = [], []
            for _ in range(ROUNDS):
                mine.extend(_calls(ours))
                bare.extend(_calls(reference))
    took, least = statistics.median(mine) * _US, statistics.median(bare) * _US
    return Ratio("trivial request / raw asyncio", took, least, took / least, TARGET)


def _calls(client: Client) -> list[float]:
    times = []
    for _ in range(CALLS):
        began = time.perf_counter()
        client.call("sennit/tickets", {})
        times.append(time.perf_counter() - began)
    return times
