from __future__ import annotations

from pathlib import Path

from sennit.cli.demo import stage as stage_module
from sennit.cli.demo.scenario import (
    DRAFT_FILE,
    OLD_NAME,
    RENAMED_FILE,
    SHARED_FILE,
    STAGED_FILE,
    fixer,
    tasks_of_demo,
)
from sennit.cli.demo.stage import Stage, checkout_of_this_project, git, set_stage


def status_of(stage: Stage) -> set[str]:
    said = git(["status", "--porcelain", "-z", "-uall"], stage.repository, stage.environment)
    return {each for each in said.decode().split("\0") if each}


def test_the_copy_has_staged_modified_and_untracked_files_and_nothing_else(tmp_path: Path) -> None:
    stage = set_stage(tmp_path)
    assert status_of(stage) == {f"M  {STAGED_FILE}", f" M {RENAMED_FILE}", f"?? {DRAFT_FILE}"}


def test_the_copy_holds_the_code_of_the_checkout_as_it_is(tmp_path: Path) -> None:
    checkout = checkout_of_this_project()
    assert checkout is not None
    stage = set_stage(tmp_path)
    assert (stage.repository / SHARED_FILE).read_bytes() == (checkout / SHARED_FILE).read_bytes()
    assert "very repository" in stage.source


def test_the_scenario_fits_this_repository(tmp_path: Path) -> None:
    stage = set_stage(tmp_path)
    assert (stage.repository / SHARED_FILE).read_text().startswith('"""')
    users = [path for folder in ("protocol", "rpc_server")
             for path in (stage.repository / folder).rglob("*.py")
             if f"{OLD_NAME}(" in path.read_text()]  # fmt: skip
    assert len(users) > 1
    assert stage.repository / SHARED_FILE not in users


def test_an_installed_package_makes_a_small_repository_with_the_same_files(tmp_path: Path) -> None:
    environment = set_stage(tmp_path).environment
    folder = tmp_path / "made"
    stage_module._make_repository(folder, environment)
    assert all((folder / name).is_file() for name in (SHARED_FILE, RENAMED_FILE, STAGED_FILE))
    assert git(["status", "--porcelain"], folder, environment) == b""


def test_the_environment_keeps_the_users_settings_out(tmp_path: Path) -> None:
    environment = set_stage(tmp_path).environment
    assert environment["SENNIT_STATE_DIR"].startswith(str(tmp_path))
    assert environment["GIT_CONFIG_GLOBAL"] == "/dev/null"


def test_the_five_tasks_have_names_of_their_own() -> None:
    tasks = tasks_of_demo(fixer())
    assert len({each.id for each in tasks}) == 5
