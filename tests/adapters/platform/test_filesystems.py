"""Where one file system ends and another begins is found out, also where their devices are one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from sennit.adapters.platform import filesystems
from sennit.adapters.platform.filesystems import mount_of, mounts_below, on_one_mount
from tests.small_disks import small_disks

TABLE = b"""\
22 1 8:1 / / rw - ext4 /dev/sda1 rw
23 22 8:2 / /srv rw shared:1 - xfs /dev/sdb1 rw
24 23 8:3 / /srv/tree/data rw - tmpfs none rw
25 23 8:1 /etc/a /srv/tree/a\\040file rw - ext4 /dev/sda1 rw
26 23 8:4 / /srv/tree-of-another rw - tmpfs none rw
"""


@contextmanager
def opened(*folders: Path) -> Iterator[list[int]]:
    with ExitStack() as held:
        handles = [os.open(folder, os.O_RDONLY | os.O_DIRECTORY) for folder in folders]
        for handle in handles:
            held.callback(os.close, handle)
        yield handles


@pytest.mark.parametrize("told", [True, False], ids=["by the kernel", "by a file of it"])
def test_a_bind_mount_is_another_mount_and_a_folder_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, told: bool
) -> None:
    if not told:
        monkeypatch.setattr(filesystems, "statx", lambda *_: None)
    inner, place = tmp_path / "inner", tmp_path / "place"
    for folder in (inner, place):
        folder.mkdir()
    # A disk of the test's own is what tells whether one may mount here.
    with small_disks() as put:
        put(tmp_path / "disk")
        subprocess.run(["mount", "--bind", inner, place], check=True)
        try:
            with opened(tmp_path, inner, place, tmp_path / "disk") as (top, *below):
                assert mount_of(top) is not None
                assert inner.stat().st_dev == place.stat().st_dev
                assert [on_one_mount(top, one) for one in below] == [True, False, False]
            points = mounts_below(os.fsencode(tmp_path))
        finally:
            subprocess.run(["umount", place], check=True)
    assert points == {b"place", b"disk"}


@pytest.mark.parametrize(
    ("folder", "expected"),
    [("/srv/tree", {b"data", b"a file"}), ("/srv/tree/data", set()), ("/none", set())],
)
def test_what_is_mounted_below_a_folder_is_named_by_its_path_from_there(
    tmp_path: Path, folder: str, expected: set[bytes]
) -> None:
    table = tmp_path / "mounts"
    table.write_bytes(TABLE)
    assert mounts_below(folder.encode(), str(table)) == expected


def test_a_system_without_such_a_table_tells_of_none(tmp_path: Path) -> None:
    assert mounts_below(b"/", str(tmp_path / "none")) == frozenset()
