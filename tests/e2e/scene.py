"""A user's machine for one test: repositories, a state folder, servers, agents that can be held."""

from __future__ import annotations

import errno
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from attrs import define, field

from tests.adapters.git.begun import USERS_CONFIG, begin
from tests.e2e.client import (
    FINAL,
    PATIENCE_S,
    WORDS,
    Client,
    problems,
    task_of,
    until_no_message,
)
from tests.e2e.repo import Repo
from tests.wire_client import eventually

__all__ = [
    "FINAL",
    "PATIENCE_S",
    "WORDS",
    "Client",
    "Gate",
    "Machine",
    "Repo",
    "ended_at_a_limit",
    "problems",
    "sh",
    "task",
    "task_of",
    "until_no_message",
]

Ended = TypeVar("Ended")
FILES = {"a.txt": "one\ntwo\nthree\nfour\nfive\nsix\n", "src/b.txt": "b\n"}


@define(eq=False)
class Gate:
    """Where an agent of the test stands still until it is let through."""

    folder: Path
    name: str

    def __attrs_post_init__(self) -> None:
        os.mkfifo(self._go)

    @property
    def _go(self) -> Path:
        return self.folder / f"{self.name}.go"

    @property
    def _at(self) -> Path:
        return self.folder / f"{self.name}.at"

    def script(self, before: str = "", after: str = "") -> str:
        """Lines of shell: work, stand still, more work."""
        at, go = shlex.quote(str(self._at)), shlex.quote(str(self._go))
        return (
            f"{before or ':'}; echo $$ > {at}.new; mv {at}.new {at}; read _ < {go}; {after or ':'}"
        )

    def prompt(self, before: str = "", after: str = "") -> str:
        """A command line for the built-in agent."""
        return sh(self.script(before, after))

    def reached(self) -> int:
        """Wait until an agent stands there; gives its pid."""
        assert eventually(self._at.exists, PATIENCE_S), f"nobody came to the gate {self.name}"
        return int(self._at.read_text())

    @property
    def was_reached(self) -> bool:
        return self._at.exists()

    def open(self) -> None:
        """Let the agent through."""
        assert eventually(self._opened, PATIENCE_S), f"nobody stands at the gate {self.name}"

    def _opened(self) -> bool:
        try:
            descriptor = os.open(self._go, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno == errno.ENXIO:
                return False
            raise
        os.write(descriptor, b"\n")
        os.close(descriptor)
        return True


def sh(script: str) -> str:
    """A command line that runs a script in a shell."""
    return f"sh -c {shlex.quote(script)}"


def ended_at_a_limit(
    limit_ms: int, run: Callable[[int], Ended], had_begun: Callable[[Ended], bool]
) -> Ended:
    """What ended at a limit of time, after it had begun with what the limit is to end.

    How long that takes is up to the machine, which many tests share, so the limit grows.
    """
    ended = run(limit_ms)
    return ended if had_begun(ended) else ended_at_a_limit(5 * limit_ms, run, had_begun)


def task(name: str, prompt: str, **keys: object) -> dict[str, object]:
    """A task for the built-in agent."""
    return {"id": name, "agent": "command", "prompt": prompt, **keys}


@define(eq=False)
class Machine:
    """One user's machine below a folder of the test."""

    root: Path
    servers: list[Client] = field(factory=list)
    repos: list[Repo] = field(factory=list)
    variables: dict[str, str] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        for folder in (self.home, self.config, self.gates, self.temporary):
            folder.mkdir()
        (self.home / ".gitconfig").write_text(
            f'{USERS_CONFIG}[protocol "file"]\n\tallow = always\n'
        )

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def config(self) -> Path:
        return self.root / "config"

    @property
    def state(self) -> Path:
        return self.root / "state"

    @property
    def gates(self) -> Path:
        return self.root / "gates"

    @property
    def temporary(self) -> Path:
        return self.root / "tmp"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "GIT_CONFIG_NOSYSTEM": "1",
            "SENNIT_STATE_DIR": str(self.state),
            "SENNIT_CONFIG_DIR": str(self.config),
            "PYTHONWARNINGS": "error",
            **self.variables,
        }

    def repo(self, name: str = "repo", *options: str) -> Repo:
        """A repository with one commit."""
        if options:
            made = self.bare_beginning(name, *options)
            for file, content in FILES.items():
                made.write(file, content)
            made.commit("first")
            return made
        made = self._in_folder(name)
        begin(made, FILES)
        return made

    def bare_beginning(self, name: str = "repo", *options: str) -> Repo:
        """A repository without a commit."""
        made = self._in_folder(name)
        made.git("init", "-q", *options)
        return made

    def _in_folder(self, name: str) -> Repo:
        folder = self.root / name
        folder.mkdir(parents=True)
        made = Repo(folder, self.environment)
        self.repos.append(made)
        return made

    def gate(self, name: str = "gate") -> Gate:
        """A place for an agent to stand still."""
        return Gate(self.gates, name)

    def serve(
        self,
        *repos: Repo,
        trusted: bool = True,
        options: Mapping[str, object] | None = None,
        words: Mapping[str, object] | None = None,
        clock_ahead_h: int = 0,
    ) -> Client:
        """Start a server for an editor that has these repositories open."""
        client = Client.on(self.environment, self.root, clock_ahead_h)
        self.servers.append(client)
        for repo in repos:
            repo.watch()
        client.replies["window/workDoneProgress/create"] = lambda _: None
        client.initialize(
            WORDS if words is None else words,
            options={"trusted": True, **(options or {})} if trusted else options,
            folders=[repo.folder for repo in repos],
        )
        return client

    def settings(self, text: str) -> None:
        """Write the user's settings."""
        (self.config / "config.toml").write_text(text)

    def agent(self, name: str, argv: Sequence[str], *lines: str) -> None:
        """Add an agent to the user's settings."""
        file = self.config / "config.toml"
        known = file.read_text() if file.exists() else ""
        words = ", ".join(f"'{word}'" for word in argv)
        file.write_text(f"{known}\n[agents.{name}]\nargv = [{words}]\n" + "\n".join(lines) + "\n")

    def ours(self) -> dict[int, str]:
        """Processes of this machine by pid: all that have the test's folder in their variables."""
        mark = str(self.root).encode()
        found: dict[int, str] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                try:
                    if mark in (entry / "environ").read_bytes():
                        found[int(entry.name)] = (
                            (entry / "cmdline").read_bytes().decode(errors="replace")
                        )
                except OSError:
                    continue
        return found

    def close(self) -> None:
        """End the servers and look whether the machine is as it was."""
        errors = []
        for server in self.servers:
            errors.append(server.stderr())
            server.__exit__(None, None, None)
        gone = eventually(lambda: not self.ours())
        left = self.ours()
        for pid in left:
            os.kill(pid, 9)
        told = "\n".join(errors)
        assert gone, f"processes are left: {left}\n{told}"
        for repo in self.repos:
            repo.check()
        assert not list(self.temporary.iterdir())
        assert "Traceback" not in told, told
