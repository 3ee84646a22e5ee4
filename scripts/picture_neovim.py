"""Make the pictures of Neovim for the README: the real screen of a real run, as SVG.

Neovim is attached to as by any user interface; what it draws is the grid that is rendered here.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.editors.neovim.neovim import arguments, attached  # noqa: E402  found only now
from tests.editors.neovim.scene import Scene  # noqa: E402  as above

COLUMNS, ROWS = 128, 28
CELL_WIDTH, CELL_HEIGHT, MARGIN = 8.4, 18, 10
PATIENCE_S = 60
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
    ' height="{height}" font-size="14" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace">'
)
NO_BREAK = "\N{NO-BREAK SPACE}"
DEFAULT_COLOURS = (0xE0E2EA, 0x14161B)

GREETING = '''\
"""Says hello."""


def greet(name):
    print("Helo, " + name)


def greet_all(names):
    for name in names:
        greet(name)


if __name__ == "__main__":
    greet_all(["Ada", "Grace"])
'''
HELP_LINES = 6
DRAFT = """\
label: greetings
agent: command
---
task: spelling

sed -i s/Helo/Hello/ hello.py README.md
---
task: names
description: more of them

sed -i 's/"Grace"/"Grace", "Jean"/' hello.py
---
task: german

sed -i s/Helo/Hallo/ hello.py
"""


@frozen
class Look:
    """How a cell is drawn."""

    foreground: int
    background: int
    bold: bool = False
    italic: bool = False
    underline: bool = False


def _nothing(*_: object) -> None:
    """Do nothing about an event that changes no cell."""


@define
class Screen:
    """The grid that Neovim draws, kept as its user interface events tell."""

    cells: list[list[tuple[str, int]]] = field(
        factory=lambda: [[(" ", 0)] * COLUMNS for _ in range(ROWS)]
    )
    looks: dict[int, dict[str, Any]] = field(factory=dict)
    colours: tuple[int, int] = DEFAULT_COLOURS

    def take(self, events: list[Any]) -> None:
        """Take one batch of ``redraw``."""
        for name, *calls in events:
            handler: Callable[..., None] = getattr(self, f"_{name}", _nothing)
            for call in calls:
                handler(*call)

    def _default_colors_set(self, foreground: int, background: int, *_: object) -> None:
        self.colours = (foreground, background)

    def _hl_attr_define(self, name: int, attributes: dict[str, Any], *_: object) -> None:
        self.looks[name] = attributes

    def _grid_clear(self, _grid: int) -> None:
        self.cells = [[(" ", 0)] * COLUMNS for _ in range(ROWS)]

    def _grid_line(self, _grid: int, row: int, column: int, parts: list[Any], *_: object) -> None:
        look = 0
        for text, *rest in parts:
            look = rest[0] if rest else look
            for _again in range(rest[1] if len(rest) > 1 else 1):
                self.cells[row][column] = (text, look)
                column += 1

    def _grid_scroll(
        self, _grid: int, top: int, bottom: int, left: int, right: int, by: int, _by: int
    ) -> None:
        rows = range(top, bottom) if by > 0 else range(bottom - 1, top - 1, -1)
        for row in rows:
            if top <= row + by < bottom:
                self.cells[row][left:right] = self.cells[row + by][left:right]

    def look(self, name: int) -> Look:
        """How cells of a highlight are drawn."""
        given = self.looks.get(name, {})
        front = given.get("foreground", self.colours[0])
        back = given.get("background", self.colours[1])
        if given.get("reverse"):
            front, back = back, front
        styles = (bool(given.get(style)) for style in ("bold", "italic", "underline"))
        return Look(front, back, *styles)

    def svg(self) -> str:
        """Draw the grid."""
        width, height = COLUMNS * CELL_WIDTH + 2 * MARGIN, ROWS * CELL_HEIGHT + 2 * MARGIN
        back = f"#{self.colours[1]:06x}"
        parts = [
            SVG.format(width=round(width), height=round(height)),
            f'<rect width="100%" height="100%" rx="8" fill="{back}"/>',
        ]
        for row, cells in enumerate(self.cells):
            parts += self._row(row, cells)
        return "\n".join([*parts, "</svg>", ""])

    def _row(self, row: int, cells: list[tuple[str, int]]) -> list[str]:
        parts: list[str] = []
        column = 0
        for name, group in groupby(cells, key=lambda cell: cell[1]):
            texts = [text for text, _ in group]
            parts += self._run(row, column, texts, self.look(name))
            column += len(texts)
        return parts

    def _run(self, row: int, column: int, texts: list[str], look: Look) -> list[str]:
        left, top = MARGIN + column * CELL_WIDTH, MARGIN + row * CELL_HEIGHT
        width = len(texts) * CELL_WIDTH
        parts = []
        if look.background != self.colours[1]:
            parts.append(
                f'<rect x="{left:.1f}" y="{top}" width="{width + 0.3:.1f}"'
                f' height="{CELL_HEIGHT}" fill="#{look.background:06x}"/>'
            )
        text = "".join(texts)
        shown = text.strip()
        if shown:
            left += (len(text) - len(text.lstrip())) * CELL_WIDTH
            width = (len(texts) - (len(text) - len(shown))) * CELL_WIDTH
            drawn = escape(shown).replace(" ", NO_BREAK)
            style = ' font-weight="bold"' if look.bold else ""
            style += ' font-style="italic"' if look.italic else ""
            style += ' text-decoration="underline"' if look.underline else ""
            parts.append(
                f'<text x="{left:.1f}" y="{top + 13.5}" textLength="{width:.1f}"'
                f' fill="#{look.foreground:06x}"{style}>{drawn}</text>'
            )
        return parts


@define(eq=False)
class Window:
    """Neovim with a screen."""

    scene: Scene
    screen: Screen = field(factory=Screen)
    _nvim: Any = field(init=False)
    _process: subprocess.Popen[bytes] = field(init=False)

    def __attrs_post_init__(self) -> None:
        socket = self.scene.root / "nvim"
        self._process = subprocess.Popen(
            arguments(self.scene.repo, "--headless", "--listen", str(socket)),
            env=self.scene.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        self._nvim = attached(socket, self._process)
        self._nvim.ui_attach(COLUMNS, ROWS, rgb=True, ext_linegrid=True)
        self.lua("vim.o.laststatus, vim.o.ruler, vim.o.showmode = 2, false, false")
        self.lua("vim.g.sennit = { trusted = true, panel_width = 32, tickets_height = 10 }")

    def lua(self, code: str, *args: object) -> Any:  # noqa: ANN401  whatever Lua gives
        """Run Lua."""
        return self._nvim.exec_lua(code, *args)

    def command(self, text: str) -> None:
        """Run a command of the command line."""
        self._nvim.command(text)

    def until(self, code: str) -> None:
        """Wait for Lua to give something true."""
        wait_for(lambda: self.lua(f"vim.wait(50); return ({code}) and true or false"))

    def picture(self, path: Path) -> None:
        """Write what is on the screen now."""
        self.command("redraw")
        self.lua("vim.wait(300)")
        # The answer comes after all that was drawn before it.
        self.lua("return 1")
        while (event := self._next()) is not None:
            self.screen.take(event[2])
        path.write_text(self.screen.svg())

    def _next(self) -> Any:  # noqa: ANN401  a message of msgpack
        pending = self._nvim._session._pending_messages  # noqa: SLF001  the only way not to wait
        return self._nvim.next_message() if pending else None

    def close(self) -> None:
        """Leave."""
        # The connection ends with the editor, so there is no answer.
        with contextlib.suppress(EOFError, OSError):
            self.command("qa!")
        self._process.wait(PATIENCE_S)
        self._nvim.close()


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("Neovim did not come to the state for the next picture")
        time.sleep(0.02)


def pictures(window: Window, folder: Path) -> None:
    """Dispatch, watch, review; a picture of each."""
    scene = window.scene
    window.command("edit hello.py")
    window.command("Sennit dispatch")
    window.lua(
        "vim.api.nvim_buf_set_lines(0, select(1, ...), -1, true, select(2, ...))",
        HELP_LINES,
        DRAFT.splitlines(),
    )
    window.lua("vim.api.nvim_win_set_height(0, 22); vim.api.nvim_win_set_cursor(0, { 1, 0 })")
    window.picture(folder / "neovim-dispatch.svg")
    held = scene.gated("gate", "sed -i s/print/print/ hello.py")
    window.lua(
        "local last = vim.api.nvim_buf_line_count(0);"
        " vim.api.nvim_buf_set_lines(0, last, last, true, ...)",
        ["---", "task: tests", "description: run them all", "", held],
    )
    window.command("write")
    wait_for(lambda: scene.has_begun("gate"))
    window.command("Sennit tickets")
    window.until(
        "#vim.tbl_filter(require('sennit.state').is_open, require('sennit.state').proposals()) == 3"
    )
    window.lua("vim.wait(400)")
    window.command("echo ''")
    window.picture(folder / "neovim-tickets.svg")
    scene.open_gate("gate")
    window.until("require('sennit.state').is_final(require('sennit.state').tickets()[1].state)")
    window.command("Sennit tickets")
    window.lua("vim.cmd('Sennit review ' .. require('sennit.state').tickets()[1].id)")
    window.until("(require('sennit.ui.review').get() or {}).live")
    window.command("Sennit next")
    window.until("vim.api.nvim_win_get_cursor(0)[1] == 5")
    window.command("Sennit accept hunk")
    window.until(
        "table.concat(vim.api.nvim_buf_get_lines(require('sennit.ui.review').get().panel, 0, -1,"
        " true)):find('%[x%] @')"
    )
    window.command("echo ''")
    window.picture(folder / "neovim-review.svg")


def main() -> None:
    """Write the three pictures into a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "docs" / "images")
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="sennit-") as temporary:
        scene = Scene(Path(temporary))
        scene.write("hello.py", GREETING)
        scene.write("README.md", "# Greetings\n\nHelo, everybody.\n")
        scene.commit()
        (scene.root / "home").mkdir()
        window = Window(scene)
        try:
            pictures(window, folder)
        finally:
            window.close()
            scene.close()
    print(f"three pictures are in {folder}")


if __name__ == "__main__":
    main()
