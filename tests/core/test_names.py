"""Names that are refused, and names that collide."""

from __future__ import annotations

import pytest

from sennit.core.names import collisions, refused


@pytest.mark.parametrize(
    "path",
    [
        b"",
        b"/a",
        b"a//b",
        b"a/",
        b".",
        b"../a",
        b"a/../b",
        b"a\0b",
        b".git",
        b".GiT/config",
        b"a/.git",
        b"git~1",
        b".git.",
        b".git ",
        b".git:x",
        b"x\\.git",
        ".g\u200cit".encode(),
    ],
)  # fmt: skip  one line a kind
def test_a_name_that_leads_elsewhere_or_to_git_is_refused_with_its_reason(path: bytes) -> None:
    assert refused(path)


@pytest.mark.parametrize(
    "path", [b"a", b".github/x", b".gitignore", b"a.git", b"x/.gitattributes", b"\xff", b"a b\nc"]
)
def test_other_names_may_be_written(path: bytes) -> None:
    assert refused(path) is None


def test_names_that_differ_by_case_or_unicode_form_collide() -> None:
    composed, decomposed = "é".encode(), "e\u0301".encode()
    assert collisions([b"A/x", b"a/x", b"b", composed, decomposed, b"\xff", b"\xfe"]) == (
        (b"A/x", b"a/x"),
        (decomposed, composed),
    )
