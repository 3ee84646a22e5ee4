"""Work trees to test on, and the look that tells whether a git directory was touched."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
from attrs import define, evolve, frozen

from sennit.adapters.git.base import take_snapshot
from sennit.adapters.git.discovery import Repository, Trust, discover
from sennit.adapters.git.git import Git
from sennit.adapters.git.mirror import LINKING, Sharing
from sennit.adapters.git.store import Store, open_store
from sennit.adapters.git.workspace import Workspace, make_checkout
from sennit.adapters.platform.lives import Life, Owner, owner_of
from sennit.core.objects import OpenDocument, Snapshot


@define
class Tree:
    """A work tree to write into with plain calls, and its git.

    Where it is ``guarded``, nothing but this git may touch its git directory, and what is said
    to be done ``by_hand``.
    """

    folder: Path
    environment: dict[str, str]
    guarded: Watch | None = None

    def git(self, *args: str | bytes, check: bool = True, stdin: bytes = b"") -> bytes:
        with self.by_hand():
            return self._run(*args, check=check, stdin=stdin)

    @contextmanager
    def by_hand(self) -> Iterator[None]:
        """Let a test touch the git directory itself; before, it has to be as it was left."""
        if self.guarded is None:
            yield
            return
        self.guarded.check()
        yield
        self.guarded.look_anew()

    def within(self, folder: str) -> Tree:
        """Give a work tree below this one, such as a submodule, whose git touches this one's."""
        return evolve(self, folder=self.path(folder))

    def _run(self, *args: str | bytes, check: bool, stdin: bytes) -> bytes:
        done = subprocess.run(
            ["git", *args],
            cwd=self.folder,
            env=self.environment,
            input=stdin,
            capture_output=True,
            check=False,
        )
        if check and done.returncode != 0:
            pytest.fail(f"git {args!r}: {done.stderr.decode()}")
        return done.stdout

    def path(self, name: bytes | str) -> Path:
        return self.folder / os.fsdecode(name)

    def write(self, name: bytes | str, content: bytes | str, *, mode: int = 0o644) -> Path:
        path = self.path(name)
        with self.by_hand() if os.fsencode(name).startswith(b".git/") else nullcontext():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(os.fsencode(content))
            path.chmod(mode)
        return path

    def commit(self, message: str = "more") -> str:
        self.git("add", "-A")
        # There is nothing to tidy up, and to find that out takes a process more.
        self.git("-c", "maintenance.auto=false", "commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD").decode().strip()


Guard = Callable[[Tree], Tree]
"""Has a tree of a user stay untouched until the end of a test."""


def git_dirs_of(folder: Path) -> tuple[Path, ...]:
    """Give the git directories of a work tree that are folders: its own, and the common one."""
    own = folder / ".git"
    if own.is_file():
        own = folder / own.read_text().removeprefix("gitdir: ").rstrip("\n")
    pointer = own / "commondir"
    common = (own / pointer.read_text().rstrip("\n"),) if pointer.is_file() else ()
    return tuple(one for one in (own, *common) if one.is_dir())


@frozen
class Metadata:
    """What "untouched" compares of one entry of a git directory."""

    mode: int
    modified: int | None
    content: bytes | str | None


_OBJECTS = re.compile(r"(?:modules/(?:.+/)?)?objects(?:/|\Z)")
"""Git freshens the time of an object that it is asked to write and has; submodules have theirs."""


def untouched_view(git_dir: Path) -> dict[str, Metadata]:
    """Give all that must stay as it is: names, modes, bytes, times except those of objects."""
    view = {}
    for folder, folders, names in os.walk(git_dir):
        for name in [*folders, *names]:
            path = Path(folder) / name
            relative = str(path.relative_to(git_dir))
            status = path.lstat()
            timeless = _OBJECTS.match(relative) or name.startswith("sharedindex.")
            view[relative] = Metadata(
                status.st_mode,
                None if timeless else status.st_mtime_ns,
                _content(path),
            )
    return view


def _content(path: Path) -> bytes | str | None:
    if path.is_symlink():
        return str(path.readlink())
    return path.read_bytes() if path.is_file() else None


