"""Decisions of the plugin that touch nothing: tables of what is given and what comes out."""

from __future__ import annotations

from typing import Any

import pytest

from tests.editors.neovim.neovim import Neovim

FRAME = "Content-Length: {}\r\n\r\n{}"


def _fed(lua: Neovim, *chunks: str) -> tuple[list[str], str | None]:
    bodies, rubbish = lua.lua(
        "local decoder = require('sennit.rpc.framing').decoder(); local all, bad = {}, vim.NIL;"
        " for _, chunk in ipairs(...) do local bodies, rubbish = decoder:feed(chunk);"
        " vim.list_extend(all, bodies); bad = rubbish or bad end; return { all, bad }",
        list(chunks),
    )
    return bodies, rubbish


def test_messages_come_out_of_bytes_however_they_are_cut(lua: Neovim) -> None:
    bodies = ["{}", "x" * 9000, "ä"]
    stream = "".join(FRAME.format(len(body.encode()), body) for body in bodies)
    assert _fed(lua, stream) == (bodies, None)
    cut = [stream[place : place + 7] for place in range(0, len(stream), 7)]
    assert _fed(lua, *cut) == (bodies, None)
    assert _fed(lua, *stream[:60]) == (["{}"], None)


@pytest.mark.parametrize(
    "rubbish",
    ["Hello", "Content-Type: x\r\n\r\n", "Content-Length: many\r\n\r\n", "\n", "C" + "x" * 9],
)
def test_what_is_no_message_is_named(lua: Neovim, rubbish: str) -> None:
    bodies, said = _fed(lua, FRAME.format(2, "{}") + rubbish)
    assert bodies == ["{}"]
    assert said == rubbish


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 7), ("utf-16", 4), ("utf-32", 3)])
def test_positions_are_counted_in_every_encoding(
    lua: Neovim, encoding: str, character: int
) -> None:
    place = {
        "start": {"line": 1, "character": character},
        "end": {"line": 1, "character": character},
    }
    changed = lua.lua(
        "return require('sennit.apply.edits').apply(...)",
        "a\r\n€𝄞b\n", [{"range": place, "newText": "!"}], encoding,
    )  # fmt: skip
    assert (
        changed
        == {"utf-8": "a\r\n€𝄞!b\n", "utf-16": "a\r\n€𝄞b!\n", "utf-32": "a\r\n€𝄞b!\n"}[encoding]
    )


def _edit(first: tuple[int, int], last: tuple[int, int], new: str) -> dict[str, Any]:
    return {
        "range": {
            "start": {"line": first[0], "character": first[1]},
            "end": {"line": last[0], "character": last[1]},
        },
        "newText": new,
    }


@pytest.mark.parametrize(
    ("text", "edits", "wanted"),
    [
        ("a\nb\n", [_edit((1, 0), (2, 0), "")], "a\n"),
        ("a\nb\n", [_edit((2, 0), (2, 0), "c\n")], "a\nb\nc\n"),
        ("a\nb", [_edit((1, 1), (1, 1), "\n")], "a\nb\n"),
        ("", [_edit((0, 0), (0, 0), "a\n")], "a\n"),
        ("a\rb\r", [_edit((1, 0), (1, 1), "B")], "a\rB\r"),
        ("ab", [_edit((0, 1), (0, 1), "1"), _edit((0, 1), (0, 1), "2")], "a12b"),
        ("a\nb\nc\n", [_edit((2, 0), (2, 1), "C"), _edit((0, 0), (0, 1), "A")], "A\nb\nC\n"),
        ("ab", [_edit((0, 0), (0, 2), ""), _edit((0, 1), (0, 2), "")], None),
        ("ab", [_edit((0, 3), (0, 3), "x")], None),
    ],
)
def test_edits_are_exact_or_refused(
    lua: Neovim, text: str, edits: list[dict[str, Any]], wanted: str | None
) -> None:
    changed = lua.lua("return (require('sennit.apply.edits').apply(...))", text, edits, "utf-8")
    assert changed == wanted


