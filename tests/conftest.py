"""Fixtures that every test may use, and how hypothesis draws its examples."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# The suite gives the same result each time; `HYPOTHESIS_PROFILE=explore` draws anew, and more.
settings.register_profile("same", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture
def anyio_backend() -> str:
    """The one backend that the server runs on."""
    return "asyncio"
