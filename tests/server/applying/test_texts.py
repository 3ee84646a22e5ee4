from __future__ import annotations

import pytest

from sennit.core.carried import carried_over
from sennit.server.applying.texts import content_digest, text_digest


@pytest.mark.parametrize(("actual", "before", "after", "wanted"), [
    ("a\nb\n", "a\nb\n", "a\nB\n", "a\nB\n"),
    ("a\r\nb\r\n", "a\nb\n", "a\nB\nc\n", "a\r\nB\r\nc\r\n"),
    ("a\r\nb\nc\r\n", "a\nb\nc\n", "a\nB\nc\n", "a\r\nB\nc\r\n"),
    ("a\r\nb\r\n", "a\nb\n", "b\n", "b\r\n"),
    ("a\r\nb", "a\nb", "a\nb\n", "a\r\nb\n"),
    ("a\nb\n", "a\r\nb\r\n", "a\r\nB\r\nc\r\n", "a\nB\nc\n"),
    ("a\r\nb\n", "a\nb\n", "a\r\nb\n", "a\r\nb\n"),
    ("a\r\nb\n", "a\nb\n", "a\r\nb\r\n", "a\r\nb\r\n"),
    ("a\r\n\r\nb\n", "a\n\nb\n", "A\r\n\r\nb\n", "A\r\n\r\nb\n"),
    ("a\nb\r\n", "a\r\nb\r\n", "a\nb\n", "a\nb\n"),
    ("a\r\nb\r\nc\r\n", "a\nb\nc\n", "a\nb\nc", "a\r\nb\r\nc"),
    ("a\r\nb\r\nc", "a\nb\nc", "a\nb\nc\n", "a\r\nb\r\nc\r\n"),
    ("a\r\nb\r\n", "a\nb\n", "a\n", "a\r\n"),
    ("a\r\nb\r\n", "a\nb\n", "", ""),
    ("a\r\nb\rc\r\n", "a\nb\rc\n", "a\nB\rc\n", "a\r\nB\rc\r\n"),
    ("\ufeffa\r\n", "a\n", "b\n", "\ufeffb\r\n"),
    ("\ufeffa\n", "a\n", "a\n", "\ufeffa\n"),
    ("$Id: 1$\n", "$Id$\n", "$Id$\nx\n", "$Id$\nx\n"),
])  # fmt: skip
def test_changes_are_carried_over_in_the_users_own_line_endings(
    actual: str, before: str, after: str, wanted: str
) -> None:
    assert carried_over(actual, before, after) == wanted


def test_a_byte_order_mark_makes_no_other_text() -> None:
    assert text_digest("\ufeffa") == text_digest("a") == content_digest(b"\xef\xbb\xbfa")


def test_what_is_no_text_is_compared_by_its_bytes() -> None:
    assert content_digest(b"\0\1") != content_digest(b"\0\2")
    assert content_digest(b"\xe9") != content_digest(b"\xea")