@pytest.mark.parametrize(
    ("live", "start", "count", "wanted"),
    [
        ("abcdef", 2, 1, (2, 3)),
        ("xyabcdef", 2, 1, (4, 5)),
        ("cdef", 2, 1, (0, 1)),
        ("abCdef", 2, 1, (2, 3)),
        ("abef", 2, 2, (2, 2)),
        ("abcdefg", 6, 0, (7, 7)),
        ("", 2, 1, (0, 0)),
    ],
)
def test_hunks_are_found_again_in_the_live_text(
    lua: Neovim, live: str, start: int, count: int, wanted: tuple[int, int]
) -> None:
    (place,) = lua.lua(
        "local base, live, range = ...;"
        " return require('sennit.review.anchors').place(base, live, { range })",
        list("abcdef"),
        list(live),
        {"start": start, "count": count},
    )
    assert (place["first"], place["last"]) == wanted


BASE = {
    "repository": "file:///repo", "head": "0123456789abcdef", "branch": "main",
    "modified": ["a"], "unsaved": ["b"],
    "leftOut": [{"path": f"big{number}", "reason": "tooLarge"} for number in range(7)],
}  # fmt: skip


def test_details_tell_notes_and_what_the_base_held_and_how_the_workspace_was_made(
    lua: Neovim,
) -> None:
    run = {
        "run": {"id": "r", "state": "captured", "resumed": False},
        "argv": ["sh", "-c", "a\nb"], "folder": "/w", "prompt": "do", "agent": "peer",
        "workspace": {"kind": "checkout", "refused": ["overlay: no user namespaces"]},
    }  # fmt: skip
    details = {
        "task": {"id": "a", "state": "completed", "agent": "peer", "flags": ["sourceDrift"],
                 "notices": [{"message": "Told twice."}], "followedBy": "t"},
        "ticket": {"id": "t", "notices": [{"message": "Of all."}], "bases": [BASE]},
        "proposal": {"notices": [{"message": "Odd.", "path": "a.txt"}]},
        "run": run, "events": [],
    }  # fmt: skip
    lines = lua.lua("return require('sennit.details').lines(...)", details)
    assert lines[:7] == [
        "a: completed, by peer", "your files changed meanwhile", "done again in this ticket",
        "note: Told twice.", "note: a.txt: Odd.", "note: Of all.",
        "base: 0123456789 (main), 1 modified, 1 unsaved",
    ]  # fmt: skip
    assert lines[7:13].count("left out: 2 more paths") == 1
    for line in ("command line: sh -c a b", "workspace: checkout",
                 "  not by overlay: no user namespaces"):  # fmt: skip
        assert line in lines
    assert any(line.startswith("session: a new one") for line in lines)


def test_what_happened_to_a_ticket_as_a_whole_is_told_of_each_task(lua: Neovim) -> None:
    events = [{"message": "all"}, {"message": "mine", "task": "a"}, {"message": "no", "task": "b"}]
    told = lua.lua("return require('sennit.details').events_of(...)", events, "a")
    assert [one["message"] for one in told] == ["all", "mine"]


def test_the_panel_of_a_review_has_flags_and_notes_in_its_width(lua: Neovim) -> None:
    notices = [{"message": f"{name} is somewhat longer than the panel is."} for name in "abcde"]
    summary = {"id": "p", "task": "one", "integration": "clean", "application": "none",
               "flags": ["headMoved"]}  # fmt: skip
    view = {"summary": summary, "notices": notices}
    lines = lua.lua(
        "local view = ...; return vim.tbl_map(function(line) return line.text end,"
        " require('sennit.review.outline').lines({ title = 't', proposals = { view } }))",
        view,
    )
    assert lines[3:6] == ["   ! HEAD has moved", "   note: a is somewhat longer than the",
                          "     panel is."]  # fmt: skip
    assert lines[-1] == "   … 2 more notes (K shows all)"
    assert max(map(len, lines)) <= 40


