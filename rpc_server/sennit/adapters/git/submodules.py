"""Names the submodules that an index holds, and finds where their objects are on this machine."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.disk import below, lies_beyond_a_link
from sennit.adapters.git.files import in_thread, read_if_there
from sennit.core.objects import MODE_SUBMODULE, GitFailed
from sennit.core.shell_words import shell_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sennit.adapters.git.discovery import Repository
    from sennit.adapters.git.git import Git, Place

_GITLINK = b"%o " % MODE_SUBMODULE
_MODE_IN_INDEX = MODE_SUBMODULE.to_bytes(4, "big")
_LEADS_TO = b"gitdir: "
_NAME = re.compile(r"submodule\.(?P<name>.+)\.path\Z", re.DOTALL)


@frozen
class Submodule:
    """A submodule of an index: its path and the commit that it is at."""

    path: bytes
    commit: str


async def submodules_of(git: Git, place: Place) -> tuple[Submodule, ...] | GitFailed:
    """List them by path, whether ``.gitmodules`` declares them or not.

    Of a place without any no more is read than its index, which must not be a split one.
    """
    some = await in_thread("look for submodules", _may_hold_some, place)
    if isinstance(some, GitFailed) or not some:
        return some if isinstance(some, GitFailed) else ()
    listed = await git.run(["ls-files", "--stage", "-z"], place)
    if isinstance(listed, GitFailed):
        return listed
    records = (record.partition(b"\t") for record in listed.stdout.split(b"\0"))
    return tuple(
        Submodule(path, fields.split(b" ")[1].decode())
        for fields, _, path in records
        if fields.startswith(_GITLINK)
    )


def _may_hold_some(place: Place) -> bool:
    """Tell whether the mode of a submodule stands anywhere in the index, of whatever version."""
    index = place.index_file or _of(place) / "index"
    return _MODE_IN_INDEX in (read_if_there(index) or b"")


def _of(place: Place) -> Path:
    if place.git_dir is None:
        raise ValueError("a place without a git directory has no index to read")
    return place.git_dir


async def declared_names(git: Git, place: Place, root: Path) -> dict[bytes, str] | GitFailed:
    """Give the name of each submodule by its path, as ``.gitmodules`` declares them.

    A name is that of the folder in which git keeps the submodule's own git directory.
    """
    file = str(root / ".gitmodules")
    asked = ["config", "--file", file, "--get-regexp", "-z", r"^submodule\..*\.path$"]
    answer = await git.run(asked, place, accept=(0, 1))
    if isinstance(answer, GitFailed):
        return answer
    names: dict[bytes, str] = {}
    for entry in answer.stdout.split(b"\0"):
        key, _, path = entry.partition(b"\n")
        matched = _NAME.match(os.fsdecode(key))
        if matched is not None:
            names[path] = matched["name"]
    return names


def git_directories(repository: Repository, path: bytes, name: str | None) -> Iterator[Path]:
    """Give the git directories on this machine that may hold a submodule's objects.

    That of its checkout comes first, then what the repository kept of it. One that lies neither
    in the checkout nor in the repository's own git directory is somebody else's and is not used.
    """
    root = os.fsencode(repository.work_tree)
    checkout = Path(os.fsdecode(below(root, path)))
    ours = (checkout, repository.git_dir, repository.common_dir)
    candidates = []
    if not lies_beyond_a_link(root, path + b"/."):
        candidates.append(_leads_to(checkout))
    if name is not None and ".." not in Path(name).parts:
        kept = (repository.git_dir, repository.common_dir)
        candidates += [one / "modules" / name for one in kept]
    for one in candidates:
        real = Path(os.path.realpath(one))
        if (real / "objects").is_dir() and any(real.is_relative_to(place) for place in ours):
            yield real


def _leads_to(checkout: Path) -> Path:
    """Follow the file that stands for the git directory of a checkout."""
    file = checkout / ".git"
    if file.is_dir():
        return file
    content = read_if_there(file) or b""
    return checkout / os.fsdecode(content.removeprefix(_LEADS_TO).rstrip(b"\n"))


def told_of_work_within(commit: str, git_dir: Path) -> str:
    """Tell a person where the work in a submodule is, and how to get it: a commit of a store."""
    word = shell_word(os.fsencode(git_dir))
    return (
        f"what the agent changed in this submodule is kept as the commit {commit} of {word}, and is"
        f" no part of the proposal. To have it as FETCH_HEAD there: git fetch {word} {commit}"
    )
