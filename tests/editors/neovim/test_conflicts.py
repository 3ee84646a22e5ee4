"""Ways to settle a conflict, and the merge of three texts in the editor."""

from __future__ import annotations

from typing import Any

import pytest

from tests.editors.neovim.neovim import Neovim

SIDE = {"mode": "100644", "id": "1", "uri": "sennit:/a"}
CONFLICT = {"kind": "content", "path": "a", "uri": "file:///a", "ours": SIDE, "theirs": SIDE}
GUESS = {"kind": "oursThenTheirs", "sure": "guess", "title": "Keep both."}
LIKELY = {"kind": "adjacentEdits", "sure": "likely", "title": "Take both."}


def _ways(lua: Neovim, conflict: dict[str, Any], *, settled: bool = False) -> list[str]:
    ways = lua.lua("return require('sennit.resolving').ways(...)", conflict, settled)
    return [one["text"].split(":")[0] for one in ways]


def test_likely_suggestions_stand_before_guesses_and_a_text_only_where_both_are_texts(
    lua: Neovim,
) -> None:
    sides = ["ours", "theirs", "base"]
    assert _ways(lua, {**CONFLICT, "suggestions": [GUESS, LIKELY]}) == [
        "suggestion (likely)", "suggestion (a guess)", *sides, "edit", "show the sides",
    ]  # fmt: skip
    bare: list[dict[str, Any]] = [
        {"kind": "nameCollision"},
        {"kind": "renameRename"},
        {"ours": {}},
        {"ours": {**SIDE, "mode": "120000"}},
    ]
    for more in bare:
        assert _ways(lua, {**CONFLICT, **more}) == [*sides, "show the sides"], more
    assert _ways(lua, CONFLICT, settled=True) == ["show the sides", "take the resolution back"]
    own = lua.lua("return require('sennit.resolving').ways(...)", CONFLICT, True, True)
    assert [one["text"] for one in own] == [
        "show the sides", "show what the agent itself has done", "take the resolution back",
    ]  # fmt: skip


def test_after_a_resolution_it_is_told_whether_conflicts_are_left(lua: Neovim) -> None:
    told = "return require('sennit.resolving').standing(...)"
    summary = {"task": "spelling", "integration": "conflict"}
    left = {"summary": summary, "conflicts": [{**CONFLICT, "path": "b"}]}
    assert lua.lua(told, left, CONFLICT) == "a is settled; spelling is still in conflict in b."
    assert "is in conflict" in lua.lua(told, left, {**CONFLICT, "path": "b"})
    clean = {"summary": {**summary, "integration": "clean"}}
    assert lua.lua(told, clean, CONFLICT).endswith("accept it as any other.")
    assert "counts with x" in lua.lua(told, clean, {**CONFLICT, "withTasks": ["x"]})


OURS, MIDDLE, THEIRS = "<<<<<<< what is there\n", "=======\n", ">>>>>>> what is proposed\n"


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ("1\n2\n3\n4\n5\n", "one\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive\n6\n",
         "one\n2\n3\n4\nfive\n6\n"),
        ("1\n2\n3\n", "1\ntwo\n3\n", "1\n2\nthree\n",
         f"1\n{OURS}two\n3\n{MIDDLE}2\nthree\n{THEIRS}"),
        ("1\n2\n", "1\n2\nA\n", "1\n2\nB", f"1\n2\n{OURS}A\n{MIDDLE}B\n{THEIRS}"),
        ("", "a\r\n", "b\r\n", f"{OURS}a\n{MIDDLE}b\n{THEIRS}".replace("\n", "\r\n")),
        ("a\nb", "a\nB", "a\nB", "a\nB"),
        ("a\nb", "a\nb", "x\na\nb\nc", "x\na\nb\nc"),
        ("a\nb\nc\nd\n", "c\nd\n", "a\nb\nc\n", "c\n"),
        ("", "", "", ""),
    ],
)  # fmt: skip
def test_what_goes_together_is_merged_and_what_clashes_stands_between_marks(
    lua: Neovim, base: str, ours: str, theirs: str, merged: str
) -> None:
    merge = "return require('sennit.three_way').merge(...)"
    assert lua.lua(merge, base, ours, theirs) == merged
    has = "return require('sennit.three_way').has_marks(...)"
    assert lua.lua(has, merged.splitlines()) == (THEIRS.strip() in merged)
