from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sennit.cli.client import Client
from sennit.cli.demo.editor import Editor, line_of_first_class

pytestmark = pytest.mark.anyio


class HearingClient(Client):
    def __init__(self) -> None:
        self.heard: list[tuple[str, Any]] = []

    def tell(self, method: str, params: Any) -> None:
        self.heard.append((method, params))


def opened(tmp_path: Path, text: str) -> tuple[Editor, HearingClient]:
    path = tmp_path / "a.py"
    path.write_text(text, encoding="utf-8")
    editor, client = Editor(path), HearingClient()
    editor.open_in(client)
    return editor, client


def an_edit(start: tuple[int, int], end: tuple[int, int], text: str) -> dict[str, object]:
    (row, column), (last_row, last_column) = start, end
    return {
        "range": {
            "start": {"line": row, "character": column},
            "end": {"line": last_row, "character": last_column},
        },
        "newText": text,
    }


def edits_of(editor: Editor, version: int, *edits: object) -> dict[str, object]:
    document = {"uri": editor.uri, "version": version}
    return {"edit": {"documentChanges": [{"textDocument": document, "edits": list(edits)}]}}


async def test_edits_are_placed_by_bytes_and_do_not_move_each_other(tmp_path: Path) -> None:
    editor, client = opened(tmp_path, "äb\nc\nd")
    edits = [
        an_edit((0, 2), (0, 3), "X\nY"),
        an_edit((2, 1), (2, 1), "!"),
        an_edit((1, 0), (2, 0), ""),
    ]
    assert await editor.apply_edit(edits_of(editor, 1, *edits)) == {"applied": True}
    assert editor.text == "äX\nY\nd!"
    assert client.heard[-1][1]["textDocument"]["version"] == 2


async def test_an_edit_for_another_version_or_document_is_refused(tmp_path: Path) -> None:
    editor, client = opened(tmp_path, "a\n")
    answer = await editor.apply_edit(edits_of(editor, 7))
    assert answer == {"applied": False, "failureReason": "the text is at version 1"}
    document = {"uri": "file:///other", "version": 1}
    params = {"edit": {"documentChanges": [{"textDocument": document, "edits": []}]}}
    assert await editor.apply_edit(params) == {
        "applied": False,
        "failureReason": "file:///other is not open here",
    }
    assert [method for method, _ in client.heard] == ["textDocument/didOpen"]


async def test_typing_changes_the_text_and_not_the_file(tmp_path: Path) -> None:
    editor, client = opened(tmp_path, "a\nb\n")
    editor.type_line(1, "# new\n")
    assert editor.text == "a\n# new\nb\n"
    assert (tmp_path / "a.py").read_text() == "a\nb\n"
    assert client.heard[-1][0] == "textDocument/didChange"


async def test_the_user_types_before_the_first_class() -> None:
    assert line_of_first_class('"""Doc."""\nimport x\n\n\n@frozen\nclass A: ...\n') == 4
