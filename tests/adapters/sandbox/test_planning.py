from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from sennit.adapters.sandbox.planning import Surroundings, plan
from sennit.core.agents import Sandboxing
from sennit.core.sandbox import Confined, SandboxMissing, SandboxReady, Unconfined, below

READY = SandboxReady("/usr/bin/bwrap", "bubblewrap 1")


@pytest.fixture
def around(tmp_path: Path) -> Surroundings:
    """A home folder with a repository, a state folder of ours, and a workspace in it."""
    home = tmp_path / "home"
    repository, state = home / "repo", home / ".local" / "state" / "sennit"
    workspace = state / "workspaces" / "r-1"
    for each in (repository / ".git", workspace):
        each.mkdir(parents=True)
    kept = (str(repository), str(repository / ".git"), str(state))
    return Surroundings(str(home), str(workspace), kept, ("sh", "-c", "true"))


def confined(around: Surroundings, *listed: str) -> Confined:
    found = plan(Sandboxing.PREFERRED, READY, listed, around, read_only=False)
    assert isinstance(found, Confined)
    return found


def test_without_a_sandbox_the_reason_is_kept(around: Surroundings) -> None:
    missing = SandboxMissing("Not there.", "Install it.")
    found = plan(Sandboxing.PREFERRED, missing, (), around, read_only=False)
    assert found == Unconfined(Sandboxing.PREFERRED, "Not there. Install it.")


def test_a_state_folder_that_exists_is_writable(around: Surroundings) -> None:
    Path(around.home, ".codex").mkdir()
    assert confined(around, "~/.codex").confinement.writable == (f"{around.home}/.codex",)


def test_a_missing_state_folder_below_home_is_made_for_its_user_alone(around: Surroundings) -> None:
    found = confined(around, "~/.cache/agent")
    made = Path(around.home, ".cache", "agent")
    assert found.confinement.writable == (str(made),)
    assert made.stat().st_mode & 0o777 == 0o700


def test_a_missing_one_that_cannot_be_made_is_left_out_with_the_reason(
    around: Surroundings, tmp_path: Path
) -> None:
    Path(around.home, "file").write_text("")
    found = confined(around, "~/.agent.json", str(tmp_path / "elsewhere"), "~/file/below")
    assert found.confinement.writable == ()
    assert [each.folder for each in found.left_out] == [
        "~/.agent.json", str(tmp_path / "elsewhere"), "~/file/below"
    ]  # fmt: skip
    assert "name is that of a file" in found.left_out[0].why
    assert "only folders below the home" in found.left_out[1].why
    assert not Path(around.home, ".agent.json").exists()
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    "listed",
    ["~/", "/", "~/repo", "~/repo/.git", "~/repo/sub", "~/.local", "~/.local/state/sennit"],
)
def test_no_list_makes_the_home_the_repository_or_our_own_folders_writable(
    around: Surroundings, listed: str
) -> None:
    found = confined(around, listed)
    assert found.confinement.writable == ()
    assert [each.folder for each in found.left_out] == [listed]


def test_a_link_counts_as_what_it_leads_to(around: Surroundings) -> None:
    Path(around.home, "innocent").symlink_to(Path(around.home, "repo"))
    assert confined(around, "~/innocent").confinement.writable == ()


def test_what_a_fresh_folder_would_hide_is_shown(around: Surroundings) -> None:
    # All of this test lies in the folder of temporary files, which is fresh inside.
    if not below(around.home, "/tmp"):  # noqa: S108  the name inside
        pytest.skip("runs where TMPDIR is below /tmp, which is fresh inside")
    assert around.home in confined(around).confinement.shown


def test_what_the_command_line_names_is_shown_with_what_lies_beside_it(
    around: Surroundings, tmp_path: Path
) -> None:
    script = tmp_path / "agent.py"
    script.write_text("")
    if not below(str(script), "/tmp"):  # noqa: S108  the name inside
        pytest.skip("runs where TMPDIR is below /tmp, which is fresh inside")
    named = evolve(around, arguments=("python3", str(script), "--", "/tmp/" + "x" * 5_000))  # noqa: S108
    seen = confined(named).confinement.shown
    assert any(below(str(script), each) for each in seen)
    assert all(Path(each).exists() for each in seen)
