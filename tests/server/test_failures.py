from __future__ import annotations

import pytest

from sennit.core.objects import GitFailed
from sennit.server.failures import git_failure
from sennit_protocol.states import FailureKind


@pytest.mark.parametrize(
    ("failed", "message"),
    [
        (
            GitFailed("git write-tree", 128, "fatal: no\n", "Look."),
            "`git write-tree` failed: fatal: no. Look.",
        ),
        (
            GitFailed("git write-tree", 139, ""),
            "`git write-tree` failed: it ended with exit code 139.",
        ),
        (
            GitFailed("open the repository", None, "/r is no repository any more", "Put it back."),
            "Could not open the repository: /r is no repository any more. Put it back.",
        ),
        (GitFailed("copy the index", None, "It is gone."), "Could not copy the index: It is gone."),
    ],
)
def test_a_failure_of_git_is_told_in_whole_sentences(failed: GitFailed, message: str) -> None:
    assert git_failure(failed).message == message


@pytest.mark.parametrize(
    "said",
    ["fatal: No space left on device", "fatal: sha1 file 'x' write error. Out of diskspace"],
)
def test_a_full_disk_is_a_failure_of_its_own_kind(said: str) -> None:
    assert git_failure(GitFailed("git write-tree", 128, said)).kind is FailureKind.DISK_FULL
