"""One look at the user's work tree: whose it is, which index of ours it works in, its limits."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.git import Place

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sennit.adapters.git.discovery import Repository
    from sennit.adapters.git.git import Config, Git
    from sennit.adapters.git.store import Store
    from sennit.core.objects import OpenDocument


@frozen
class SnapshotLimits:
    """The largest file, in bytes, that is taken although git does not track it yet."""

    untracked_file: int = 64 << 20


@frozen
class Look:
    """One snapshot on its way: git, whose it is, and the index it works in.

    ``names`` is the configuration for calls that ask which names the work tree holds.
    """

    git: Git
    store: Store
    repository: Repository
    index: Path
    limits: SnapshotLimits
    documents: Sequence[OpenDocument]
    elsewhere: frozenset[bytes]
    names: Config = ()

    @property
    def root(self) -> bytes:
        """The top level of the work tree."""
        return os.fsencode(self.repository.work_tree)

    @property
    def place(self) -> Place:
        """The user's git directory with our index and objects: the user's rules, nothing written.

        The user's objects are read too, since the mirror is refreshed at the same time.
        """
        return Place(
            cwd=self.repository.work_tree,
            git_dir=self.repository.git_dir,
            work_tree=self.repository.work_tree,
            index_file=self.index,
            object_directory=self.store.objects,
            alternates=(self.repository.common_dir / "objects",),
        )
