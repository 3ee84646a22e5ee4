"""What clients are shown of the text that workspaces begin with."""

from __future__ import annotations

from attrs import field, frozen

from sennit_protocol.describe import SHOWN_PATH, says

_LEFT_OUT_REASON = says(
    "Why: `ignored`, `unreadable`, `nestedRepository`, `tooLarge`, `conflictMarkers`, "
    "`looksLikeASecret`, `unknownEncoding` or `unknownText` (of an open document), "
    "`unsavedElsewhere` (in another editor), `specialFile`, `reservedName`, `refusedByGit`, "
    "`absentSubmodule`, `inASubmodule`, `outOfView` (of a sparse checkout)."
)


@frozen
class LeftOutView:
    """A path that the base does not hold."""

    path: str = field(metadata=SHOWN_PATH)
    reason: str = field(metadata=_LEFT_OUT_REASON)
    detail: str = field(default="", metadata=says("More of that, for a person; may be empty."))


@frozen
class ManifestView:
    """What a base holds beside the last commit, and what it does not."""

    repository: str = field(metadata=says("The repository's top level as a `file:` URI."))
    head: str | None = field(
        default=None, metadata=says("Git's id of the last commit; absent before the first one.")
    )
    branch: str | None = field(
        default=None,
        metadata=says("The branch, without `refs/heads/`; absent when HEAD is detached."),
    )
    staged: tuple[str, ...] = field(
        default=(),
        metadata=says(
            "Paths that differ between HEAD and the index. Each of these lists is cut to 1000."
        ),
    )
    modified: tuple[str, ...] = field(
        default=(), metadata=says("Paths whose files differ from the index.")
    )
    deleted: tuple[str, ...] = field(
        default=(), metadata=says("Paths that were deleted in the index or on the disk.")
    )
    untracked: tuple[str, ...] = field(
        default=(),
        metadata=says("Paths of files that git does not track and that are in the base."),
    )
    unsaved: tuple[str, ...] = field(
        default=(),
        metadata=says("Paths whose text was taken from an unsaved document of the editor."),
    )
    left_out: tuple[LeftOutView, ...] = field(
        default=(), metadata=says("Paths that it does not hold as they are, and why.")
    )
    left_out_ignored: int = field(default=0, metadata=says("How many ignored paths it lacks."))
    in_progress: str | None = field(
        default=None,
        metadata=says(
            "An operation of git that waits for the user: `rebase`, `merge`, `cherry-pick`, "
            "`revert` or `bisect`; absent where none does."
        ),
    )
