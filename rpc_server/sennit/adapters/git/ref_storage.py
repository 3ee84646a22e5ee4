"""Whether the refs of a repository are files, which can be read without a call of git."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sennit.adapters.git.files import read_if_there

if TYPE_CHECKING:
    from pathlib import Path

_NO_HEAD = b"ref: refs/heads/.invalid"
"""What git leaves as HEAD beside refs of another kind, for a git that knows no other."""


def refs_are_files(git_dir: Path) -> bool:
    """Tell it of a git directory; a linked worktree has one of its own."""
    return (read_if_there(git_dir / "HEAD") or b"").rstrip() != _NO_HEAD
