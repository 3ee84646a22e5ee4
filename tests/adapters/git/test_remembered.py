"""A snapshot of what has not changed is the last one, and of what has changed never is."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sennit.adapters.git.base import take_snapshot
from sennit.adapters.git.git import Git, Limits, git_for
from sennit.adapters.git.remembered import is_settled
from sennit.core.objects import Snapshot
from tests.adapters.git.bench import Bench
from tests.adapters.git.installed import needs_git

pytestmark = pytest.mark.anyio


@pytest.fixture
def noting_git(tmp_path: Path, environment: Mapping[str, str]) -> tuple[Git, Callable[[], int]]:
    """A git that notes each ``update-index``, and the count of the notes."""
    program, notes = tmp_path / "noting-git", tmp_path / "notes"
    program.write_text(
        f'#!/bin/sh\n[ "$1" = update-index ] && echo . >> "{notes}"\nexec git "$@"\n'
    )
    program.chmod(0o755)
    notes.touch()
    return git_for(str(program), environment, Limits()), lambda: len(notes.read_text().split())


async def settled(bench: Bench) -> None:
    """Wait until what was written lies further back than the clock of files is coarse."""
    probe = bench.tmp_path / "clock"
    last = max(path.lstat().st_ctime_ns for path in bench.tree.folder.rglob("*") if path.exists())
    while True:
        probe.write_text("")
        if probe.stat().st_ctime_ns - last > 100_000_000:
            return


async def test_an_unchanged_tree_is_not_staged_again_and_a_changed_one_is(
    bench: Bench, noting_git: tuple[Git, Callable[[], int]]
) -> None:
    git, count = noting_git
    tree, repository, store = bench.tree, await bench.repository(), await bench.store()

    async def taken() -> Snapshot:
        await settled(bench)
        snapshot = await take_snapshot(git, store, repository)
        assert isinstance(snapshot, Snapshot)
        return snapshot

    tree.write("README", "dirty\n")
    tree.write("new.txt", "new\n")
    tree.path("src/a.py").unlink()
    first = await taken()
    assert await taken() == first
    assert count() == 1
    file = tree.path("README")
    before = file.stat()
    file.write_text("DIRTY\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    second = await taken()
    assert (await bench.files_of(second.commit))[b"README"] == ("100644", b"DIRTY\n")
    tree.git("config", "--global", "core.autocrlf", "input")
    tree.write("new.txt", "new\r\n")
    third = await taken()
    assert (await bench.files_of(third.commit))[b"new.txt"] == ("100644", b"new\n")
    tree.git("config", "--global", "core.autocrlf", "false")
    fourth = await taken()
    assert (await bench.files_of(fourth.commit))[b"new.txt"] == ("100644", b"new\r\n")
    tree.git("add", "README")
    assert (await taken()).manifest.staged == (b"README",)


@pytest.mark.parametrize("spelled", ["", ":(optional)"])
async def test_attributes_count_wherever_they_lie(bench: Bench, spelled: str) -> None:
    if spelled:
        needs_git((2, 52), "a path at which there need be nothing")
    git, tree = bench.git, bench.tree
    repository, store = await bench.repository(), await bench.store()
    tree.write("new.txt", "new\r\n")

    async def new_txt() -> bytes:
        await settled(bench)
        snapshot = await take_snapshot(git, store, repository)
        assert isinstance(snapshot, Snapshot)
        return (await bench.files_of(snapshot.commit))[b"new.txt"][1]

    # Attributes that no index and no list of changed files names.
    tree.write(".git/info/exclude", ".gitattributes\n")
    tree.write(".gitattributes", "*.txt -text\n")
    assert await new_txt() == b"new\r\n"
    tree.write(".gitattributes", "*.txt text\n")
    assert await new_txt() == b"new\n"
    tree.path(".gitattributes").unlink()
    theirs = tree.path("../attributes")
    theirs.write_text("*.txt -text\n")
    tree.git("config", "--global", "core.attributesFile", f"{spelled}{theirs.resolve()}")
    assert await new_txt() == b"new\r\n"
    theirs.write_text("*.txt text\n")
    assert await new_txt() == b"new\n"


async def test_what_is_dated_to_the_second_is_not_trusted_within_it() -> None:
    second, now = 1_000_000_000, 1_700_000_000_900_000_000
    whole = now - now % second
    assert not is_settled(whole, whole, now)
    assert not is_settled(whole, whole - second, now)
    assert is_settled(whole - 2 * second, whole - 2 * second, now)
    # Elsewhere a moment is enough, also where a program has set the other time.
    assert is_settled(whole, now - second // 2, now)
    assert not is_settled(whole, now - 1, now)
