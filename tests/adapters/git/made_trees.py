"""Trees for tests: written straight into a real store, without any work tree."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from attrs import frozen

from sennit.adapters.git.discovery import Repository, Trust, discover
from sennit.adapters.git.git import Git, git_for
from sennit.adapters.git.store import Store, open_store
from sennit.adapters.git.trees import read_blobs, tree_entries, write_blobs, write_tree
from sennit.core.objects import MODE_EXECUTABLE, MODE_FILE, MODE_LINK, Entry, GitFailed
from tests.adapters.git.bench import Watch

AT = 1_700_000_000


@frozen
class Link:
    target: bytes


@frozen
class Executable:
    content: bytes


@frozen
class Pointer:
    """A submodule's commit."""

    commit: str


Content = bytes | Link | Executable | Pointer
Answer = TypeVar("Answer")
Files = Mapping[bytes, Content]


def must(answer: Answer | GitFailed) -> Answer:
    assert not isinstance(answer, GitFailed), answer
    return answer


@frozen
class Workbench:
    """A repository with its store, and trees made from what they hold."""

    git: Git
    store: Store
    repository: Repository
    empty: str
    """The tree without entries."""

    async def tree(self, files: Files) -> str:
        contents = [_bytes(content) for content in files.values()]
        ids = must(await write_blobs(self.git, self.store, contents))
        entries = {
            path: _entry(content, identity)
            for (path, content), identity in zip(files.items(), ids, strict=True)
        }
        return must(await write_tree(self.git, self.store, self.empty, entries))

    async def files(self, tree: str) -> dict[bytes, Content]:
        entries = must(await tree_entries(self.git, self.store, tree))
        blobs = must(
            await read_blobs(
                self.git, self.store, {e.id for e in entries.values() if e.mode != 0o160000}
            )
        )
        return {path: _content(entry, blobs) for path, entry in entries.items()}


def _bytes(content: Content) -> bytes:
    match content:
        case Link(target):
            return target
        case Executable(inner):
            return inner
        case Pointer():
            return b""
        case bytes():
            return content


def _entry(content: Content, identity: str) -> Entry:
    match content:
        case Link():
            return Entry(MODE_LINK, identity)
        case Executable():
            return Entry(MODE_EXECUTABLE, identity)
        case Pointer(commit):
            return Entry(0o160000, commit)
        case bytes():
            return Entry(MODE_FILE, identity)


def _content(entry: Entry, blobs: Mapping[str, bytes]) -> Content:
    match entry.mode:
        case 0o120000:
            return Link(blobs[entry.id])
        case 0o100755:
            return Executable(blobs[entry.id])
        case 0o160000:
            return Pointer(entry.id)
        case _:
            return blobs[entry.id]


def run_git(
    cwd: Path,
    *args: str,
    git_dir: Path | None = None,
    index: Path | None = None,
    stdin: bytes = b"",
) -> str:
    """Run git as a test's second witness, with no configuration but the repository's."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(cwd),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "t",
        "GIT_AUTHOR_EMAIL": "t@localhost",
        "GIT_COMMITTER_NAME": "t",
        "GIT_COMMITTER_EMAIL": "t@localhost",
    }
    if git_dir is not None:
        environment["GIT_DIR"] = str(git_dir)
    if index is not None:
        environment["GIT_INDEX_FILE"] = str(index)
    with by_hand(cwd):
        done = subprocess.run(
            ["git", *args],
            cwd=cwd,
            env=environment,
            input=stdin,
            capture_output=True,
            check=True,
        )
    return done.stdout.decode("utf-8", "surrogateescape").strip()


GUARDED: dict[Path, Watch] = {}
"""Repositories of users that are to stay untouched, but by ``run_git`` and by hand."""


@contextmanager
def by_hand(folder: Path) -> Iterator[None]:
    """Let a test touch the git directory of a user; before, it has to be as it was left."""
    watch = GUARDED.get(folder)
    if watch is not None:
        watch.check()
    yield
    if watch is not None:
        watch.look_anew()


async def workbench(
    root: Path, object_format: str = "sha1", trust: Trust = Trust.TRUSTED
) -> Workbench:
    """Make a repository and its store in an empty folder."""
    user = root / "user"
    user.mkdir(parents=True)
    run_git(user, "init", "-q", f"--object-format={object_format}")
    GUARDED[user] = Watch(user)
    GUARDED[user].look_anew()
    environment = {"PATH": os.environ["PATH"], "HOME": str(root)}
    git = git_for("git", environment)
    found = await discover(git, user, trust)
    assert isinstance(found, Repository), found
    store = must(await open_store(git, found, root / "store"))
    return Workbench(git, store, found, run_git(store.root, "mktree", git_dir=store.git_dir))
