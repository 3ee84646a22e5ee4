"""Which operation of git is half-way in a repository: a merge, a rebase and so on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.files import in_thread
from sennit.adapters.git.ref_storage import refs_are_files
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from pathlib import Path

    from sennit.adapters.git.discovery import Repository
    from sennit.adapters.git.git import Git

_NAMED = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}
_REFS = ("CHERRY_PICK_HEAD", "REVERT_HEAD")
"""Those that are refs to git, which lie where all others do."""


async def operation_in_progress(git: Git, repository: Repository) -> str | GitFailed | None:
    """Name it; None where there is none. It costs a call of git where refs are no files."""
    found = await in_thread("look for an operation", _by_files, repository.git_dir)
    if not isinstance(found, _AskGit):
        return found
    asked = "".join(f"{ref}\n" for ref in _REFS).encode()
    listed = await git.run(
        ["cat-file", "--batch-check=%(objectname)"], repository.place, stdin=asked
    )
    if isinstance(listed, GitFailed):
        return listed
    answers = zip(_REFS, listed.stdout.splitlines(), strict=True)
    return next((_NAMED[ref] for ref, line in answers if not line.endswith(b" missing")), None)


@frozen
class _AskGit:
    """No file tells of one, and those that are refs are no files."""


def _by_files(git_dir: Path) -> str | _AskGit | None:
    found = next((what for name, what in _NAMED.items() if (git_dir / name).exists()), None)
    return found if found is not None or refs_are_files(git_dir) else _AskGit()
