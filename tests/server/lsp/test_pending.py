from __future__ import annotations

import pytest

from sennit.core.text_edits import text_edits
from sennit.server.lsp.pending import moved_line

LINES = "a\nb\nc\nd\n"


@pytest.mark.parametrize(("now", "line", "wanted"), [
    (LINES, 2, 2),
    ("x\ny\n" + LINES, 2, 4),
    ("x\n" + LINES, 0, 1),
    ("c\nd\n", 2, 0),
    ("A\nb\nc\nd\n", 3, 3),
    ("a\nb\nc\nd\nmore\n", 2, 2),
    ("a\nb\nnew\nc\nd\n", 2, 3),
])  # fmt: skip
def test_a_line_is_found_again_in_the_text_as_it_is_now(now: str, line: int, wanted: int) -> None:
    assert moved_line(line, text_edits(LINES, now)) == wanted
