"""The tree of a snapshot is the one that ``git add -A`` comes to, whatever rules are in force."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sennit.adapters.git.git import git_for
from tests.adapters.git.bench import Bench, Tree

RULES = (
    b"* text=auto\n",
    b"*.txt text eol=crlf\n",
    b"* -text\n",
    b"*.txt ident\n",
    b"*.txt filter=loud\n",
    b"c.txt text=auto eol=lf\n",
)
TEXTS = (b"one\r\ntwo\r\n", b"one\ntwo\n", b"one\r\ntwo\n", b"$Id$\n", b"\x00\r\n", b"")
FILES = st.sampled_from([b"c.txt", b"d/c.txt", b"d/e/c.txt", b"d/e/f.txt"])
RULE_FILES = st.sampled_from([b".gitattributes", b"d/.gitattributes", b"d/e/.gitattributes"])
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), FILES, st.sampled_from(TEXTS)),
        st.tuples(st.just("write"), RULE_FILES, st.sampled_from(RULES)),
        st.tuples(st.just("remove"), st.one_of(FILES, RULE_FILES), st.just(b"")),
        st.tuples(st.sampled_from(["stage", "commit"]), st.just(b""), st.just(b"")),
    ),
    min_size=1,
    max_size=14,
)


def edit(tree: Tree, what: str, name: bytes, content: bytes) -> None:
    match what:
        case "write":
            tree.write(name, content)
        case "remove":
            tree.path(name).unlink(missing_ok=True)
        case "stage":
            tree.git("add", "-A")
        case _:
            tree.commit()


def staged_by_git(tree: Tree, place: Path) -> str:
    """Let git bring a copy of the index up to date and write its tree."""
    index = tree.folder / ".git" / "index"
    copy = place / "copied.index"
    if index.exists():
        shutil.copy2(index, copy)
    environment = {**tree.environment, "GIT_INDEX_FILE": os.fspath(copy)}

    def git(*asked: str) -> bytes:
        done = subprocess.run(
            ["git", *asked], cwd=tree.folder, env=environment, capture_output=True, check=True
        )
        return done.stdout

    git("add", "-A")
    return git("write-tree").decode().strip()


@pytest.mark.slow
@pytest.mark.timeout(240)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(edits=EDITS, crlf=st.sampled_from(["true", "input", "false"]))
def test_rules_count_as_they_do_for_git(
    environment: Mapping[str, str],
    tmp_path: Path,
    edits: list[tuple[str, bytes, bytes]],
    crlf: str,
) -> None:
    with tempfile.TemporaryDirectory(dir=tmp_path) as name:
        tree = Tree(Path(name) / "repo", dict(environment))
        tree.folder.mkdir()
        tree.git("init", "-q")
        tree.git("config", "core.autocrlf", crlf)
        tree.git("config", "filter.loud.clean", "tr a-z A-Z")
        for one in edits:
            edit(tree, *one)
        snapshot = anyio.run(Bench(tree, Path(name), git_for("git", environment)).snapshot)
        assert snapshot.tree == staged_by_git(tree, Path(name))


@pytest.mark.anyio
@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
async def test_what_is_staged_and_then_removed_or_edited_again_counts_as_it_lies_there(
    environment: dict[str, str], tmp_path: Path, object_format: str
) -> None:
    tree = Tree(tmp_path / "repo", environment)
    tree.folder.mkdir()
    tree.git("init", "-q", f"--object-format={object_format}")
    for name in ("gone", "kept", "again", "uncached", "folder"):
        tree.write(name, f"{name}\n")
    tree.commit()
    tree.write("staged", "1\n")
    tree.write("staged then gone", "1\n")
    tree.write("again", "1\n")
    tree.path("folder").unlink()
    tree.write("folder/inside", "1\n")
    tree.git("add", "-A")
    tree.path("gone").unlink()
    tree.path("staged then gone").unlink()
    tree.write("again", "2\n")
    tree.git("rm", "-q", "--cached", "uncached")
    snapshot = await Bench(tree, tmp_path, git_for("git", environment)).snapshot()
    assert snapshot.tree == staged_by_git(tree, tmp_path)
