"""Conflicts as clients see them: what collides, the three sides, suggestions, resolutions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sennit.core.engine.rows import RevisionRow
from sennit.core.objects import Conflict, ConflictKind, Entry, Region
from sennit.core.proposal_views import MOST_UNIT_TEXT, octal
from sennit.core.resolutions import Suggested
from sennit.core.uris import Side, display, file_uri, revision_uri
from sennit_protocol.conflicts import (
    ConflictView,
    LineRange,
    RegionView,
    ResolutionView,
    SideView,
    SuggestionKind,
    SuggestionView,
    Sureness,
)


def conflict_view(
    revision: RevisionRow, conflict: Conflict, suggested: Sequence[Suggested] = ()
) -> ConflictView:
    """A conflict in words, with its three sides, and what could settle it."""
    path = revision.repository.top + b"/" + conflict.path
    sides = (
        (conflict.base, Side.BASE),
        (conflict.ours, Side.OURS),
        (conflict.theirs, Side.THEIRS),
    )
    base, ours, theirs = (_side(revision, path, entry, side) for entry, side in sides)
    return ConflictView(
        kind=conflict.kind.value,
        path=display(conflict.path),
        uri=file_uri(path),
        message=conflict_message(revision, conflict),
        base=base,
        ours=ours,
        theirs=theirs,
        with_tasks=_others(revision, conflict),
        paths=tuple(display(one) for one in conflict.paths or (conflict.path,)),
        regions=tuple(_region(one) for one in conflict.regions),
        suggestions=tuple(_suggestion(one) for one in suggested),
        resolution=_resolution(revision, conflict),
    )


def resolved_views(revision: RevisionRow) -> tuple[ConflictView, ...]:
    """The conflicts that a person has settled and that are none any more."""
    there = {one.path for one in revision.conflicts}
    settled = (one.conflict for one in revision.resolutions if one.path not in there)
    return tuple(conflict_view(revision, one) for one in settled)


def conflict_message(revision: RevisionRow, conflict: Conflict) -> str:
    """What collides and what can be done."""
    others = ", ".join(_others(revision, conflict)) or "what was merged before it"
    return (
        f"{revision.task} and {others} change {display(conflict.path)} in ways that do not go"
        f" together: {_WHAT_COLLIDES[conflict.kind]}. {revision.task} is set aside; nothing of it"
        " is applied unless you accept it. Resolve the conflict, review its units one by one, or"
        " let an agent do the task again on the accepted result."
    )


def _others(revision: RevisionRow, conflict: Conflict) -> tuple[str, ...]:
    """The tasks that are in the way there, else those that are in the way of the whole."""
    return conflict.with_tasks or revision.conflicts_with


_WHAT_COLLIDES: Mapping[ConflictKind, str] = {
    ConflictKind.CONTENT: "both change the same lines, or lines right beside each other",
    ConflictKind.ADD_ADD: "both create it with other content",
    ConflictKind.MODIFY_DELETE: "one changes it, the other deletes it",
    ConflictKind.RENAME_RENAME: "both rename it to other names, or other files to its name",
    ConflictKind.RENAME_DELETE: "one renames it, the other deletes it",
    ConflictKind.DIRECTORY_RENAME: "one renames its folder, the other adds files to it",
    ConflictKind.FILE_DIRECTORY: "it is a file for one and a folder for the other",
    ConflictKind.BINARY: "both change its binary content",
    ConflictKind.MODE: "both have the same text for it, but only one makes it executable",
    ConflictKind.LINK: "both change where the link leads",
    ConflictKind.SUBMODULE: "both move the submodule to other commits",
    ConflictKind.NAME_COLLISION: "their names are one and the same on your system",
    ConflictKind.OTHER: "git cannot merge the two",
}


def _side(revision: RevisionRow, path: bytes, entry: Entry | None, side: Side) -> SideView:
    if entry is None:
        return SideView()
    return SideView(octal(entry), entry.id, revision_uri(path, revision.id, side, entry.id))


def _region(region: Region) -> RegionView:
    return RegionView(
        base=LineRange(region.base_start, region.base_count),
        ours=LineRange(region.ours_start, region.ours_count),
        theirs=LineRange(region.theirs_start, region.theirs_count),
    )


def _resolution(revision: RevisionRow, conflict: Conflict) -> ResolutionView | None:
    found = next((one for one in revision.resolutions if one.path == conflict.path), None)
    if found is None:
        return None
    return ResolutionView(found.take, found.suggestion, counts=found.settles(conflict))


def _suggestion(one: Suggested) -> SuggestionView:
    title = f"{_TITLES[one.kind]} {_HOW_SURE[one.sure]}"
    content = one.content
    if content is None:
        return SuggestionView(one.kind, one.sure, title)
    return SuggestionView(
        one.kind, one.sure, title, content.decode("utf-8", "replace")[:MOST_UNIT_TEXT]
    )


_TITLES: Mapping[SuggestionKind, str] = {
    SuggestionKind.LINE_ENDINGS: "Give all lines one ending; then both changes go together.",
    SuggestionKind.ONE_HOLDS_MORE: "Take the side that holds the other's change, and more.",
    SuggestionKind.ADJACENT_EDITS: "Take both: they change lines beside each other.",
    SuggestionKind.OURS_THEN_THEIRS: "Keep both additions, first what is there already.",
    SuggestionKind.THEIRS_THEN_OURS: "Keep both additions, first what is proposed.",
    SuggestionKind.IMPORTS: "Unite the imports of both.",
    SuggestionKind.EACH_ITS_OWN: "Settle each place in the way that fits it.",
    SuggestionKind.FOLLOW_FOLDER: "Put it where its folder has gone.",
}
_HOW_SURE: Mapping[Sureness, str] = {
    Sureness.LIKELY: "Likely right; look at it.",
    Sureness.GUESS: "Only a guess; look at it well.",
}
