"""Packs the objects of a store that are needed, and removes those that nothing needs.

Files that the user's repository has too stay as they are: they cost nothing. Objects that only
rows of the database name are needed as much as those behind refs.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from sennit.adapters.git.commits import commit_tree
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.store import keep, release
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store

_ROOTS = "collecting/roots"
_MODES = {b"tree": "040000", b"blob": "100644"}
_ALONE = 1


async def repack(git: Git, store: Store, objects: Iterable[str], before: float) -> GitFailed | None:
    """Do so; ``objects`` are needed beside those of refs. What is younger than ``before`` stays."""
    rooted = await _root(git, store, objects)
    if isinstance(rooted, GitFailed):
        return rooted
    try:
        packed = await _pack(git, store, before)
        return packed if packed is not None else await _prune(git, store, before)
    finally:
        await release(git, store, _ROOTS)


async def _root(git: Git, store: Store, objects: Iterable[str]) -> GitFailed | None:
    """Make one commit from which all objects are reached, and a ref to it."""
    names = "".join(f"{identity}\n" for identity in sorted(set(objects)))
    asked = ["cat-file", "--batch-check=%(objecttype) %(objectname)"]
    answer = await git.run(asked, store.place, stdin=names.encode())
    if isinstance(answer, GitFailed):
        return answer
    known = [line.split(b" ") for line in answer.stdout.splitlines()]
    lines = [
        f"{_MODES[kind]} {kind.decode()} {name.decode()}\t{number}\n"
        for number, (kind, name) in enumerate(known)
        if kind in _MODES
    ]
    tree = await git.run(["mktree"], store.place, stdin="".join(lines).encode())
    if isinstance(tree, GitFailed):
        return tree
    commits = [name.decode() for kind, name in known if kind == b"commit"]
    made = await _commit(git, store, tree.stdout.decode().strip(), commits)
    return made if isinstance(made, GitFailed) else await keep(git, store, _ROOTS, made)


async def _commit(git: Git, store: Store, tree: str, parents: list[str]) -> str | GitFailed:
    first = parents[0] if parents else None
    if len(parents) <= 1:
        return await commit_tree(git, store, tree, first, int(time.time()), b"roots\n")
    words = [word for one in parents for word in ("-p", one)]
    answer = await git.run(["commit-tree", tree, *words], store.place, stdin=b"roots\n")
    return answer if isinstance(answer, GitFailed) else answer.stdout.decode().strip()


async def _pack(git: Git, store: Store, before: float) -> GitFailed | None:
    """Put what is needed of our old packs, and of loose objects, into one pack."""
    packs = await in_thread("look at packs", _packs, store.objects / "pack", before)
    if isinstance(packs, GitFailed):
        return packs
    ours, staying = packs
    if not ours:
        return None
    kept = [f"--keep-pack={name}" for name in staying]
    done = await git.run(["repack", "-a", "-d", "-l", "-q", *kept], store.place)
    return done if isinstance(done, GitFailed) else None


def _packs(folder: Path, before: float) -> tuple[list[str], list[str]]:
    """Sort packs: those that are ours or that the user has no more, and those that stay."""
    ours: list[str] = []
    staying: list[str] = []
    for file in sorted(folder.glob("pack-*.pack")):
        status = file.stat()
        goes = status.st_nlink == _ALONE and status.st_mtime < before
        (ours if goes else staying).append(file.name)
    return ours, staying


async def _prune(git: Git, store: Store, before: float) -> GitFailed | None:
    """Remove loose objects of our own that nothing reaches.

    Git names them; which of them the user has too is a matter of the links to their files.
    """
    answer = await git.run(["prune", "--dry-run", f"--expire=@{int(before)} +0000"], store.place)
    if isinstance(answer, GitFailed):
        return answer
    names = [line.split(b" ")[0].decode() for line in answer.stdout.splitlines()]
    done = await in_thread("remove objects", _unlink_own, store.objects, names, before)
    return done if isinstance(done, GitFailed) else None


def _unlink_own(objects: Path, names: Iterable[str], before: float) -> None:
    for name in names:
        file = objects / name[:2] / name[2:]
        try:
            status = os.lstat(file)
            if status.st_nlink == _ALONE and status.st_mtime < before:
                file.unlink()
        except FileNotFoundError:
            continue
