"""A machine for every test, looked at afterwards: no process is left."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.editors.neovim.desk import desk, desks
from tests.editors.neovim.neovim import Neovim, find_nvim
from tests.editors.neovim.scene import Scene
from tests.editors.neovim.shared import FAILED, shared, sharing

__all__ = ["desk", "desks", "shared", "sharing"]


@pytest.fixture(scope="session", autouse=True)
def _there_is_a_neovim() -> None:
    try:
        find_nvim()
    except RuntimeError as missing:
        pytest.exit(str(missing), returncode=2)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Marks a test that has failed, for the fixture that would go on with what it leaves."""
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Scene]:
    """A machine of a test's own where `scene` is the one that tests share."""
    made = Scene(tmp_path)
    yield made
    made.close()


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    made = Scene(tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="module")
def lua(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neovim]:
    """One editor for tests of pure functions, which leave nothing behind."""
    made = Scene(tmp_path_factory.mktemp("machine"))
    yield made.start()
    made.close()
