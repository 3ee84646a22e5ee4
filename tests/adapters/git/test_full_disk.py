"""A disk without room: which one it is, what to do, and nothing that git began stays there."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from sennit.adapters.git.capture import capture, peek
from sennit.adapters.git.full_disk import told_of_the_disk
from sennit.adapters.git.git import Config, Place
from sennit.adapters.git.store import Store
from sennit.core.objects import GitFailed
from tests.adapters.git.bench import Bench
from tests.small_disks import small_disks

pytestmark = pytest.mark.anyio

ROOM = 100_000
LARGE = os.urandom(300_000)


@pytest.fixture
def place(bench: Bench, tmp_path: Path) -> Iterator[Place]:
    """A git directory on a disk that is nearly full."""
    with small_disks() as put:
        disk = put(tmp_path / "disk")
        bench.tree.git("init", "-q", "--bare", str(disk / "git"))
        with (disk / "filler").open("wb", buffering=0) as file:
            with suppress(OSError):
                while True:
                    file.write(bytes(4096))
            file.truncate(file.tell() - ROOM)
        yield Place(cwd=disk, git_dir=disk / "git", objects=disk / "git" / "objects")


@pytest.mark.parametrize("config", [(), (("core.bigFileThreshold", "1"),)])
async def test_it_is_named_and_what_git_began_to_write_is_taken_away(
    bench: Bench, place: Place, config: Config
) -> None:
    assert place.objects is not None
    before = sorted(place.objects.rglob("*/*"))
    for _ in range(3):
        failed = await bench.git.run(
            ["hash-object", "-w", "--stdin"], place, stdin=LARGE, config=config
        )
        assert isinstance(failed, GitFailed)
        assert "Make room" in failed.advice
        assert str(place.objects) in failed.stderr + failed.advice
        assert sorted(place.objects.rglob("*/*")) == before
    small = await bench.git.run(["hash-object", "-w", "--stdin"], place, stdin=LARGE[: ROOM // 2])
    assert not isinstance(small, GitFailed)


async def test_what_another_process_has_open_stays(bench: Bench, place: Place) -> None:
    assert place.objects is not None
    folder = place.objects / "00"
    folder.mkdir()
    with (folder / "tmp_obj_abcdef").open("wb"):
        failed = await bench.git.run(["hash-object", "-w", "--stdin"], place, stdin=LARGE)
        assert isinstance(failed, GitFailed)
        assert sorted(each.name for each in folder.iterdir()) == ["tmp_obj_abcdef"]


async def test_a_capture_that_cannot_begin_leaves_nothing_behind(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, store = await bench.workspace(), await bench.store()
    before = sorted(store.scratch.iterdir())

    def full(_store: Store, folder: Path, _base: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))

    monkeypatch.setattr("sennit.adapters.git.capture.make_git_directory_at", full)
    assert isinstance(await capture(bench.git, store, workspace, date=0), GitFailed)
    assert isinstance(await peek(bench.git, store, workspace), GitFailed)
    assert sorted(store.scratch.iterdir()) == before


async def test_a_disk_that_is_read_only_is_named(tmp_path: Path) -> None:
    said = "error: unable to create temporary file: Read-only file system"
    failed = GitFailed("git write-tree", 128, said)
    told = await told_of_the_disk(failed, Place(git_dir=tmp_path / "git"))
    assert str(tmp_path / "git") in told.advice


async def test_other_failures_are_as_they_were(tmp_path: Path) -> None:
    failed = GitFailed("git write-tree", 128, "fatal: no")
    assert await told_of_the_disk(failed, Place(git_dir=tmp_path / "git")) == failed
