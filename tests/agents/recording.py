"""Transcripts of the real agents, raw: `python -m tests.agents.recording FOLDER [AGENT...]`.

A headless run is kept as its standard output, line by line. A run over ACP is kept as the lines in
both directions, with `> ` before what was sent and `< ` before what came. Folders of this machine
are replaced by `/opt/sennit` and `/tmp/agent`.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import define, field

from tests.agents import endpoint
from tests.agents.network import cut_off
from tests.agents.real import AGENTS, CACHE, PROMPT, ROOT, RealAgent

Message = dict[str, Any]
PATIENCE_S = 90
HEADLESS = ("edit", "401", "answer", "outside", "refused")
ACP = ("edit", "401", "answer", "outside", "cancel")
ASKS_FIRST: dict[str, Sequence[str]] = {
    "claude": ("claude", "-p", "--output-format", "stream-json", "--verbose", PROMPT),
    "codex": ("codex", "exec", "--json", "-s", "read-only", PROMPT),
    "gemini": ("gemini", "--skip-trust", "-o", "stream-json", "-p", PROMPT),
    "qwen": ("qwen", "-o", "stream-json", "-p", PROMPT),
}
"""Headless starts that lack the right to edit."""


@contextlib.contextmanager
def scene(agent: RealAgent, address: str) -> Iterator[tuple[Path, dict[str, str]]]:
    """A repository and the environment of the agent, gone afterwards.

    The home folder is below the cache: codex refuses one below the folder for temporary files.
    """
    with tempfile.TemporaryDirectory(prefix="agent-", ignore_cleanup_errors=True) as made:
        repo, home = Path(made) / "repo", CACHE / "homes" / Path(made).name
        repo.mkdir()
        home.mkdir(parents=True)
        agent.furnish(address, home)
        env = agent.environment(address, home) | {"TMPDIR": made}
        (repo / "a.txt").write_text("one\ntwo\nthree\n")
        for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
            subprocess.run(["git", *words], cwd=repo, env=env, check=True)
        yield repo, env
        shutil.rmtree(home, ignore_errors=True)


def prompt_of(scenario: str, repo: Path) -> str:
    """The prompt that makes the model act out a scenario."""
    match scenario:
        case "outside":
            return f"[script outside {_outside(repo)}]"
        case "refused":
            return "[script edit]"
        case "cancel":
            return "[script hang]"
        case _:
            return f"[script {scenario}]"


def _outside(repo: Path) -> Path:
    return CACHE / "homes" / repo.parent.name / "outside.txt"


def headless(agent: RealAgent, scenario: str, address: str) -> tuple[bytes, str]:
    """Run it once; gives the standard output and a line about how it ended."""
    with scene(agent, address) as (repo, env):
        template = ASKS_FIRST[agent.name] if scenario == "refused" else agent.headless
        argv = [prompt_of(scenario, repo) if word == PROMPT else word for word in template]
        began = time.monotonic()
        process = subprocess.Popen(
            argv,
            cwd=repo,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            out, err = process.communicate(timeout=PATIENCE_S)
            ended = f"rc {process.returncode}"
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            ended = f"still running after {PATIENCE_S} s"
        took = time.monotonic() - began
        return _plain(out, repo), f"{ended} after {took:.1f} s; {_left(repo)}; {_tail(err)}"


@define
class Peer:
    """An agent over ACP, and everything that was said."""

    process: subprocess.Popen[bytes]
    said: list[bytes] = field(factory=list)
    _buffer: bytearray = field(factory=bytearray)
    _number: int = 0

    def send(self, message: Message) -> None:
        """Send one message."""
        line = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.said.append(b"> " + line)
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, params: Message) -> int:
        """Send a request; gives its id."""
        self._number += 1
        self.send({"id": self._number, "method": method, "params": params})
        return self._number

    def answer(self, id_: int, on_message: Callable[[Message], None]) -> Message:
        """Wait for an answer; everything else goes to the function."""
        end = time.monotonic() + PATIENCE_S
        while True:
            for message in self._read(end - time.monotonic()):
                if "method" not in message and message.get("id") == id_:
                    return message
                on_message(message)

    def _read(self, limit: float) -> Iterator[Message]:
        assert self.process.stdout is not None
        if not select.select([self.process.stdout], [], [], max(limit, 0))[0]:
            raise TimeoutError(f"nothing came within {PATIENCE_S} s")
        data = os.read(self.process.stdout.fileno(), 1 << 16)
        if not data:
            raise EOFError("the agent closed its output")
        self._buffer += data
        while b"\n" in self._buffer:
            line, _, rest = bytes(self._buffer).partition(b"\n")
            self._buffer = bytearray(rest)
            self.said.append(b"< " + line)
            with contextlib.suppress(json.JSONDecodeError):
                yield json.loads(line)


def over_acp(agent: RealAgent, scenario: str, address: str) -> tuple[bytes, str]:
    """Run it once over ACP; gives the transcript and a line about how it ended."""
    assert agent.acp is not None
    with scene(agent, address) as (repo, env), tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            agent.acp,
            cwd=repo,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
        peer = Peer(process)
        began = time.monotonic()
        try:
            ended = _talk(peer, agent, scenario, repo)
        except (TimeoutError, EOFError, BrokenPipeError) as error:
            ended = f"{type(error).__name__}: {error}"
        took = time.monotonic() - began
        code = _ended(process)
        errors.seek(0)
        tail = _tail(errors.read())
        told = f"{ended} after {took:.1f} s; {code}; {_left(repo)}; {tail}"
        return _plain(b"\n".join(peer.said) + b"\n", repo), told


def _talk(peer: Peer, agent: RealAgent, scenario: str, repo: Path) -> str:
    capabilities = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}
    told = {
        "protocolVersion": 1,
        "clientCapabilities": capabilities,
        "clientInfo": {"name": "sennit", "version": "0"},
    }
    reply = _Replies(peer, allowing=scenario != "outside")
    peer.answer(peer.request("initialize", told), reply)
    new = peer.request("session/new", {"cwd": str(repo), "mcpServers": []})
    made = peer.answer(new, reply)
    if "error" in made:
        return f"session/new failed: {made['error'].get('message')}"
    session = made["result"]["sessionId"]
    modes = [each["id"] for each in (made["result"].get("modes") or {}).get("availableModes", [])]
    if agent.mode in modes:
        named = {"sessionId": session, "modeId": agent.mode}
        peer.answer(peer.request("session/set_mode", named), reply)
    text = {"type": "text", "text": prompt_of(scenario, repo)}
    asked = peer.request("session/prompt", {"sessionId": session, "prompt": [text]})
    if scenario == "cancel":
        while not (repo / "hanging.txt").exists():
            _one_more(peer, reply)
        peer.send({"method": "session/cancel", "params": {"sessionId": session}})
    result = peer.answer(asked, reply)
    return str(result.get("result", {}).get("stopReason") or result.get("error", {}).get("message"))


def _one_more(peer: Peer, reply: Callable[[Message], None]) -> None:
    with contextlib.suppress(TimeoutError):
        for message in peer._read(0.1):
            reply(message)


_CANCELLED = {"outcome": "cancelled"}


@define
class _Replies:
    """Answers the requests of an agent: permissions by their kind, nothing else."""

    peer: Peer
    allowing: bool = field(kw_only=True)

    def __call__(self, message: Message) -> None:
        if "id" not in message or "method" not in message:
            return
        if message["method"] != "session/request_permission":
            refusal = {"code": -32601, "message": "Method not found"}
            self.peer.send({"id": message["id"], "error": refusal})
            return
        wanted = "allow_once" if self.allowing else "reject_once"
        chosen = [
            each["optionId"] for each in message["params"]["options"] if each["kind"] == wanted
        ]
        outcome = {"outcome": "selected", "optionId": chosen[0]} if chosen else _CANCELLED
        self.peer.send({"id": message["id"], "result": {"outcome": outcome}})


def _ended(process: subprocess.Popen[bytes]) -> str:
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    began = time.monotonic()
    try:
        process.wait(15)
        told = f"rc {process.returncode} {time.monotonic() - began:.1f} s after the end of input"
    except subprocess.TimeoutExpired:
        told = "alive 15 s after the end of input"
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    return told


def _left(repo: Path) -> str:
    names = sorted(path.name for path in repo.iterdir() if path.name != ".git")
    outside = _outside(repo).exists()
    return f"files {' '.join(names)}{', AND outside.txt WRITTEN' if outside else ''}"


def _tail(err: bytes) -> str:
    lines = err.decode(errors="replace").strip().splitlines()
    return f"stderr {len(lines)} lines, last {lines[-1][:200]!r}" if lines else "stderr empty"


def _plain(data: bytes, repo: Path) -> bytes:
    shorter = data.replace(str(repo.parent).encode(), b"/tmp/agent")
    shorter = shorter.replace(str(CACHE / "homes" / repo.parent.name).encode(), b"/home/agent")
    return shorter.replace(str(ROOT).encode(), b"/opt/sennit")


def record(agent: RealAgent, address: str, folder: Path) -> None:
    """Record every scenario of an agent, a file each, with the exits in one file."""
    runs = [("headless", headless, each) for each in HEADLESS]
    if agent.acp is not None:
        runs += [("acp", over_acp, each) for each in ACP]
    chosen = os.environ.get("SCENARIOS_OF_TESTS", "").split()
    for way, run, scenario in runs:
        if scenario == "refused" and agent.name not in ASKS_FIRST:
            continue
        if chosen and f"{way}-{scenario}" not in chosen:
            continue
        data, ended = run(agent, scenario, address)
        name = f"{agent.name}-{way}-{scenario}"
        (folder / f"{name}.jsonl").write_bytes(data)
        line = _plain(f"{name}: {ended}\n".encode(), Path("/nowhere/repo")).decode()
        with (folder / "exits.txt").open("a") as file:
            file.write(line)
        print(line, end="", flush=True)  # noqa: T201  a program for people


def main() -> None:
    """Record the agents that are named, or all."""
    folder, *names = sys.argv[1:]
    is_cut = cut_off("tests.agents.recording", *sys.argv[1:])
    print("the network is cut off" if is_cut else "THE NETWORK IS NOT CUT OFF", flush=True)  # noqa: T201
    with endpoint.running(log=Path(folder) / ".requests.jsonl") as served:
        for agent in AGENTS:
            if (not names or agent.name in names) and shutil.which(
                agent.headless[0], path=str(agent.bin)
            ):
                record(agent, served.address, Path(folder))


if __name__ == "__main__":
    main()