@define
class Bench:
    """A repository, our store of it, and the calls under test with what they need filled in."""

    tree: Tree
    tmp_path: Path
    git: Git
    trust: Trust = Trust.TRUSTED
    sharing: Sharing = LINKING
    _made: int = 0

    @property
    def stores(self) -> Path:
        return self.tmp_path / "state" / "stores"

    async def repository(self) -> Repository:
        found = await discover(self.git, self.tree.folder, self.trust)
        assert isinstance(found, Repository), found
        return found

    async def store(self) -> Store:
        opened = await open_store(self.git, await self.repository(), self.stores, self.sharing)
        assert isinstance(opened, Store), opened
        return evolve(opened, lives=self.stores)

    async def snapshot(self, *documents: OpenDocument, **options: object) -> Snapshot:
        repository = await self.repository()
        taken = await take_snapshot(
            self.git,
            await self.store(),
            repository,
            documents,
            **options,  # type: ignore[arg-type]  # each test passes what the call takes
        )
        assert isinstance(taken, Snapshot), taken
        return taken

    async def workspace(
        self, snapshot: Snapshot | None = None, include: tuple[str, ...] = ()
    ) -> Workspace:
        self._made += 1
        made = await make_checkout(
            self.git,
            await self.store(),
            await self.repository(),
            snapshot or await self.snapshot(),
            self.tmp_path / "work spaces" / f"task-{self._made}",
            owner=this_process(),
            include=include,
        )
        assert isinstance(made, Workspace), made
        return made

    def inside(self, workspace: Workspace) -> Tree:
        return Tree(workspace.folder, self.tree.environment)

    def inside_of(self, workspace: Workspace, folder: str) -> Tree:
        """Give a folder of a workspace that is a repository itself."""
        return Tree(workspace.folder / folder, self.tree.environment)

    async def files_of(self, commit: str) -> dict[bytes, tuple[str, bytes]]:
        """Give the mode and the bytes of each path of a commit of the store."""
        store = await self.store()
        listed = self._in_store(store, "ls-tree", "-r", "-z", commit)
        entries = [record.partition(b"\t") for record in listed.split(b"\0") if record]
        found = [(fields.decode().split(), path) for fields, _, path in entries]
        wanted = "".join(f"{identity}\n" for (_, kind, identity), _ in found if kind == "blob")
        contents = iter(batched(self._in_store(store, "cat-file", "--batch", stdin=wanted)))
        return {
            path: (mode, next(contents) if kind == "blob" else identity.encode())
            for (mode, kind, identity), path in found
        }

    def _in_store(self, store: Store, *args: str, stdin: str = "") -> bytes:
        return self.tree.git(f"--git-dir={store.git_dir}", *args, stdin=stdin.encode())


def batched(output: bytes) -> Iterator[bytes]:
    """Cut what ``git cat-file --batch`` printed into contents."""
    while output:
        header, _, rest = output.partition(b"\n")
        size = int(header.rsplit(b" ", 1)[1])
        yield rest[:size]
        output = rest[size + 1 :]


def this_process() -> Owner:
    owner = owner_of(os.getpid())
    assert owner is not None
    return owner


@contextmanager
def in_a_container(store: Store) -> Iterator[Owner]:
    """A process that uses a store and lives where this one cannot see it, until the block ends."""
    me = this_process()
    machine, boot, _, times = me.realm.split("-")
    owner = evolve(me, realm=f"{machine}-{boot}-1-{times}")
    assert store.lives is not None
    held = Life(owner).hold(store.lives)
    try:
        yield owner
    finally:
        os.close(held)


class Watch:
    """Remembers git directories and tells whether they are as they were."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._before: dict[Path, dict[str, Metadata]] = {}

    def begin(self, *git_dirs: Path) -> None:
        """Look at git directories as they are now; a test calls this after its own changes."""
        for git_dir in git_dirs:
            self._before[git_dir] = untouched_view(git_dir)

    def look_anew(self) -> None:
        """Look at the git directories of the folder as they are now, and at no others."""
        self._before.clear()
        if self._folder is not None:
            self.begin(*git_dirs_of(self._folder))

    def check(self) -> None:
        """Fail when something differs."""
        for git_dir, before in self._before.items():
            after = untouched_view(git_dir)
            differing = {
                name for name in before.keys() | after.keys() if before.get(name) != after.get(name)
            }
            assert not differing, f"{git_dir} was touched: {sorted(differing)}"
