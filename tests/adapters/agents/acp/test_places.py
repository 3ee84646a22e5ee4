from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sennit.adapters.agents.acp.places import place


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "w"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "w2").mkdir()
    (folder / "out").symlink_to(tmp_path / "w2")
    (folder / "in").symlink_to(folder / "sub")
    (folder / "loop").symlink_to(folder / "loop")
    return folder


@pytest.mark.parametrize(
    "told",
    ["a", "sub/new/a", "./a", "sub/../a", "in/a", "{w}/a", "file://{w}/a", "a b", "file", ".gitx",
     "loop/x", "{w}", ""],
)  # fmt: skip
def test_what_leads_inside_is_inside(workspace: Path, told: str) -> None:
    found = place(workspace, told.format(w=workspace))
    assert (found.inside, found.git) == (True, False)


@pytest.mark.parametrize(
    "told",
    ["/etc/passwd", "../w2/a", "out/a", "out", "in/../../w2/a", "{w}2/a", "~/a", "~nobody-at-all/a",
     "file:///etc/passwd", "file://[half/a", "file:%00", "a\0b", "x\ud800y", "sub/../../a", "/"],
)  # fmt: skip
def test_what_leads_elsewhere_or_nowhere_is_outside(workspace: Path, told: str) -> None:
    assert not place(workspace, told.format(w=workspace)).inside


@pytest.mark.parametrize("told", [".git", ".git/config", "sub/.GIT/hooks/x", "sub/../.git/a"])
def test_what_is_git_s_own_is_known(workspace: Path, told: str) -> None:
    found = place(workspace, told)
    assert (found.inside, found.git) == (True, True)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text())
def test_any_text_is_some_place(workspace: Path, told: str) -> None:
    place(workspace, told)
    place(workspace, f"file:{told}")
    place(workspace, f"~{told}")


def test_the_workspace_may_be_told_by_a_link_to_it(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(workspace)
    assert place(tmp_path / "link", str(workspace / "a")).inside
    assert place(workspace, str(tmp_path / "link" / "a")).inside


def test_paths_begin_where_the_agent_works_and_end_in_its_workspace(workspace: Path) -> None:
    below = workspace / "below"
    below.mkdir(exist_ok=True)
    assert place(workspace, "../a.txt", below).inside
    assert not place(workspace, "../../a.txt", below).inside