@pytest.mark.parametrize(
    ("progress", "wanted"),
    [
        ({"phase": "running", "elapsedMs": 1400, "lastLine": "half done"}, "1 s, half done"),
        ({"phase": "thinking", "elapsedMs": 400_000, "idleMs": 4000}, "6 min, thinking"),
        ({"phase": "running", "elapsedMs": 9000, "idleMs": 6000}, "9 s, silent for 6 s"),
        (
            {"phase": "running", "elapsedMs": 0, "lastTool": "edit a", "lastLine": "edit a",
             "tools": 3, "usage": {"known": "lowerBound", "input": 900, "output": 600,
             "cost": 0.126, "currency": "USD"}},
            "0 s, at least 1.5k tokens, at least 0.13 USD, edit a (tool 3)",
        ),
    ],
)  # fmt: skip
def test_progress_is_told_in_few_words(lua: Neovim, progress: dict[str, Any], wanted: str) -> None:
    assert lua.lua("return require('sennit.progress').words(...)", progress) == wanted


def test_what_was_said_and_not_heard_is_told_with_the_reason(lua: Neovim) -> None:
    told = "return require('sennit.speaking').receipt(...)"
    refused = {"receipt": "notApplied"}
    assert "its agent has ended" in lua.lua(told, refused, "a", {"state": "completed"})
    assert "has not started" in lua.lua(told, refused, "a", {"state": "queued"})
    assert lua.lua(told, {**refused, "message": "Why."}, "a") == "a was not told: Why."


def test_a_selection_with_fences_is_fenced_by_longer_ones(lua: Neovim) -> None:
    text = lua.lua("return require('sennit.draft').context('a.md', 1, 1, { '```' })")
    assert text.splitlines()[1:] == ["````", "```", "````"]


def test_restarts_wait_longer_each_time_and_then_stop(lua: Neovim) -> None:
    delays = lua.lua(
        "local history = { attempts = 0, last_start_ms = 0 }; local found = {};"
        " for _, now in ipairs({ 10, 20, 30, 1000, 1010 }) do local delay;"
        " delay, history = require('sennit.restart').next(history, now, { 1, 5 }, 500);"
        " found[#found + 1] = delay or 'never' end; return found"
    )
    assert delays == [1, 5, "never", 1, 5]


def test_text_of_agents_becomes_one_plain_line(lua: Neovim) -> None:
    assert lua.lua("return require('sennit.plain').line(...)", " a\x1b[31m\r\nb\t") == "a [31m b"
    assert lua.lua("return require('sennit.plain').line('ääää', 3)") == "ää…"
    hidden = "a\u202eb\u2066c\u009b31md\u200f"
    assert lua.lua("return require('sennit.plain').line(...)", hidden) == "abc31md"
    assert lua.lua("return require('sennit.plain').lines(...)", hidden) == ["abc31md"]


@pytest.mark.parametrize(
    ("one", "wanted"),
    [
        ({"integration": "clean", "review": "offered", "application": "none", "files": 1}, True),
        ({"integration": "conflict", "review": "offered", "application": "none", "files": 1}, True),
        ({"integration": "clean", "review": "rejected", "application": "none", "files": 1}, False),
        (
            {"integration": "clean", "review": "accepted", "application": "applied", "files": 1},
            False,
        ),
        (
            {"integration": "noChanges", "review": "offered", "application": "none", "files": 0},
            False,
        ),
    ],
)
def test_a_proposal_is_open_until_it_is_decided(
    lua: Neovim, one: dict[str, Any], *, wanted: bool
) -> None:
    assert lua.lua("return require('sennit.state').is_open(...)", one) is wanted


