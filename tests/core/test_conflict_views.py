"""What clients are told of conflicts, and of merges that went well but deserve a word."""

from __future__ import annotations

from attrs import evolve

from sennit.core.conflict_views import conflict_view, resolved_views
from sennit.core.objects import MODE_FILE, Conflict, ConflictKind, Entry, Region
from sennit.core.proposal_views import merge_notices
from sennit.core.resolutions import Held, Resolution, Suggested
from sennit_protocol.conflicts import LineRange, SuggestionKind, Sureness, Take
from sennit_protocol.states import Integration
from tests.core.test_proposal_views import revision

ENTRY = Entry(MODE_FILE, "1" * 40)
CONFLICT = Conflict(
    ConflictKind.CONTENT,
    b"a\xff.txt",
    ENTRY,
    evolve(ENTRY, id="2" * 40),
    None,
    paths=(b"a\xff.txt", b"b"),
    regions=(Region(1, 2, 3, 4, 5, 6),),
)


def test_a_conflict_names_kind_paths_sides_and_lines() -> None:
    view = conflict_view(revision(), CONFLICT)
    assert (view.kind, view.paths) == ("content", ("a\\xff.txt", "b"))
    assert view.uri == "file:///repo/a%FF.txt"
    assert (view.ours.mode, view.ours.id) == ("100644", "2" * 40)
    assert view.theirs.id is None
    [region] = view.regions
    assert (region.base, region.ours) == (LineRange(1, 2), LineRange(3, 4))
    assert region.theirs == LineRange(5, 6)
    assert view.resolution is None


def test_a_conflict_names_the_tasks_that_are_in_the_way_there() -> None:
    row = evolve(revision(), conflicts_with=("first", "second"))
    here = conflict_view(row, evolve(CONFLICT, with_tasks=("second",)))
    assert here.with_tasks == ("second",)
    assert here.message.startswith("task-1 and second change")
    unknown = conflict_view(row, CONFLICT)
    assert unknown.with_tasks == ("first", "second")
    assert "what was merged before it" in conflict_view(revision(), CONFLICT).message


def test_a_suggestion_says_what_it_does_and_how_sure_that_is() -> None:
    sure = Suggested(SuggestionKind.ADJACENT_EDITS, Sureness.LIKELY, b"both\n")
    guess = Suggested(SuggestionKind.OURS_THEN_THEIRS, Sureness.GUESS, b"x\n")
    folder = Suggested(SuggestionKind.FOLLOW_FOLDER, Sureness.LIKELY, None, (Held(b"b", ENTRY),))
    first, second, third = conflict_view(revision(), CONFLICT, (sure, guess, folder)).suggestions
    assert "beside each other" in first.title
    assert "Likely right" in first.title
    assert "Only a guess" in second.title
    assert (first.text, third.text) == ("both\n", None)


def test_a_resolution_that_no_longer_counts_is_told_so() -> None:
    resolution = Resolution(CONFLICT, Take.OURS, ())
    row = evolve(revision(), resolutions=(resolution,), conflicts=(CONFLICT,))
    found = conflict_view(row, CONFLICT).resolution
    assert found is not None
    assert found.counts
    changed = evolve(CONFLICT, ours=ENTRY)
    found = conflict_view(row, changed).resolution
    assert found is not None
    assert not found.counts
    assert resolved_views(row) == ()
    assert len(resolved_views(evolve(row, conflicts=()))) == 1


def test_what_was_done_before_a_merge_and_what_some_systems_cannot_hold_is_said() -> None:
    row = evolve(
        revision(), integration=Integration.CLEAN, normalised=(b"a.txt",), colliding=(b"Readme",)
    )
    said = {notice.path: notice.message for notice in merge_notices(row)}
    assert "line endings" in said["a.txt"]
    assert "keep its name apart" in said["Readme"]


def test_a_revision_that_was_not_merged_has_no_notices_of_a_merge() -> None:
    row = evolve(revision(), integration=Integration.CONFLICT, normalised=(b"a.txt",))
    assert not list(merge_notices(row))
