"""A machine for every test, looked at afterwards: nothing runs on, nothing was touched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.desk import Desk, MakeDesk, new_desk, start
from tests.e2e.editor import REVIEWS, Abilities, Editor, Habits
from tests.e2e.scene import Client, Machine, Repo


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path)
    yield made
    made.close()


@pytest.fixture
def repo(machine: Machine) -> Repo:
    return machine.repo()


@pytest.fixture
def server(machine: Machine, repo: Repo) -> Client:
    return machine.serve(repo)


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """One editor and server for the tests of a module."""
    with start(REVIEWS, tmp_path_factory.mktemp("machine")) as made:
        yield made


@pytest.fixture
def desk(editor: Editor, tmp_path: Path) -> Iterator[MakeDesk]:
    """The editor of the module, with a repository of the test; as new afterwards."""
    yield lambda files: new_desk(editor, tmp_path / "repo", files)
    editor.habits = Habits()
    editor.edits.clear()
    for uri in list(editor.buffers):
        editor.close(uri)


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    """Start editors that can do what the test says, with a repository."""
    editors: list[Editor] = []

    def make(abilities: Abilities, **more: bytes | str) -> Desk:
        editor = start(abilities, tmp_path / "machine", tmp_path / "repo")
        editors.append(editor)
        files: dict[str | bytes, bytes | str] = {"a": "one\ntwo\nthree\nfour\nfive\nsix\n"}
        files.update(more)
        return new_desk(editor, tmp_path / "repo", files)

    yield make
    for editor in editors:
        editor.__exit__(None, None, None)
