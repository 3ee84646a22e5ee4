"""Repositories for the tests of the git engine, and the check that they stay untouched."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from attrs import evolve

from sennit.adapters.git.git import Git, Limits, git_for
from tests.adapters.git.begun import USERS_CONFIG, begin
from tests.adapters.git.bench import Bench, Guard, Tree, Watch
from tests.adapters.git.laws import Lab
from tests.adapters.git.made_trees import GUARDED, workbench


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment whose home holds only what the tests put there."""
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(f'{USERS_CONFIG}[protocol "file"]\n\tallow = always\n')
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "xdg"),
        "GIT_CONFIG_NOSYSTEM": "1",
    }


@pytest.fixture
def git(environment: Mapping[str, str]) -> Git:
    return git_for("git", environment)


@pytest.fixture
def new_tree(tmp_path: Path, environment: dict[str, str], guard: Guard) -> Callable[..., Tree]:
    """Make repositories: ``new_tree("name", "--object-format=sha256")``."""

    def make(name: str = "repo", *options: str) -> Tree:
        folder = tmp_path / name
        folder.mkdir(parents=True)
        tree = guard(Tree(folder, environment))
        tree.git("init", "-q", *options)
        return tree

    return make


@pytest.fixture
def tree(tmp_path: Path, environment: dict[str, str], guard: Guard) -> Tree:
    """A repository with one commit."""
    made = guard(Tree(tmp_path / "repo", environment))
    begin(made, {"README": "hello\n", "src/a.py": "a = 1\n"})
    return made


@pytest.fixture
def guard() -> Iterator[Guard]:
    """Have the repository of a user stay untouched but by its git and by hand; see ``Tree``."""
    watches: list[Watch] = []

    def watched(tree: Tree) -> Tree:
        watches.append(Watch(tree.folder))
        return evolve(tree, guarded=watches[-1])

    yield watched
    for watch in watches:
        watch.check()


@pytest.fixture(autouse=True)
def guarded_workbenches() -> Iterator[None]:
    """Check after the test that the repositories of workbenches are as they were."""
    earlier = dict(GUARDED)
    yield
    for watch in GUARDED.values():
        watch.check()
    GUARDED.clear()
    GUARDED.update(earlier)


@pytest.fixture
def bench(tree: Tree, git: Git, tmp_path: Path) -> Bench:
    """A bench on ``tree``."""
    return Bench(tree, tmp_path, git)


@pytest.fixture
def untouched() -> Iterator[Watch]:
    """Check after the test that the git directories given to ``begin`` are as they were.

    For repositories that the test makes by itself; see ``guard`` for all others.
    """
    watch = Watch()
    yield watch
    watch.check()


@pytest.fixture
def broken_git(tmp_path: Path, environment: Mapping[str, str]) -> Callable[..., Git]:
    """Make a git that fails at the n-th call of a subcommand, in a way of one's choice.

    ``how`` is a line of shell: ``exit 3``, ``kill -9 $$``, ``sleep 600``, ``echo rubbish; exit 0``.
    """
    made = 0

    def make(command: str, *, how: str, at_call: int = 1, seconds: float = 30.0) -> Git:
        nonlocal made
        made += 1
        program = tmp_path / f"git-{made}"
        counter = tmp_path / f"calls-{made}"
        program.write_text(
            "#!/bin/sh\n"
            f'if [ "$1" = {command} ]; then\n'
            # Calls may come at once: each takes the first number that nobody has.
            f'  n=1; until mkdir "{counter}.$n" 2>&-; do n=$((n + 1)); done\n'
            f"  if [ $n -eq {at_call} ]; then {how}; fi\n"
            "fi\n"
            'exec git "$@"\n'
        )
        program.chmod(0o755)
        return git_for(str(program), environment, Limits(seconds=seconds))

    return make


@pytest.fixture(scope="module")
def portal() -> Iterator[BlockingPortal]:
    with start_blocking_portal("asyncio") as portal:
        yield portal


@pytest.fixture(scope="module")
def lab(portal: BlockingPortal, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    return Lab(portal, portal.call(workbench, tmp_path_factory.mktemp("laws")))
