"""Files of every kind, dispatched, accepted, applied and taken back byte for byte."""

from __future__ import annotations

import pytest

from tests.editors.neovim.neovim import Neovim
from tests.editors.neovim.scene import (
    Scene,
    accept_all,
    applied,
    done,
    sed,
    undone,
)
from tests.editors.neovim.shared import Shared


@pytest.fixture
def desk(shared: Shared) -> tuple[Scene, Neovim]:
    """The editor with nothing open."""
    return shared.scene, shared.editor


def _changed(scene: Scene, editor: Neovim, prompt: str) -> dict[str, object]:
    """Dispatch, accept everything, apply; gives the application."""
    scene.commit()
    accept_all(editor, done(editor, prompt))
    return applied(editor)


def _bytes(scene: Scene, editor: Neovim, name: str) -> bytes | None:
    """What the file would hold if every buffer was written."""
    path = scene.path(name)
    if editor.text(path) is not None:
        editor.lua(
            "vim.api.nvim_buf_call(require('sennit.paths').buffer(...), function()"
            " vim.cmd('silent write') end)",
            str(path),
        )
    return path.read_bytes() if path.exists() else None


KINDS: dict[str, tuple[bytes, bytes]] = {
    "unix": (b"one\ntwo\nthree\n", b"one\nTWO\nthree\n"),
    "crlf": (b"one\r\ntwo\r\nthree\r\n", b"one\r\nTWO\r\nthree\r\n"),
    "no final newline": (b"one\ntwo", b"one\nTWO"),
    "crlf, no final newline": (b"one\r\ntwo", b"one\r\nTWO"),
    "byte-order mark": (b"\xef\xbb\xbfone\ntwo\n", b"\xef\xbb\xbfone\nTWO\n"),
    "utf-8": ("ä€𝄞 two ä€𝄞\n".encode(), "ä€𝄞 TWO ä€𝄞\n".encode()),
    "one line": (b"two\n", b"TWO\n"),
}


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "unopened"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_text_is_changed_and_taken_back_byte_for_byte(
    desk: tuple[Scene, Neovim], kind: str, *, is_open: bool
) -> None:
    scene, editor = desk
    before, after = KINDS[kind]
    path = scene.write("a.txt", before)
    if is_open:
        editor.edit(path)
        view = _changed(scene, editor, sed("s/two/TWO/", "a.txt"))
    else:
        view = _apply_unopened(scene, editor, sed("s/two/TWO/", "a.txt"))
    assert view["state"] == "applied", view
    assert _bytes(scene, editor, "a.txt") == after
    assert undone(editor)["state"] == "applied"
    assert _bytes(scene, editor, "a.txt") == before


def _apply_unopened(scene: Scene, editor: Neovim, prompt: str) -> dict[str, object]:
    """As ``_changed``, without a review, which would open the files."""
    scene.commit()
    ticket = done(editor, prompt)
    for one in editor.ask("sennit/proposals", {"ticket": ticket})["proposals"]:
        choice = {"decision": "accepted", "all": True}
        decision = {"proposal": one["id"], "revision": one["revision"], "choices": [choice]}
        editor.ask("sennit/decide", decision)
    return applied(editor, ticket)


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "unopened"])
def test_the_final_newline_itself_is_added_and_taken_away(
    desk: tuple[Scene, Neovim], *, is_open: bool
) -> None:
    scene, editor = desk
    path = scene.write("a.txt", b"one\ntwo")
    if is_open:
        editor.edit(path)
    _apply_unopened(scene, editor, "sh -c 'echo >> a.txt'")
    assert _bytes(scene, editor, "a.txt") == b"one\ntwo\n"
    undone(editor)
    assert _bytes(scene, editor, "a.txt") == b"one\ntwo"


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "unopened"])
def test_an_empty_file_is_filled_and_emptied(desk: tuple[Scene, Neovim], *, is_open: bool) -> None:
    scene, editor = desk
    path = scene.write("a.txt", b"")
    if is_open:
        editor.edit(path)
    _apply_unopened(scene, editor, "sh -c 'echo one > a.txt'")
    assert _bytes(scene, editor, "a.txt") == b"one\n"
    undone(editor)
    assert _bytes(scene, editor, "a.txt") == b""


