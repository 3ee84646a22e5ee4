"""Real runs of real programs; after each test no process of its runs may be left."""

import os
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx

from sennit.adapters.processes import LocalExecutor
from sennit.adapters.sandbox.planning import Surroundings, plan
from sennit.adapters.sandbox.probing import probe
from sennit.core.agents import Sandboxing
from sennit.core.sandbox import Confined, SandboxMissing
from tests.adapters.runs.running import end_processes_of


@pytest.fixture(autouse=True)
def _nothing_escapes(tmp_path: Path) -> Iterator[None]:
    yield
    assert end_processes_of(tmp_path) == []


@pytest.fixture
def _blocking_is_an_error() -> Iterator[None]:
    with blockbuster_ctx("sennit"):
        yield


@pytest.fixture
def nap() -> str:
    """How long to sleep, as no other process of this machine writes it."""
    return f"1000.{time.monotonic_ns()}"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work space"
    folder.mkdir()
    return folder


@pytest.fixture
async def executor(tmp_path: Path) -> AsyncIterator[LocalExecutor]:
    local = LocalExecutor(tmp_path / "runs", dict(os.environ))
    yield local
    await local.close()


@pytest.fixture
def around(tmp_path: Path, workspace: Path) -> Surroundings:
    """A home folder of the test, with a repository; nobody may write to it, nor to records."""
    home = tmp_path / "home"
    for each in (home / "repo" / ".git", tmp_path / "runs"):
        each.mkdir(parents=True)
    kept = (str(home / "repo"), str(tmp_path / "runs"))
    return Surroundings(str(home), str(workspace), kept)


@pytest.fixture
def box(around: Surroundings) -> Confined:
    """A sandbox around the workspace of the test."""
    found = probe(os.environ)
    if isinstance(found, SandboxMissing):
        pytest.skip(f"runs where a sandbox works, which `sennit doctor` tells: {found.told}")
    made = plan(Sandboxing.PREFERRED, found, ("~/.agent",), around, read_only=False)
    assert isinstance(made, Confined)
    return made
