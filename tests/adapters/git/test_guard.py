"""Every test of the git engine fails where something but the test touches the user's repository."""

from __future__ import annotations

import pytest

from tests.adapters.git.bench import Tree
from tests.adapters.git.made_trees import GUARDED, run_git, workbench

pytestmark = pytest.mark.anyio

TOUCHED = ("config", "refs/heads/new", "objects/ab/" + "c" * 38, "hooks/pre-commit", "index.lock")


@pytest.mark.parametrize("name", TOUCHED)
def test_what_touches_a_git_directory_behind_a_test_is_told(tree: Tree, name: str) -> None:
    assert tree.guarded is not None
    path = tree.path(f".git/{name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("touched\n")
    for look in (tree.guarded.check, lambda: tree.git("rev-parse", "HEAD")):
        with pytest.raises(AssertionError, match="was touched"):
            look()
    tree.guarded.look_anew()
    tree.guarded.check()


def test_what_a_test_does_is_nobody_elses(tree: Tree) -> None:
    tree.commit()
    tree.write(".git/info/exclude", "x\n")
    with tree.by_hand():
        tree.path(".git/HEAD").unlink()


async def test_repositories_of_trees_that_are_made_up_are_looked_after_too(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    bench = await workbench(tmp_path_factory.mktemp("bench"))
    user = bench.repository.work_tree
    run_git(user, "config", "core.ignoreCase", "true")
    GUARDED[user].check()
    (user / ".git/config").write_text("")
    with pytest.raises(AssertionError, match="was touched"):
        run_git(user, "status")
    GUARDED[user].look_anew()
