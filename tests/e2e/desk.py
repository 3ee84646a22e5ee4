"""What the tests of editors work on: a repository, tasks by small programs, and what comes back."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import define

from tests.e2e.editor import Abilities, Editor, environ_for
from tests.wire_client import DEADLINE_S

Json = dict[str, Any]
# There is nothing to tidy up after a commit, and to find that out takes a process more.
_AUTHOR = ("-c", "user.name=u", "-c", "user.email=u@e", "-c", "maintenance.auto=false")


@define(eq=False)
class Desk:
    """A repository of one test, and the editor that has it open."""

    editor: Editor
    folder: Path

    def path(self, name: str | bytes) -> Path:
        return self.folder / os.fsdecode(name)

    def write(self, name: str | bytes, content: bytes | str) -> Path:
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *_AUTHOR, *arguments],
            cwd=self.folder,
            env={**os.environ, **environ_for({})},
            check=True,
            capture_output=True,
        )
        return done.stdout.decode("utf-8", "surrogateescape")

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", "more")

    def task(self, code: str, name: str = "one", **more: object) -> Json:
        """A task whose agent runs Python code in the workspace, with ``w`` to write a file."""
        prompt = shlex.join([sys.executable, "-c", f"{_WRITER}\n{code}"])
        return {"id": name, "agent": "command", "prompt": prompt, "cwd": str(self.folder), **more}

    def dispatch(self, *tasks: Json, **more: object) -> str:
        """Let the tasks run to their end; gives the ticket."""
        params = {"tasks": list(tasks), "wait": True, "offer": "manual", **more}
        result = self.editor.ask("sennit/dispatch", params)
        ticket: str = result["ticket"]
        return ticket

    def proposals(self, ticket: str) -> list[Json]:
        found: list[Json] = self.editor.ask("sennit/proposals", {"ticket": ticket})["proposals"]
        return found

    def accept(self, ticket: str) -> None:
        """Accept everything of a ticket."""
        for one in self.proposals(ticket):
            choice = {"decision": "accepted", "all": True}
            params = {"proposal": one["id"], "revision": one["revision"], "choices": [choice]}
            self.editor.ask("sennit/decide", params)

    def apply(self, ticket: str, target: str = "editor", **more: object) -> Json:
        view: Json = self.editor.ask("sennit/apply", {"ticket": ticket, "target": target, **more})
        return view

    def changed(self, code: str, **more: object) -> str:
        """One task to its end, accepted; gives the ticket."""
        ticket = self.dispatch(self.task(code), **more)
        self.accept(ticket)
        return ticket

    def undo(self, view: Json) -> Json:
        undone: Json = self.editor.ask("sennit/undo", {"application": view["id"]})
        return undone


_WRITER = """
import os
def r(name): return open(name, "rb").read()
def w(name, data):
    if os.path.dirname(name): os.makedirs(os.path.dirname(name), exist_ok=True)
    open(name, "wb").write(data)
def sub(name, old, new): w(name, r(name).replace(old, new))
"""


def new_desk(editor: Editor, folder: Path, files: Mapping[str | bytes, bytes | str]) -> Desk:
    """A repository with one commit of these files."""
    folder.mkdir(parents=True)
    desk = Desk(editor, folder)
    desk.git("init", "-q")
    for name, content in files.items():
        desk.write(name, content)
    desk.commit()
    return desk


MakeDesk = Callable[[Mapping[str | bytes, bytes | str]], Desk]
"""Makes a desk with these files for the editor that tests share."""


def start(
    abilities: Abilities,
    root: Path,
    *folders: Path,
    settings: str = "",
    answer_s: float = DEADLINE_S,
) -> Editor:
    """An editor with a server of its own, whose state is below ``root``."""
    environment = {
        "SENNIT_STATE_DIR": str(root / "state"),
        "SENNIT_CONFIG_DIR": str(root / "config"),
    }
    config = root / "config"
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.toml").write_text(settings)
    return Editor.start(abilities, environment, *folders, answer_s=answer_s)


def states(view: Json) -> dict[str, str]:
    """What became of each file."""
    return {file["path"]: file["state"] for file in view["files"]}


def told(view: Json) -> str:
    """Everything that a person is told of an application."""
    words: Sequence[str] = [
        *(file.get("message") or "" for file in view["files"]),
        *(notice["message"] for notice in view.get("notices", ())),
    ]
    return " ".join(words)
