"""A user's machine for one test: repositories, a state folder, servers, agents that can be held."""

from __future__ import annotations

import errno
import os
import shlex
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import pytest
from attrs import define, field

from tests.adapters.git.bench import Metadata, untouched_view
from tests.nursery import launch_from_nursery
from tests.wire_client import Message, NoMessageError, WireClient, eventually

FINAL = {"completed", "partial", "failed", "cancelled", "interrupted", "skipped", "blocked"}
PATIENCE_S = 60
"""How long anything may take; long, for a machine that many tests share."""

WORDS = {"experimental": {"sennit": {"protocolVersion": "0.1", "clientId": "test", "review": True}}}


@define(eq=False)
class Repo:
    """A repository of the user, and the look that tells whether its git directory was touched."""

    folder: Path
    environment: Mapping[str, str]
    _before: dict[str, Metadata] | None = None

    def git(self, *args: str | bytes, check: bool = True, stdin: bytes = b"") -> bytes:
        done = subprocess.run(
            ["git", *args],
            cwd=self.folder,
            env=self.environment,
            input=stdin,
            capture_output=True,
            check=False,
        )
        if check and done.returncode != 0:
            pytest.fail(f"git {args!r}: {done.stderr.decode()}")
        return done.stdout

    def path(self, name: bytes | str) -> Path:
        return self.folder / os.fsdecode(name)

    def write(self, name: bytes | str, content: bytes | str, *, mode: int = 0o644) -> Path:
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.fsencode(content))
        path.chmod(mode)
        return path

    def read(self, name: bytes | str) -> str:
        return self.path(name).read_bytes().decode()

    def commit(self, message: str = "more") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD").decode().strip()

    def contents(self) -> dict[bytes, tuple[str, bytes]]:
        """Every path of the work tree with its kind and bytes."""
        found: dict[bytes, tuple[str, bytes]] = {}
        top = os.fsencode(self.folder)
        for place, folders, names in os.walk(top):
            if place == top:
                folders.remove(b".git") if b".git" in folders else None
            links = [
                name
                for name in folders
                if (Path(os.fsdecode(place)) / os.fsdecode(name)).is_symlink()
            ]
            for name in [*names, *links]:
                path = Path(os.fsdecode(os.path.join(place, name)))  # noqa: PTH118  bytes
                relative = os.path.relpath(os.fsencode(path), top)
                if relative != b".git":
                    found[relative] = _content(path)
        return found

    def watch(self) -> None:
        """From now on the git directory must stay as it is."""
        self._before = untouched_view(self.git_dir)

    def unwatch(self) -> None:
        """The test itself changes the git directory from now on."""
        self._before = None

    @property
    def git_dir(self) -> Path:
        return Path(os.fsdecode(self.git("rev-parse", "--absolute-git-dir").removesuffix(b"\n")))

    def check(self) -> None:
        """Fail when the git directory was touched."""
        if self._before is None:
            return
        after = untouched_view(self.git_dir)
        differing = {
            name
            for name in self._before.keys() | after.keys()
            if self._before.get(name) != after.get(name)
        }
        assert not differing, f"{self.folder} was touched: {sorted(differing)}"


def _content(path: Path) -> tuple[str, bytes]:
    if path.is_symlink():
        return "link", os.fsencode(path.readlink())
    kind = "executable" if path.stat().st_mode & 0o100 else "file"
    return kind, path.read_bytes()


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


def task(name: str, prompt: str, **keys: object) -> dict[str, object]:
    """A task for the built-in agent."""
    return {"id": name, "agent": "command", "prompt": prompt, **keys}


