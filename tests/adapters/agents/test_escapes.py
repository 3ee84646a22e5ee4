"""Whether what an agent says that it changed outside its workspace has really changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sennit.adapters.agents.escapes import Ground, evidence_of
from sennit.core.escapes import Claimed

BEGAN_NS = 1_700_000_000_000_000_000


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    workspace = tmp_path / "workspace"
    (workspace / "src").mkdir(parents=True)
    for name in ("user", "state", "elsewhere"):
        (tmp_path / name).mkdir()
    (tmp_path / "state" / "user").symlink_to(tmp_path / "user")
    allowed = (str(tmp_path / "state"),)
    guarded = (str(tmp_path / "user"),)
    return Ground(workspace, workspace / "src", allowed, guarded, BEGAN_NS)


def put(path: Path, after_s: int) -> str:
    """A file that was written so many seconds after the agent began."""
    path.write_text("x")
    at = BEGAN_NS + after_s * 1_000_000_000
    os.utime(path, ns=(at, at))
    return str(path)


def found(ground: Ground, *paths: str) -> list[str]:
    return [one.path for one in evidence_of([Claimed(path, "edit") for path in paths], ground)]


def test_a_path_outside_that_was_written_since_is_evidence(tmp_path: Path, ground: Ground) -> None:
    changed = put(tmp_path / "elsewhere" / "a", 5)
    old = put(tmp_path / "elsewhere" / "b", -5)
    assert found(ground, changed, old, str(tmp_path / "elsewhere" / "none")) == [changed]
    assert found(ground, "../../elsewhere/a", f"file://{changed}") == [changed]


def test_the_workspace_and_what_is_the_agents_own_are_none(tmp_path: Path, ground: Ground) -> None:
    inside = put(tmp_path / "workspace" / "src" / "a", 5)
    own = put(tmp_path / "state" / "a", 5)
    assert found(ground, inside, "a", own) == []


def test_a_link_leads_to_what_it_leads_to(tmp_path: Path, ground: Ground) -> None:
    changed = put(tmp_path / "user" / "a", 5)
    (tmp_path / "workspace" / "out").symlink_to(tmp_path / "user")
    assert found(ground, str(tmp_path / "workspace" / "out" / "a")) == [changed]
    # What is the user's stays the user's, also below a folder of the agent's own.
    assert found(ground, str(tmp_path / "state" / "user" / "a")) == [changed]


def test_what_was_removed_shows_in_its_folder(tmp_path: Path, ground: Ground) -> None:
    gone = str(tmp_path / "elsewhere" / "gone")
    assert [one.path for one in evidence_of([Claimed(gone, "rm", is_removed=True)], ground)] == [
        gone
    ]
    before = BEGAN_NS - 1_000_000_000
    os.utime(tmp_path / "elsewhere", ns=(before, before))
    assert evidence_of([Claimed(gone, "rm", is_removed=True)], ground) == ()


def test_a_path_that_leads_nowhere_is_none(ground: Ground) -> None:
    assert found(ground, "\0", "~nobody-of-that-name/x", "http://[") == []
