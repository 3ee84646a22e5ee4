"""What a scenario is: a repository as it is in the wild, and what is done in it."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

from attrs import define, field, frozen

from sennit.core.objects import LeftOutReason
from tests.adapters.git.bench import Tree

LINES = "".join(f"line {number}\n" for number in range(20))


@define
class Room:
    """A folder in which a scenario makes its repositories, with the environment of their git."""

    folder: Path
    environment: dict[str, str]

    def tree(self, name: str, *options: str) -> Tree:
        """Make an empty repository."""
        folder = self.folder / name
        folder.mkdir(parents=True)
        made = Tree(folder, self.environment)
        # Without the samples of hooks there is less to copy and to compare.
        made.git("init", "-q", "--template=", *options)
        return made

    def started(self, name: str = "repo", *options: str) -> Tree:
        """Make a repository with the files that every scenario's agent and user edit."""
        made = self.tree(name, *options)
        fill(made)
        made.commit("first")
        return made

    def at(self, folder: Path) -> Tree:
        """Give the tree of a folder that git made."""
        return Tree(folder, self.environment)


def fill(tree: Tree) -> None:
    """Write the files that agents and users of most scenarios edit."""
    tree.write("README", "hello\n")
    tree.write("src/a.py", LINES)
    tree.write("gone.txt", "goes away\n")


@frozen
class Made:
    """The user's work tree of a scenario, and every git directory that must stay untouched."""

    tree: Tree
    git_dirs: tuple[Path, ...]


def made(tree: Tree, *more: Path) -> Made:
    """Give a work tree whose git directory lies in it."""
    return Made(tree, (tree.path(".git"), *more))


def agent_works(tree: Tree) -> None:
    """Change, add and delete a file each, as the agent of most scenarios does."""
    tree.write("README", "hello\nagent\n")
    tree.write("agent/new.txt", "new\n")
    tree.path("gone.txt").unlink()


def user_works(tree: Tree) -> None:
    """Change a line that no agent touches."""
    tree.write("src/a.py", LINES.replace("line 15\n", "the user's\n"))


def and_writes(files: Mapping[str | bytes, str | bytes]) -> Callable[[Tree], None]:
    """Do what the agent of most scenarios does, and write more files."""

    def works(tree: Tree) -> None:
        agent_works(tree)
        for name, content in files.items():
            tree.write(name, content, mode=_mode_of(tree.path(name)))

    return works


def _mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode) if path.is_file() else 0o644


def nothing(_tree: Tree) -> None:
    """Leave everything as it is."""


@frozen
class Scenario:
    """One kind of repository.

    ``plain_first`` tells plain git what the engine finds out by itself, so that ``git add -A``
    takes what the user sees. ``left_out`` are the paths that the manifest names.
    ``slow`` ones run only where ``SENNIT_SCENARIOS`` is set to ``all``.
    ``conflict`` says that the user's edit and the agent's do not go together.
    """

    build: Callable[[Room], Made]
    agent: Callable[[Tree], None] = agent_works
    user: Callable[[Tree], None] = user_works
    plain_first: Callable[[Tree], None] = nothing
    left_out: Mapping[bytes, LeftOutReason] = field(factory=dict)
    in_progress: str | None = None
    conflict: bool = False
    merge_config: tuple[str, ...] = ()
    somebody: bool = False
    needs_git: tuple[int, int] = (2, 38)
    slow: bool = False


def contents(folder: Path, without: tuple[bytes, ...] = ()) -> dict[bytes, tuple[str, bytes]]:
    """Give files and links below a folder, but for git directories and some subfolders."""
    found: dict[bytes, tuple[str, bytes]] = {}
    root = os.fsencode(folder)
    for parent, folders, names in os.walk(root):
        folders[:] = [name for name in folders if _inside(root, parent, name, without)]
        for name in [*folders, *names]:
            path = Path(os.fsdecode(parent)) / os.fsdecode(name)
            relative = os.path.relpath(os.fsencode(path), root)
            if path.is_symlink():
                found[relative] = ("link", os.fsencode(path.readlink()))
            elif path.is_file() and name != b".git":
                kind = "program" if path.stat().st_mode & stat.S_IXUSR else "file"
                found[relative] = (kind, path.read_bytes())
    return found


def _inside(root: bytes, parent: bytes, name: bytes, without: tuple[bytes, ...]) -> bool:
    path = os.path.relpath(parent + b"/" + name, root)
    return name != b".git" and path not in without
