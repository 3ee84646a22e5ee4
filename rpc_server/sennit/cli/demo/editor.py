"""The editor of the demonstration: one open document with unsaved text, changed by edits."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sennit.cli.client import Client

CAPABILITIES: Mapping[str, object] = {
    "workspace": {
        "applyEdit": True,
        "workspaceEdit": {"documentChanges": True},
        "workspaceFolders": True,
    },
    "textDocument": {"synchronization": {"dynamicRegistration": False}},
}
"""What this editor can do; it has no resource operations, so that it only changes text."""


class Editor:
    """One buffer, in UTF-8 positions as `sennit.cli.client` offers them."""

    def __init__(self, path: Path) -> None:
        """Hold the text of ``path`` as it is on disk; nothing is open yet."""
        self.uri = path.as_uri()
        self.text = path.read_text(encoding="utf-8")
        self.version = 1
        self._client: Client | None = None

    def open_in(self, client: Client) -> None:
        """Open the document, as LSP's `textDocument/didOpen` tells it."""
        self._client = client
        document = {
            "uri": self.uri,
            "languageId": "python",
            "version": self.version,
            "text": self.text,
        }
        client.tell("textDocument/didOpen", {"textDocument": document})

    def type_line(self, line_number: int, line: str) -> None:
        """Insert a whole line before ``line_number``, counted from 0, and do not save."""
        place = {"line": line_number, "character": 0}
        change = {"range": {"start": place, "end": place}, "text": line}
        self._change(_edited(self.text, [{"range": change["range"], "newText": line}]), change)

    async def apply_edit(self, params: Any) -> object:  # noqa: ANN401  a JSON value
        """Answer `workspace/applyEdit`: all of it, or nothing with the reason."""
        changes = params["edit"].get("documentChanges", [])
        for change in changes:
            document = change["textDocument"]
            if document["uri"] != self.uri:
                return _refused(f"{document['uri']} is not open here")
            if document.get("version") not in {None, self.version}:
                return _refused(f"the text is at version {self.version}")
        for change in changes:
            text = _edited(self.text, change["edits"])
            self._change(text, {"text": text})
        return {"applied": True}

    def _change(self, text: str, change: Mapping[str, object]) -> None:
        if self._client is None:
            raise RuntimeError("the document is not open")
        self.text = text
        self.version += 1
        document = {"uri": self.uri, "version": self.version}
        self._client.tell(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [change]}
        )


def line_of_first_class(text: str) -> int:
    """Find a place in a Python module where a user could be typing, counted from 0."""
    lines = text.splitlines()
    return next(row for row, line in enumerate(lines) if line.startswith(("@", "class ")))


def _refused(reason: str) -> object:
    return {"applied": False, "failureReason": reason}


def _edited(text: str, edits: list[Any]) -> str:
    data = text.encode()
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    placed = [(_offset(starts, e["range"]["start"]), _offset(starts, e["range"]["end"]), e)
              for e in edits]  # fmt: skip
    for start, end, edit in sorted(placed, key=lambda each: each[:2], reverse=True):
        data = data[:start] + edit["newText"].encode() + data[end:]
    return data.decode()


def _offset(starts: list[int], position: Mapping[str, int]) -> int:
    # A position after the last line means the end of the text.
    return starts[min(position["line"], len(starts) - 1)] + position["character"]