class Client(WireClient):
    """A client that knows the words of Sennit."""

    @classmethod
    def on(cls, env: Mapping[str, str], cwd: Path) -> Self:
        """Start ``sennit serve``; see ``tests.nursery``."""
        return cls(["serve"], env=env, cwd=cwd, deadline_s=PATIENCE_S, launch=launch_from_nursery)

    def ask(self, method: str, **params: object) -> Any:
        """The result of a request that must succeed."""
        answer = self.call(f"sennit/{method}", params)
        assert "result" in answer, answer
        return answer["result"]

    def refused(self, method: str, **params: object) -> Message:
        """The error of a request that must fail."""
        answer = self.call(f"sennit/{method}", params)
        assert "error" in answer, answer
        error: Message = answer["error"]
        return error

    def dispatch(self, *tasks: Mapping[str, object], **call: object) -> str:
        """Dispatch and give the ticket."""
        ticket: str = self.ask("dispatch", tasks=list(tasks), **call)["ticket"]
        return ticket

    def settled(self, ticket: str) -> dict[str, Any]:
        """Wait for a ticket; gives its view."""
        result = self.ask("wait", ticket=ticket, timeoutMs=PATIENCE_S * 1000)
        assert not result["timedOut"], result
        view: dict[str, Any] = result["view"]
        return view

    def run(self, *tasks: Mapping[str, object], **call: object) -> dict[str, Any]:
        """Dispatch and wait for the end."""
        return self.settled(self.dispatch(*tasks, **call))

    def task(self, ticket: str, name: str) -> dict[str, Any]:
        """One task as it is now."""
        return task_of(self.ask("ticket", ticket=ticket), name)

    def until(
        self, ticket: str, name: str, condition: Callable[[dict[str, Any]], object]
    ) -> dict[str, Any]:
        """Wait until a task is as wanted."""
        end = time.monotonic() + PATIENCE_S
        view = self.ask("ticket", ticket=ticket)
        while not condition(task_of(view, name)):
            assert time.monotonic() < end, task_of(view, name)
            done = self.ask(
                "wait", ticket=ticket, until="change", since=view["sequence"], timeoutMs=500
            )
            view = done["view"]
        return task_of(view, name)

    def until_state(self, ticket: str, name: str, *states: str) -> dict[str, Any]:
        """Wait until a task is in one of the states."""
        return self.until(ticket, name, lambda found: found["state"] in states)

    def proposals(self, ticket: str) -> list[dict[str, Any]]:
        """The proposals of a ticket."""
        found: list[dict[str, Any]] = self.ask("proposals", ticket=ticket)["proposals"]
        return found

    def accept_all(self, ticket: str) -> None:
        """Accept every clean proposal whole."""
        for proposal in self.proposals(ticket):
            if proposal["integration"] == "clean":
                self.accept(proposal)

    def accept(self, proposal: Mapping[str, Any]) -> None:
        """Accept a proposal whole."""
        choices = [{"decision": "accepted", "all": True}]
        self.ask("decide", proposal=proposal["id"], revision=proposal["revision"], choices=choices)

    def apply(self, ticket: str, **more: object) -> dict[str, Any]:
        """Apply what is accepted to the disk."""
        result: dict[str, Any] = self.ask("apply", ticket=ticket, target="disk", **more)
        return result

    def apply_one(self, proposal: Mapping[str, Any]) -> dict[str, Any]:
        """Apply what is accepted of one proposal to the disk."""
        named = {"proposal": proposal["id"], "revision": proposal["revision"]}
        result: dict[str, Any] = self.ask("apply", proposals=[named], target="disk")
        return result

    def story(self, ticket: str) -> str:
        """What happened to a ticket, a line an event."""
        return "\n".join(event["message"] for event in self.ask("story", ticket=ticket)["events"])

    def kill_9(self) -> None:
        """Let the server die without a word."""
        self.process.kill()
        self.process.wait()


def task_of(view: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A task of a ticket's view."""
    found: dict[str, Any] = next(each for each in view["tasks"] if each["id"] == name)
    return found


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
            "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
            '[protocol "file"]\n\tallow = always\n'
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
        made = self.bare_beginning(name, *options)
        made.write("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\n")
        made.write("src/b.txt", "b\n")
        made.commit("first")
        return made

    def bare_beginning(self, name: str = "repo", *options: str) -> Repo:
        """A repository without a commit."""
        folder = self.root / name
        folder.mkdir(parents=True)
        made = Repo(folder, self.environment)
        made.git("init", "-q", *options)
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
    ) -> Client:
        """Start a server for an editor that has these repositories open."""
        client = Client.on(self.environment, self.root)
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
        gone = eventually(lambda: not self.ours(), 15)
        left = self.ours()
        for pid in left:
            os.kill(pid, 9)
        told = "\n".join(errors)
        assert gone, f"processes are left: {left}\n{told}"
        for repo in self.repos:
            repo.check()
        assert not list(self.temporary.iterdir())
        assert "Traceback" not in told, told


def until_no_message(client: Client) -> list[Message]:
    """All that the server has sent by now."""
    marker = client.request("sennit-test/none")
    try:
        client.answer_to(marker)
    except NoMessageError:
        pytest.fail(client.stderr())
    return list(client.received)
