"""Makes a workspace: a plain checkout of a base with a git directory of its own.

Its git directory borrows the objects of the store, and nothing in it points at the user's: what an
agent commits, configures, stashes or breaks there is its own.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import anyio
from attrs import evolve, frozen

from sennit.adapters.git.completion import was_complete
from sennit.adapters.git.config import Carried, carried_config, config_file
from sennit.adapters.git.delete import delete_workspace
from sennit.adapters.git.disk_abilities import abilities_of
from sennit.adapters.git.files import both, copy_with_times, in_thread, write_private
from sennit.adapters.git.full_disk import told_if_full
from sennit.adapters.git.git import DISPOSABLE, Place
from sennit.adapters.git.identity import UNBORN
from sennit.adapters.git.includes import copy_included
from sennit.adapters.git.lfs import lfs_config
from sennit.adapters.git.mirror import alternate_line
from sennit.adapters.git.records import Record, index_file, make_recorded, read_record, refs_file
from sennit.adapters.git.remotes import unpushable, write_hook
from sennit.adapters.git.store import carry_rules
from sennit.adapters.git.submodule_checkouts import Filled, Inner, Outer, fill_submodules
from sennit.adapters.platform.lives import Owner
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sennit.adapters.git.discovery import Repository
    from sennit.adapters.git.git import Config, Git
    from sennit.adapters.git.store import Store
    from sennit.core.objects import Snapshot
    from sennit.core.workspace_kinds import How

BRANCH = "sennit/work"
"""The branch that a workspace is on; agents may make others."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}\Z")
_ISOLATED: Config = (
    # Programs and files of the user's own index, which no workspace shares.
    ("core.fsmonitor", "false"),
    ("core.splitIndex", "false"),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    # Those that were filled count as initialised.
    ("submodule.active", "."),
)
_LAYERED: Config = (
    # In a namespace files have another owner, and a copy into the upper layer is a new inode.
    ("core.checkStat", "minimal"),
    ("core.trustctime", "false"),
)
_LACKING = ("unable to read", "cannot read object")
_FETCH_IT = (
    "The repository lacks an object that its files need. In a partial clone get it with a git "
    "command that reads the files, since Sennit fetches nothing; else look with `git fsck`."
)
CHECKOUT: Config = (
    *DISPOSABLE,
    ("checkout.workers", "0"),
    # Indexes of ours are read by us too, and tell an edit by its change time.
    ("index.version", "2"),
    ("core.trustctime", "true"),
    ("core.checkStat", "default"),
    ("core.ignoreStat", "false"),
)
"""For every call that fills a folder: many files at once, nothing forced to the disk."""


@frozen
class Workspace:
    """A folder in which one task works. ``base`` is the commit and ``tree`` what it began with.

    ``absent_submodules`` are folders that are empty there, since their commit is not on this
    machine, ``dirty_submodules`` those whose changes at the user's are in no commit and therefore
    not there, and ``not_copied`` ignored paths that were asked for and could not be copied. ``how``
    tells how it was made, where it is known. ``meddled`` are paths that somebody had changed in the
    kept checkout that it was made from.
    """

    name: str
    folder: Path
    base: str
    tree: str
    absent_submodules: tuple[bytes, ...] = ()
    not_copied: tuple[bytes, ...] = ()
    dirty_submodules: tuple[bytes, ...] = ()
    how: How | None = None
    meddled: tuple[bytes, ...] = ()


@frozen
class Making:
    """A workspace in the making: its record is written, its folder is there and empty."""

    git: Git
    store: Store
    repository: Repository
    record: Record
    include: Sequence[str]

    @property
    def git_dir(self) -> Path:
        """The git directory of the workspace, which will be the agent's."""
        return self.record.folder / ".git"

    @property
    def place(self) -> Place:
        """The place of calls that see the workspace as its agent will."""
        return Place(cwd=self.record.folder, git_dir=self.git_dir, work_tree=self.record.folder)

    @property
    def index(self) -> Path:
        """Where the index of the filled folder is written; no agent can reach it."""
        return index_file(self.store, self.record.name)


