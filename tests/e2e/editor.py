"""A scripted editor: it keeps buffers and does workspace edits exactly, or misbehaves as told.

It works like VS Code: a file that is edited is opened and stays unsaved; renames and deletions
happen on the disk; a document whose version is another one makes it refuse the whole edit.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

from attrs import define, field, frozen

from tests.e2e.buffers import Buffer, Json, edited, position_of, splices
from tests.nursery import launch_from_nursery
from tests.wire_client import DEADLINE_S, Message, WireClient, users_environment


class RefusedError(Exception):
    """The editor does not do an edit."""


@frozen
class Abilities:
    """What the editor tells of itself in ``initialize``."""

    encodings: tuple[str, ...] = ("utf-16",)
    document_changes: bool = True
    operations: tuple[str, ...] = ("create", "rename", "delete")
    annotations: bool = True
    sennit: Mapping[str, object] | None = None
    applies: bool = True
    more: Mapping[str, Any] = field(factory=dict)

    def capabilities(self) -> Json:
        edit: Json = {"documentChanges": self.document_changes}
        if self.operations:
            edit["resourceOperations"] = list(self.operations)
        if self.annotations:
            edit["changeAnnotationSupport"] = {}
        made: Json = {
            "general": {"positionEncodings": list(self.encodings)},
            "workspace": {"applyEdit": self.applies, "workspaceEdit": edit},
        }
        for name, value in self.more.items():
            made.setdefault(name, {}).update(copy.deepcopy(value))
        if self.sennit is not None:
            made["experimental"] = {"sennit": {"protocolVersion": "0.1", **self.sennit}}
        return made


REVIEWS = Abilities(sennit={"clientId": "scripted", "review": True, "ask": True})
BARE = Abilities()


@define
class Habits:
    """How it misbehaves. ``before`` is called when an edit arrives, ``after`` when it is done.

    ``answer``: ``true``, ``false``, ``error``, ``nonsense`` or ``none``; with ``does`` it does what
    it answers that it has not done. ``tells``: whether a change is sent:
    ``yes``, ``no``, ``later`` (by ``catch_up``), ``too much`` (over the server's limit). ``parts``:
    how many of the operations it does. ``formats`` changes a text that was edited. ``opens``: a
    file that is edited is opened, else it is written to the disk.
    """

    before: Callable[[], object] | None = None
    after: Callable[[], object] | None = None
    answer: str = "true"
    does: bool = False
    tells: str = "yes"
    parts: int | None = None
    formats: Callable[[str], str] | None = None
    opens: bool = True
    checks_versions: bool = True
    chooses: Callable[[Json], str | None] = lambda _params: None


def uri_of(path: Path) -> str:
    """The URI as this editor spells it: it encodes more than the server does."""
    return "file://" + quote_from_bytes(os.fsencode(path), safe="/")


def path_in(uri: str) -> Path:
    return Path(os.fsdecode(unquote_to_bytes(urlsplit(uri).path)))


def _names(uri: str, path: Path) -> bool:
    return uri.startswith("file:///") and path_in(uri) == path


class Editor(WireClient):
    """The editor and its server."""

    habits: Habits
    buffers: dict[str, Buffer]

    @classmethod
    def start(
        cls,
        abilities: Abilities,
        environment: Mapping[str, str],
        *folders: Path,
        answer_s: float = DEADLINE_S,
    ) -> Editor:
        """Start both; ``answer_s``: how long the server waits for an answer of the editor."""
        env = {**users_environment(), **environ_for(environment)}
        editor = cls(["quick", str(answer_s)], env=env, launch=launch_from_nursery)
        editor.habits, editor.buffers = Habits(), {}
        editor.edits, editor.asked = [], []
        editor.waiting = []
        editor.abilities = abilities
        result = editor.initialize(
            abilities.capabilities(), options={"trusted": True}, folders=folders
        )
        editor.encoding = result["capabilities"]["positionEncoding"]
        return editor

    edits: list[Json]
    """Parameters of every edit that arrived."""
    asked: list[Json]
    """Parameters of every question in words."""
    waiting: list[tuple[str, Json]]
    refreshes: int = 0
    """How often it was asked to ask for its lenses anew."""
    abilities: Abilities
    encoding: str

    # What its user does.

    def open(
        self, path: Path, *, uri: str | None = None, text: str | None = None, codec: str = "utf-8"
    ) -> str:
        """Open a file, or a document of another kind; gives its URI."""
        uri = uri or uri_of(path)
        if text is None:
            text = path.read_bytes().decode(codec)
        buffer = self.buffers[uri] = Buffer(text, 1, codec=codec)
        item = {"uri": uri, "languageId": "plaintext", "version": 1, "text": buffer.text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return uri

    def close(self, uri: str) -> None:
        del self.buffers[uri]
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def type(self, uri: str, old: str, new: str) -> None:
        """Replace one text by another; the change is always told."""
        text = self.buffers[uri].text
        start = text.index(old)
        self._change(uri, _as_edits(text, start, start + len(old), new, self.encoding), told=True)

    def set_text(self, uri: str, text: str) -> None:
        """Give a document another text as a whole."""
        buffer = self.buffers[uri]
        buffer.text, buffer.version, buffer.dirty = text, buffer.version + 1, True
        self._tell(uri, [{"text": text}])

    def save(self, uri: str) -> None:
        buffer = self.buffers[uri]
        path_in(uri).write_bytes(buffer.text.encode(buffer.codec))
        buffer.dirty = False
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def text(self, path: Path) -> str:
        """What the user sees of a file: its buffer, else the disk."""
        texts = [buffer.text for uri, buffer in self.buffers.items() if _names(uri, path)]
        return texts[0] if texts else path.read_bytes().decode()

    def catch_up(self) -> None:
        """Send the changes that were held back."""
        waiting, self.waiting = self.waiting, []
        for uri, changes in waiting:
            self._tell(uri, [changes])

    def ask(self, method: str, params: object = None) -> Any:
        """Send a request that must be answered with a result."""
        answer = self.call(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    def refusal(self, method: str, params: object = None) -> Json:
        """Send a request that must be answered with an error."""
        answer = self.call(method, params)
        assert "result" not in answer, answer
        error: Json = answer["error"]
        return error

    # What the server asks for.

    def _replied(self, message: Message) -> bool:
        method = message.get("method")
        if method == "workspace/applyEdit" and "id" in message:
            self._take_edit(message)
        elif method == "window/showMessageRequest" and "id" in message:
            self.asked.append(message["params"])
            title = self.habits.chooses(message["params"])
            self.respond(message, None if title is None else {"title": title})
        elif method in {"window/workDoneProgress/create", "workspace/codeLens/refresh"}:
            self.refreshes += method == "workspace/codeLens/refresh"
            self.respond(message, None)
        else:
            return super()._replied(message)
        return True

    def _take_edit(self, message: Message) -> None:
        self.edits.append(message["params"])
        habits = self.habits
        if habits.before is not None:
            habits.before()
        result = self._result_of(message["params"]["edit"])
        if habits.answer == "error":
            error = {"code": -32603, "message": "the editor is out of sorts"}
            self.send({"jsonrpc": "2.0", "id": message["id"], "error": error})
        elif habits.answer == "nonsense":
            self.respond(message, None)
        elif habits.answer != "none":
            self.respond(message, result)
        if habits.after is not None:
            habits.after()

    def _result_of(self, edit: Json) -> Json:
        """Do an edit, as far as it does this one; gives what it says of it."""
        refuses = self.habits.answer in {"false", "error"}
        if refuses and not self.habits.does:
            return {"applied": False}
        try:
            self._apply(edit)
        except RefusedError as refused:
            return {"applied": False, "failureReason": str(refused)}
        return {"applied": not refuses}

    def _apply(self, edit: Json) -> None:
        if "documentChanges" in edit:
            operations = edit["documentChanges"]
        else:
            operations = [
                {"textDocument": {"uri": uri, "version": None}, "edits": edits}
                for uri, edits in edit["changes"].items()
            ]
        for operation in operations:
            self._check(operation)
        for operation in operations[: self.habits.parts]:
            self._do(operation)

    def _check(self, operation: Json) -> None:
        document = operation.get("textDocument")
        if document is None or not self.habits.checks_versions:
            return
        buffer = self.buffers.get(document["uri"])
        wanted = document["version"]
        if wanted is not None and (buffer is None or buffer.version != wanted):
            raise RefusedError(f"{document['uri']} has changed in the meantime")

    def _do(self, operation: Json) -> None:
        match operation.get("kind"):
            case None:
                self._edit_document(operation)
            case "create":
                self._create(operation)
            case "rename":
                self._rename(operation)
            case "delete":
                self._delete(operation["uri"])
            case other:
                raise AssertionError(f"no such operation: {other}")

    def _create(self, operation: Json) -> None:
        path = path_in(operation["uri"])
        if os.path.lexists(path):
            if not operation.get("options", {}).get("ignoreIfExists"):
                raise RefusedError(f"{path} is there already")
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")

    def _rename(self, operation: Json) -> None:
        old, new = operation["oldUri"], operation["newUri"]
        if os.path.lexists(path_in(new)):
            raise RefusedError(f"{new} is there already")
        path_in(new).parent.mkdir(parents=True, exist_ok=True)
        path_in(old).rename(path_in(new))
        buffer = self.buffers.get(old)
        if buffer is not None:
            self.close(old)
            self.open(path_in(new), uri=new, text=buffer.text, codec=buffer.codec)

    def _delete(self, uri: str) -> None:
        path_in(uri).unlink()
        if uri in self.buffers:
            self.close(uri)

    def _edit_document(self, operation: Json) -> None:
        uri = operation["textDocument"]["uri"]
        if uri not in self.buffers and not self.habits.opens:
            path = path_in(uri)
            text = edited(path.read_bytes().decode(), operation["edits"], self.encoding)
            path.write_bytes(text.encode())
            return
        if uri not in self.buffers:
            self.open(path_in(uri), uri=uri)
        self._change(uri, operation["edits"], told=False)

    def _change(self, uri: str, edits: Sequence[Json], *, told: bool) -> None:
        buffer = self.buffers[uri]
        changes = []
        text = buffer.text
        for one in splices(text, edits, self.encoding):
            place = {
                "start": position_of(text, one.start, self.encoding),
                "end": position_of(text, one.end, self.encoding),
            }
            changes.append({"range": place, "text": one.new})
            text = text[: one.start] + one.new + text[one.end :]
        if self.habits.formats is not None and not told:
            text = self.habits.formats(text)
            changes = [{"text": text}]
        buffer.text, buffer.version, buffer.dirty = text, buffer.version + 1, True
        if told or self.habits.tells == "yes":
            self._tell(uri, changes)
        elif self.habits.tells == "later":
            self.waiting.append((uri, {"text": text}))
        elif self.habits.tells == "too much":
            self._tell(uri, [*changes, {"text": text, "rangeLength": 1, "more": "x" * 300_000}])

    def _tell(self, uri: str, changes: Sequence[Json]) -> None:
        document = {"uri": uri, "version": self.buffers[uri].version}
        self.notify(
            "textDocument/didChange",
            {"textDocument": document, "contentChanges": list(changes)},
        )


def _as_edits(text: str, start: int, end: int, new: str, encoding: str) -> list[Json]:
    place = {
        "start": position_of(text, start, encoding),
        "end": position_of(text, end, encoding),
    }
    return [{"range": place, "newText": new}]


def environ_for(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of the server: the user's own git settings do not count."""
    return {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, **environment}
