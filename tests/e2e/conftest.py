"""A machine for every test, looked at afterwards: nothing runs on, nothing was touched."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.scene import Client, Machine, Repo


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path)
    yield made
    made.close()


@pytest.fixture
def repo(machine: Machine) -> Repo:
    return machine.repo()


@pytest.fixture
def server(machine: Machine, repo: Repo) -> Client:
    return machine.serve(repo)
