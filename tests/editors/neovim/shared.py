"""One editor and one server for the tests of a worker, made as new after each of them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import define, field

from tests.editors.neovim.neovim import PATIENCE_S, PREPARE, ROOT, Neovim
from tests.editors.neovim.scene import TRUSTED, Scene

FAILED = pytest.StashKey[bool]()
"""Set on a test that has failed: what it leaves behind is not known."""
PEER = ROOT / "tests" / "acp_peer.py"
CONFIG = f"""\
[agents.peer]
kind = "acp"
argv = ["{sys.executable}", "{PEER}"]
roles = ["scripted"]
sandbox = "off"

[agents.scribe]
argv = ["tee", "said.txt"]
prompt = "stdin"

[agents.broken]
argv = ["no-such-program"]
"""
ROLE = "---\nname: scripted\ndescription: Works line by line\n---\n\nBe quick.\n"
REMEMBER = "_G.own_input = vim.ui.input"
CLOSE = """
pcall(vim.cmd, 'Sennit close')
vim.cmd('silent! tabonly! | silent! only! | silent! %bwipeout! | unlet! g:maplocalleader')
vim.cmd.cd(vim.fn.fnameescape(...))
for _, client in ipairs(vim.lsp.get_clients({ name = 'sennit' })) do
  if client.root_dir ~= ... then
    require('sennit.client').stop(client.root_dir)
  end
end
vim.fn.setqflist({}, 'f')
vim.api.nvim_create_augroup('sennit.test', {})
vim.ui.input = _G.own_input
"""
IS_CLOSED = """
return require('sennit.ui.review').get() == nil
  and #vim.lsp.get_clients({ name = 'sennit', _uninitialized = true }) <= 1
"""
HAS_SERVER = "return #vim.lsp.get_clients({ name = 'sennit' }) > 0"
FORGET = "require('sennit.state').forget(); require('sennit.apply').history = {}"


def furnish(scene: Scene) -> None:
    """Gives a machine agents that listen beside the built-in one, one that is not there, a role."""
    scene.write("../config/config.toml", CONFIG)
    scene.write("../config/agents/scripted.md", ROLE)


@define(eq=False)
class Shared:
    """The machine and its editor, whose server starts with the first test that wants one."""

    root: Path
    scene: Scene = field(init=False)
    editor: Neovim = field(init=False)
    _first: str = field(init=False)
    _kept: frozenset[str] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.scene = Scene(self.root)
        furnish(self.scene)
        self.scene.commit()
        self._first = self.scene.git("rev-parse", "HEAD").decode().strip()
        self.editor = self.scene.start()
        self.editor.lua(REMEMBER)
        self._kept = frozenset({*(one.name for one in self.root.iterdir()), "state"})

    def clean(self) -> None:
        """Leaves nothing of a test: no window, no ticket, no file, no program."""
        self.editor.type("<C-\\><C-N>")
        self.editor.lua(CLOSE, str(self.scene.repo))
        self.editor.until_lua(IS_CLOSED)
        if self.editor.lua(HAS_SERVER):
            self._drop_tickets()
        for code in (FORGET, TRUSTED, PREPARE):
            self.editor.lua(code)
        self.scene.git("reset", "-q", "--hard", self._first)
        self.scene.git("clean", "-q", "-ffdx")
        for left in self.root.iterdir():
            if left.name not in self._kept:
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        self._no_program_is_left()

    def _drop_tickets(self) -> None:
        tickets = self.editor.ask("sennit/tickets")["tickets"]
        for one in tickets:
            if one["state"] in {"running", "cancelling"}:
                self.editor.ask("sennit/cancel", {"ticket": one["id"]})
                wish = {"ticket": one["id"], "timeoutMs": PATIENCE_S * 1000}
                assert not self.editor.ask("sennit/wait", wish).get("timedOut")
        if tickets:
            ids = [one["id"] for one in tickets]
            dropped = self.editor.ask("sennit/drop", {"ids": ids, "confirm": True})
            assert dropped["done"], dropped
            assert not dropped.get("kept"), dropped

    def _no_program_is_left(self) -> None:
        def is_alone() -> bool:
            return self.scene.processes().keys() <= {self.editor.pid, *self.editor.children()}

        self.editor.until(is_alone, "the end of what the test had started")


@define(eq=False)
class Sharing:
    """Hands out the one machine, or a new one after a test that failed."""

    factory: pytest.TempPathFactory
    _now: Shared | None = None

    def take(self) -> Shared:
        if self._now is None:
            self._now = Shared(self.factory.mktemp("machine"))
        return self._now

    def close(self) -> None:
        if self._now is not None:
            closing, self._now = self._now, None
            closing.scene.close()


@pytest.fixture(scope="session")
def sharing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sharing]:
    made = Sharing(tmp_path_factory)
    yield made
    made.close()


@pytest.fixture
def shared(request: pytest.FixtureRequest, sharing: Sharing) -> Iterator[Shared]:
    """The machine of all tests, as new."""
    taken = sharing.take()
    yield taken
    if request.node.stash.get(FAILED, False):
        sharing.close()
        return
    try:
        taken.clean()
    except BaseException:
        sharing.close()
        raise
