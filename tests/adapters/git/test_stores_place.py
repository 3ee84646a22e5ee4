"""One folder of stores is one state folder's: what a store keeps, one database alone knows."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sennit.adapters.git.stores_place import CLAIM, StoresPlace


@pytest.fixture
def wanted(tmp_path: Path) -> Path:
    folder = tmp_path / "large disk"
    folder.mkdir()
    return folder


def state(tmp_path: Path, name: str) -> StoresPlace:
    folder = tmp_path / name
    folder.mkdir(exist_ok=True)
    return StoresPlace(folder)


def test_the_first_has_the_folder_and_another_one_a_folder_in_it(
    tmp_path: Path, wanted: Path
) -> None:
    assert state(tmp_path, "one").within(wanted) == wanted
    other = state(tmp_path, "other").within(wanted)
    assert other.parent == wanted
    # Each decides but once.
    assert state(tmp_path, "one").within(wanted) == wanted
    assert state(tmp_path, "other").within(wanted) == other
    assert (wanted / CLAIM).read_text().splitlines()[1] == str(tmp_path / "one")


def test_a_disk_that_is_away_claims_nothing_and_changes_nothing(
    tmp_path: Path, wanted: Path
) -> None:
    away = wanted.with_name("away")
    assert state(tmp_path, "one").within(away) == away
    assert not away.exists()
    state(tmp_path, "one").within(wanted)
    other = state(tmp_path, "other").within(wanted)
    wanted.rename(away)
    wanted.mkdir()
    # As the mount point that is left.
    assert state(tmp_path, "other").within(wanted) == other
    assert not list(wanted.iterdir())


def test_a_state_folder_that_was_made_anew_takes_nothing_of_the_old_one(
    tmp_path: Path, wanted: Path
) -> None:
    state(tmp_path, "one").within(wanted)
    shutil.rmtree(tmp_path / "one")
    assert state(tmp_path, "one").within(wanted).parent == wanted


def test_the_folder_within_the_state_folder_is_its_own_without_a_word(tmp_path: Path) -> None:
    place = state(tmp_path, "one")
    assert place.within(place.state / "stores") == place.state / "stores"
    assert not list(place.state.iterdir())


def test_what_cannot_be_written_down_is_asked_again(tmp_path: Path, wanted: Path) -> None:
    place = state(tmp_path, "one")
    blocked = place.state / "places"
    blocked.touch()
    assert place.within(wanted) == wanted
    blocked.unlink()
    assert state(tmp_path, "other").within(wanted).parent == wanted
    assert place.within(wanted) == wanted


def test_a_memory_that_is_spoilt_is_made_anew(tmp_path: Path, wanted: Path) -> None:
    state(tmp_path, "one").within(wanted)
    other = state(tmp_path, "other")
    place = other.within(wanted)
    (memory,) = (other.state / "places").iterdir()
    memory.write_bytes(b"")
    assert state(tmp_path, "other").within(wanted) == place
