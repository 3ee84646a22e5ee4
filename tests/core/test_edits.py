"""Neutral edit sets."""

from __future__ import annotations

from hashlib import sha256

import pytest

from sennit.core.edits import EditKind, Image, file_edit, image_of
from sennit.core.objects import (
    MODE_EXECUTABLE,
    MODE_FILE,
    MODE_LINK,
    MODE_SUBMODULE,
    ChangeKind,
    Entry,
    FileChange,
)
from sennit.core.text_edits import apply_text_edits


def image(content: bytes, mode: int = MODE_FILE) -> Image:
    return image_of(Entry(mode, sha256(content).hexdigest()[:40]), content)


def change(kind: ChangeKind, before: Image | None, after: Image | None) -> FileChange:
    old_path = b"old" if kind is ChangeKind.RENAME else b"p"
    return FileChange(
        kind, b"p", old_path, before.entry if before else None, after.entry if after else None
    )


@pytest.mark.parametrize(
    ("kind", "before", "after", "expected"),
    [
        (ChangeKind.CREATE, None, image(b"x\n"), (EditKind.CREATE, True)),
        (ChangeKind.CREATE, None, image(b"x\n", MODE_EXECUTABLE), (EditKind.CREATE, False)),
        (ChangeKind.CREATE, None, image(b"\0"), (EditKind.CREATE, False)),
        (ChangeKind.CREATE, None, image(b"t", MODE_LINK), (EditKind.CREATE, False)),
        (ChangeKind.DELETE, image(b"\0"), None, (EditKind.DELETE, True)),
        (ChangeKind.MODIFY, image(b"x\n"), image(b"y\n"), (EditKind.EDIT, True)),
        (ChangeKind.MODIFY, image(b"x"), image(b"x", MODE_EXECUTABLE), (EditKind.MODE, False)),
        (ChangeKind.MODIFY, image(b"x"), image(b"y", MODE_EXECUTABLE), (EditKind.EDIT, False)),
        (ChangeKind.MODIFY, image(b"x"), image(b"\xff\xfe"), (EditKind.BINARY, False)),
        (ChangeKind.MODIFY, image(b"x", MODE_LINK), image(b"y", MODE_LINK), (EditKind.LINK, False)),
        (
            ChangeKind.MODIFY,
            image(b"1", MODE_SUBMODULE),
            image(b"2", MODE_SUBMODULE),
            (EditKind.SUBMODULE, False),
        ),
        (ChangeKind.RENAME, image(b"\0"), image(b"\0"), (EditKind.RENAME, True)),
        (ChangeKind.RENAME, image(b"a\nb\n"), image(b"a\nc\n"), (EditKind.RENAME, True)),
        (
            ChangeKind.RENAME,
            image(b"x", MODE_LINK),
            image(b"x", MODE_LINK),
            (EditKind.RENAME, False),
        ),
        (ChangeKind.TYPE, image(b"x"), image(b"x", MODE_LINK), (EditKind.TYPE, False)),
    ],
)
def test_a_file_edit_says_what_happens_and_whether_an_editor_can_do_it(
    kind: ChangeKind, before: Image | None, after: Image | None, expected: tuple[EditKind, bool]
) -> None:
    edit = file_edit(change(kind, before, after), before, after)
    assert (edit.kind, edit.travels) == expected


@pytest.mark.parametrize(
    ("before", "after"), [(b"a\r\nb", b"a\r\nc\r\n"), (b"", b"x"), (b"x\n", b""), (b"a\rb", b"b\r")]
)
def test_the_text_edits_of_a_file_give_the_text_after(before: bytes, after: bytes) -> None:
    edit = file_edit(
        change(ChangeKind.MODIFY, image(before), image(after)), image(before), image(after)
    )
    assert apply_text_edits(before.decode(), edit.text_edits) == after.decode()


def test_an_image_hashes_the_content_and_a_submodule_has_none() -> None:
    assert image(b"x").sha256 == sha256(b"x").hexdigest()
    assert image(b"x", MODE_SUBMODULE).sha256 == ""
    assert image_of(Entry(MODE_FILE, "0" * 40), b"\xe9", "latin-1").text == "é"
