"""An editor and its files, to which edits are handed as the server would send them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.editors.neovim.neovim import PATIENCE_S, Neovim
from tests.editors.neovim.scene import Scene

Json = dict[str, Any]


class Desk:
    """The editor and what it is asked to apply."""

    def __init__(self, scene: Scene, editor: Neovim) -> None:
        self.scene, self.editor = scene, editor

    def apply(self, *changes: Json, application: str = "a_test", **more: Any) -> Json:
        params = {
            "edit": {"documentChanges": changes, **more},
            "label": "Sennit",
            "sennit": {"application": application},
        }
        answer: Json = self.editor.lua(
            "_G.told = {}; local params = vim.json.decode(..., { luanil = { object = true } });"
            " local client = { offset_encoding = 'utf-16', root_dir = vim.fn.getcwd(),"
            " notify = function(_, method, told)"
            " _G.told[method] = told end }; local answer;"
            " require('sennit.async').run(function()"
            " answer = require('sennit.apply').handle(params, client) end);"
            f" vim.wait({PATIENCE_S * 1000}, function() return answer ~= nil end); return answer",
            json.dumps(params),
        )
        return answer

    def refused(self, *changes: Json) -> tuple[int, str]:
        answer = self.apply(*changes)
        assert answer["applied"] is False
        return answer["failedChange"], answer["failureReason"]

    def told(self) -> Json:
        report: Json = self.editor.lua("return _G.told['sennit/didApply']")
        return report


@pytest.fixture(scope="module")
def desks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Scene, Neovim]]:
    scene = Scene(tmp_path_factory.mktemp("machine"))
    editor = scene.start()
    yield scene, editor
    scene.close()


@pytest.fixture
def desk(desks: tuple[Scene, Neovim]) -> Iterator[Desk]:
    scene, editor = desks
    yield Desk(scene, editor)
    editor.command("silent! %bwipeout!")
    editor.lua("require('sennit.apply').history = {}")
    for left in scene.repo.iterdir():
        if left.name != ".git":
            left.chmod(0o644)
            left.unlink()


def uri(path: Path) -> str:
    return path.as_uri()


def text(path: Path, line: int, new: str, version: int | None = None) -> Json:
    """Replace a whole line, from 0."""
    place = {"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 0}}
    return {
        "textDocument": {"uri": uri(path), "version": version},
        "edits": [{"range": place, "newText": new}],
    }


def create(path: Path) -> Json:
    return {"kind": "create", "uri": uri(path), "options": {"ignoreIfExists": True}}


def delete(path: Path) -> Json:
    return {"kind": "delete", "uri": uri(path)}


def rename(old: Path, new: Path) -> Json:
    return {"kind": "rename", "oldUri": uri(old), "newUri": uri(new)}


def fill(path: Path, new: str) -> Json:
    nothing = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    return {
        "textDocument": {"uri": uri(path), "version": None},
        "edits": [{"range": nothing, "newText": new}],
    }