class Filler(Protocol):
    """A way to fill a folder with a base, and to write the index of what it holds.

    It may put another folder of ours in the place of the empty one; it gives the record that is
    true afterwards.
    """

    async def __call__(self, making: Making) -> Record | GitFailed:
        """Fill the folder of ``making.record``."""


async def checked_out(making: Making) -> Record | GitFailed:
    """Let git write every file, with our git directory and index."""
    place = making.store.over(making.record.folder, making.index)
    asked = ["read-tree", "--reset", "-u", making.record.base]
    done = await making.git.run(asked, place, config=CHECKOUT)
    if isinstance(done, GitFailed):
        lacking = any(words in done.stderr for words in _LACKING)
        told = evolve(done, advice=_FETCH_IT) if lacking else done
        return await told_if_full(
            making.git, making.store, told, base=making.record.base, folder=making.record.folder
        )
    return making.record


async def make_checkout(
    git: Git,
    store: Store,
    repository: Repository,
    snapshot: Snapshot,
    folder: Path,
    *,
    owner: Owner,
    include: Sequence[str] = (),
    fill: Filler = checked_out,
) -> Workspace | GitFailed:
    """Bring a snapshot into ``folder``, which must not exist; its name names the workspace.

    ``include`` holds ignore patterns of ignored files to copy. When it fails or is cancelled,
    nothing of it stays.
    """
    record = await in_thread("make a workspace", _begin, store, repository, snapshot, folder, owner)
    if isinstance(record, GitFailed):
        return record
    quiet = git.configured(repository.neutral)
    made = False
    try:
        workspace = await _fill(Making(quiet, store, repository, record, include), fill)
        if isinstance(workspace, GitFailed):
            return workspace
        # The last of all: what is newer was written by the agent.
        failed = await was_complete(store, record.name)
        made = failed is None
        return workspace if failed is None else failed
    finally:
        if not made:
            with anyio.CancelScope(shield=True):
                await delete_workspace(store, record.name, owner)


def find_workspace(store: Store, name: str) -> Workspace | None:
    """Give the workspace of a record, whether its folder is still there or not."""
    record = read_record(store, name)
    if record is None:
        return None
    return Workspace(name, record.folder, record.base, record.tree)


def _begin(
    store: Store, repository: Repository, snapshot: Snapshot, folder: Path, owner: Owner
) -> Record | GitFailed:
    """Make the empty folder and its record, which comes before anything is in it."""
    folder = Path(os.path.realpath(folder.parent)) / folder.name
    if not _NAME.match(folder.name):
        advice = "Use letters, digits, dots, hyphens and underscores."
        return GitFailed("make a workspace", None, f"{folder.name!r} is no name for one", advice)
    if folder.is_relative_to(repository.work_tree):
        advice = "Choose a folder outside the repository for workspaces."
        return GitFailed("make a workspace", None, f"{folder} lies in the work tree", advice)
    if read_record(store, folder.name) is not None:
        advice = "Delete that workspace first, or choose another name."
        return GitFailed("make a workspace", None, f"{folder.name} is in use", advice)
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    record = Record(folder.name, folder, UNBORN, snapshot.commit, snapshot.tree, owner)
    return make_recorded(store, record)


async def _fill(making: Making, fill: Filler) -> Workspace | GitFailed:
    filled, (carried, refs) = await both(
        fill(making),
        both(carried_config(making.git, making.repository), _refs(making.git, making.repository)),
    )
    if isinstance(filled, GitFailed):
        return filled
    if isinstance(carried, GitFailed):
        return carried
    if isinstance(refs, GitFailed):
        return refs
    making = evolve(making, record=filled)
    written = await in_thread("make a git directory", _make_git_dir, making, carried, refs)
    return written if isinstance(written, GitFailed) else await _complete(making)


