from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sennit.core.front_matter import head_of


def head(*lines: str) -> object:
    found = head_of("\n".join(("---", *lines, "---", "body")))
    assert found is not None
    assert found[1] == "body"
    return found[0]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["name: fixer"], {"name": "fixer"}),
        (["name:"], {"name": ""}),
        (['name: "a: b"', "other: 'it''s'"], {"name": "a: b", "other": "it's"}),
        ([r'name: "a\nb \"c\" \\"'], {"name": 'a\nb "c" \\'}),
        (["description: Use it when: asked. # no comment"],
         {"description": "Use it when: asked. # no comment"}),
        (["tools: Read, Grep"], {"tools": "Read, Grep"}),
        (["tools: [Read, 'Grep', ]"], {"tools": ("Read", "Grep")}),
        (["tools:", "  - Read", "- Grep"], {"tools": ("Read", "Grep")}),
        (["text: |", "  one", "  two"], {"text": "one\ntwo"}),
        (["text: >-", "  one", "  two"], {"text": "one two"}),
        (["text: one", "  two"], {"text": "one two"}),
        (["# comment", "a: 1", "a: 2", "nonsense"], {"a": "1"}),
        (["key-with_all: x"], {"key-with_all": "x"}),
        ([], {}),
    ],
)  # fmt: skip
def test_keys_of_a_head_are_texts_or_lists(lines: list[str], expected: object) -> None:
    assert head(*lines) == expected


@pytest.mark.parametrize(
    "text", ["", "name: x", "---", "---\nname: x\n", "--- x\n---\n", "\n---\na: 1\n---\n"]
)
def test_a_text_without_a_whole_head_has_none(text: str) -> None:
    assert head_of(text) is None


def test_line_ends_of_windows_and_a_mark_at_the_beginning_change_nothing() -> None:
    assert head_of("\ufeff---\r\nname: x\r\n---\r\nbody\r\n") == ({"name": "x"}, "body\n")


def test_only_the_first_lines_of_dashes_are_the_head() -> None:
    assert head_of("---\na: 1\n---\nb\n---\nc") == ({"a": "1"}, "b\n---\nc")


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    head_of(text)
    head_of(f"---\n{text}\n---\n")
