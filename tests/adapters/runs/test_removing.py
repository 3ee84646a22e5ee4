"""Whatever an agent leaves in the folder of its run can be removed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from sennit.adapters.runs.removing import remove_folder
from tests.made_disks import DiskKind, made_disk
from tests.small_disks import small_disks


def test_locked_folders_links_pipes_and_odd_names_are_removed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir(mode=0o755)
    (kept / "file").write_text("mine")
    run = tmp_path / "run"
    (run / "a" / "b").mkdir(parents=True)
    (run / "a" / "b" / "file").write_text("x")
    (run / "to a folder").symlink_to(kept)
    (run / "a" / "to a file").symlink_to(kept / "file")
    os.mkfifo(run / "a" / "pipe")
    os.mkdir(os.fsencode(run) + b"/\xff\n")  # noqa: PTH102  a name that is no text
    for folder in (run / "a" / "b", run / "a", run):
        folder.chmod(0)
    remove_folder(run)
    assert not run.exists()
    assert (kept / "file").read_text() == "mine"
    assert kept.stat().st_mode & 0o777 == 0o755


@pytest.mark.usefixtures("cleared")
def test_depth_ends_nothing(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    here = os.open(run, os.O_RDONLY)
    for _ in range(3_000):
        os.mkdir("deep", dir_fd=here)
        inner = os.open("deep", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    remove_folder(run)
    assert not run.exists()


def test_what_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        remove_folder(tmp_path / "no")


@pytest.mark.parametrize("kind", list(DiskKind))
def test_what_moves_up_while_it_is_emptied_is_removed_on_every_disk(
    tmp_path: Path, kind: DiskKind
) -> None:
    with made_disk(kind, tmp_path / "disk") as disk:
        run = disk / "run"
        (run / "a" / "b" / "c").mkdir(parents=True)
        (run / "a" / "b" / "c" / "file").write_text("x")
        if kind is DiskKind.BTRFS:
            for name in ("volume", "volume/inner"):
                subprocess.run(["btrfs", "-q", "subvolume", "create", run / name], check=True)
            (run / "volume" / "inner" / "file").write_text("x")
        remove_folder(run)
        assert not run.exists()


def test_what_is_mounted_there_is_left_and_named(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with small_disks() as put:
        disk = put(run / "inner" / "disk")
        (disk / "mine").write_text("mine")
        disk.chmod(0o500)
        with pytest.raises(OSError, match="mounted there") as stopped:
            remove_folder(run)
        assert os.fsdecode(stopped.value.filename) == str(disk)
        assert (disk / "mine").read_text() == "mine"
        assert disk.stat().st_mode & 0o777 == 0o500
    remove_folder(run)
    assert not run.exists()