def test_a_new_file_in_a_new_folder_is_made_and_taken_back(desk: tuple[Scene, Neovim]) -> None:
    scene, editor = desk
    view = _changed(
        scene, editor, "sh -c 'mkdir -p deep/er; printf \"one\\ntwo\" > deep/er/new.txt'"
    )
    assert view["state"] == "applied", view
    assert scene.path("deep/er/new.txt").read_bytes() == b"one\ntwo"
    assert undone(editor)["state"] == "applied"
    assert not scene.path("deep/er/new.txt").exists()
    for folder in ("deep/er", "deep"):
        if scene.path(folder).exists():
            scene.path(folder).rmdir()


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "unopened"])
def test_a_deleted_file_is_deleted_and_brought_back(
    desk: tuple[Scene, Neovim], *, is_open: bool
) -> None:
    scene, editor = desk
    path = scene.write("a.txt", "one\n")
    if is_open:
        editor.edit(path)
    view = _apply_unopened(scene, editor, "rm a.txt")
    assert view["state"] == "applied", view
    assert not path.exists()
    assert editor.text(path) is None
    assert undone(editor)["state"] == "applied"
    assert path.read_bytes() == b"one\n"


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "unopened"])
def test_a_renamed_and_changed_file_moves_with_its_buffer(
    desk: tuple[Scene, Neovim], *, is_open: bool
) -> None:
    scene, editor = desk
    old = scene.write("a.txt", "".join(f"{number}\n" for number in range(20)))
    if is_open:
        editor.edit(old)
    view = _apply_unopened(scene, editor, "sh -c 'mv a.txt b.txt; sed -i s/^7/seven/ b.txt'")
    assert view["state"] == "applied", view
    assert not old.exists()
    changed = "".join(f"{number}\n" for number in range(20)).replace("7\n", "seven\n", 1)
    assert _bytes(scene, editor, "b.txt") == changed.encode()
    assert (editor.text(scene.path("b.txt")) is not None) is is_open
    assert undone(editor)["state"] == "applied"
    assert _bytes(scene, editor, "a.txt") == "".join(f"{n}\n" for n in range(20)).encode()


def test_a_read_only_file_is_left_alone_and_said(desk: tuple[Scene, Neovim]) -> None:
    scene, editor = desk
    path = scene.write("a.txt", "one\n")
    scene.commit()
    ticket = done(editor, "sh -c 'chmod u+w a.txt; sed -i s/one/ONE/ a.txt'")
    path.chmod(0o444)
    accept_all(editor, ticket)
    view = applied(editor)
    assert view["state"] == "failed"
    editor.until_notice("read-only")
    assert path.read_bytes() == b"one\n"
    path.chmod(0o644)


def test_a_buffer_that_is_set_read_only_is_left_alone_and_said(desk: tuple[Scene, Neovim]) -> None:
    scene, editor = desk
    path = scene.write("a.txt", "one\n")
    editor.edit(path)
    editor.command("setlocal readonly")
    view = _changed(scene, editor, sed("s/one/ONE/", "a.txt"))
    assert view["state"] == "failed"
    editor.until_notice("read-only", ":set noreadonly")
    assert editor.text(path) == "one\n"


def test_a_file_in_latin1_keeps_its_encoding(desk: tuple[Scene, Neovim]) -> None:
    scene, editor = desk
    path = scene.write("a.txt", "grün\ntwo\n".encode("latin-1"))
    editor.edit(path)
    assert editor.lua("return vim.bo.fileencoding") == "latin1"
    view = _changed(scene, editor, sed("s/two/TWO/", "a.txt"))
    assert view["state"] == "applied", view
    assert _bytes(scene, editor, "a.txt") == "grün\nTWO\n".encode("latin-1")


def test_an_executable_and_a_binary_are_written_by_the_server(desk: tuple[Scene, Neovim]) -> None:
    scene, editor = desk
    scene.write("run", "#!/bin/sh\n")
    scene.write("image", b"\0\1\2")
    view = _apply_unopened(scene, editor, "sh -c 'chmod +x run; printf \"\\000\\003\" > image'")
    assert view["state"] == "applied", view
    assert scene.path("run").stat().st_mode & 0o111
    assert scene.path("image").read_bytes() == b"\0\3"
