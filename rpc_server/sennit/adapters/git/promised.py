"""Sees to it that a base of a partial clone can be checked out; nothing is ever fetched for it."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from sennit.adapters.git.disk import existing
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.git import DISPOSABLE, Place
from sennit.adapters.git.raw_trees import REGULAR
from sennit.adapters.git.trees import tree_entries
from sennit.core.objects import GitFailed
from sennit.core.uris import listed_paths

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sennit.adapters.git.discovery import Repository
    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store
    from sennit.core.objects import Snapshot

DOING = "check out the base"
_MISSING = b"?"
_UNSET = 1
_FATAL = 128
_NOT_FETCHED = re.compile(r"could not fetch ([0-9a-f]+) from promisor remote")
_ID = re.compile(rb"\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b")
_ABSENT = re.compile(rb"^([0-9a-f]+) missing$", re.MULTILINE)
_TREE_ALONE = ("--no-walk", "--no-commit-header", "--format=%T")
_ADVICE = (
    "Sennit fetches nothing. Get them by a git command that reads them all, such as"
    " `git archive HEAD > /dev/null`, or leave them out with `git sparse-checkout`, then ask again."
)


async def need_promised(
    git: Git, store: Store, repository: Repository, snapshot: Snapshot
) -> GitFailed | None:
    """Fail where a workspace would need files that the remote of a partial clone still has.

    What the user's files hold is taken from there. In other repositories it costs no call of git.
    """
    packs = repository.common_dir / "objects" / "pack"
    promised = await in_thread("look at packs", _has_promises, packs)
    if isinstance(promised, GitFailed) or not promised:
        return promised if isinstance(promised, GitFailed) else None
    missing = await _missing(git, store, repository, snapshot.commit)
    if isinstance(missing, GitFailed) or not missing:
        return missing if isinstance(missing, GitFailed) else None
    entries = await tree_entries(git, store, snapshot.tree)
    if isinstance(entries, GitFailed):
        # Of a clone without trees nobody can tell the paths.
        return _lacks(len(missing), ())
    paths = {path: one.id for path, one in entries.items() if one.id in missing}
    files = [path for path in paths if entries[path].mode in REGULAR]
    taken = await _taken(git, store, repository, files)
    if isinstance(taken, GitFailed):
        return taken
    lacking = [path for path, identity in paths.items() if identity not in taken]
    return _lacks(len(lacking), lacking) if lacking else None


async def told_if_promised(git: Git, repository: Repository, failed: GitFailed) -> GitFailed:
    """Say so where git failed since it may not fetch what the remote of a partial clone has.

    Older gits say it. Others have many words for it, and some name no object: there it is asked
    whether what they name is here, and the tree of HEAD, without which nothing can be compared.
    """
    said = _NOT_FETCHED.search(failed.stderr)
    if said is not None:
        return _lacks(1, (said[1].encode(),))
    packs = repository.common_dir / "objects" / "pack"
    if await in_thread("look at packs", _has_promises, packs) is not True:
        return failed
    root = await git.run(["rev-list", *_TREE_ALONE, "HEAD"], repository.place, accept=(0, _FATAL))
    named = _ID.findall(failed.stderr.encode())
    if not isinstance(root, GitFailed):
        named += root.stdout.split()
    lines = b"".join(one + b"\n" for one in dict.fromkeys(named))
    there = await git.run(["cat-file", "--batch-check"], repository.place, stdin=lines)
    # Where that cannot be asked what failed first is told.
    missing = [] if isinstance(there, GitFailed) else _ABSENT.findall(there.stdout)
    return _lacks(len(missing), missing) if missing else failed


def _has_promises(packs: Path) -> bool:
    try:
        with os.scandir(packs) as found:
            return any(one.name.endswith(".promisor") for one in found)
    except FileNotFoundError:
        return False


async def _missing(
    git: Git, store: Store, repository: Repository, commit: str
) -> frozenset[str] | GitFailed:
    """Give the objects that a checkout by the sparse patterns in force needs and nobody has."""
    patterns = await _patterns(git, store, repository)
    if isinstance(patterns, GitFailed):
        return patterns
    listed = await git.run(
        ["rev-list", "--objects", "--no-walk", "--missing=print", *patterns, commit], store.place
    )
    if isinstance(listed, GitFailed):
        return listed
    lines = listed.stdout.split(b"\n")
    return frozenset(line[1:].decode() for line in lines if line.startswith(_MISSING))


async def _patterns(git: Git, store: Store, repository: Repository) -> list[str] | GitFailed:
    asked = ["config", "--type=bool", "core.sparseCheckout"]
    sparse = await git.run(asked, repository.place, accept=(0, _UNSET))
    if isinstance(sparse, GitFailed):
        return sparse
    file = store.git_dir / "info" / "sparse-checkout"
    if sparse.stdout.strip() != b"true" or not file.exists():
        return []
    written = await git.run(["hash-object", "-w", "--no-filters", "--", file], store.place)
    if isinstance(written, GitFailed):
        return written
    return [f"--filter=sparse:oid={written.stdout.decode().strip()}"]


async def _taken(
    git: Git, store: Store, repository: Repository, paths: Sequence[bytes]
) -> frozenset[str] | GitFailed:
    """Store what lies at these paths of the user's, and give the ids of that."""
    # A line is one path to git, and one that begins with a quote is taken for a quoted one.
    plain = [path for path in paths if b"\n" not in path and not path.startswith(b'"')]
    root = os.fsencode(repository.work_tree)
    there = await in_thread("look at files", existing, root, plain)
    if isinstance(there, GitFailed) or not there:
        return there if isinstance(there, GitFailed) else frozenset()
    place = Place(
        cwd=repository.work_tree,
        git_dir=repository.git_dir,
        work_tree=repository.work_tree,
        object_directory=store.objects,
    )
    quiet = git.configured(repository.neutral + DISPOSABLE)
    done = await quiet.run(
        ["hash-object", "-w", "--stdin-paths"], place, stdin=b"\n".join(there) + b"\n"
    )
    return done if isinstance(done, GitFailed) else frozenset(done.stdout.decode().split())


def _lacks(count: int, paths: Sequence[bytes]) -> GitFailed:
    named = f": {listed_paths(paths)}" if paths else ""
    what = "object is" if count == 1 else "objects are"
    told = f"{count} {what} not on this machine, since this is a partial clone{named}"
    return GitFailed(DOING, None, told, _ADVICE)
