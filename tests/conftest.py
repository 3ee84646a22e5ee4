"""Fixtures of every test, how hypothesis draws, when garbage is sought, and what is durable."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.undurable import wait_for_no_disk

# Processes of tests read hundreds of modules each, which take longer to compile than to run.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

wait_for_no_disk()

# `nohup` has all that it starts ignore the first, a script what it starts in the background the
# second; servers and commands of tests are to heed them.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)

# The suite gives the same result each time; `HYPOTHESIS_PROFILE=explore` draws anew, and more.
settings.register_profile("same", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture
def anyio_backend() -> str:
    """The one backend that the server runs on."""
    return "asyncio"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Seek no garbage while tests are collected: all of it stays, and it took half of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Warm the nursery where tests need one, so that none of them has to do it in its own time."""
    nursery = sys.modules.get("tests.nursery")
    if nursery is not None and session.items and not session.config.option.collectonly:
        nursery.the_nursery()


@pytest.fixture
def cleared(tmp_path: Path) -> Iterator[None]:
    """Leave nothing of a test that makes folders deeper than pytest's own clean-up goes down."""
    yield
    subprocess.run(["rm", "-rf", *tmp_path.iterdir()], check=True)
