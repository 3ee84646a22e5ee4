"""For any edits: a workspace is what the user sees, and untouched it is captured as unchanged."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sennit.adapters.git.capture import Captured, Unchanged, capture
from sennit.adapters.git.git import Git, git_for
from tests.adapters.git.bench import Bench, Tree
from tests.adapters.workspaces.seeing import seen

NAMES = st.sampled_from([b"a", b"b", b"c d", b"\xff\n", "\N{GRINNING FACE}".encode(), b"-x", b":y"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(b"/".join)
CONTENTS = st.sampled_from([b"", b"x", b"x\n", b"y\r\n", b"\x00\xff", b"same", b"SAME"])
KINDS = st.sampled_from(["file", "program", "link", "gone", "commit", "stage"])
EDITS = st.lists(st.tuples(KINDS, PATHS, CONTENTS), max_size=12)


def edit(tree: Tree, kind: str, name: bytes, content: bytes) -> None:
    """Do one thing that a person could; what is in the way of a path goes first."""
    match kind:
        case "commit":
            tree.commit()
        case "stage":
            tree.git("add", "-A")
        case "gone":
            clear(tree.path(name))
        case _:
            make_way(tree, name)
            write(tree, kind, name, content)


def write(tree: Tree, kind: str, name: bytes, content: bytes) -> None:
    if kind == "link":
        tree.path(name).symlink_to(os.fsdecode(content.replace(b"\0", b"") or b"nowhere"))
    else:
        tree.write(name, content, mode=0o755 if kind == "program" else 0o644)


def make_way(tree: Tree, name: bytes) -> None:
    clear(tree.path(name))
    parts = name.split(b"/")
    for count in range(1, len(parts)):
        parent = tree.path(b"/".join(parts[:count]))
        if parent.is_symlink() or not parent.is_dir():
            clear(parent)
    tree.path(name).parent.mkdir(parents=True, exist_ok=True)


def clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path) and not path.parent.is_symlink():
        path.unlink()


def in_a_new_place(environment: Mapping[str, str], git: Git, folder: Path) -> Bench:
    tree = Tree(folder / "repo", dict(environment))
    tree.folder.mkdir()
    tree.git("init", "-q")
    return Bench(tree, folder, git)


async def check(bench: Bench, mine: list[tuple[str, bytes, bytes]]) -> None:
    workspace = await bench.workspace()
    assert seen(workspace.folder) == seen(bench.tree.folder)
    store = await bench.store()
    assert await capture(bench.git, store, workspace, date=0) == Unchanged()
    inside = bench.inside(workspace)
    for one in mine:
        edit(inside, *one)
    captured = await capture(bench.git, store, workspace, date=0)
    assert isinstance(captured, Captured | Unchanged), captured
    assert captured.left_out == ()
    assert captured.commits_failed is None
    commit = captured.commit if isinstance(captured, Captured) else workspace.base
    kinds = {"100644": "file", "100755": "program", "120000": "link"}
    files = await bench.files_of(commit)
    assert {name: (kinds[mode], content) for name, (mode, content) in files.items()} == seen(
        workspace.folder
    )


@pytest.mark.slow
@pytest.mark.timeout(240)
@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(users=EDITS, agents=EDITS)
def test_nothing_is_lost_on_the_way(
    environment: dict[str, str],
    tmp_path: Path,
    users: list[tuple[str, bytes, bytes]],
    agents: list[tuple[str, bytes, bytes]],
) -> None:
    with tempfile.TemporaryDirectory(dir=tmp_path) as folder:
        bench = in_a_new_place(environment, git_for("git", environment), Path(folder))
        for one in users:
            edit(bench.tree, *one)
        anyio.run(check, bench, agents)