@pytest.mark.parametrize(
    ("text", "options", "rest"),
    [
        ("agent=peer session=fresh  begin=live do it", 3, "do it"),
        ("session=fresh", 1, ""),
        ("do it with agent=peer", 0, "do it with agent=peer"),
        ("colour=blue please", 0, "colour=blue please"),
    ],
)
def test_options_of_a_follow_up_stand_before_its_words(
    lua: Neovim, text: str, options: int, rest: str
) -> None:
    read = "local a, b, c = require('sennit.following').options(...); return { a, b, c }"
    found, left = lua.lua(read, text)
    assert (len(found), left) == (options, rest)


def test_an_option_of_a_follow_up_that_cannot_be_meant_is_named(lua: Neovim) -> None:
    read = "return select(3, require('sennit.following').options('begin=never do it'))"
    assert lua.lua(read) == "`begin` must be `work` or `live` and is `never`"


def test_a_row_tells_how_many_things_an_agent_asks(lua: Neovim) -> None:
    questions = [{"id": one, "text": f"{one}?"} for one in ("q1", "q2", "q3")]
    questions[0]["answer"] = "yes"
    task = {"id": "a", "state": "waiting", "agent": "peer", "questions": questions}
    rows = lua.lua(
        "local task = ...; return require('sennit.ui.ticket_rows').lines({"
        " tickets = function() return { { id = 't', state = 'running' } } end,"
        " tasks = function() return { task } end, proposals = function() return {} end })",
        task,
    )
    assert rows[1]["text"].endswith("asks: q2? (and 1 more)")


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("slot", "for a slot"), ("dependency", "for a dependency"), ("retry", "for a retry"),
        ("provider", "for its provider"), ("model", "for its model"), ("agent", "for its agent"),
    ],
)  # fmt: skip
def test_a_queued_task_says_what_it_waits_for(lua: Neovim, what: str, words: str) -> None:
    rows = lua.lua(
        "local task = ...; return require('sennit.ui.ticket_rows').lines({"
        " tickets = function() return { { id = 't', state = 'running' } } end,"
        " tasks = function() return { task } end, proposals = function() return {} end })",
        {"id": "a", "state": "queued", "agent": "peer", "queuedFor": what},
    )
    assert rows[1]["text"].endswith(words)


def test_a_row_tells_flags_and_notes_and_as_which_one_a_task_was_done_again(lua: Neovim) -> None:
    first = {
        "id": "a", "state": "completed", "agent": "peer", "followedBy": "t",
        "flags": ["sourceDrift", "outputTruncated"], "notices": [{"message": "Odd."}],
    }  # fmt: skip
    again = {"id": "a-again", "state": "running", "agent": "peer",
             "following": {"ticket": "t", "task": "a"}}  # fmt: skip
    summary = {"id": "p", "ticket": "t", "task": "a", "integration": "clean", "review": "offered",
               "application": "none", "flags": ["sourceDrift"]}  # fmt: skip
    rows = lua.lua(
        "local tasks, proposal = ...; return require('sennit.ui.ticket_rows').lines({"
        " tickets = function() return { { id = 't', state = 'running' } } end,"
        " tasks = function() return tasks end, proposals = function() return { proposal } end })",
        [first, again], summary,
    )  # fmt: skip
    text = rows[1]["text"]
    assert text.count("! your files changed meanwhile") == 1
    assert text.endswith("! output cut  1 note (K)  done again as a-again")


def test_the_newest_ticket_is_the_one_dispatched_last_whatever_the_clock_said(lua: Neovim) -> None:
    tickets = {
        "earlier": {"id": "earlier", "made": 7, "createdAt": "2026-01-02T00:00:00.000Z"},
        "later": {"id": "later", "made": 9, "createdAt": "2026-01-01T00:00:00.000Z"},
        "of an older server": {"id": "of an older server", "createdAt": "2026-01-03T00:00:00.000Z"},
    }
    listed = lua.lua(
        "local state = require('sennit.state'); local before = state.known.tickets;"
        "state.known.tickets = ...; local all = state.tickets(); state.known.tickets = before;"
        "return vim.tbl_map(function(one) return one.id end, all)",
        tickets,
    )
    assert listed == ["later", "earlier", "of an older server"]
