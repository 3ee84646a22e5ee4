"""Packs the objects of a store that are needed, and removes those that nothing needs.

Files that the user's repository has too stay as they are: links cost nothing, and copies would
come again. Objects that only rows of the database name are needed as much as those behind refs.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import anyio
from attrs import evolve

from sennit.adapters.git.commits import commit_tree
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.mirror_memory import Memory, Mirroring, read_memory, write_memory
from sennit.adapters.git.store import keep, release
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store

ROOTS = "collecting/roots"
"""The ref that keeps, for the time of a repack, what no other one does."""
_MODES = {b"tree": "040000", b"blob": "100644"}
_ALONE = 1


async def repack(
    git: Git, store: Store, objects: Iterable[str], before: float, loose: int
) -> GitFailed | None:
    """Do so; ``objects`` are needed beside those of refs. What is younger than ``before`` stays.

    Where no pack has to go, loose objects are packed only if there are ``loose`` of them to pack.
    """
    rooted = await _root(git, store, objects)
    if isinstance(rooted, GitFailed):
        return rooted
    memory = await in_thread("read what is known of a mirror", read_memory, store.mirror_memory)
    if isinstance(memory, GitFailed):
        return memory
    theirs = memory or Memory(Mirroring.LINKED)
    failed: GitFailed | None = None
    try:
        failed = await _pack(git, store, theirs, before, loose)
        if failed is None:
            failed = await _prune(git, store, theirs, before)
    finally:
        # If that fails too, the next time finds the ref and removes it.
        with anyio.CancelScope(shield=True):
            released = await release(git, store, ROOTS)
            forgotten = await in_thread("look again at all of a mirror", _forget, store, memory)
    return failed or released or forgotten


def _forget(store: Store, memory: Memory | None) -> None:
    """Have the next refresh look at everything: the user's files may have been out of reach."""
    if memory is not None:
        write_memory(store.mirror_memory, evolve(memory, times={}))


async def _root(git: Git, store: Store, objects: Iterable[str]) -> GitFailed | None:
    """Make one commit from which all objects are reached, and a ref to it."""
    wanted = sorted(set(objects))
    names = "".join(f"{identity}\n" for identity in wanted)
    asked = ["cat-file", "--batch-check=%(objecttype) %(objectname)"]
    answer = await git.run(asked, store.place, stdin=names.encode())
    if isinstance(answer, GitFailed):
        return answer
    known = [line.split(b" ") for line in answer.stdout.splitlines()]
    if len(known) != len(wanted):
        # An answer that lacks whole lines: what they name would be taken for needless.
        said = f"git told of {len(known)} of {len(wanted)} objects"
        return GitFailed("look for what is needed", None, said, "Try again.")
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
    return made if isinstance(made, GitFailed) else await keep(git, store, ROOTS, made)


async def _commit(git: Git, store: Store, tree: str, parents: list[str]) -> str | GitFailed:
    first = parents[0] if parents else None
    if len(parents) <= 1:
        return await commit_tree(git, store, tree, first, int(time.time()), b"roots\n")
    words = [word for one in parents for word in ("-p", one)]
    answer = await git.run(["commit-tree", tree, *words], store.place, stdin=b"roots\n")
    return answer if isinstance(answer, GitFailed) else answer.stdout.decode().strip()


async def _pack(
    git: Git, store: Store, theirs: Memory, before: float, loose: int
) -> GitFailed | None:
    """Put what is needed of our old packs, and of loose objects, into one pack."""
    packs = await in_thread("look at packs", _packs, store.objects / "pack", theirs, before)
    if isinstance(packs, GitFailed):
        return packs
    ours, staying = packs
    if not ours and not loose:
        return None
    kept = [f"--keep-pack={name}" for name in staying]
    done = await git.run(["repack", "-a", "-d", "-l", "-q", *kept], store.place)
    return done if isinstance(done, GitFailed) else None


def _packs(folder: Path, theirs: Memory, before: float) -> tuple[list[str], list[str]]:
    """Sort packs: those that are ours or that the user has no more, and those that stay."""
    ours: list[str] = []
    staying: list[str] = []
    for file in sorted(folder.glob("pack-*.pack")):
        status = file.stat()
        goes = status.st_nlink == _ALONE and status.st_mtime < before
        goes = goes and not theirs.has("pack", file.name)
        (ours if goes else staying).append(file.name)
    return ours, staying


async def _prune(git: Git, store: Store, theirs: Memory, before: float) -> GitFailed | None:
    """Remove loose objects of our own that nothing reaches; git names them.

    What the user has too stays: a refresh does not look again where nothing changed.
    """
    answer = await git.run(["prune", "--dry-run", f"--expire=@{int(before)} +0000"], store.place)
    if isinstance(answer, GitFailed):
        return answer
    names = [line.split(b" ")[0].decode() for line in answer.stdout.splitlines()]
    done = await in_thread("remove objects", _unlink_own, store.objects, theirs, names, before)
    return done if isinstance(done, GitFailed) else None


def _unlink_own(objects: Path, theirs: Memory, names: Iterable[str], before: float) -> None:
    for name in names:
        file = objects / name[:2] / name[2:]
        try:
            status = os.lstat(file)
            alone = status.st_nlink == _ALONE and not theirs.has(name[:2], name[2:])
            if alone and status.st_mtime < before:
                file.unlink()
        except FileNotFoundError:
            continue
