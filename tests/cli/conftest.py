from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.scripting import Scripted, scripted_options


@pytest.fixture
def scripted(tmp_path: Path) -> Scripted:
    return lambda script: scripted_options(tmp_path, script)
