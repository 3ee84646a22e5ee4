"""Values that name things in git's object model: entries, manifests, snapshots, changes, conflicts.

Paths are the bytes that git stores, relative to the top level of the repository, with ``/`` between
components. Object ids are hexadecimal strings of the repository's hash (40 or 64 digits).
"""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

MODE_FILE = 0o100644
MODE_EXECUTABLE = 0o100755
MODE_LINK = 0o120000
MODE_SUBMODULE = 0o160000


@frozen
class Entry:
    """What a tree holds at one path: git's mode (such as 0o100644) and object id."""

    mode: int
    id: str


@frozen
class OpenDocument:
    """An open buffer of an editor, as its text is now.

    ``text`` is None where the server does not know it. ``version`` is LSP's document version.
    """

    path: bytes
    version: int
    text: str | None
    encoding: str | None = None


class LeftOutReason(StrEnum):
    """Why a path of a work tree is not part of a base, or of what was captured in a workspace."""

    IGNORED = "ignored"
    UNREADABLE = "unreadable"
    NESTED_REPOSITORY = "nestedRepository"
    TOO_LARGE = "tooLarge"
    CONFLICT_MARKERS = "conflictMarkers"
    LOOKS_LIKE_A_SECRET = "looksLikeASecret"  # noqa: S105  a reason, not a password
    UNKNOWN_ENCODING = "unknownEncoding"
    UNKNOWN_TEXT = "unknownText"
    UNSAVED_ELSEWHERE = "unsavedElsewhere"
    SPECIAL_FILE = "specialFile"
    RESERVED_NAME = "reservedName"
    REFUSED_BY_GIT = "refusedByGit"
    ABSENT_SUBMODULE = "absentSubmodule"
    IN_A_SUBMODULE = "inASubmodule"
    OUT_OF_VIEW = "outOfView"


@frozen
class LeftOut:
    """One path that a base does not hold, and why, in words for a person in ``detail``."""

    path: bytes
    reason: LeftOutReason
    detail: str = ""


@frozen
class Unsaved:
    """A path whose content in the base comes from an editor's buffer of that version."""

    path: bytes
    version: int


@frozen
class Manifest:
    """What a base holds beside the last commit, and what it does not.

    ``head`` is None before the first commit. ``branch`` is None when HEAD is detached.
    ``in_progress`` names an operation of git that waits for the user: ``rebase``, ``merge``,
    ``cherry-pick``, ``revert`` or ``bisect``.
    """

    head: str | None
    branch: bytes | None
    staged: tuple[bytes, ...] = ()
    modified: tuple[bytes, ...] = ()
    deleted: tuple[bytes, ...] = ()
    untracked: tuple[bytes, ...] = ()
    unsaved: tuple[Unsaved, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    left_out_ignored: int = 0
    in_progress: str | None = None


@frozen
class Snapshot:
    """What the user sees, as objects of the store: a commit whose tree holds it all."""

    commit: str
    tree: str
    manifest: Manifest


@frozen
class Hunk:
    """Lines from ``before_start`` (from 0), ``before_count`` of them, give way to others."""

    before_start: int
    before_count: int
    after_start: int
    after_count: int


class ChangeKind(StrEnum):
    """What became of a path between two trees."""

    CREATE = "create"
    DELETE = "delete"
    MODIFY = "modify"
    RENAME = "rename"
    TYPE = "type"


@frozen
class FileChange:
    """The difference of two trees at one path; ``old_path`` differs from ``path`` after a rename.

    ``hunks`` is empty for binary files, links and submodules, and for what was created or deleted
    as a whole.
    """

    kind: ChangeKind
    path: bytes
    old_path: bytes
    before: Entry | None
    after: Entry | None
    binary: bool = False
    hunks: tuple[Hunk, ...] = ()
    similarity: int | None = None


@frozen
class Region:
    """Lines over which three texts clash: where they start (from 0) and how many, in each."""

    base_start: int
    base_count: int
    ours_start: int
    ours_count: int
    theirs_start: int
    theirs_count: int


class ConflictKind(StrEnum):
    """Why two changes do not go together."""

    CONTENT = "content"
    ADD_ADD = "addAdd"
    MODIFY_DELETE = "modifyDelete"
    RENAME_RENAME = "renameRename"
    RENAME_DELETE = "renameDelete"
    DIRECTORY_RENAME = "directoryRename"
    FILE_DIRECTORY = "fileDirectory"
    BINARY = "binary"
    MODE = "mode"
    LINK = "link"
    SUBMODULE = "submodule"
    NAME_COLLISION = "nameCollision"
    OTHER = "other"


@frozen
class Conflict:
    """A conflict is a value: three sides, each an entry or absent. Markers are never stored.

    ``paths`` are all that it is about. ``message`` is git's sentence about it. ``regions`` are the
    lines that clash, where all sides are texts. ``with_tasks`` names the tasks whose change is
    what it met there, as far as that is known.
    """

    kind: ConflictKind
    path: bytes
    base: Entry | None
    ours: Entry | None
    theirs: Entry | None
    paths: tuple[bytes, ...] = ()
    regions: tuple[Region, ...] = ()
    message: str = ""
    with_tasks: tuple[str, ...] = ()


@frozen
class Merged:
    """The three sides went together into ``tree``; ``uncertain`` names paths to look at twice.

    ``normalised`` names paths whose line endings were made equal, ours, before the merge;
    ``resolved`` those whose conflict a person had settled before; ``colliding`` new names of
    theirs that some systems take for another name of the tree.
    """

    tree: str
    uncertain: tuple[bytes, ...] = ()
    normalised: tuple[bytes, ...] = ()
    resolved: tuple[bytes, ...] = ()
    colliding: tuple[bytes, ...] = ()


@frozen
class Conflicted:
    """The three sides did not go together; ``tree`` is git's attempt and is never offered.

    ``aside`` are names in the attempt that git made up for what had to give way.
    """

    tree: str
    conflicts: tuple[Conflict, ...]
    normalised: tuple[bytes, ...] = ()
    aside: tuple[bytes, ...] = ()


@frozen
class GitFailed:
    """A call of git did not do its work: what was asked, how it ended, what it said."""

    doing: str
    exit_code: int | None
    stderr: str
    advice: str = ""
    kept: tuple[str, ...] = field(default=())


MergeResult = Merged | Conflicted | GitFailed
