"""The repositories and the git of the tests of the git engine."""

from __future__ import annotations

from tests.adapters.git.conftest import *  # noqa: F403  fixtures are found by their names
