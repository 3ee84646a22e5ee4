"""Finds the repository that a folder belongs to, and says why one cannot be used."""

from __future__ import annotations

import hashlib
import os
from enum import StrEnum, auto
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread
from attrs import frozen

from sennit.adapters.git.configured_hooks import named_hooks_off
from sennit.adapters.git.git import Done, Place
from sennit.adapters.git.held_up import looked_at
from sennit.core.objects import GitFailed
from sennit.core.shell_words import shell_word

if TYPE_CHECKING:
    from sennit.adapters.git.git import Config, Git


class Trust(StrEnum):
    """Whether programs that a repository's configuration names may run."""

    TRUSTED = auto()
    UNTRUSTED = auto()


@frozen
class Repository:
    """A repository and its work tree, as absolute real paths.

    ``common_dir`` differs from ``git_dir`` in linked worktrees. ``neutral`` is configuration for
    every call that could run a driver: empty when the repository is trusted.
    """

    work_tree: Path
    git_dir: Path
    common_dir: Path
    object_format: str
    trust: Trust
    neutral: Config = ()

    @property
    def key(self) -> str:
        """Name the store of this repository: one for each work tree of a common directory."""
        identity = os.fsencode(self.common_dir) + b"\0" + os.fsencode(self.work_tree)
        return hashlib.sha256(identity).hexdigest()[:24]

    @property
    def place(self) -> Place:
        """Give the place of git calls that only read the user's repository."""
        return Place(cwd=self.work_tree, git_dir=self.git_dir, work_tree=self.work_tree)


@frozen
class NotARepository:
    """No repository begins at this folder or above it."""

    folder: Path


class Refusal(StrEnum):
    """Why a folder that is there, or a repository that was found, cannot be worked on."""

    MISSING_FOLDER = "missingFolder"
    BARE = "bare"
    INSIDE_GIT_DIRECTORY = "insideGitDirectory"
    OTHER_OWNER = "otherOwner"
    WORK_TREE_ELSEWHERE = "workTreeElsewhere"
    DAMAGED = "damaged"
    BEYOND_A_MOUNT = "beyondAMount"


@frozen
class Refused:
    """A folder that cannot be worked on, why, and what a person can do about it."""

    folder: Path
    reason: Refusal
    advice: str


Discovery = Repository | NotARepository | Refused | GitFailed

_ADVICE = {
    Refusal.MISSING_FOLDER: "Open a folder that exists.",
    Refusal.BARE: "Open a work tree of this repository: a clone, or git worktree add.",
    Refusal.INSIDE_GIT_DIRECTORY: "Open the work tree, not its .git folder.",
    Refusal.OTHER_OWNER: (
        "If you trust its owner, run: git config --global --add safe.directory WORD"
    ),
    Refusal.WORK_TREE_ELSEWHERE: (
        "Its core.worktree names another folder. Open that folder, or unset core.worktree."
    ),
    Refusal.DAMAGED: (
        "Git takes FOLDER for no repository: its HEAD, objects or refs are missing or damaged, or"
        " it is a file that leads to none. Restore them (HEAD is one line, such as"
        " `ref: refs/heads/main`; a linked worktree that was moved: git worktree repair)."
    ),
    Refusal.BEYOND_A_MOUNT: (
        "It lies on another file system (a mount, or a subvolume of btrfs) than the repository"
        " around it, and git does not look beyond one. Name FOLDER, or a folder on its file system."
    ),
}
_PARTS = ("HEAD", "objects", "refs", "config")
_FATAL = 128
_FACTS = 6


async def discover(git: Git, folder: Path, trust: Trust) -> Discovery:
    """Find the repository of a folder; of a file, that of the folder that holds it.

    Git is asked without being told a git directory, so that it checks who owns what it finds.
    """
    found = await anyio.to_thread.run_sync(_start_of, folder)
    if found is None:
        return _refused(folder, Refusal.MISSING_FOLDER)
    start, git_dir = found
    return await looked_at(os.fsencode(git_dir), lambda: _discovered(git, start, git_dir, trust))


async def _discovered(git: Git, start: Path, git_dir: Path, trust: Trust) -> Discovery:
    asked = [
        "rev-parse",
        "--is-bare-repository",
        "--is-inside-git-dir",
        "--show-object-format",
        "--path-format=absolute",
        "--git-dir",
        "--git-common-dir",
        "--show-toplevel",
    ]
    answer = await git.run(asked, Place(cwd=start), accept=(0, _FATAL))
    if isinstance(answer, GitFailed):
        return answer
    if answer.code == _FATAL:
        return await anyio.to_thread.run_sync(_why_not, start, git_dir, answer)
    lines = answer.stdout.removesuffix(b"\n").split(b"\n")
    if len(lines) != _FACTS:
        separate = await _paths_one_by_one(git, start)
        if isinstance(separate, GitFailed):
            return separate
        lines[3:] = separate
    return await _repository(git, start, lines, trust)


