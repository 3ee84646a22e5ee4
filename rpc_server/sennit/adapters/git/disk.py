"""What lies at a path of a work tree, found without following links and without reading it all."""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.core.objects import LeftOut, LeftOutReason

if TYPE_CHECKING:
    from collections.abc import Iterable

_SECRET = re.compile(
    rb"""(?ix) \A (?:
        \.env (?: \. (?! example \Z | sample \Z | template \Z | dist \Z ) .+ )?
      | .+ \.env
      | id_ (?: rsa | dsa | ecdsa | ed25519 ) (?:_sk)?
      | .+ \. (?: pem | key | p12 | pfx | jks | keystore | kdbx | ppk )
      | \. (?: netrc | npmrc | pypirc | htpasswd | pgpass | git-credentials )
      | credentials (?: \. (?: json | ya?ml | toml | ini ) )?
      | secrets? \. (?: json | ya?ml | toml | ini | env )
      | service[-_]account .* \.json
    ) \Z"""
)
_MARKERS = re.compile(
    rb"^<{7}(?: .*)?\r?$.*?^={7}\r?$.*?^>{7}(?: .*)?\r?$", re.MULTILINE | re.DOTALL
)
# Characters that some file systems leave out when they compare names.
_INVISIBLE = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_NTFS_NAMES = re.compile(rb"(?i)(?:\.git|git~1)[ .]*(?::.*)?\Z")

RESERVED = "its name stands for a git directory on some systems, so git refuses it"
"""What a person is told about a path with the reason ``RESERVED_NAME``."""
NESTED = "a repository of its own that is no submodule"
"""The same with the reason ``NESTED_REPOSITORY``."""


@frozen
class Present:
    """A file or link whose content git can read, or a submodule."""

    path: bytes


@frozen
class Absent:
    """Nothing that git would track lies at the path (a folder counts as nothing)."""

    path: bytes


Found = Present | Absent | LeftOut


def look_at(root: bytes, path: bytes) -> Found:
    """Find out what lies at a path below ``root``."""
    full = below(root, path)
    try:
        if lies_beyond_a_link(root, path):
            return Absent(path)
        status = os.lstat(full)
    except (FileNotFoundError, NotADirectoryError):
        return Absent(path)
    except OSError as error:
        return LeftOut(path, LeftOutReason.UNREADABLE, error.strerror or "")
    if is_whiteout(status):
        return Absent(path)
    return _found(full, path, status.st_mode)


def _found(full: bytes, path: bytes, mode: int) -> Found:
    match stat.S_IFMT(mode):
        case stat.S_IFLNK if path.rpartition(b"/")[2].lower() == b".gitmodules":
            return LeftOut(path, LeftOutReason.RESERVED_NAME, "git refuses a link of this name")
        case stat.S_IFLNK:
            return Present(path)
        case stat.S_IFDIR:
            return Absent(path)
        case stat.S_IFREG:
            return _readable(full, path)
        case _:
            return LeftOut(path, LeftOutReason.SPECIAL_FILE, "neither a file nor a link")


def below(root: bytes, path: bytes) -> bytes:
    """Join a folder and a path of git, which is never absolute."""
    return root + b"/" + path


def is_whiteout(status: os.stat_result) -> bool:
    """Tell whether an upper layer (overlayfs) says by this that nothing lies there."""
    return stat.S_ISCHR(status.st_mode) and status.st_rdev == 0


def _readable(full: bytes, path: bytes) -> Found:
    try:
        os.close(os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC))
    except FileNotFoundError:
        return Absent(path)
    except OSError as error:
        return LeftOut(path, LeftOutReason.UNREADABLE, error.strerror or "")
    return Present(path)


def look_at_untracked(root: bytes, path: bytes, largest: int) -> Found:
    """Find out what lies at a path that git does not track, and whether it should be taken."""
    if path.endswith(b"/"):
        return LeftOut(path.rstrip(b"/"), LeftOutReason.NESTED_REPOSITORY, NESTED)
    found = look_at(root, path)
    size = os.lstat(below(root, path)).st_size if isinstance(found, Present) else 0
    return why_not_untracked(path, size, largest) or found


def why_not_untracked(path: bytes, size: int, largest: int) -> LeftOut | None:
    """Say why a path that git does not track is not taken, by its name and its size in bytes."""
    if names_a_git_directory(path):
        return LeftOut(path, LeftOutReason.RESERVED_NAME, RESERVED)
    if looks_like_a_secret(path):
        detail = (
            "its name is one that secrets have; let git ignore it to leave it out on purpose, and"
            " name it in workspace.include, too, to bring it in"
        )
        return LeftOut(path, LeftOutReason.LOOKS_LIKE_A_SECRET, detail)
    if size > largest:
        detail = f"{size} bytes, more than {largest}; add it to git to include it"
        return LeftOut(path, LeftOutReason.TOO_LARGE, detail)
    return None


def lies_beyond_a_link(root: bytes, path: bytes) -> bool:
    """Tell whether a folder on the way to ``path`` is a link, so that git does not go there.

    Where nobody can look, nothing lies beyond a link either: what looks at ``path`` is refused too.
    """
    parents = path.split(b"/")[:-1]
    here = root
    for name in parents:
        here = below(here, name)
        try:
            if stat.S_ISLNK(os.lstat(here).st_mode):
                return True
        except OSError:
            return False
    return False


def is_repository(root: bytes, path: bytes) -> bool:
    """Tell whether a repository, which may be a submodule, lies at a path."""
    return not lies_beyond_a_link(root, path) and os.path.lexists(below(root, path + b"/.git"))


def existing(root: bytes, paths: Iterable[bytes]) -> tuple[bytes, ...]:
    """Give those paths at which something lies."""
    return tuple(path for path in paths if not isinstance(look_at(root, path), Absent))


def has_conflict_markers(root: bytes, path: bytes) -> bool:
    """Tell whether the file at a path still holds the markers that git wrote into it."""
    if not isinstance(look_at(root, path), Present):
        return False
    try:
        handle = os.open(below(root, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        # A link, or gone meanwhile: either way there is no text with markers.
        return False
    with os.fdopen(handle, "rb") as file:
        return _MARKERS.search(file.read()) is not None


def looks_like_a_secret(path: bytes) -> bool:
    """Tell whether the last component of a path is a name that keys and passwords have."""
    return _SECRET.match(path.rpartition(b"/")[2]) is not None


def names_a_git_directory(path: bytes) -> bool:
    """Tell whether a component is ``.git`` on some file system: other case, NTFS, HFS+."""
    # Windows takes a backslash for a slash, and git refuses what it would find there.
    return any(_is_dot_git(name) for name in path.replace(b"\\", b"/").split(b"/"))


def _is_dot_git(name: bytes) -> bool:
    if _NTFS_NAMES.match(name):
        return True
    visible = _INVISIBLE.sub("", name.decode("utf-8", "replace"))
    return visible.lower() == ".git"
