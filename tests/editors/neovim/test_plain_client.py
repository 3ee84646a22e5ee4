"""Neovim without the plugin, set up as the guide says."""

from __future__ import annotations

import json
import re
import subprocess

import pytest

from tests.editors.neovim.neovim import PATIENCE_S, ROOT, find_nvim
from tests.editors.neovim.scene import Scene

GUIDE = ROOT / "docs" / "guide" / "editors.md"
LOOK = """
local function clients()
  return vim.lsp.get_clients({ name = 'sennit', bufnr = 0 })
end
vim.wait(PATIENCE, function() return (clients()[1] or {}).initialized == true end)
local found = vim.tbl_map(function(one) return one.initialized and one.root_dir end, clients())
vim.fn.writefile({ vim.json.encode({ found, vim.bo.filetype }) }, TOLD)
"""


def _clients(scene: Scene, name: str) -> tuple[list[str], str]:
    """The folders of the servers that a file has, and its type."""
    snippet = re.search(r"```lua\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert snippet is not None
    told, init, look = (scene.root / one for one in ("told.json", "init.lua", "look.lua"))
    init.write_text(snippet[1])
    look.write_text(
        LOOK.replace("PATIENCE", str(PATIENCE_S * 1000)).replace("TOLD", f"{str(told)!r}")
    )
    (scene.root / "home").mkdir()
    subprocess.run(
        [find_nvim(), "--headless", "-n", "-i", "NONE", "-u", str(init), name,
         "-c", f"luafile {look}", "-c", "qa!"],
        env=scene.environment,
        cwd=scene.repo,
        check=True,
        timeout=2 * PATIENCE_S,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )  # fmt: skip
    found, kind = json.loads(told.read_text())
    return list(found), kind


@pytest.mark.parametrize(("name", "kind"), [("plain", ""), ("a.py", "python")])
def test_every_file_of_a_repository_has_the_server(scene: Scene, name: str, kind: str) -> None:
    scene.write(name, "one\n")
    scene.commit()
    assert _clients(scene, name) == ([str(scene.repo)], kind)
