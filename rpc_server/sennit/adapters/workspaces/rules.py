"""Under which rules files are written: a finger-print of all that decides bytes and modes of them.

A folder that was filled under other rules is not used again: git rewrites a file only when its
object changes, not when a filter or a line ending does.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from sennit.adapters.git.config import attributes_of_the_user
from sennit.adapters.git.files import in_thread, read_if_there
from sennit.adapters.git.listed_config import said_by_files
from sennit.adapters.git.trees import changed_paths
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sennit.adapters.git.discovery import Repository
    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store

_ATTRIBUTES = b".gitattributes"
_ELSEWHERE = (
    b"alias.", b"branch.", b"color.", b"credential.", b"pull.", b"push.", b"rebase.", b"remote.",
    b"submodule.", b"url.", b"user.",
)  # fmt: skip
"""Sections that say nothing of how files are written, some of which change with each branch."""


async def rules_of(git: Git, repository: Repository) -> str | GitFailed:
    """Give the finger-print of configuration, attributes and patterns outside the tree."""
    listed = await git.run(["config", "--list", "--show-scope", "-z"], repository.place)
    if isinstance(listed, GitFailed):
        return listed
    said = (entry for _, entry in said_by_files(listed.stdout))
    pairs = [entry for entry in said if not entry.startswith(_ELSEWHERE)]
    return await in_thread("read rules", _hashed, repository, pairs, git.environment)


async def same_attributes(git: Git, store: Store, old: str, new: str) -> bool | GitFailed:
    """Tell whether two trees have the same files of attributes."""
    if old == new:
        return True
    changed = await changed_paths(git, store, old, new)
    if isinstance(changed, GitFailed):
        return changed
    return not any(path.rpartition(b"/")[2] == _ATTRIBUTES for path in changed)


def _hashed(repository: Repository, pairs: list[bytes], environment: Mapping[str, str]) -> str:
    digest = hashlib.sha256()
    # Files and folders that are made under another mask have other modes.
    for part in (*pairs, repr(repository.neutral).encode(), b"%o" % umask()):
        digest.update(b"%d " % len(part) + part)
    for file in _files(repository, pairs, environment):
        content = read_if_there(file)
        digest.update(b"-" if content is None else b"%d " % len(content) + content)
    return digest.hexdigest()


def umask() -> int:
    """Read the mask of this process."""
    for line in (read_if_there(Path("/proc/self/status")) or b"").splitlines():
        if line.startswith(b"Umask:"):
            return int(line.split()[1], 8)
    # Here asking means setting it, for all threads: what one makes now is the more private.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _files(
    repository: Repository, pairs: list[bytes], environment: Mapping[str, str]
) -> Iterable[Path]:
    yield repository.common_dir / "info" / "attributes"
    yield repository.git_dir / "info" / "sparse-checkout"
    named = (
        value.decode(errors="surrogateescape")
        for key, _, value in (pair.partition(b"\n") for pair in pairs)
        if key == b"core.attributesfile"
    )
    yield from attributes_of_the_user(named, environment)
