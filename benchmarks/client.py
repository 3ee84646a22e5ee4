"""A small blocking client for benchmarks; tests have a better one that also misbehaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self


class Client:
    """One server process and its stream. Use it as a context manager."""

    def __init__(self, argv: Sequence[str], folder: Path, state: Path) -> None:
        self.folder = folder
        environment = {
            **os.environ,
            "SENNIT_STATE_DIR": str(state),
            "SENNIT_CONFIG_DIR": str(state / "config"),
        }
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self._number = 0

    @classmethod
    def of_sennit(cls, folder: Path, state: Path) -> Self:
        """Start the real server."""
        return cls([sys.executable, "-m", "sennit", "serve"], folder, state)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.process.stdin.close()  # type: ignore[union-attr]  # a pipe, as asked for
        self.process.wait()
        self.process.stdout.close()  # type: ignore[union-attr]  # a pipe, as asked for

    def introduce(self) -> None:
        """Do the handshake, as an editor of a trusted folder."""
        self.call(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": None,
                "capabilities": {"textDocument": {"synchronization": {"didSave": True}}},
                "workspaceFolders": [{"uri": self.folder.as_uri(), "name": "folder"}],
                "initializationOptions": {"trusted": True},
            },
        )
        self._send({"jsonrpc": "2.0", "method": "initialized", "params": {}})

    def call(self, method: str, params: object) -> Any:  # noqa: ANN401  any result
        """Ask and wait for the answer; other messages are passed over."""
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while True:
            message = self._read()
            if message.get("id") == self._number and "method" not in message:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def _send(self, message: object) -> None:
        body = json.dumps(message).encode()
        stream = self.process.stdin
        stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))  # type: ignore[union-attr]
        stream.flush()  # type: ignore[union-attr]

    def _read(self) -> dict[str, Any]:
        stream = self.process.stdout
        length = 0
        while (line := stream.readline()) not in {b"\r\n", b""}:  # type: ignore[union-attr]
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        message: dict[str, Any] = json.loads(stream.read(length))  # type: ignore[union-attr]
        return message