async def _complete(making: Making) -> Workspace | GitFailed:
    submodules = await _fill_submodules(making)
    if isinstance(submodules, GitFailed):
        return submodules
    not_copied = await copy_included(
        making.git,
        making.store,
        making.repository,
        making.include,
        making.record.folder,
    )
    if isinstance(not_copied, GitFailed):
        return not_copied
    kept = await in_thread(
        "keep the index",
        copy_with_times,
        making.git_dir / "index",
        index_file(making.store, making.record.name),
    )
    if isinstance(kept, GitFailed):
        return kept
    record = making.record
    return Workspace(
        record.name,
        record.folder,
        record.base,
        record.tree,
        submodules.absent,
        not_copied,
        submodules.dirty,
    )


async def _fill_submodules(making: Making) -> Filled | GitFailed:
    """Fill the submodules, each like a workspace of its own, with those within them."""
    within: list[Filled] = []

    async def fill(inner: Inner) -> GitFailed | None:
        quiet = making.git.configured(inner.repository.neutral)
        made = await _fill(
            Making(quiet, inner.store, inner.repository, inner.record, ()), checked_out
        )
        if isinstance(made, GitFailed):
            return made
        above = os.fsencode(inner.record.folder.relative_to(making.record.folder)) + b"/"
        within.append(
            Filled(
                tuple(above + path for path in made.absent_submodules),
                tuple(above + path for path in made.dirty_submodules),
            )
        )
        return None

    outer = Outer(making.git, making.store, making.repository, making.record, making.place)
    filled = await fill_submodules(outer, fill)
    if isinstance(filled, GitFailed):
        return filled
    return Filled(
        filled.absent + tuple(path for one in within for path in one.absent),
        filled.dirty + tuple(path for one in within for path in one.dirty),
    )


async def _refs(git: Git, repository: Repository) -> bytes | GitFailed:
    """List the user's refs as ``packed-refs``, so that an agent can name branches and tags."""
    answer = await git.run(["for-each-ref", "--format=%(objectname) %(refname)"], repository.place)
    if isinstance(answer, GitFailed):
        return answer
    ours = f"refs/heads/{BRANCH}".encode()
    above = ours.rpartition(b"/")[0]
    lines = []
    for line in answer.stdout.splitlines(keepends=True):
        name = line.partition(b" ")[2].rstrip(b"\n")
        in_the_way = name in {ours, above} or name.startswith(ours + b"/")
        # Stashes are the user's own business, and a stash that an agent pops must be its own.
        if not in_the_way and name != b"refs/stash":
            lines.append(line)
    return b"".join(lines)


def _make_git_dir(making: Making, carried: Carried, refs: bytes) -> None:
    git_dir = making.git_dir
    branch = git_dir / "refs" / "heads" / BRANCH
    for folder in (git_dir / "objects" / "info", git_dir / "objects" / "pack", branch.parent):
        folder.mkdir(parents=True)
    write_private(branch, making.record.base.encode() + b"\n")
    write_private(git_dir / "packed-refs", refs)
    write_private(refs_file(making.store, making.record.name), refs)
    write_private(git_dir / "objects" / "info" / "alternates", alternate_line(making.store.objects))
    carry_rules(making.repository, git_dir)
    write_hook(git_dir)
    write_private(git_dir / "config", _config(making, carried))
    copy_with_times(making.index, git_dir / "index")
    # HEAD makes it a repository, so it comes last.
    write_private(git_dir / "HEAD", f"ref: refs/heads/{BRANCH}\n".encode())


def _config(making: Making, carried: Carried) -> bytes:
    identity = (("user.name", carried.name), ("user.email", carried.email))
    disk = making.store.workspaces_disk or abilities_of(making.store.scratch)
    ours = lfs_config(making.store.git_dir) + _ISOLATED + unpushable(making.git_dir)
    config = carried.config + disk + carried.remotes + ours + identity + carried.hooks
    if making.record.lower:
        config += _LAYERED
    return config_file(making.repository.object_format, config, carried.partial_clone)
