"""Minimal edits between two texts."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sennit.core.text import Position, TextIndex
from sennit.core.text_edits import TextEdit, apply_text_edits, text_edits

LINES = st.lists(
    st.sampled_from(["a\n", "b\n", "é😀\r\n", "a\r\n", "\n", "\r\n", "\r", "same line\n"]),
    max_size=12,
)
TEXTS = st.builds(
    lambda lines, end: "".join(lines) + end, LINES, st.sampled_from(["", "tail", "\r"])
)
TEXTS = TEXTS | st.text("ab\r\n😀", max_size=25)


@given(TEXTS, TEXTS)
def test_edits_applied_to_before_give_exactly_after(before: str, after: str) -> None:
    assert apply_text_edits(before, text_edits(before, after)) == after


@given(TEXTS, TEXTS)
def test_no_position_is_named_by_two_edits(before: str, after: str) -> None:
    for edit, following in pairwise(text_edits(before, after)):
        assert edit.start <= edit.end < following.start


@given(TEXTS, TEXTS)
def test_no_edit_begins_or_ends_between_cr_and_lf(before: str, after: str) -> None:
    index = TextIndex(before)
    for edit in text_edits(before, after):
        for position in (edit.start, edit.end):
            assert index.position(index.offset(position)) == position


@given(TEXTS, TEXTS)
def test_no_new_text_begins_or_ends_between_cr_and_lf(before: str, after: str) -> None:
    index = TextIndex(before)
    grown = 0
    for edit in text_edits(before, after):
        start = index.offset(edit.start) + grown
        end = start + len(edit.new_text)
        assert "\r\n" not in {after[start - 1 : start + 1], after[end - 1 : end + 1]}
        grown = end - index.offset(edit.end)


@given(TEXTS)
def test_equal_texts_need_no_edit(text: str) -> None:
    assert text_edits(text, text) == ()


@given(TEXTS, TEXTS)
def test_too_many_edits_become_one_range(before: str, after: str) -> None:
    edits = text_edits(before, after, most=1)
    assert len(edits) <= 1
    assert apply_text_edits(before, edits) == after


def test_a_changed_word_is_an_edit_of_that_word() -> None:
    edits = text_edits("one two three\nfour\n", "one 2 three\nfour\n")
    assert edits == (TextEdit(Position(0, 4), Position(0, 7), "2"),)


def test_each_of_several_changed_lines_keeps_what_it_has() -> None:
    edits = text_edits("a = 1\nb = 1\n", "a = 2\nb = 3\n")
    assert [edit.new_text for edit in edits] == ["2", "3"]


def test_a_final_newline_is_added_and_removed_alone() -> None:
    assert text_edits("a", "a\n") == (TextEdit(Position(0, 1), Position(0, 1), "\n"),)
    assert text_edits("a\n", "a") == (TextEdit(Position(0, 1), Position(1, 0), ""),)


def test_an_inserted_line_of_many_is_one_insertion() -> None:
    before = "".join(f"line {n}\n" for n in range(5_000))
    after = before.replace("line 17\n", "line 17\nnew\n").replace("line 4000\n", "")
    edits = text_edits(before, after)
    assert len(edits) == 2
    assert apply_text_edits(before, edits) == after


def test_texts_that_share_nothing_are_one_range() -> None:
    before = "".join(f"old {n}\n" for n in range(3_000))
    after = "".join(f"new {n * 7}\n" for n in range(2_999))
    assert len(text_edits(before, after)) == 1
