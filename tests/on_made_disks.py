"""Fixtures for modules whose tests lie on disks that share blocks: one disk for each module."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.made_disks import DiskKind, made_disk


@pytest.fixture(scope="module", params=list(DiskKind))
def disk(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """A disk of each kind, or of those that a test is parametrized with."""
    with made_disk(request.param, tmp_path_factory.mktemp("disks") / "disk") as folder:
        yield folder


@pytest.fixture(scope="module")
def numbers() -> Iterator[int]:
    """Numbers that no other test on the same disk gets."""
    return count()


@pytest.fixture
def tmp_path(disk: Path, numbers: Iterator[int]) -> Path:
    """All that a test makes lies on the disk."""
    folder = disk / f"test-{next(numbers)}"
    folder.mkdir()
    return folder
