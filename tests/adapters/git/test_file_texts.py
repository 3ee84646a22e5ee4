"""A file's bytes after a change: its own line endings stay, its encoding is the one it gets."""

from __future__ import annotations

import pytest

from sennit.adapters.git.file_texts import in_its_own_endings, text_to_save

MARK = b"\xef\xbb\xbf"


def little(text: str) -> bytes:
    return b"\xff\xfe" + text.encode("utf-16-le")


def big(text: str) -> bytes:
    return b"\xfe\xff" + text.encode("utf-16-be")


@pytest.mark.parametrize(("on_disk", "was", "becomes", "wanted"), [
    (MARK + b"a\r\nb\r\n", MARK + b"a\nb\n", b"a\nB\n", b"a\r\nB\r\n"),
    (b"a\r\nb\r\n", b"a\nb\n", MARK + b"a\nB\n", MARK + b"a\r\nB\r\n"),
    (little("a\r\nb\r\n"), little("a\nb\n"), b"a\nB\n", b"a\r\nB\r\n"),
    (little("a\r\nb\r\n"), little("a\nb\n"), big("a\nB\n"), big("a\r\nB\r\n")),
    (little("a\r\nb\r\n"), little("a\nb\n"), little("a\nB\n"), little("a\r\nB\r\n")),
    (MARK + b"a\r\n", MARK + b"a\n", b"", b""),
], ids=["mark goes", "mark comes", "to UTF-8", "other end", "stays", "becomes empty"])  # fmt: skip
def test_a_mark_and_an_encoding_are_those_of_the_new_version(
    on_disk: bytes, was: bytes, becomes: bytes, wanted: bytes
) -> None:
    assert in_its_own_endings(on_disk, was, becomes) == wanted


def test_a_mark_that_a_filter_takes_away_stays_on_the_disk() -> None:
    assert in_its_own_endings(MARK + b"a\r\n", b"a\n", b"a\nb\n") == MARK + b"a\r\nb\r\n"


@pytest.mark.parametrize(("content", "was"), [
    (b"a\n", MARK + b"a\n"),
    (MARK + b"a\n", b"a\n"),
    (MARK + b"a\n", None),
    (b"aaa\n", little("a\n")),
    (big("a\n"), little("a\n")),
    (b"", MARK),
    (b"\0", b"a\n"),
    (b"\xe9\n", b"a\n"),
])  # fmt: skip
def test_an_editor_has_no_text_for_bytes_that_it_would_save_otherwise(
    content: bytes, was: bytes | None
) -> None:
    assert text_to_save(content, was, None) is None


@pytest.mark.parametrize(("content", "was", "told", "wanted"), [
    (b"a\n", None, None, "a\n"),
    (b"a\n", b"b\n", None, "a\n"),
    (MARK + b"a\n", MARK + b"b\n", None, "a\n"),
    (little("a\n"), little("b\n"), None, "a\n"),
    (b"\xe9\n", b"\xe8\n", "latin-1", "\xe9\n"),
    (b"a\n", b"\xe8\n", "latin-1", "a\n"),
    (b"\xe9\n", None, "latin-1", "\xe9\n"),
])  # fmt: skip
def test_the_text_to_save_is_in_the_encoding_that_the_file_has(
    content: bytes, was: bytes | None, told: str | None, wanted: str
) -> None:
    found = text_to_save(content, was, told)
    assert found is not None
    assert found.text == wanted
