"""What clients are shown of conflicts: what collides, its sides, what would settle it."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

from sennit_protocol.describe import SHOWN_PATH, says


class Side(StrEnum):
    """One of the three sides of a conflict."""

    BASE = "base"
    """What both began with."""
    OURS = "ours"
    """What is there."""
    THEIRS = "theirs"
    """What is proposed."""


class Take(StrEnum):
    """How a conflict is settled. Where sides do not collide, both stay merged."""

    BASE = "base"
    """The text with which both began, where they collide."""
    OURS = "ours"
    """What is there, where they collide."""
    THEIRS = "theirs"
    """What is proposed, where they collide."""
    TEXT = "text"
    """A text that is given; for conflicts of texts alone."""
    SUGGESTION = "suggestion"
    """One of the `suggestions` of the conflict."""
    NOTHING = "nothing"
    """An earlier resolution is taken back."""


class SuggestionKind(StrEnum):
    """What a suggestion for a conflict was made by."""

    LINE_ENDINGS = "lineEndings"
    """All lines get the ending that most have; then both changes go together."""
    ONE_HOLDS_MORE = "oneHoldsMore"
    """The side whose change holds the other's, and more."""
    ADJACENT_EDITS = "adjacentEdits"
    """Both, where they change lines beside each other."""
    OURS_THEN_THEIRS = "oursThenTheirs"
    """Both, where they put in lines at one place: what is there first."""
    THEIRS_THEN_OURS = "theirsThenOurs"
    """Both, where they put in lines at one place: what is proposed first."""
    IMPORTS = "imports"
    """The import lines of both together, sorted where they were."""
    EACH_ITS_OWN = "eachItsOwn"
    """Each place by the first of these that fits it."""
    FOLLOW_FOLDER = "followFolder"
    """A new file goes where its folder was renamed to."""


class Sureness(StrEnum):
    """How far a suggestion can be believed."""

    LIKELY = "likely"
    """Likely right; a person looks at it."""
    GUESS = "guess"
    """Only a guess; a person looks well at it."""


@frozen
class LineRange:
    """Lines ``start`` (from 0) to ``start + count``, as LSP counts lines."""

    start: int = field(metadata=says("The first line, from 0."))
    count: int = field(metadata=says("How many lines; 0 for a place between two lines."))


@frozen
class SideView:
    """One side of a conflict; a side that is absent has neither key."""

    mode: str | None = field(default=None, metadata=says("Git's mode in octal, such as `100644`."))
    id: str | None = field(default=None, metadata=says("Git's id of the object."))
    uri: str | None = field(default=None, metadata=says("`sennit:` URI of that side's text."))


@frozen
class RegionView:
    """Lines that clash, in each of the three sides."""

    base: LineRange = field(metadata=says("In the text with which both began."))
    ours: LineRange = field(metadata=says("In the text that is there."))
    theirs: LineRange = field(metadata=says("In the text that is proposed."))


@frozen
class SuggestionView:
    """What would settle a conflict. Never taken by itself, and never to be preselected."""

    kind: SuggestionKind = field(
        metadata=says("What it was made by; `suggestion` of `sennit/resolve` takes it.")
    )
    sure: Sureness = field(metadata=says("How far it can be believed."))
    title: str = field(metadata=says("What it does and how sure that is, for a person."))
    text: str | None = field(
        default=None,
        metadata=says("The whole file then, cut to 8000 characters; absent where it is no text."),
    )


@frozen
class ResolutionView:
    """How a person has settled a conflict."""

    take: Take = field(metadata=says("How it was settled."))
    suggestion: SuggestionKind | None = field(
        default=None, metadata=says("With `take: suggestion`: its `kind`.")
    )
    counts: bool = field(
        default=True,
        metadata=says("False once it is about other texts than those that collide now."),
    )


_CONFLICT_KIND = says(
    "What collides. `content`: both change the same lines or neighbours; `addAdd`: both create it; "
    "`modifyDelete`: one changes it, one deletes it; `renameRename`: both rename it, or files to "
    "its name; `renameDelete`: one renames it, one deletes it; `directoryRename`: one renames its "
    "folder, one adds files there; `fileDirectory`: it is a file for one, a folder for the other; "
    "`binary`: both change binary content; `mode`: one makes it executable; `link`: both change "
    "where it leads; `submodule`: both move it to other commits; `nameCollision`: some systems "
    "take two names for one; `other`: git cannot merge the two."
)


@frozen
class ConflictView:
    """Why a proposal does not go together with those before it."""

    kind: str = field(metadata=_CONFLICT_KIND)
    path: str = field(metadata=SHOWN_PATH)
    uri: str = field(
        metadata=says("`file:` URI of it in the user's work tree; `sennit/resolve` takes it.")
    )
    message: str = field(metadata=says("What collides and what can be done, for a person."))
    base: SideView = field(factory=SideView, metadata=says("What both began with."))
    ours: SideView = field(
        factory=SideView,
        metadata=says("What is there: the base with the proposals that were merged before."),
    )
    theirs: SideView = field(factory=SideView, metadata=says("What is proposed."))
    with_tasks: tuple[str, ...] = field(
        default=(),
        metadata=says(
            "Ids of the earlier tasks with which it collides there; where no one of them can be "
            "named, of those with which the proposal collides as a whole."
        ),
    )
    paths: tuple[str, ...] = field(
        default=(), metadata=says("All paths that it is about, `path` first.")
    )
    regions: tuple[RegionView, ...] = field(
        default=(), metadata=says("The lines that clash, where all sides are texts.")
    )
    suggestions: tuple[SuggestionView, ...] = field(
        default=(), metadata=says("What `sennit/resolve` could take, the surest first.")
    )
    resolution: ResolutionView | None = field(
        default=None,
        metadata=says("How it was settled by `sennit/resolve`; absent where it was not."),
    )
