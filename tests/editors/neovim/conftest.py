"""A machine for every test, looked at afterwards: no process is left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editors.neovim.desk import desk, shared
from tests.editors.neovim.neovim import Neovim, find_nvim
from tests.editors.neovim.scene import Scene

__all__ = ["desk", "shared"]


@pytest.fixture(scope="session", autouse=True)
def _there_is_a_neovim() -> None:
    try:
        find_nvim()
    except RuntimeError as missing:
        pytest.exit(str(missing), returncode=2)


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
