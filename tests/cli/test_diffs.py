from __future__ import annotations

from attrs import evolve

from sennit.cli.diffs import file_lines, headline, proposal_lines, unit_lines
from sennit_protocol.conflicts import SuggestionKind, Take
from sennit_protocol.proposals import SettledView, UnitKind
from sennit_protocol.states import (
    ApplicationState,
    Decision,
    Integration,
    Review,
    UnitFlag,
)
from tests.cli.builders import a_conflict, a_file, a_hunk, a_proposal

BASE = [f"line {number}" for number in range(10)]


def test_a_hunk_is_shown_with_its_place_and_the_lines_around_it() -> None:
    file = a_file("a.py", a_hunk(start=4, before="line 4\n", after="x\ny\n"), base_uri="b")
    lines = [line.plain for line in unit_lines(file, file.units[0], {"b": BASE})]
    assert lines == [
        "@@ -2,7 +2,8 @@",
        " line 1",
        " line 2",
        " line 3",
        "-line 4",
        "+x",
        "+y",
        " line 5",
        " line 6",
        " line 7",
    ]


def test_at_the_ends_of_a_file_the_head_counts_only_what_is_shown() -> None:
    first, last = a_hunk("u1", 0, "line 0\n"), a_hunk("u2", 9, "line 9\n")
    file = a_file("a.py", first, last, base_uri="b")
    heads = [next(unit_lines(file, unit, {"b": BASE})).plain for unit in file.units]
    assert heads == ["@@ -1,4 +1,4 @@", "@@ -7,4 +7,4 @@"]


def test_an_insertion_into_shown_lines_counts_from_the_first_of_them() -> None:
    file = a_file("a.py", a_hunk(start=5, before="", after="x\n"), base_uri="b")
    assert next(unit_lines(file, file.units[0], {"b": BASE})).plain == "@@ -3,6 +3,7 @@"


def test_of_hunks_that_are_near_each_other_no_line_is_shown_twice() -> None:
    hunks = [a_hunk(f"u{start}", start, f"line {start}\n") for start in (1, 3, 4, 9)]
    file = a_file("a.py", *hunks, base_uri="b")
    lines = [line.plain for line in file_lines(file, {"b": BASE})][1:]
    assert [line for line in lines if line.startswith("@@")] == [
        "@@ -1,3 +1,3 @@",
        "@@ -4,1 +4,1 @@",
        "@@ -5,4 +5,4 @@",
        "@@ -9,2 +9,2 @@",
    ]
    before = [line[1:] for line in lines if line[0] in " -"]
    assert before == BASE


def test_hunks_that_are_far_from_each_other_have_their_lines_around_them() -> None:
    base = [f"line {number}" for number in range(30)]
    hunks = [a_hunk(f"u{start}", start, f"line {start}\n") for start in (5, 20)]
    file = a_file("a.py", *hunks, base_uri="b")
    heads = [line.plain for line in file_lines(file, {"b": base}) if line.plain[:2] == "@@"]
    assert heads == ["@@ -3,7 +3,7 @@", "@@ -18,7 +18,7 @@"]


def test_a_headline_tells_what_was_decided_and_applied() -> None:
    summary = a_proposal("t", review=Review.ACCEPTED).summary
    assert headline(summary).plain.endswith("clean  accepted")
    applied = evolve(summary, application=ApplicationState.APPLIED)
    assert headline(applied).plain.endswith("clean  accepted  applied")
    assert headline(a_proposal("t").summary).plain.endswith("  clean")


def test_an_insertion_names_the_line_before_it_as_patches_do() -> None:
    file = a_file("a.py", a_hunk(start=2, before="", after="x\n"))
    assert next(unit_lines(file, file.units[0], {})).plain == "@@ -2,0 +3,1 @@"


def test_a_missing_last_newline_is_said() -> None:
    file = a_file("a.py", a_hunk(before="old\n", after="new"))
    lines = [line.plain for line in unit_lines(file, file.units[0], {})]
    assert lines[-2:] == ["+new", "\\ no newline at the end"]


def test_added_and_removed_lines_differ_in_colour() -> None:
    file = a_file("a.py", a_hunk())
    styles = {line.plain: str(line.style) for line in unit_lines(file, file.units[0], {})}
    assert (styles["-old"], styles["+new"]) == ("red", "green")


def test_flags_decisions_and_conflicts_of_a_unit_are_told() -> None:
    unit = a_hunk(
        decision=Decision.ACCEPTED, conflict="the text changed", flags=(UnitFlag.SENSITIVE,)
    )
    lines = [line.plain for line in unit_lines(a_file("a", unit), unit, {})]
    assert lines[0].endswith("accepted")
    assert "  look: a sensitive file" in lines
    assert "  conflict: the text changed" in lines


def test_every_kind_of_unit_and_every_flag_has_words() -> None:
    for kind in UnitKind:
        unit = evolve(a_hunk(), kind=kind, flags=tuple(UnitFlag))
        lines = list(unit_lines(a_file("a", unit), unit, {}))
        assert len(lines) > len(UnitFlag)


def test_a_conflict_is_explained_before_the_changes() -> None:
    view = a_proposal(
        "second",
        a_file("a.py", a_hunk()),
        integration=Integration.CONFLICT,
        conflicts=(a_conflict("a.py"),),
    )
    lines = [line.plain for line in proposal_lines(view, {})]
    assert lines[1:4] == [
        "  conflict in a.py (content)",
        "    Both change line 1.",
        "    it collides with: first",
    ]


def test_names_cannot_act_on_the_terminal() -> None:
    view = a_proposal("t", a_file("a\x1b[2J\nb", a_hunk(after="x\x1b]0;t\x07\n")))
    text = "\n".join(line.plain for line in proposal_lines(view, {}))
    assert "\x1b" not in text
    assert "a\\x1b[2J\\nb" in text


def test_files_that_the_server_left_out_are_counted() -> None:
    view = evolve(a_proposal("t", a_file("a", a_hunk())), files_total=7)
    assert list(proposal_lines(view, {}))[-1].plain == "… and 6 more files"


def test_a_settled_file_says_how_and_that_it_is_decided_as_a_whole() -> None:
    file = evolve(a_file("a.py", a_hunk()), settled=SettledView(Take.SUGGESTION, _IMPORTS))
    lines = [line.plain for line in file_lines(file, {})]
    assert lines[1] == "  as settled (imports); it is decided as a whole"
    assert "+new" in lines


def test_a_settled_file_that_puts_nothing_in_says_so_in_place_of_a_hunk() -> None:
    nothing = a_hunk(start=0, before="", after="")
    file = evolve(a_file("a.py", nothing), settled=SettledView(Take.OURS))
    lines = [line.plain for line in file_lines(file, {})]
    assert lines[1:] == [
        "  as settled (ours); it is decided as a whole",
        "  nothing goes in here: what is there stays",
    ]


_IMPORTS = SuggestionKind.IMPORTS


def test_a_file_that_is_no_text_says_so_whatever_becomes_of_it() -> None:
    for kind in (UnitKind.CREATE, UnitKind.DELETE, UnitKind.RENAME, UnitKind.BINARY):
        unit = evolve(a_hunk(before="", after=""), kind=kind)
        file = evolve(a_file("b.bin", unit), binary=True)
        assert " binary file" in next(unit_lines(file, unit, {})).plain
