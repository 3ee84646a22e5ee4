"""Everything that stands in the way of an application to a work tree, told before it begins.

What lies on disk is compared with the tree before: exact bytes first, and where those differ, as
git's own filters and line endings clean them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from enum import Enum, auto
from hashlib import sha1, sha256
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from sennit.adapters.git.disk_abilities import kept_on, tells_case_apart
from sennit.adapters.git.raw_trees import Sides
from sennit.adapters.git.respelled import giving_way, kept_folders
from sennit.adapters.git.work_tree_files import (
    Folder,
    Found,
    Special,
    Stopped,
    look_in,
    opened_folder,
    opened_root,
    read_in,
)
from sennit.adapters.platform.filesystems import mounts_below
from sennit.core.disk_application import DiskKind, OnDisk, PathTrouble, Trouble
from sennit.core.names import folded, refused
from sennit.core.objects import MODE_EXECUTABLE, MODE_LINK, MODE_SUBMODULE, Entry, GitFailed
from sennit.core.units import parents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sennit.adapters.git.discovery import Repository
    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store

Plan = Mapping[bytes, Sides]
"""What is to become of each path: its entries before and after."""


@frozen
class Seen:
    """What lies at a path now, and its bytes, kept to be put back."""

    found: Found
    content: bytes = b""


Look = Mapping[bytes, Seen | PathTrouble]


def troubles_of_names(plan: Plan) -> Iterator[PathTrouble]:
    """Name the paths that must never be written, and those that are no files."""
    for path, sides in plan.items():
        if sides.after is not None and (reason := refused(path)):
            yield PathTrouble(path, Trouble.REFUSED_NAME, reason)
        modes = {side.mode for side in (sides.before, sides.after) if side}
        if MODE_SUBMODULE in modes:
            said = "a submodule's commit is not written to disk; update it with git yourself"
            yield PathTrouble(path, Trouble.SUBMODULE, said)


def troubles_of_unwritten(plan: Plan) -> Iterator[PathTrouble]:
    """Name the files that are to be deleted and are not on the disk, though git has them."""
    said = (
        "git keeps it out of the work tree, so it cannot be deleted there; bring it in with `git"
        " sparse-checkout add` or `git update-index --no-skip-worktree --no-assume-unchanged`"
        " and `git restore`, then apply again"
    )
    for path, sides in plan.items():
        if sides.before is None and sides.after is None:
            yield PathTrouble(path, Trouble.UNWRITTEN, said)


def look_at_all(work_tree: bytes, plan: Plan) -> dict[bytes, Seen | PathTrouble]:
    """Look at each path of the plan; a path behind a link is a trouble."""
    seen: dict[bytes, Seen | PathTrouble] = {}
    with opened_root(work_tree) as root:
        for path in plan:
            try:
                seen[path] = _look_at(root, path)
            except Stopped as stopped:
                # A link that the edit itself removes is no way out of the tree any more.
                goes = plan.get(stopped.trouble.path)
                ends = goes is not None and goes.before is not None and goes.after is None
                seen[path] = Seen(None) if ends else evolve(stopped.trouble, path=path)
    return {**seen, **dict.fromkeys(giving_way(work_tree, plan), Seen(None))}


def _look_at(root: int, path: bytes) -> Seen:
    with opened_folder(root, path) as folder:
        if folder is None:
            return Seen(None)
        name = path.rpartition(b"/")[2]
        found = look_in(folder, name)
        content = read_in(folder, name) if isinstance(found, OnDisk) else b""
    if isinstance(found, OnDisk) and sha256(content).hexdigest() != found.sha256:
        said = "it is being written to right now; try again"
        raise Stopped(PathTrouble(path, Trouble.CHANGED, said))
    return Seen(found, content)


def troubles_on_disk(plan: Plan, seen: Look, work_tree: bytes) -> Iterator[PathTrouble]:
    """Name what lies in the way, and folders that cannot be written to."""
    kept = {trouble.path: trouble for trouble in _troubles_of_kept(plan, work_tree)}
    known = _known_as(plan, work_tree)
    mounted = mounts_below(work_tree)
    for path, sides in plan.items():
        one = seen[path]
        if isinstance(one, PathTrouble):
            yield one
        elif any(point == path or point.startswith(path + b"/") for point in mounted):
            said = "something is mounted there, so it cannot be replaced; unmount it first"
            yield PathTrouble(path, Trouble.IN_THE_WAY, said)
        elif trouble := _trouble_at(path, sides, one.found, known):
            yield trouble
        elif path in kept:
            yield kept[path]
        elif why := _why_not_writable(work_tree, path):
            yield PathTrouble(path, Trouble.NOT_WRITABLE, f"{why}, then apply again")


def _troubles_of_kept(plan: Plan, work_tree: bytes) -> Iterator[PathTrouble]:
    for path, folder, by in kept_folders(work_tree, plan):
        there, keeps = (name.decode("utf-8", "backslashreplace") for name in (folder, by))
        said = (
            f"its folder is spelled {there} here and stays so, since {keeps} is in it;"
            " rename the folder or move that away, then apply again"
        )
        yield PathTrouble(path, Trouble.NAME_COLLISION, said)


@frozen
class _Known:
    """The paths of a plan, as the disk knows them; ``name`` gives that of any path."""

    paths: tuple[bytes, ...]
    name: Callable[[bytes], bytes]


def _known_as(plan: Plan, work_tree: bytes) -> _Known:
    name = bytes if tells_case_apart(work_tree) else folded
    return _Known(tuple(map(name, plan)), name)


def _trouble_at(path: bytes, sides: Sides, found: Found, known: _Known) -> PathTrouble | None:
    if isinstance(found, Special):
        return PathTrouble(path, Trouble.IN_THE_WAY, "a socket, pipe or device lies there")
    if isinstance(found, Folder):
        return _trouble_of_folder(path, sides, found, known)
    if sides.before is None and found is not None:
        said = "a file that the edit does not know of lies there; move it away or save it first"
        return PathTrouble(path, Trouble.IN_THE_WAY, said)
    if sides.before is not None and found is None:
        return PathTrouble(path, Trouble.CHANGED, "it was deleted since the edit was made")
    return None


def _trouble_of_folder(
    path: bytes, sides: Sides, found: Folder, known: _Known
) -> PathTrouble | None:
    """A folder may give way only when the edit itself empties it."""
    if sides.before is not None:
        return PathTrouble(path, Trouble.CHANGED, "a folder lies there now")
    above = known.name(path) + b"/"
    going = {p[len(above) :].split(b"/")[0] for p in known.paths if p.startswith(above)}
    foreign = sorted(name for name in found.names if known.name(name) not in going)
    if not foreign:
        return None
    shown = foreign[0].decode("utf-8", "backslashreplace")
    said = f"the folder holds what the edit does not know of ({shown}); move it away first"
    return PathTrouble(path, Trouble.FOLDER_NOT_EMPTY, said)


def _why_not_writable(work_tree: bytes, path: bytes) -> str | None:
    """Say why nothing can be written into the nearest folder that is there, and what to do."""
    folders = [work_tree, *(work_tree + b"/" + folder for folder in parents(path))]
    there = [folder for folder in folders if os.path.isdir(folder)]  # noqa: PTH112  bytes paths
    if there and os.access(there[-1], os.W_OK | os.X_OK):
        return None
    if there and os.statvfs(there[-1]).f_flag & os.ST_RDONLY:
        return "its disk is mounted read-only; mount it for writing"
    return "its folder is not writable; make it writable"


async def changed_since(
    git: Git,
    store: Store,
    repository: Repository,
    plan: Plan,
    seen: Look,
) -> list[PathTrouble] | GitFailed:
    """Name the paths whose content on disk is not what the tree before holds."""
    likeness = {path: _compared(store, sides.before, seen[path]) for path, sides in plan.items()}
    changed = [path for path, like in likeness.items() if like is Likeness.OTHER]
    to_clean = [path for path, like in likeness.items() if like is Likeness.AS_CLEANED]
    cleaned = await _cleaned_ids(git, store, repository, to_clean)
    if isinstance(cleaned, GitFailed):
        return cleaned
    for path, identity in zip(to_clean, cleaned, strict=True):
        before = plan[path].before
        if before is not None and before.id != identity:
            changed.append(path)
    said = "it changed since the edit was made; make the edit again on the text as it is now"
    return [PathTrouble(path, Trouble.CHANGED, said) for path in changed]


class Likeness(Enum):
    """How what lies on disk compares with an entry of a tree."""

    EQUAL = auto()
    OTHER = auto()
    AS_CLEANED = auto()


def _compared(store: Store, before: Entry | None, seen: Seen | PathTrouble) -> Likeness:
    found = None if isinstance(seen, PathTrouble) else seen.found
    if before is None or isinstance(seen, PathTrouble) or not isinstance(found, OnDisk):
        # Told as a trouble of its own by ``troubles_on_disk``.
        return Likeness.EQUAL
    keeps = kept_on(store.users_disk)
    if found.kind is DiskKind.LINK or before.mode == MODE_LINK:
        alike = before.mode == MODE_LINK and (found.kind is DiskKind.LINK or not keeps.links)
    else:
        executable = bool(found.permissions & stat.S_IXUSR)
        alike = not keeps.modes or executable == (before.mode == MODE_EXECUTABLE)
    if not alike:
        return Likeness.OTHER
    if _blob_id(store, seen.content) == before.id:
        return Likeness.EQUAL
    return Likeness.OTHER if found.kind is DiskKind.LINK else Likeness.AS_CLEANED


def _blob_id(store: Store, content: bytes) -> str:
    digest = sha1(usedforsecurity=False) if store.object_format == "sha1" else sha256()
    digest.update(b"blob %d\0" % len(content))
    digest.update(content)
    return digest.hexdigest()


async def _cleaned_ids(
    git: Git, store: Store, repository: Repository, paths: Sequence[bytes]
) -> list[str] | GitFailed:
    """Ask git for the ids that files would get, by the user's filters and line endings."""
    if not paths:
        return []
    place = store.over(repository.work_tree, store.scratch / "none")
    lines = b"".join(_quoted(path) + b"\n" for path in paths)
    done = await git.run(["hash-object", "--stdin-paths"], place, stdin=lines, config=store.neutral)
    return done if isinstance(done, GitFailed) else done.stdout.decode().split()


def _quoted(path: bytes) -> bytes:
    """Quote a name as git reads it: in C's way, every unusual byte in octal."""
    plain = range(0x20, 0x7F)
    return b'"%s"' % b"".join(
        b"%c" % byte if byte in plain and byte not in b'"\\' else b"\\%03o" % byte for byte in path
    )
