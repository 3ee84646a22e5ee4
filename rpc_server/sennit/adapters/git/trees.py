"""Blobs, trees and commits of a store: read and written by id, without any work tree.

Each function first asks libgit2 in process and then, where that cannot answer, git itself. Blobs
are exact bytes: no filter, no line ending is touched on the way.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import anyio.to_thread
from attrs import evolve

from sennit.adapters.git.files import remove_index
from sennit.adapters.git.git import DISPOSABLE, IDENTITY
from sennit.adapters.git.inprocess import NotHere, Objects, with_objects
from sennit.adapters.git.raw_trees import (
    MODE_TREE,
    Folders,
    InTheWay,
    Item,
    Sides,
    item_of,
    raw_entry,
    rewritten,
)
from sennit.adapters.git.scratch import scratch_name
from sennit.core.objects import Entry, GitFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import TypeVar

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store

    Answer = TypeVar("Answer")


async def read_blobs(git: Git, store: Store, ids: Collection[str]) -> dict[str, bytes] | GitFailed:
    """Give the bytes of each object, by id."""
    wanted = tuple(dict.fromkeys(ids))
    found = await with_objects(store, lambda objects: {one: objects.read(one) for one in wanted})
    if not isinstance(found, NotHere):
        return found
    asked = "".join(f"{one}\n" for one in wanted).encode()
    done = await git.run(["cat-file", "--batch"], store.place, stdin=asked)
    if isinstance(done, GitFailed):
        return done
    return _parsed_batch(wanted, done.stdout)


def _parsed_batch(ids: Sequence[str], output: bytes) -> dict[str, bytes] | GitFailed:
    contents: dict[str, bytes] = {}
    position = 0
    for identity in ids:
        end = output.index(b"\n", position)
        header = output[position:end].split(b" ")
        if header[-1] == b"missing":
            advice = "Fetch it into the repository, then try again."
            return GitFailed("git cat-file --batch", 0, f"object {identity} is missing", advice)
        start, size = end + 1, int(header[-1])
        contents[identity] = output[start : start + size]
        position = start + size + 1
    return contents


async def read_blob(git: Git, store: Store, identity: str) -> bytes | GitFailed:
    """Give the bytes of one object."""
    found = await read_blobs(git, store, (identity,))
    return found if isinstance(found, GitFailed) else found[identity]


async def tree_entries(git: Git, store: Store, tree: str) -> dict[bytes, Entry] | GitFailed:
    """Give every file, link and submodule of a tree, by path."""
    done = await git.run(["ls-tree", "-r", "-z", "--full-tree", tree], store.place)
    return done if isinstance(done, GitFailed) else dict(_parsed_listing(done.stdout))


def _parsed_listing(output: bytes) -> Iterator[tuple[bytes, Entry]]:
    for record in output.split(b"\0")[:-1]:
        described, _, path = record.partition(b"\t")
        mode, _, identity = described.split(b" ")
        yield path, Entry(int(mode, 8), identity.decode())


async def entries_at(
    git: Git, store: Store, tree: str, paths: Collection[bytes]
) -> dict[bytes, Entry] | GitFailed:
    """Give what a tree holds at these paths; where it holds nothing or a folder, nothing."""
    return await in_folders(git, store, tree, lambda folders: files_at(folders, paths))


def files_at(folders: Folders, paths: Iterable[bytes]) -> dict[bytes, Entry]:
    """Give the files, links and submodules of a tree at those paths that have one."""
    found = ((path, folders.file(path)) for path in paths)
    return {path: entry for path, entry in found if entry is not None}


def without_needless(
    folders: Folders, changes: Mapping[bytes, Entry | None]
) -> dict[bytes, Entry | None]:
    """Leave out of changes to a tree the removals (None) of paths at which it has no file."""
    there = files_at(folders, (path for path, entry in changes.items() if entry is None))
    return {path: entry for path, entry in changes.items() if entry or path in there}


async def in_folders(
    git: Git, store: Store, tree: str, work: Callable[[Folders], Answer]
) -> Answer | GitFailed:
    """Look into the folders of a tree in a worker thread."""
    found = await with_objects(store, lambda objects: work(objects.folders(tree)))
    if not isinstance(found, NotHere):
        return found
    listed = await git.run(["ls-tree", "-r", "-t", "-z", "--full-tree", tree], store.place)
    if isinstance(listed, GitFailed):
        return listed
    return await anyio.to_thread.run_sync(_in_listed, tree, listed.stdout, work)


def _in_listed(tree: str, output: bytes, work: Callable[[Folders], Answer]) -> Answer:
    folders: dict[str, list[Item]] = defaultdict(list)
    ids = {b"": tree}
    # A folder is listed before what it holds.
    for path, entry in _parsed_listing(output):
        if entry.mode == MODE_TREE:
            ids[path] = entry.id
        above, _, name = path.rpartition(b"/")
        folders[ids[above]].append(item_of(name, entry))
    return work(Folders(folders.__getitem__, tree))


async def changed_paths(
    git: Git, store: Store, old: str, new: str
) -> dict[bytes, Sides] | GitFailed:
    """Give what two trees hold at every path that differs, without looking for renames."""
    changed = await changed_paths_of(git, store, old, (new,))
    return changed if isinstance(changed, GitFailed) else changed[0]


async def changed_paths_of(
    git: Git, store: Store, old: str, new: Sequence[str]
) -> list[dict[bytes, Sides]] | GitFailed:
    """Compare one tree with several, as ``changed_paths`` does; the old one is read once."""
    found = await with_objects(
        store, lambda objects: [objects.differences(old, tree) for tree in new]
    )
    if not isinstance(found, NotHere):
        return found
    changed: list[dict[bytes, Sides]] = []
    for tree in new:
        asked = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--full-index", old, tree]
        done = await git.run(asked, store.place, config=store.neutral)
        if isinstance(done, GitFailed):
            return done
        changed.append(dict(_parsed_raw(done.stdout)))
    return changed


def _parsed_raw(output: bytes) -> Iterator[tuple[bytes, Sides]]:
    fields = output.split(b"\0")
    for described, path in zip(fields[::2], fields[1::2], strict=False):
        old_mode, new_mode, old, new, _ = described.removeprefix(b":").split(b" ")
        yield path, Sides(raw_entry(old_mode, old), raw_entry(new_mode, new))


async def write_blobs(
    git: Git, store: Store, contents: Sequence[bytes]
) -> tuple[str, ...] | GitFailed:
    """Store exact bytes as blobs and give their ids, in order."""
    if not contents:
        return ()

    def work(objects: Objects) -> tuple[str, ...]:
        return tuple(objects.write_blob(content) for content in contents)

    written = await with_objects(store, work)
    if not isinstance(written, NotHere):
        return written
    ids: list[str] = []
    for content in contents:
        one = await _hashed(git, store, "blob", content)
        if isinstance(one, GitFailed):
            return one
        ids.append(one)
    return tuple(ids)


async def write_blob(git: Git, store: Store, content: bytes) -> str | GitFailed:
    """Store exact bytes as a blob and give its id."""
    written = await write_blobs(git, store, (content,))
    return written if isinstance(written, GitFailed) else written[0]


async def _hashed(git: Git, store: Store, kind: str, content: bytes) -> str | GitFailed:
    done = await git.run(
        ["hash-object", "-t", kind, "-w", "--no-filters", "--stdin"], store.place, stdin=content
    )
    return done if isinstance(done, GitFailed) else done.stdout.decode().strip()


async def empty_tree(git: Git, store: Store) -> str | GitFailed:
    """Store the tree without entries and give its id."""
    written = await with_objects(store, lambda objects: objects.write_tree(b""))
    return await _hashed(git, store, "tree", b"") if isinstance(written, NotHere) else written


async def write_tree(
    git: Git, store: Store, base: str, changes: Mapping[bytes, Entry | None]
) -> str | GitFailed:
    """Store the tree that is ``base`` with these paths set or, where None, removed.

    A file gives way to a folder, and a folder to a file, when the removals say so; a path that
    would lie below a file that stays is a failure.
    """
    if not changes:
        return base
    written = await with_objects(store, _writing(base, changes))
    if not isinstance(written, NotHere):
        return written
    return await _write_by_index(git, store, base, changes)


def _writing(
    base: str, changes: Mapping[bytes, Entry | None]
) -> Callable[[Objects], str | GitFailed]:
    def work(objects: Objects) -> str | GitFailed:
        try:
            return rewritten(objects.items, objects.write_tree, base, changes)
        except InTheWay as error:
            name = error.path.decode("utf-8", "backslashreplace")
            return GitFailed("write a tree", None, f"{name} cannot be both a file and a folder")

    return work


async def _write_by_index(
    git: Git, store: Store, base: str, changes: Mapping[bytes, Entry | None]
) -> str | GitFailed:
    index = store.scratch / scratch_name("index")
    place = evolve(store.place, index_file=index)
    nothing = b"0" * len(base)
    removals = [b"0 %s\t%s\0" % (nothing, path) for path, entry in changes.items() if not entry]
    settings = [
        b"%o %s\t%s\0" % (entry.mode, entry.id.encode(), path)
        for path, entry in changes.items()
        if entry
    ]
    lines = b"".join([*removals, *settings])
    try:
        for args, stdin in (
            (["read-tree", base], b""),
            (["update-index", "-z", "--index-info"], lines),
        ):
            done = await git.run(args, place, stdin=stdin, config=DISPOSABLE)
            if isinstance(done, GitFailed):
                return done
        done = await git.run(["write-tree"], place)
    finally:
        remove_index(index)
    return done if isinstance(done, GitFailed) else done.stdout.decode().strip()


async def write_commits(
    git: Git, store: Store, trees: Sequence[tuple[str, tuple[str, ...]]], at: int
) -> tuple[str, ...] | GitFailed:
    """Store commits of ours, each a tree and its parents, dated ``at`` (seconds since 1970)."""
    contents = [_commit(tree, parents, at) for tree, parents in trees]

    def work(objects: Objects) -> tuple[str, ...]:
        return tuple(objects.write_commit(content) for content in contents)

    written = await with_objects(store, work)
    if not isinstance(written, NotHere):
        return written
    ids: list[str] = []
    for content in contents:
        one = await _hashed(git, store, "commit", content)
        if isinstance(one, GitFailed):
            return one
        ids.append(one)
    return tuple(ids)


async def write_merge_sides(
    git: Git, store: Store, base: str, sides: Sequence[str], at: int
) -> tuple[str, ...] | GitFailed:
    """Store a commit of each side whose only parent is a commit of the base."""
    written = await with_objects(store, lambda objects: merge_sides(objects, base, sides, at))
    if not isinstance(written, NotHere):
        return written
    root = await write_commits(git, store, [(base, ())], at)
    if isinstance(root, GitFailed):
        return root
    return await write_commits(git, store, [(side, root) for side in sides], at)


def merge_sides(objects: Objects, base: str, sides: Sequence[str], at: int) -> tuple[str, ...]:
    """Do what ``write_merge_sides`` does, in process."""
    root = objects.write_commit(_commit(base, (), at))
    return tuple(objects.write_commit(_commit(side, (root,), at)) for side in sides)


def _commit(tree: str, parents: Sequence[str], at: int) -> bytes:
    who = f"{IDENTITY[0]} <{IDENTITY[1]}> {at} +0000"
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
    lines += [f"author {who}", f"committer {who}", "", "merge\n"]
    return "\n".join(lines).encode()
