"""The git that the tests run: the first one in PATH."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache

import pytest


def git_program() -> str:
    """Give its path, for programs that stand for it and for environments without that PATH."""
    found = shutil.which("git")
    assert found is not None
    return found


@cache
def installed_git() -> tuple[int, int]:
    said = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"(\d+)\.(\d+)", said)
    assert found is not None, said
    return int(found[1]), int(found[2])


def needs_git(first: tuple[int, int], what: str) -> None:
    """Skip a test of ``what``, which came with a git that is newer than the installed one."""
    if installed_git() < first:
        older, newer = (".".join(map(str, version)) for version in (installed_git(), first))
        pytest.skip(f"{what}: runs with git {newer} or newer, and this is git {older}")
