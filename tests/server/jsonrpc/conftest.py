"""Scripted servers to talk to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.nursery import launch_from_nursery
from tests.server.jsonrpc.clients import Starter
from tests.wire_client import WireClient


@pytest.fixture(scope="session")
def start() -> Starter:
    """Start a scripted server with these options."""
    return lambda *options: WireClient(("scripted", *options), launch=launch_from_nursery)


@pytest.fixture
def fresh(start: Starter) -> Iterator[WireClient]:
    with start() as client:
        yield client


@pytest.fixture
def client(fresh: WireClient) -> WireClient:
    fresh.initialize()
    return fresh


@pytest.fixture(scope="module")
def shared(start: Starter) -> Iterator[WireClient]:
    """One server for the tests after which it is as before."""
    with start() as client:
        client.initialize()
        yield client
