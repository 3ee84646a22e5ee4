"""Reads what the refs of an agent's git directory name where it keeps them in a reftable.

Git reads them, in a git directory of ours with copies of the tables: the agent's own configuration
counts for nothing here either.
"""

from __future__ import annotations

import os
import re
import shutil
from functools import partial
from typing import TYPE_CHECKING

import anyio
from attrs import evolve, frozen

from sennit.adapters.git.files import in_thread, make_private_folder, write_private
from sennit.adapters.git.git import Place
from sennit.adapters.git.scratch import scratch_name
from sennit.adapters.small_files import Content, read_small_file
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from pathlib import Path

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store

_LIST = "tables.list"
_TABLE = re.compile(rb"0x[0-9a-f]{1,16}-0x[0-9a-f]{1,16}-[0-9a-f]{1,16}\.ref\Z")
_LARGEST = 8 << 20
_MOST = 1_000
_HEAD = b"ref: refs/heads/.invalid\n"
_CONFIG = """\
[core]
\trepositoryFormatVersion = 1
\tbare = true
[extensions]
\trefStorage = reftable
\tobjectFormat = {}
"""
_UNKNOWN = "refstorage"
"""What a git that cannot read them complains of, in whatever case."""


@frozen
class InTables:
    """Commits that refs and their logs name: those of remotes were fetched."""

    own: frozenset[str] = frozenset()
    fetched: frozenset[str] = frozenset()


async def named_in_tables(git: Git, store: Store, git_dir: Path) -> InTables | GitFailed:
    """Give them; none where refs are files. Links are not followed."""
    beside = store.scratch / scratch_name("tables")
    try:
        found = await in_thread("copy an agent's refs", _copied, git_dir, beside, store)
        if isinstance(found, GitFailed):
            return found
        return await _named(git, store, git_dir, beside) if found else InTables()
    finally:
        with anyio.CancelScope(shield=True):
            await in_thread("remove a folder", partial(shutil.rmtree, beside, ignore_errors=True))


async def _named(git: Git, store: Store, git_dir: Path, beside: Path) -> InTables | GitFailed:
    place = Place(
        cwd=beside,
        git_dir=beside,
        object_directory=store.objects,
        alternates=(git_dir / "objects",),
    )
    fetched = await _commits(git, place, "--remotes")
    if isinstance(fetched, GitFailed):
        return _told(fetched)
    every = await _commits(git, place, "--all", "--reflog")
    if isinstance(every, GitFailed):
        return every
    return InTables(every - fetched, fetched)


async def _commits(git: Git, place: Place, *which: str) -> frozenset[str] | GitFailed:
    asked = ["rev-list", "--no-walk", "--ignore-missing", *which]
    answer = await git.run(asked, place)
    if isinstance(answer, GitFailed):
        return answer
    return frozenset(answer.stdout.decode("ascii").split())


def _told(failed: GitFailed) -> GitFailed:
    if _UNKNOWN not in failed.stderr.lower():
        return failed
    return evolve(
        failed,
        stderr=(
            "its refs are in a reftable, which the git that Sennit uses cannot read (2.45 and newer"
            " can); they are in its workspace as long as that is there"
        ),
        advice="Have Sennit find a newer git first in PATH.",
    )


def _copied(git_dir: Path, beside: Path, store: Store) -> bool:
    """Copy what is a table; False where there are none. Raises OSError."""
    tables = git_dir / "reftable"
    if tables.is_symlink() or not tables.is_dir():
        return False
    listed = _content(tables / _LIST)
    names = [line for line in (listed or b"").splitlines() if _TABLE.match(line)]
    if not names or len(names) > _MOST:
        return False
    make_private_folder(beside / "reftable")
    make_private_folder(beside / "refs")
    write_private(beside / "HEAD", _HEAD)
    write_private(beside / "refs" / "heads", b"this repository uses the reftable format\n")
    write_private(beside / "config", _CONFIG.format(store.object_format).encode())
    for name in names:
        content = _content(tables / name.decode("ascii"))
        if content is not None:
            write_private(beside / "reftable" / name.decode("ascii"), content)
    write_private(beside / "reftable" / _LIST, b"".join(name + b"\n" for name in names))
    return True


def _content(file: Path) -> bytes | None:
    if file.is_symlink():
        return None
    found = read_small_file(os.fsencode(file), _LARGEST)
    return found.content if isinstance(found, Content) else None
