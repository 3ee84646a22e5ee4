"""One user's machine for the checks of one agent: a repository, settings, servers, processes."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from tests.agents.endpoint import WAITING
from tests.agents.model import FOREVER, HANGING
from tests.agents.real import CACHE, RealAgent
from tests.e2e.scene import FINAL, WORDS, Client
from tests.wire_client import eventually, launch_program

STATE_PATIENCE_S = 240
"""How long a task of a real agent may take before its check fails."""
HANGS_S = 90
"""How long it may take until the command of an agent runs."""
GONE_S = 15
"""How long processes may take to go after their run has ended."""
_BEFORE = "one\ntwo\nthree\n"


def toml(value: object) -> str:
    """A value of TOML."""
    match value:
        case str():
            escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            return f'"{escaped}"'
        case list() | tuple():
            return "[" + ", ".join(toml(each) for each in value) + "]"
        case Mapping():
            return "{ " + ", ".join(f'"{key}" = {toml(each)}' for key, each in value.items()) + " }"
        case _:
            return str(value).lower()


@frozen
class Trial:
    """Which agent, spoken with how: `way` is ``acp`` or ``headless``, `sandbox` is the setting.

    `kind` is how workspaces are made; the repository is so small that by itself none is a layer.
    """

    agent: RealAgent
    way: str
    sandbox: str
    kind: str = "auto"


@define(eq=False)
class Stage:
    """The machine below a folder of its own."""

    root: Path
    trial: Trial
    address: str
    servers: list[Client] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        for folder in (self.home, self.config, self.temporary, self.repo, self.elsewhere):
            folder.mkdir()
        self.agent.furnish(self.address, self.home)
        (self.repo / "a.txt").write_text(_BEFORE)
        self.git("init", "-q", "-b", "main")
        self.git("add", ".")
        self.git("commit", "-qm", "first")

    @property
    def agent(self) -> RealAgent:
        """The agent."""
        return self.trial.agent

    @property
    def home(self) -> Path:
        """The home folder of everything on this machine."""
        return self.root / "home"

    @property
    def config(self) -> Path:
        """Where the user's settings are."""
        return self.root / "config"

    @property
    def state(self) -> Path:
        """Where Sennit keeps what it knows, and the workspaces."""
        return self.root / "state"

    @property
    def temporary(self) -> Path:
        """For temporary files."""
        return self.root / "tmp"

    @property
    def repo(self) -> Path:
        """The user's repository."""
        return self.root / "repo"

    @property
    def elsewhere(self) -> Path:
        """A folder in which no agent has anything to do."""
        return self.root / "elsewhere"

    @property
    def environment(self) -> dict[str, str]:
        """What servers are started with."""
        return {
            **self.agent.environment(self.address, self.home),
            "PATH": os.pathsep.join((str(self.agent.bin), os.environ["PATH"])),
            "TMPDIR": str(self.temporary),
            "SENNIT_STATE_DIR": str(self.state),
            "SENNIT_CONFIG_DIR": str(self.config),
        }

    def git(self, *words: str) -> str:
        """Run git in the user's repository."""
        env = self.agent.environment(self.address, self.home)
        done = subprocess.run(
            ["git", *words], cwd=self.repo, env=env, check=True, capture_output=True
        )
        return done.stdout.decode()

    def untouched(self) -> str:
        """Tell how the user's repository differs from what it was; "" when it does not."""
        status = self.git("status", "--porcelain").strip()
        refs = self.git("for-each-ref", "--format=%(refname)").split()
        if status or refs != ["refs/heads/main"]:
            return f"the user's repository changed: {status} {' '.join(refs)}"
        return ""

    def configure(self, settings: Mapping[str, object]) -> None:
        """Write the user's settings: the general ones and this agent."""
        chosen = {**settings, "workspace.kind": self.trial.kind}
        general = "\n".join(f"{key} = {toml(value)}" for key, value in chosen.items())
        agent = "\n".join(f"{key} = {toml(value)}" for key, value in self._of_the_agent().items())
        text = f"{general}\n\n[agents.{self.named}]\n{agent}\n"
        (self.config / "config.toml").write_text(text)

    @property
    def named(self) -> str:
        """The agent's name in Sennit."""
        return self.agent.built_in[self.trial.way]

    def _of_the_agent(self) -> dict[str, object]:
        path = self.agent.environment(self.address, self.home)["PATH"]
        made: dict[str, object] = {
            "env": {**self.agent.env(self.address), "PATH": path},
            "sandbox": self.trial.sandbox,
        }
        if self.trial.way in self.agent.own_argv:
            made |= {"argv": self.agent.headless, "prompt": "argument"}
            if self.agent.resume:
                made["resumeArgv"] = self.agent.resume
        if self.trial.way == "acp":
            made["permissions.execute"] = "allow"
        return made

    def serve(self) -> Client:
        """Start a server for an editor that has the repository open."""
        client = Client(
            [sys.executable, "-P", "-m", "sennit", "serve"],
            env=self.environment,
            cwd=self.root,
            deadline_s=STATE_PATIENCE_S + 60,
            launch=launch_program,
        )
        self.servers.append(client)
        client.replies["window/workDoneProgress/create"] = lambda _: None
        client.initialize(WORDS, options={"trusted": True}, folders=[self.repo])
        return client

    def task(self, name: str, prompt: str) -> dict[str, object]:
        """A task for the agent."""
        return {"id": name, "agent": self.named, "prompt": prompt}

    def hangs(self, server: Client, ticket: str) -> bool:
        """Wait until the agent has written a file and its command runs for ever.

        One that runs no commands waits for ever for its model. False when the task ended before.
        """
        eventually(lambda: self._hangs() or _is_settled(server, ticket), HANGS_S)
        return self._hangs()

    def _hangs(self) -> bool:
        if not self.agent.runs_commands:
            address = f"{self.address}{WAITING}"
            with urllib.request.urlopen(address, timeout=30) as told:  # noqa: S310  loopback
                return bool(json.load(told)["waiting"])
        running = any(FOREVER in line for line in self.processes().values())
        return running and any(self.state.rglob(HANGING))

    def left_over(self) -> dict[int, str]:
        """Processes of this machine that are no server of the check, after a fair time."""
        # Asked once more, a program that the server starts at that moment would still look like it.
        return {} if eventually(lambda: not self.processes(), GONE_S) else self.processes()

    def processes(self) -> dict[int, str]:
        """Processes of this machine that are no server, by pid.

        Found by the folder, in their variables or as where they stand: an agent may change
        either, hardly both.
        """
        ours = {os.getpid(), *(server.process.pid for server in self.servers)}
        mark = str(self.root)
        found: dict[int, str] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) not in ours:
                with contextlib.suppress(OSError):
                    if _belongs(entry, mark):
                        words = (entry / "cmdline").read_bytes().split(b"\0")
                        found[int(entry.name)] = b" ".join(words).decode(errors="replace").strip()
        return {pid: line for pid, line in found.items() if line}

    def close(self) -> None:
        """End every server."""
        for server in self.servers:
            server.__exit__(None, None, None)


def _is_settled(server: Client, ticket: str) -> bool:
    states = [each["state"] for each in server.ask("ticket", ticket=ticket)["tasks"]]
    return all(state in FINAL for state in states)


def _belongs(entry: Path, mark: str) -> bool:
    return mark.encode() in (entry / "environ").read_bytes() or (
        str((entry / "cwd").readlink()).startswith(mark)
    )


@contextlib.contextmanager
def staged(trial: Trial, address: str, settings: Mapping[str, object]) -> Iterator[Stage]:
    """A machine for one check, gone afterwards, and whatever still runs on it."""
    folder = CACHE / "stages"
    folder.mkdir(parents=True, exist_ok=True)
    stage = Stage(Path(tempfile.mkdtemp(prefix="s-", dir=folder)), trial, address)
    stage.configure(settings)
    try:
        yield stage
    finally:
        stage.close()
        for pid in stage.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, 9)
        shutil.rmtree(stage.root, ignore_errors=True)


def of_task(view: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A task of a ticket's view."""
    found: Mapping[str, Any] = next(each for each in view["tasks"] if each["id"] == name)
    return found
