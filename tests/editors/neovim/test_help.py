"""`:help`, in an editor that is set up as the guide says, from a checkout and from a wheel."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.editors.neovim.neovim import PATIENCE_S, PLUGIN, ROOT, find_nvim
from tests.editors.neovim.scene import PROGRAMS, program

GUIDE = ROOT / "docs" / "guide" / "neovim.md"
WORDS = ("sennit", "sennit-draft", "sennit-maps", "sennit-options", ":Sennit-dispatch")


def _init_of_guide() -> str:
    """The first snippet of the guide, which is all that a user has to write."""
    snippet = re.search(r"```lua\n-- init\.lua\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert snippet is not None
    return snippet[1]


def _wheel(folder: Path) -> Path:
    """Build the wheel and unpack it; gives the folder of a program `sennit` that runs from it."""
    built = folder / "built"
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder / "site")
    start = "from sennit.cli import main\nsys.exit(main())\n"
    program(
        folder / "bin",
        "sennit",
        f"import sys\nsys.path.insert(0, {str(folder / 'site')!r})\n{start}",
    )
    return folder / "bin"


def _shown(folder: Path, programs: Path) -> dict[str, str]:
    """Where each word leads by `:help`, or what Neovim says instead."""
    init, told = folder / "init.lua", folder / "told.txt"
    look = f"""
    local lines = {{}}
    for _, word in ipairs({{ {", ".join(map(repr, WORDS))} }}) do
      local ok, problem = pcall(vim.cmd.help, word)
      lines[#lines + 1] = word .. '\\t'
        .. (ok and vim.api.nvim_buf_get_name(0) or tostring(problem):gsub('\\n', ' '))
    end
    vim.fn.writefile(lines, {str(told)!r})
    """
    init.write_text(_init_of_guide())
    look_file = folder / "look.lua"
    look_file.write_text(look)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        [find_nvim(), "--headless", "-n", "-i", "NONE", "-u", str(init),
         "-c", f"luafile {look_file}", "-c", "qa!"],
        env={**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "PATH": path},
        cwd=folder,
        check=True,
        timeout=PATIENCE_S,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )  # fmt: skip
    return dict(line.split("\t", 1) for line in told.read_text().splitlines())


@pytest.mark.parametrize("source", ["checkout", "wheel"])
def test_help_is_found_with_the_set_up_of_the_guide(tmp_path: Path, source: str) -> None:
    programs = PROGRAMS if source == "checkout" else _wheel(tmp_path)
    plugin = PLUGIN if source == "checkout" else tmp_path / "site" / "sennit" / "editors" / "neovim"
    text = str(plugin / "doc" / "sennit.txt")
    assert _shown(tmp_path, programs) == dict.fromkeys(WORDS, text)


def test_tags_that_neovim_makes_are_those_that_come_along(tmp_path: Path) -> None:
    # So a plugin manager that makes them leaves a checkout clean.
    text = PLUGIN / "doc" / "sennit.txt"
    (tmp_path / text.name).write_bytes(text.read_bytes())
    subprocess.run(
        [find_nvim(), "--clean", "--headless", "-c", f"helptags {tmp_path}", "-c", "qa!"],
        check=True,
        timeout=PATIENCE_S,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    assert (tmp_path / "tags").read_bytes() == (PLUGIN / "doc" / "tags").read_bytes()
