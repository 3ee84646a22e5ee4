"""Starts scripted servers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.nursery import launch_from_nursery
from tests.wire_client import WireClient

Starter = Callable[..., WireClient]


@pytest.fixture(scope="session")
def start() -> Starter:
    """Start a scripted server with these options."""
    return lambda *options: WireClient(("scripted", *options), launch=launch_from_nursery)
