"""Suggestions for clashes: which rule answers what, and what all of them keep."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sennit.core.objects import Hunk
from sennit.core.suggestions import favoured, suggestions
from sennit.core.text import git_lines
from sennit.core.three_way import Agreed, Clash, ThreeTexts, pieces, regions
from sennit_protocol.conflicts import Side, SuggestionKind


def hunks(base: list[bytes], side: list[bytes]) -> tuple[Hunk, ...]:
    found = SequenceMatcher(None, base, side, autojunk=False).get_opcodes()
    return tuple(Hunk(a, b - a, c, d - c) for tag, a, b, c, d in found if tag != "equal")


def three(base: bytes, ours: bytes, theirs: bytes) -> ThreeTexts:
    b, o, t = git_lines(base), git_lines(ours), git_lines(theirs)
    return ThreeTexts(tuple(b), tuple(o), tuple(t), hunks(b, o), hunks(b, t))


def suggested(base: str, ours: str, theirs: str) -> dict[SuggestionKind, str]:
    made = suggestions(three(base.encode(), ours.encode(), theirs.encode()))
    return {one.kind: one.content.decode() for one in made}


K = SuggestionKind


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected"),
    [
        ("a\nb\nc\n", "A\nb\nc\n", "a\nB\nc\n", {K.ADJACENT_EDITS: "A\nB\nc\n"}),
        ("a\nb\n", "x\nb\n", "y\nb\n", {}),
        ("a\nb\n", "a\nx\nb\n", "a\nx\ny\nb\n", {K.ONE_HOLDS_MORE: "a\nx\ny\nb\n"}),
        ("a\nb\n", "A\nb\n", "A\n", {K.ONE_HOLDS_MORE: "A\n"}),
        (
            "a\nb\n",
            "a\nx\nb\n",
            "a\ny\nb\n",
            {K.OURS_THEN_THEIRS: "a\nx\ny\nb\n", K.THEIRS_THEN_OURS: "a\ny\nx\nb\n"},
        ),
        (
            "import a\nimport m\n",
            "import a\nimport b\nimport m\n",
            "import a\nimport c\nimport m\n",
            {
                K.IMPORTS: "import a\nimport b\nimport c\nimport m\n",
                K.THEIRS_THEN_OURS: "import a\nimport c\nimport b\nimport m\n",
            },
        ),
        (
            "import a\n1\n2\n3\n4\nx\ny\n",
            "import a\nimport b\n1\n2\n3\n4\nX\ny\n",
            "import a\nimport c\n1\n2\n3\n4\nx\nY\n",
            {K.EACH_ITS_OWN: "import a\nimport b\nimport c\n1\n2\n3\n4\nX\nY\n"},
        ),
        # A line that one deleted and the other changed is nobody's better version.
        ("a\nb\nc\n", "a\nc\n", "a\nB\nc\n", {}),
        ("end", "end\nours", "end\ntheirs", {}),
    ],
)
def test_a_clash_is_answered_by_its_rules(
    base: str, ours: str, theirs: str, expected: dict[SuggestionKind, str]
) -> None:
    assert suggested(base, ours, theirs) == expected


def test_a_side_counts_only_where_the_sides_clash() -> None:
    texts = three(b"a\nb\nc\nd\ne\n", b"A\nb\nO\nd\ne\n", b"a\nb\nT\nd\nE\n")
    assert favoured(texts, Side.OURS) == b"A\nb\nO\nd\nE\n"
    assert favoured(texts, Side.THEIRS) == b"A\nb\nT\nd\nE\n"
    assert favoured(texts, Side.BASE) == b"A\nb\nc\nd\nE\n"
    assert [one.base_start for one in regions(texts)] == [2]
    assert favoured(three(b"a\n", b"a\n", b"b\n"), Side.OURS) is None


LINES = st.lists(st.sampled_from([b"1\n", b"2\n", b"3\n", b"import x\n", b"\n"]), max_size=8)


@given(LINES, LINES, LINES)
def test_the_pieces_hold_every_line_of_a_side_and_no_other(
    base: list[bytes], ours: list[bytes], theirs: list[bytes]
) -> None:
    texts = three(b"".join(base), b"".join(ours), b"".join(theirs))
    cut = pieces(texts)
    clashes = [piece for piece in cut if isinstance(piece, Clash)]
    for clash in clashes:
        region = clash.region
        assert texts.base[region.base_start :][: region.base_count] == clash.base
        assert texts.ours[region.ours_start :][: region.ours_count] == clash.ours
        assert texts.theirs[region.theirs_start :][: region.theirs_count] == clash.theirs
        assert clash.ours != clash.theirs
    if ours == base:
        assert b"".join(line for piece in cut for line in _agreed(piece)) == b"".join(theirs)
    if ours == theirs:
        assert b"".join(line for piece in cut for line in _agreed(piece)) == b"".join(ours)


def _agreed(piece: Agreed | Clash) -> tuple[bytes, ...]:
    assert isinstance(piece, Agreed)
    return piece.lines


@given(LINES, LINES, LINES)
def test_no_suggestion_invents_a_line_or_leaves_out_what_both_put_in(
    base: list[bytes], ours: list[bytes], theirs: list[bytes]
) -> None:
    known = {*base, *ours, *theirs}
    for one in suggestions(three(b"".join(base), b"".join(ours), b"".join(theirs))):
        lines = set(git_lines(one.content))
        assert lines <= known
        assert (set(ours) & set(theirs)) - set(base) <= lines
