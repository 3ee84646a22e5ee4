"""A user's machine for one test: a repository, folders of state, editors, what is left of them."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import define, field

from tests.editors.neovim.neovim import PATIENCE_S, ROOT, Neovim

PROGRAMS = ROOT / ".venv" / "bin"
TRUSTED = "vim.g.sennit = { trusted = true }"
LINES = "one\ntwo\nthree\nfour\nfive\nsix\n"
MANY = "".join(f"line {number}\n" for number in range(1, 41))


def shell(script: str) -> str:
    """A prompt for the agent ``command`` that runs a script."""
    return f"sh -c {shlex.quote(script)}"


def sed(script: str, name: str) -> str:
    """A prompt for the agent ``command``."""
    return f"sed -i {shlex.quote(script)} {shlex.quote(name)}"


@define(eq=False)
class Scene:
    """The machine."""

    root: Path
    editors: list[Neovim] = field(factory=list)
    programs: Path = PROGRAMS
    """The folder at the head of PATH; the server is looked for there."""

    def __attrs_post_init__(self) -> None:
        self.repo.mkdir()
        self.git("init", "-q", "-b", "main")

    @property
    def repo(self) -> Path:
        return self.root / "repo"

    @property
    def environment(self) -> dict[str, str]:
        home = self.root / "home"
        xdg = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in
               ("CONFIG", "DATA", "STATE", "CACHE")}  # fmt: skip
        return {
            **xdg,
            "HOME": str(home),
            "LC_ALL": "C.UTF-8",
            "PATH": f"{self.programs}{os.pathsep}{os.environ['PATH']}",
            "SENNIT_STATE_DIR": str(self.root / "state"),
            "SENNIT_CONFIG_DIR": str(self.root / "config"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def git(self, *args: str) -> bytes:
        who = ["-c", "user.name=user", "-c", "user.email=user@example.invalid"]
        done = subprocess.run(
            ["git", "-C", str(self.repo), *who, *args],
            check=True,
            capture_output=True,
            env={**os.environ, **self.environment},
        )
        return done.stdout

    def path(self, name: str) -> Path:
        return self.repo / name

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "more")

    def start(self, before: str = TRUSTED) -> Neovim:
        """Start an editor in the repository."""
        (self.root / "home").mkdir(exist_ok=True)
        editor = Neovim(self.repo, self.environment, before)
        self.editors.append(editor)
        return editor

    # Agents that stand still until they are let through.

    def gated(self, name: str, script: str = "true") -> str:
        """A prompt that waits for ``open_gate`` before it does something."""
        gate = shlex.quote(str(self.root / name))
        return shell(f"touch {gate}.here; while [ ! -e {gate} ]; do sleep 0.05; done; {script}")

    def has_begun(self, name: str) -> bool:
        return (self.root / f"{name}.here").exists()

    def open_gate(self, name: str) -> None:
        (self.root / name).touch()

    # What is left.

    def processes(self) -> dict[int, str]:
        """Every process that carries this machine's folder in its environment."""
        mark = f"SENNIT_STATE_DIR={self.root / 'state'}".encode()
        found: dict[int, str] = {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    found[int(entry.name)] = (
                        (entry / "cmdline").read_bytes().decode("utf-8", "replace")
                    )
            except OSError:
                # It has ended meanwhile, or is not ours.
                continue
        return found

    def close(self) -> None:
        """End the editors; fails when a process is left."""
        for editor in self.editors:
            editor.close()
        left = self.until_gone()
        for pid in left:
            os.kill(pid, 9)
        assert not left

    def until_gone(self) -> dict[int, str]:
        end = time.monotonic() + PATIENCE_S
        while (left := self.processes()) and time.monotonic() < end:
            time.sleep(0.02)
        return left


def dispatch(editor: Neovim, tasks: Sequence[dict[str, Any]], label: str = "work") -> str:
    """Dispatch through the plugin's own function; gives the ticket."""
    drafts = [{"agent": "command", **task} for task in tasks]
    editor.lua(
        "_G.ticket = nil; local drafts, label = ...;"
        " require('sennit').dispatch(drafts, { label = label },"
        " function(ticket) _G.ticket = ticket or false end)",
        drafts,
        label,
    )
    ticket = editor.until_lua("return _G.ticket ~= nil and { _G.ticket }")[0]
    assert isinstance(ticket, str), editor.notices()
    return ticket


def tickets_known(editor: Neovim) -> list[str]:
    """Tickets that the editor knows; one that was just dropped may be among them for a moment."""
    known: list[str] = editor.lua("return vim.tbl_keys(require('sennit.state').known.tickets)")
    return known


def new_ticket(editor: Neovim, before: list[str]) -> str:
    """Wait for the ticket that was not known before; gives its id."""

    def found() -> str | None:
        return next((one for one in tickets_known(editor) if one not in before), None)

    ticket: str = editor.until(found, "a new ticket")
    return ticket


def settled(editor: Neovim, ticket: str) -> str:
    """Wait until a ticket has settled and its proposals are known; gives its state."""
    state: str = editor.until_lua(
        "local state = require('sennit.state'); local one = state.known.tickets[...]"
        " return one and state.is_final(one.state) and one.state",
        ticket,
    )
    editor.until_notice(f"is {state}")
    return state


def done(editor: Neovim, *prompts: str) -> str:
    """Run tasks to their end; gives the ticket."""
    tasks = [{"id": f"task-{place}", "prompt": prompt} for place, prompt in enumerate(prompts, 1)]
    ticket = dispatch(editor, tasks)
    settled(editor, ticket)
    return ticket


def proposals(editor: Neovim, ticket: str) -> list[dict[str, Any]]:
    return list(editor.ask("sennit/proposals", {"ticket": ticket})["proposals"])


REVIEW = "local review = require('sennit.ui.review').get()"


def review(editor: Neovim, wanted: str) -> None:
    """Open the review and wait until it shows a file."""
    editor.sennit(f"review {wanted}")
    editor.until_lua(f"{REVIEW}; return review and review.quickfix and review.live and true")


def panel(editor: Neovim) -> list[str]:
    """What the file panel of the review shows."""
    return list(
        editor.lua(f"{REVIEW}; return vim.api.nvim_buf_get_lines(review.panel, 0, -1, true)")
    )


def until_panel(editor: Neovim, line: str, count: int = 1) -> None:
    """Wait until the panel shows a line so many times."""
    editor.until(
        lambda: [one.strip() for one in panel(editor)].count(line) == count,
        f"{count} x {line!r} in the panel",
    )


def on_panel(editor: Neovim, line: int) -> None:
    """Put the cursor on a line of the panel, from 1."""
    editor.lua(
        f"{REVIEW}; vim.api.nvim_set_current_win(review.panel_window);"
        " vim.api.nvim_win_set_cursor(review.panel_window, { ..., 0 })",
        line,
    )


def applied(editor: Neovim, wanted: str = "") -> dict[str, Any]:
    """Apply what is accepted; gives the application."""
    return _application(editor, f"apply {wanted}")


def undone(editor: Neovim) -> dict[str, Any]:
    """Undo the last application; gives the one that undid it."""
    return _application(editor, "undo")


COUNT = "return #require('sennit.state').known.applications"


def _application(editor: Neovim, command: str) -> dict[str, Any]:
    before = editor.lua(COUNT)
    editor.sennit(command)
    editor.until(lambda: editor.lua(COUNT) > before, f":Sennit {command}")
    found: dict[str, Any] = editor.lua(
        "local all = require('sennit.state').known.applications; return all[#all]"
    )
    return found


def accept_all(editor: Neovim, ticket: str) -> None:
    """Accept every proposal of a ticket, as `:Sennit accept all` does in its review."""
    review(editor, ticket)
    editor.sennit("accept all")


def program(folder: Path, name: str, source: str) -> Path:
    """Put a program in Python on the machine."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{source}")
    path.chmod(0o755)
    return path
