from __future__ import annotations

import os
import pty
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.scripting import Keyboard, Scripted, scripted_options


@pytest.fixture
def scripted(tmp_path: Path) -> Scripted:
    return lambda script: scripted_options(tmp_path, script)


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[Keyboard]:
    ours, theirs = pty.openpty()
    with os.fdopen(theirs) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield lambda typed: _typed(ours, typed)
    os.close(ours)


def _typed(terminal: int, data: bytes) -> None:
    os.write(terminal, data)
