"""Folders are forced to the disk, and where a disk knows no such request nothing fails."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from sennit.adapters.platform.forcing import force_folder


@pytest.mark.parametrize(
    ("answer", "fails"), [(errno.EINVAL, False), (errno.ENOTSUP, False), (errno.EIO, True)]
)
def test_a_disk_that_has_no_such_request_is_told_from_one_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: int, *, fails: bool
) -> None:
    asked: list[int] = []

    def fsync(descriptor: int) -> None:
        asked.append(descriptor)
        raise OSError(answer, os.strerror(answer))

    monkeypatch.setattr(os, "fsync", fsync)
    folder = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if fails:
            with pytest.raises(OSError, match=os.strerror(answer)):
                force_folder(folder)
        else:
            force_folder(folder)
    finally:
        os.close(folder)
    assert asked == [folder]
