"""The way that an existing tool goes, step by step, as its description has it: the reference.

A snapshot is made with a fresh index and ``add -A``; a worker is a linked worktree of the user's
repository; a proposal is a commit, a ref and a whole binary patch; it is tried by ``apply --3way``
in a candidate worktree of its own; then the user's tree is looked at once more for drift. Tasks
are done one after the other, in order, as there.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from attrs import frozen

_REFS = "refs/reference-way"
_IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "r"), ("EMAIL", "r@localhost"), ("DATE", "@1700000000 +0000"))
}


@frozen
class Snapshot:
    """A commit and its tree."""

    commit: str
    tree: str


@frozen
class Reference:
    """The reference at work on one repository; ``artifacts`` is a folder outside it."""

    source: Path
    artifacts: Path

    def snapshot(self, folder: Path, parent: str, ref: str) -> Snapshot:
        """Stage everything that is visible in a folder into a fresh index, and commit it."""
        index = self.artifacts / "index"
        index.unlink(missing_ok=True)
        with_index = {"GIT_INDEX_FILE": str(index)}
        _git(folder, "read-tree", parent, env=with_index)
        _git(folder, "add", "-A", ".", env=with_index)
        tree = _git(folder, "write-tree", env=with_index)
        commit = _git(folder, "commit-tree", tree, "-p", parent, "-m", ref)
        _git(folder, "update-ref", f"{_REFS}/{ref}", commit)
        return Snapshot(commit, tree)

    def base(self, ref: str = "baseline") -> Snapshot:
        """What the user sees."""
        return self.snapshot(self.source, _git(self.source, "rev-parse", "HEAD"), ref)

    def workspace(self, name: str, commit: str) -> Path:
        """Make a detached linked worktree."""
        folder = self.artifacts / name
        _git(self.source, "worktree", "add", "--quiet", "--detach", str(folder), commit)
        return folder

    def remove(self, folder: Path) -> None:
        """Remove a worktree."""
        _git(self.source, "worktree", "remove", "--force", str(folder))

    def capture(self, worker: Path, base: Snapshot) -> tuple[Snapshot, Path]:
        """Make the proposal of a worker: commit, ref, list of files, whole patch."""
        taken = self.snapshot(worker, base.commit, f"{worker.name}/proposal")
        _git(worker, "diff", "--no-renames", "--name-only", "-z", base.commit, taken.commit)
        patch = self.artifacts / f"{worker.name}.patch"
        with patch.open("wb") as file:
            asked = ["git", "diff", "--binary", "--full-index", base.commit, taken.commit]
            subprocess.run(asked, cwd=worker, stdout=file, check=True, env=_environment())
        return taken, patch

    def merge(self, number: int, onto: Snapshot, patch: Path) -> Snapshot:
        """Try a patch in a candidate worktree; what fits is the next commit of the chain."""
        candidate = self.workspace(f"candidate-{number}", onto.commit)
        _git(candidate, "apply", "--3way", "--index", str(patch))
        tree = _git(candidate, "write-tree")
        commit = _git(candidate, "commit-tree", tree, "-p", onto.commit, "-m", "candidate")
        self.remove(candidate)
        return Snapshot(commit, tree)

    def clear(self) -> None:
        """Take every ref and worktree back."""
        _git(self.source, "worktree", "prune")
        refs = _git(self.source, "for-each-ref", "--format=%(refname)", _REFS)
        for ref in refs.split():
            _git(self.source, "update-ref", "-d", ref)


def _git(folder: Path, *arguments: str, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        capture_output=True,
        check=True,
        env=_environment() | (env or {}),
    )
    return done.stdout.decode(errors="replace").strip()


def _environment() -> dict[str, str]:
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    return {**os.environ, **_IDENTITY, **quiet}
