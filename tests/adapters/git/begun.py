"""Repositories with one commit: git makes them once, and each test gets a copy."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tests.adapters.git.bench import Tree

USERS_CONFIG = (
    "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
    # Git tidies up in the background, and what a test looks at would change under its hands.
    "[maintenance]\n\tauto = false\n"
)
"""What the configuration of the user of a test says."""


def begin(tree: Tree, files: Mapping[str, str]) -> None:
    """Make a repository with one commit of ``files`` in a folder that is empty or not there.

    It is what ``git init``, ``add`` and ``commit`` make, by one call of git instead of five.
    """
    shutil.copytree(_made(tuple(files.items())), tree.folder, dirs_exist_ok=True)
    # What git remembers of files is true of the copies only after a look at them.
    tree.git("update-index", "-q", "--refresh")


@cache
def _made(files: tuple[tuple[str, str], ...]) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="begun-"))
    atexit.register(shutil.rmtree, folder)
    home = folder / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(USERS_CONFIG)
    tree = Tree(
        folder / "repo",
        {"PATH": os.environ["PATH"], "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"},
    )
    tree.folder.mkdir()
    tree.git("init", "-q")
    for name, content in files:
        tree.write(name, content)
    tree.commit("first")
    return tree.folder
