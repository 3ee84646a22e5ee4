"""Neovim in a real terminal: what a person sees, and keys as a person presses them."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from attrs import define, field

from tests.editors.neovim.neovim import PATIENCE_S, arguments


def is_there() -> bool:
    return shutil.which("tmux") is not None


@define(eq=False)
class Terminal:
    """A terminal of tmux on a socket of its own."""

    folder: Path
    environment: Mapping[str, str]
    socket: Path
    columns: int = 120
    rows: int = 32
    _environment: dict[str, str] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._environment = {**os.environ, **self.environment, "TERM": "xterm-256color"}
        self._environment.pop("TMUX", None)
        self._environment.pop("NVIM", None)
        command = shlex.join(arguments(self.folder, "--cmd", "set noshowcmd noruler"))
        size = ["-x", str(self.columns), "-y", str(self.rows)]
        self._tmux("-f", os.devnull, "new-session", "-d", *size, command)

    def _tmux(self, *args: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", str(self.socket), *args],
            check=True,
            capture_output=True,
            env=self._environment,
        )
        return done.stdout.decode()

    def press(self, *keys: str) -> None:
        """Press keys; names as tmux has them (``Enter``, ``Escape``), else the text itself."""
        for key in keys:
            literal = [] if key in {"Enter", "Escape", "Down", "Up", "C-w"} else ["-l"]
            self._tmux("send-keys", *literal, key)

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p")

    def until(self, shown: Callable[[str], bool], what: str) -> str:
        """Wait until the screen shows something; gives the screen."""
        end = time.monotonic() + PATIENCE_S
        while not shown(screen := self.screen()):
            if time.monotonic() > end:
                raise AssertionError(f"{what} is not on the screen:\n{screen}")
            time.sleep(0.05)
        return screen

    def until_text(self, *words: str) -> str:
        return self.until(lambda screen: all(word in screen for word in words), str(words))

    def close(self) -> None:
        """Leave the editor, and with it the terminal."""
        subprocess.run(
            ["tmux", "-S", str(self.socket), "kill-server"],
            check=False,
            capture_output=True,
            env=self._environment,
        )
