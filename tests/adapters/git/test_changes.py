"""Differences of trees: files, renames, hunks, patches."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sennit.adapters.git.changes import changes_between, patch
from sennit.core.accepted import with_hunks
from sennit.core.objects import ChangeKind, FileChange, Hunk
from sennit.core.units import units_of
from sennit_protocol.proposals import UnitKind
from tests.adapters.git.made_trees import (
    Executable,
    Files,
    Link,
    Pointer,
    Workbench,
    must,
    run_git,
    workbench,
)

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["sha1", "sha256"])
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Workbench:
    return await workbench(tmp_path, request.param)


async def changes(bench: Workbench, old: Files, new: Files) -> dict[bytes, FileChange]:
    trees = [await bench.tree(files) for files in (old, new)]
    found = must(await changes_between(bench.git, bench.store, *trees))
    return {change.path: change for change in found}


TEXT = b"".join(b"line %d\n" % n for n in range(12))


async def test_each_kind_of_change_is_found_once_with_its_sides(bench: Workbench) -> None:
    size = len(bench.empty)
    old: Files = {
        b"edit": TEXT,
        b"gone": b"x\n",
        b"empty-gone": b"",
        b"mode": b"x",
        b"move": TEXT + b"and more\n",
        b"binary": b"\0a",
        b"link": Link(b"a"),
        b"type": b"t\n",
        b"sub": Pointer("1" * size),
        b"folder/x": b"was in a folder\n",
    }
    new: Files = {
        b"edit": TEXT.replace(b"line 3\n", b""),
        b"empty-new": b"",
        b"mode": Executable(b"x"),
        b"moved/there": TEXT + b"and more\nx\n",
        b"binary": b"\0b",
        b"link": Link(b"b"),
        b"type": Link(b"t"),
        b"sub": Pointer("2" * size),
        b"folder": b"a file now\n",
    }
    found = await changes(bench, old, new)
    kinds = {path: change.kind for path, change in found.items()}
    assert kinds == {
        b"edit": ChangeKind.MODIFY,
        b"gone": ChangeKind.DELETE,
        b"empty-gone": ChangeKind.DELETE,
        b"empty-new": ChangeKind.CREATE,
        b"mode": ChangeKind.MODIFY,
        b"moved/there": ChangeKind.RENAME,
        b"binary": ChangeKind.MODIFY,
        b"link": ChangeKind.MODIFY,
        b"type": ChangeKind.TYPE,
        b"sub": ChangeKind.MODIFY,
        b"folder": ChangeKind.CREATE,
        b"folder/x": ChangeKind.DELETE,
    }
    assert found[b"edit"].hunks == (Hunk(3, 1, 3, 0),)
    assert found[b"moved/there"].old_path == b"move"
    assert found[b"moved/there"].hunks == (Hunk(13, 0, 13, 1),)
    assert [path for path, change in found.items() if change.binary] == [b"binary"]
    assert all(not found[path].hunks for path in (b"link", b"type", b"sub", b"folder", b"gone"))


ODD_NAMES = [
    "héllo.txt".encode(),
    b"bad-char-\xe9.txt",
    b"new\nline",
    b'quo"te\\',
    b" lead and trail ",
    b"tab\there",
    "😀".encode(),
    b"a => b",
    b"diff --git a/x b/x",
    b"-dash",
    b":(glob)**",
]


async def test_no_name_is_dropped_or_changed(bench: Workbench) -> None:
    old = dict.fromkeys(ODD_NAMES, TEXT)
    new = dict.fromkeys(ODD_NAMES, TEXT + b"more\n")
    found = await changes(bench, old, new)
    assert set(found) == set(ODD_NAMES)
    assert all(change.hunks == (Hunk(12, 0, 12, 1),) for change in found.values())


async def test_text_that_looks_like_a_patch_is_text(bench: Workbench) -> None:
    tricky = b"diff --git a/f b/f\n@@ -1 +1 @@\n--- a\n+++ b\nBinary files a and b differ\n"
    found = await changes(bench, {b"f": b"x\n"}, {b"f": tricky})
    assert found[b"f"].hunks == (Hunk(0, 1, 0, 5),)
    assert not found[b"f"].binary


async def test_binary_is_what_the_attributes_of_the_tree_say(bench: Workbench) -> None:
    rules = {b".gitattributes": b"*.dat binary\n*.txt diff\n"}
    found = await changes(
        bench,
        {**rules, b"a.dat": b"text\n", b"a.txt": b"\0one\n"},
        {**rules, b"a.dat": b"other\n", b"a.txt": b"\0two\n"},
    )
    assert found[b"a.dat"].binary
    assert found[b"a.txt"].hunks == (Hunk(0, 1, 0, 1),)


async def test_equal_trees_have_no_changes(bench: Workbench) -> None:
    assert await changes(bench, {b"f": TEXT}, {b"f": TEXT}) == {}


async def test_a_textconv_is_never_run(bench: Workbench, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    (tmp_path / ".gitconfig").write_text(
        f'[diff "x"]\n\ttextconv = touch {mark}; cat\n\tcommand = touch {mark}\n'
    )
    rules = {b".gitattributes": b"* diff=x\n"}
    assert await changes(bench, {**rules, b"f": b"1\n"}, {**rules, b"f": b"2\n"})
    assert not mark.exists()


def check_out(bench: Workbench, tree: str, where: Path) -> None:
    """Lay a tree out with git, to apply a patch to it."""
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir()
    fmt = bench.store.object_format
    run_git(where, "init", "-q", f"--object-format={fmt}")
    (where / ".git/objects/info/alternates").write_text(f"{bench.store.objects}\n")
    run_git(where, "read-tree", tree)
    run_git(where, "checkout-index", "-a", "-u")


async def test_a_patch_applied_with_git_gives_the_tree(bench: Workbench, tmp_path: Path) -> None:
    old: Files = {
        b"edit": TEXT,
        b"gone": b"x",
        b"binary": bytes(range(256)),
        b"move": TEXT + b"1\n",
        b"type": b"t\n",
        b"crlf": b"a\r\nb\r\n",
        **dict.fromkeys(ODD_NAMES, TEXT),
    }
    new: Files = {
        b"edit": TEXT[:-1],
        b"binary": bytes(range(255, -1, -1)),
        b"moved": Executable(TEXT + b"2\n"),
        b"type": Link(b"t"),
        b"crlf": b"a\r\nc\r\n",
        b"empty": b"",
        **dict.fromkeys(ODD_NAMES, TEXT + b"x"),
    }
    trees = [await bench.tree(files) for files in (old, new)]
    diff = must(await patch(bench.git, bench.store, *trees))
    where = tmp_path / "applied"
    check_out(bench, trees[0], where)
    (tmp_path / "p").write_bytes(diff)
    run_git(where, "apply", "--index", "--whitespace=nowarn", os.fspath(tmp_path / "p"))
    assert run_git(where, "write-tree") == trees[1]


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"\n", b"c\r\n", b"\xff\n"]), max_size=8)
TEXTS = st.builds(lambda lines, end: b"".join(lines) + end, LINES, st.sampled_from([b"", b"e"]))


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6))
async def test_the_hunks_of_a_file_turn_one_text_into_the_other(
    bench: Workbench, pairs: list[tuple[bytes, bytes]]
) -> None:
    old = {b"%d" % n: before for n, (before, _) in enumerate(pairs)}
    new = {b"%d" % n: after for n, (_, after) in enumerate(pairs)}
    found = await changes(bench, old, new)
    for name, change in found.items():
        units = units_of("r", [change])
        assert with_hunks(old[name], new[name], units) == new[name]
        assert {unit.kind for unit in units} == {UnitKind.HUNK}
