"""A folder that lies on a disk of its own is known again, and not made anew without it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from sennit.adapters.git.disk_away import MARK, MEMORIES, DiskAway, disk_away, made_on_its_disk
from tests.small_disks import SmallDisk, small_disks


@pytest.fixture
def disk() -> Iterator[SmallDisk]:
    with small_disks() as put:
        yield put


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir()
    return folder


def test_a_folder_on_the_disk_of_the_state_folder_is_made_whenever_it_is_missing(
    state: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "stores"
    for _ in range(2):
        assert made_on_its_disk(state, folder) is None
        assert list(folder.iterdir()) == []
        folder.rmdir()
    assert list(state.iterdir()) == []


def test_one_on_another_disk_is_known_by_its_mark_wherever_that_disk_comes_from(
    state: Path, tmp_path: Path, disk: SmallDisk
) -> None:
    folder = disk(tmp_path / "disk") / "stores"
    assert made_on_its_disk(state, folder) is None
    assert made_on_its_disk(state, folder) is None
    copy = (folder / MARK).read_bytes()
    (folder / MARK).unlink()
    away = made_on_its_disk(state, folder)
    assert isinstance(away, DiskAway)
    assert disk_away(state, folder) == away
    # As it is with another disk of somebody in its place, or with a copy of it.
    (folder / MARK).write_bytes(b"0123\n")
    assert disk_away(state, folder) == away
    (folder / MARK).write_bytes(copy)
    assert disk_away(state, folder) is None


def test_of_a_torn_memory_it_is_known_that_there_was_a_mark(
    state: Path, tmp_path: Path, disk: SmallDisk
) -> None:
    folder = disk(tmp_path / "disk") / "stores"
    assert made_on_its_disk(state, folder) is None
    (memory,) = (state / MEMORIES).iterdir()
    memory.write_bytes(b"")
    assert disk_away(state, folder) is None
    (folder / MARK).unlink()
    assert disk_away(state, folder) == DiskAway(folder, memory)


def test_a_full_disk_is_remembered_as_soon_as_there_is_room(
    state: Path, tmp_path: Path, disk: SmallDisk
) -> None:
    folder = disk(tmp_path / "disk") / "stores"
    folder.mkdir()
    filler = folder.with_name("filler")
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
    assert made_on_its_disk(state, folder) is None
    assert not (state / MEMORIES).exists()
    filler.unlink()
    assert made_on_its_disk(state, folder) is None
    assert list((state / MEMORIES).iterdir())