async def _repository(git: Git, start: Path, lines: list[bytes], trust: Trust) -> Discovery:
    git_dir, common_dir, work_tree = (Path(os.fsdecode(line)) for line in lines[3:])
    if lines[1] == b"true":
        return _refused(start, Refusal.INSIDE_GIT_DIRECTORY)
    if not start.is_relative_to(work_tree):
        return _refused(start, Refusal.WORK_TREE_ELSEWHERE)
    found = Repository(work_tree, git_dir, common_dir, lines[2].decode(), trust)
    match trust:
        case Trust.TRUSTED:
            return found
        case Trust.UNTRUSTED:
            return await neutralised(git, found)


async def neutralised(git: Git, found: Repository) -> Repository | GitFailed:
    """Add the configuration that leaves every driver that is configured without a program."""
    listed = await git.run(["config", "--list", "--name-only", "-z"], found.place)
    if isinstance(listed, GitFailed):
        return listed
    names = {os.fsdecode(key) for key in listed.stdout.split(b"\0") if key}
    neutral = tuple(sorted(_without_program(names).items()))
    return Repository(
        found.work_tree,
        found.git_dir,
        found.common_dir,
        found.object_format,
        found.trust,
        neutral,
    )


def _without_program(names: set[str]) -> dict[str, str]:
    # An empty program is none, for filters and for conversions to text. A merge driver without a
    # program would be an error where an attribute asks for it; one that says "conflict" is not.
    config = {"diff.external": "", "core.alternateRefsCommand": "", "credential.helper": ""}
    config |= dict(named_hooks_off(names))
    for name in names:
        section, _, rest = name.partition(".")
        driver, _, _ = rest.rpartition(".")
        if not driver:
            continue
        if section == "filter":
            config |= {f"filter.{driver}.{part}": "" for part in ("clean", "smudge", "process")}
            config[f"filter.{driver}.required"] = "false"
        elif section == "merge":
            config[f"merge.{driver}.driver"] = "false"
        elif section == "diff":
            config |= {f"diff.{driver}.textconv": "", f"diff.{driver}.command": ""}
    return config


async def _paths_one_by_one(git: Git, start: Path) -> list[bytes] | GitFailed:
    """Ask for each path on its own: one that holds a line end makes the common answer ambiguous."""
    paths = []
    for question in ("--git-dir", "--git-common-dir", "--show-toplevel"):
        answer = await git.run(["rev-parse", "--path-format=absolute", question], Place(cwd=start))
        if isinstance(answer, GitFailed):
            return answer
        paths.append(answer.stdout.removesuffix(b"\n"))
    return paths


def _why_not(start: Path, git_dir: Path, answer: Done) -> NotARepository | Refused | GitFailed:
    # The locale is fixed, so these words of git are too.
    if "not a git repository" in answer.stderr:
        was_one = git_dir.is_file() or any((git_dir / part).exists() for part in _PARTS)
        if not was_one:
            return NotARepository(start)
        # By the device, as git itself decides where it stops.
        if start.stat().st_dev != git_dir.parent.stat().st_dev:
            return _refused(git_dir.parent, Refusal.BEYOND_A_MOUNT)
        return _refused(git_dir, Refusal.DAMAGED)
    if "dubious ownership" in answer.stderr:
        return _refused(start, Refusal.OTHER_OWNER)
    if answer.stdout.startswith(b"true\n"):
        return _refused(start, Refusal.BARE)
    if answer.stdout.startswith(b"false\ntrue\n"):
        return _refused(start, Refusal.INSIDE_GIT_DIRECTORY)
    return GitFailed("git rev-parse", answer.code, answer.stderr)


def _refused(folder: Path, reason: Refusal) -> Refused:
    word = shell_word(os.fsencode(folder))
    told = _ADVICE[reason].replace("WORD", word).replace("FOLDER", str(folder))
    return Refused(folder, reason, told)


def _start_of(folder: Path) -> tuple[Path, Path] | None:
    """Give where git is to look from, and the git directory that it finds, if there is any."""
    start = _existing_folder(folder)
    if start is None:
        return None
    found = (above / ".git" for above in (start, *start.parents))
    return start, next((path for path in found if path.exists()), start / ".git")


def _existing_folder(path: Path) -> Path | None:
    """Give the real path of a folder, or of the folder that holds a file."""
    real = Path(os.path.realpath(path))
    if real.is_file():
        return real.parent
    return real if real.is_dir() else None
