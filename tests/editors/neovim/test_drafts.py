"""Drafts of tasks, as they are written in a buffer: read, written again, and what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tests.editors.neovim.neovim import Neovim

DRAFT = """\
# Then an empty line, and what the agent is to do. `:w` dispatches, `:q!` drops.
agent: scribe
model: large one
budget: 20 turns, 1.1k tokens, 0.5 cost, 2 min
access: read
task: first
description: some words
attach: src/a b.py:3-9
attach: p_1
attach: README.md

Do this.

# this is part of the prompt
task: and this too
---

after: first, other

# A title

Then that.

```yaml
---
\\---
```
\\---
\\```
-----

"""


def _read(lua: Neovim, lines: list[str]) -> tuple[list[dict[str, Any]], list[str], dict[str, Any]]:
    drafts, problems, call = lua.lua("return { require('sennit.draft').parse(...) }", lines)
    # An empty table of Lua has no kind.
    return drafts, problems, call or {}


def test_a_draft_is_read_and_written_again(lua: Neovim) -> None:
    read = "return require('sennit.draft').parse(...)"
    drafts, problems, call = _read(lua, DRAFT.splitlines())
    assert (problems, call) == ([], {})
    assert drafts == [
        {"agent": "scribe", "id": "first", "description": "some words", "model": "large one",
         "budget": {"turns": 20, "tokens": 1100, "cost": 0.5, "timeMs": 120_000},
         "access": "read",
         "attach": [{"path": "src/a b.py", "startLine": 3, "endLine": 9}, {"proposal": "p_1"},
                    {"path": "README.md"}],
         "prompt": "Do this.\n\n# this is part of the prompt\ntask: and this too"},
        {"after": ["first", "other"], "prompt": "# A title\n\nThen that."
         "\n\n```yaml\n---\n\\---\n```\n---\n```"},
    ]  # fmt: skip
    written = lua.lua("return require('sennit.draft').format(...)", drafts)
    assert lua.lua(read, written) == drafts


FOR_ALL = ["label: rename all", "conflict: follow", "order: fewestConflicts", "concurrent: 2",
           "agent: peer", "deadline: 10 min", "---", "writes: src/**, docs/**", "", "x", "---",
           "y"]  # fmt: skip


def test_a_first_part_of_headers_alone_is_for_all_tasks(lua: Neovim) -> None:
    drafts, problems, call = _read(lua, FOR_ALL)
    assert problems == []
    assert call == {
        "label": "rename all", "onConflict": "follow", "order": "fewestConflicts",
        "maxConcurrent": 2, "defaults": {"agent": "peer", "deadlineMs": 600_000},
    }  # fmt: skip
    assert drafts == [{"writes": ["src/**", "docs/**"], "prompt": "x"}, {"prompt": "y"}]
    written = lua.lua("return require('sennit.draft').format(...)", drafts, call)
    assert _read(lua, written) == (drafts, [], call)
    assert _read(lua, ["offer: manual", "", "x"])[2] == {"offer": "manual"}


def test_what_a_draft_cannot_mean_is_named_with_its_line(lua: Neovim) -> None:
    lines = [
        "agent: a", "attach: a.py:9-3", "retries: some", "", "x", "---",
        "budget: 3 apples, 1 s", "access: all", "idle: long", "conflict: follow", "", "y",
    ]  # fmt: skip
    _, problems, _ = _read(lua, lines)
    assert [" ".join(one.split(" ")[:3]) for one in problems] == [
        "line 2: `a.py:9-3`", "line 3: `some`", "line 7: `3", "line 8: `access`", "line 9: `long`",
        "line 10: `conflict`",
    ]  # fmt: skip
    _, problems, _ = _read(lua, ["agent: a", "task: one", "---", "y"])
    assert problems == ["line 2: `task` is about one task, and this part is for all"]


def test_what_goes_along_with_a_task_is_a_file_of_the_folder_or_a_proposal(lua: Neovim) -> None:
    places = [{"path": "a b", "startLine": 1, "endLine": 2}, {"path": "/c"}, {"proposal": "p_1"}]
    [task] = lua.lua(
        "return require('sennit.draft').tasks(...)",
        [{"prompt": "x", "attach": places}], {"role": "review"}, "/repo",
    )  # fmt: skip
    assert (task["role"], task["cwd"]) == ("review", "file:///repo")
    assert task["attach"] == [
        {"uri": "file:///repo/a%20b", "startLine": 1, "endLine": 2},
        {"uri": "file:///c"},
        {"proposal": "p_1"},
    ]


def _problems(lua: Neovim, *lines: str) -> list[str]:
    return _read(lua, list(lines))[1]


SO = "If the prompt begins so, put {} above it"


def test_a_header_that_there_is_not_is_refused_and_the_nearest_is_named(lua: Neovim) -> None:
    below, first = SO.format("an empty line"), SO.format("`agent:` and an empty line")
    assert _problems(lua, "agent: a", "budgt: 20 turns", "", "x") == [
        f"line 2: there is no header `budgt`; the nearest is `budget`. {below}"
    ]
    assert _problems(lua, "x", "---", "axcess: read", "role: review", "", "y") == [
        f"line 3: there is no header `axcess`; the nearest is `access`. {first}"
    ]
    assert _problems(lua, "labol: both", "---", "x") == [
        f"line 1: there is no header `labol`; the nearest is `label`. {first}"
    ]
    (told,) = _problems(lua, "agent: a", "bogus: x", "", "y")
    assert told.startswith("line 2: there is no header `bogus`; there are: agent, role, model,")
    assert [one.split(";")[0] for one in _problems(lua, "Agent: a", "after_all:", "", "x")] == [
        "line 1: there is no header `Agent`", "line 2: there is no header `after_all`",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "head",
    [
        ["agent: a", "", "bogus: x"],
        ["agent:", "", "axcess: read"],
        ["fix: it", "docs: too"],
        ["agent: a", "https://example.invalid says how"],
        ["agent: a", "std::move it"],
        ["agent: a", "Do it.", "bogus: x"],
    ],
)
def test_a_prompt_can_begin_with_a_word_and_a_colon(lua: Neovim, head: list[str]) -> None:
    drafts, problems, _ = _read(lua, head)
    assert problems == []
    assert (
        drafts[0]["prompt"]
        == "\n".join(head).removeprefix("agent: a\n").removeprefix("agent:\n").strip()
    )
    written = lua.lua("return require('sennit.draft').format(...)", drafts)
    assert _read(lua, written)[:2] == (drafts, [])


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [("", "", 0), ("a", "", 1), ("", "ab", 2), ("role", "role", 0), ("roel", "role", 1),
     ("axcess", "access", 1), ("attaach", "attach", 1), ("ab", "ba", 1), ("test", "task", 2),
     ("kitten", "sitting", 3)],
)  # fmt: skip
def test_slips_are_counted_by_letters(lua: Neovim, one: str, other: str, distance: int) -> None:
    assert lua.lua("return require('sennit.spelling').distance(...)", one, other) == distance
