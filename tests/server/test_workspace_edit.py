from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest
from lsprotocol.converters import get_converter

from sennit.core.edits import EditKind, EditSet, FileEdit, Image
from sennit.core.objects import Entry, OpenDocument
from sennit.core.text import PositionEncoding
from sennit.core.text_edits import text_edits
from sennit.server.applying.carrying import Carrier
from sennit.server.open_documents import Buffer
from sennit.server.workspace_edit import Shape, rounds, workspace_edit

ALL = frozenset({"create", "rename", "delete"})
FULL = Carrier(edits=True, document_changes=True, operations=ALL, annotations=True)
PLAIN = get_converter()


def image(text: str) -> Image:
    digest = sha256(text.encode()).hexdigest()
    return Image(Entry(0o100644, digest[:40]), digest, text)


def change(
    kind: EditKind, path: bytes, before: str | None, after: str | None, old: bytes = b""
) -> FileEdit:
    return FileEdit(
        kind,
        path,
        old or path,
        None if before is None else image(before),
        None if after is None else image(after),
        text_edits(before or "", after or "") if after is not None else (),
    )


def shape(carrier: Carrier = FULL, label: str | None = None, **buffers: int) -> Shape:
    opened = {
        f"/top/{name}".encode(): Buffer(
            f"file:///top/{name}?mine", OpenDocument(f"/top/{name}".encode(), version, ""), b""
        )
        for name, version in buffers.items()
    }
    return Shape(carrier, PositionEncoding.UTF16, b"/top", opened, label)


def shaped(files: tuple[FileEdit, ...], how: Shape) -> list[Any]:
    return [PLAIN.unstructure(workspace_edit(one, how)) for one in rounds(EditSet(files))]


EDIT = change(EditKind.EDIT, b"a", "one\ntwo\n", "one\nTWO\n")
RANGE = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 3}}


def test_an_edit_names_the_version_and_the_clients_own_uri() -> None:
    assert shaped((EDIT,), shape(a=7)) == [
        {
            "documentChanges": [
                {
                    "textDocument": {"uri": "file:///top/a?mine", "version": 7},
                    "edits": [{"range": RANGE, "newText": "TWO"}],
                }
            ]
        }
    ]


def test_a_file_that_is_not_open_has_the_version_null() -> None:
    (edit,) = shaped((EDIT,), shape())
    assert edit["documentChanges"][0]["textDocument"] == {"uri": "file:///top/a", "version": None}


def test_without_document_changes_there_is_a_map_of_edits() -> None:
    assert shaped((EDIT,), shape(Carrier(edits=True), label="never shown")) == [
        {"changes": {"file:///top/a": [{"range": RANGE, "newText": "TWO"}]}}
    ]


def test_a_new_file_is_created_and_filled_and_never_emptied() -> None:
    (edit,) = shaped((change(EditKind.CREATE, b"n", None, "x\n"),), shape())
    start = {"line": 0, "character": 0}
    assert edit["documentChanges"] == [
        {"kind": "create", "uri": "file:///top/n", "options": {"ignoreIfExists": True}},
        {
            "textDocument": {"uri": "file:///top/n", "version": None},
            "edits": [{"range": {"start": start, "end": start}, "newText": "x\n"}],
        },
    ]


def test_an_empty_new_file_is_only_created() -> None:
    (edit,) = shaped((change(EditKind.CREATE, b"n", None, ""),), shape())
    assert [one["kind"] for one in edit["documentChanges"]] == ["create"]


def test_a_label_makes_every_change_ask_and_deletions_say_so() -> None:
    gone = change(EditKind.DELETE, b"gone", "x\n", None)
    (edit,) = shaped((EDIT, gone), shape(label="Sennit: fix"))
    assert edit["changeAnnotations"] == {
        "sennit": {"label": "Sennit: fix", "needsConfirmation": True},
        "sennit.delete": {"label": "Sennit: fix: delete 1 file", "needsConfirmation": True},
    }
    assert edit["documentChanges"][0]["edits"][0]["annotationId"] == "sennit"
    assert edit["documentChanges"][1] == {
        "kind": "delete", "uri": "file:///top/gone", "annotationId": "sennit.delete",
    }  # fmt: skip


def test_a_client_without_annotations_gets_none() -> None:
    carrier = Carrier(edits=True, document_changes=True)
    (edit,) = shaped((EDIT,), shape(carrier, label="Sennit: fix"))
    assert "changeAnnotations" not in edit
    assert "annotationId" not in edit["documentChanges"][0]["edits"][0]


MOVED = change(EditKind.RENAME, b"new", "one\n", "one\n", b"old")
MOVED_AND_CHANGED = change(EditKind.RENAME, b"new", "one\n", "ONE\n", b"old")


def test_a_plain_rename_goes_with_the_rest() -> None:
    (edit,) = shaped((EDIT, MOVED), shape())
    assert edit["documentChanges"][1] == {
        "kind": "rename", "oldUri": "file:///top/old", "newUri": "file:///top/new",
    }  # fmt: skip


def test_a_rename_with_a_change_goes_first_and_the_change_under_the_new_name() -> None:
    first, second = shaped((EDIT, MOVED_AND_CHANGED), shape())
    assert [one.get("kind") for one in first["documentChanges"]] == ["rename"]
    assert [one["textDocument"]["uri"] for one in second["documentChanges"]] == [
        "file:///top/a", "file:///top/new",
    ]  # fmt: skip


def test_a_file_in_the_place_of_a_renamed_one_comes_second() -> None:
    first, second = shaped((change(EditKind.CREATE, b"old", None, "x\n"), MOVED), shape())
    assert [one.get("kind") for one in first["documentChanges"]] == ["rename"]
    assert [one.get("kind") for one in second["documentChanges"]] == ["create", None]


def test_nothing_to_do_is_no_edit() -> None:
    assert rounds(EditSet(())) == ()


@pytest.mark.parametrize(("encoding", "end"), [
    (PositionEncoding.UTF8, 5), (PositionEncoding.UTF16, 3), (PositionEncoding.UTF32, 2),
])  # fmt: skip
def test_characters_count_in_the_agreed_encoding(encoding: PositionEncoding, end: int) -> None:
    edit = change(EditKind.EDIT, b"a", "𝄞x", "𝄞y")
    how = Shape(FULL, encoding, b"/top", {})
    (made,) = shaped((edit,), how)
    place = made["documentChanges"][0]["edits"][0]["range"]
    assert place["end"] == {"line": 0, "character": end}


def test_names_are_spelled_exactly_in_uris() -> None:
    (made,) = shaped((change(EditKind.EDIT, b"a b/\xff%", "x", "y"),), shape())
    assert made["documentChanges"][0]["textDocument"]["uri"] == "file:///top/a%20b/%FF%25"
