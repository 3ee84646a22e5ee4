"""The store mirrors the user's objects and takes along what decides about bytes."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import anyio
import pytest

from sennit.adapters.git.discovery import Repository, Trust, discover
from sennit.adapters.git.git import Git
from sennit.adapters.git.lock import Busy, Held, locked
from sennit.adapters.git.mirror import alternate_line, refresh_mirror
from sennit.adapters.git.mirror_memory import Mirroring
from sennit.adapters.git.store import Store, keep, open_store, refresh, release
from sennit.core.objects import GitFailed
from tests.adapters.git.bench import Bench, Tree
from tests.small_disks import small_disks

pytestmark = pytest.mark.anyio


def objects_below(folder: Path) -> set[str]:
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and path.parent.name != "info"
    }


async def test_every_object_file_is_linked_and_none_copied(bench: Bench) -> None:
    bench.tree.git("gc", "-q")
    bench.tree.write("loose", "1")
    bench.tree.commit()
    store = await bench.store()
    theirs = bench.tree.folder / ".git" / "objects"
    loose_and_packs = {name for name in objects_below(theirs) if not name.endswith(".bitmap")}
    assert loose_and_packs <= objects_below(store.objects)
    assert all(
        (theirs / name).stat().st_ino == (store.objects / name).stat().st_ino
        for name in loose_and_packs
    )
    assert store.mirroring is Mirroring.LINKED


async def test_new_objects_are_found_at_once(bench: Bench) -> None:
    store = await bench.store()
    for number in range(5):
        bench.tree.write("README", str(number))
        commit = bench.tree.commit()
        refreshed = await refresh(bench.git, store, await bench.repository())
        assert isinstance(refreshed, Store)
        assert (await bench.files_of(commit))[b"README"][1] == str(number).encode()


@pytest.mark.parametrize("part", ["objects", "."])
async def test_objects_that_were_deleted_are_linked_again(bench: Bench, part: str) -> None:
    bench.tree.git("gc", "-q")
    bench.tree.write("loose", "1")
    commit = bench.tree.commit()
    settled = time.time() - 10
    for folder in (bench.tree.folder / ".git" / "objects").glob("*"):
        os.utime(folder, (settled, settled))
    store = await bench.store()
    shutil.rmtree(store.git_dir / part)
    store = await bench.store()
    assert "loose" in {os.fsdecode(path) for path in await bench.files_of(commit)}


def test_unchanged_folders_are_not_read_again(tree: Tree, tmp_path: Path) -> None:
    theirs, ours = tree.folder / ".git" / "objects", tmp_path / "objects"
    for folder in [theirs, *theirs.iterdir()]:
        os.utime(folder, (1_000_000_000, 1_000_000_000))
    assert refresh_mirror(theirs, ours, tmp_path / "memory") is Mirroring.LINKED
    linked = objects_below(ours)
    for name in linked:
        (ours / name).unlink()
    refresh_mirror(theirs, ours, tmp_path / "memory")
    assert objects_below(ours) == set()
    (tmp_path / "memory").write_text("torn {")
    refresh_mirror(theirs, ours, tmp_path / "memory")
    assert objects_below(ours) == linked


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    """A folder on another file system than the tests' own."""
    memory = Path("/dev/shm")  # noqa: S108  the other file system that Linux always has
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("issue 5: needs a second file system, which CI has")
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


def test_another_file_system_is_borrowed_from(tree: Tree, elsewhere: Path) -> None:
    theirs, ours = tree.folder / ".git" / "objects", elsewhere / "objects"
    assert refresh_mirror(theirs, ours, elsewhere / "memory") is Mirroring.BORROWED
    assert (ours / "info" / "alternates").read_bytes() == os.fsencode(theirs) + b"\n"


def test_alternates_become_absolute(tree: Tree, tmp_path: Path) -> None:
    theirs = tree.folder / ".git" / "objects"
    odd = tmp_path / os.fsdecode(b'odd "\n\xff')
    odd.mkdir()
    lines = b"# a comment\n../../../library/.git/objects\n" + alternate_line(odd)
    tree.write(".git/objects/info/alternates", lines)
    ours = tmp_path / "objects"
    refresh_mirror(theirs, ours, tmp_path / "memory")
    library = os.fsencode(tmp_path / "library" / ".git" / "objects")
    assert (ours / "info" / "alternates").read_bytes() == library + b"\n" + alternate_line(odd)


async def test_a_store_on_another_file_system_holds_what_a_base_needs(
    bench: Bench, elsewhere: Path
) -> None:
    bench.tree.write("README", "changed")
    far = Bench(bench.tree, elsewhere, bench.git)
    snapshot = await far.snapshot()
    with bench.tree.by_hand():
        shutil.move(bench.tree.path(".git/objects"), bench.tmp_path / "lost")
        bench.tree.path(".git/objects").mkdir()
    files = await far.files_of(snapshot.tree)
    assert files == {b"README": ("100644", b"changed"), b"src/a.py": ("100644", b"a = 1\n")}


async def test_files_of_lfs_are_linked_and_new_ones_stay_in_the_store(bench: Bench) -> None:
    tree = bench.tree
    tree.write(".git/lfs/objects/ab/cd/abcd", "large")
    # As git-lfs does, the filter keeps what it cleans in the folder that lfs.storage names.
    script = 'd="$(git config lfs.storage)"; mkdir -p "$d"; cat > "$d/kept"; echo pointer'
    tree.write(".git/clean", f"#!/bin/sh\n{script}\n", mode=0o755)
    tree.git("config", "filter.lfs.clean", str(tree.path(".git/clean")))
    tree.write(".gitattributes", "*.big filter=lfs\n")
    tree.write("a.big", "content")
    snapshot = await bench.snapshot()
    assert (await bench.files_of(snapshot.commit))[b"a.big"][1] == b"pointer\n"
    folder = (await bench.store()).git_dir / "lfs"
    assert (folder / "kept").read_text() == "content"
    assert (folder / "objects/ab/cd/abcd").stat().st_nlink == 2


async def test_files_of_lfs_come_to_another_file_system_whole_or_not_at_all(
    bench: Bench, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.tree.write(".git/lfs/objects/ab/cd/abcd", "large")
    far = Bench(bench.tree, elsewhere, bench.git)

    def full(source: BinaryIO, target: BinaryIO) -> None:
        target.write(source.read(2))
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "copyfileobj", full)
        refused = await open_store(far.git, await far.repository(), far.stores)
    assert isinstance(refused, GitFailed), refused
    folder = (await far.store()).git_dir / "lfs/objects/ab/cd"
    assert [file.read_text() for file in folder.iterdir()] == ["large"]


async def test_files_of_lfs_for_which_another_disk_has_no_room_are_not_begun_with(
    bench: Bench,
) -> None:
    # Sparse, so that it takes next to nothing here.
    file = bench.tree.write(".git/lfs/objects/ab/cd/abcd", "")
    with bench.tree.by_hand(), file.open("r+b") as large:
        large.truncate(64 << 20)
    with small_disks() as put:
        far = Bench(bench.tree, put(bench.tmp_path / "small"), bench.git)
        refused = await open_store(far.git, await far.repository(), far.stores)
        assert isinstance(refused, GitFailed), refused
        assert "64.0 MiB" in refused.stderr
        assert "store.path" in refused.advice
        assert not [*far.stores.glob("*/git/lfs/objects/ab/cd/*")]


async def test_each_repository_has_a_store_of_its_own(
    bench: Bench, new_tree: Callable[..., Tree]
) -> None:
    other = Bench(new_tree("other", "--object-format=sha256"), bench.tmp_path, bench.git)
    first, second = await bench.store(), await other.store()
    assert first.root != second.root
    assert first.root.parent == second.root.parent


async def test_kept_commits_survive_a_clean_up_of_the_store(bench: Bench) -> None:
    bench.tree.write("README", "changed")
    snapshot = await bench.snapshot()
    store = await bench.store()
    git_dir = f"--git-dir={store.git_dir}"
    bench.tree.git(git_dir, "gc", "-q", "--prune=now")
    assert (await bench.files_of(snapshot.commit))[b"README"][1] == b"changed"
    assert await keep(bench.git, store, "mine", snapshot.commit) is None
    assert await release(bench.git, store, "mine") is None
    assert await release(bench.git, store, "mine") is None


async def test_configuration_that_decides_about_bytes_goes_along(bench: Bench) -> None:
    value = 'a "b" \\ c ; # d'
    bench.tree.git("config", "core.autocrlf", "input")
    bench.tree.git("config", "filter.x.y.clean", value)
    config = bench.tree.path(".git/config").read_bytes()
    bench.tree.write(".git/config", config + b'[filter "x.y"]\n\trequired\n')
    bench.tree.git("config", "alias.evil", "!touch canary")
    bench.tree.git("config", "remote.origin.url", "https://user:secret@example.org/x")
    store = await bench.store()
    listed = bench.tree.git(f"--git-dir={store.git_dir}", "config", "--local", "--list").decode()
    assert "core.autocrlf=input" in listed
    assert f"filter.x.y.clean={value}" in listed
    assert "filter.x.y.required=true" in listed
    assert "evil" not in listed
    assert "secret" not in listed


@pytest.mark.parametrize("trust", Trust)
async def test_only_trust_takes_programs_of_the_repository_along(
    bench: Bench, trust: Trust
) -> None:
    bench.trust = trust
    bench.tree.git("config", "filter.theirs.smudge", "theirs")
    bench.tree.git("config", "filter.both.smudge", "theirs")
    bench.tree.git("config", "--global", "filter.both.smudge", "mine")
    bench.tree.git("config", "--global", "filter.mine.smudge", "mine")
    store = await bench.store()
    asked = ("config", "--local", "--get-regexp", "^filter")
    listed = bench.tree.git(f"--git-dir={store.git_dir}", *asked).decode().splitlines()
    own = ["filter.both.smudge mine", "filter.mine.smudge mine"]
    theirs = ["filter.both.smudge theirs", "filter.theirs.smudge theirs"]
    assert sorted(listed) == sorted(own + theirs if trust is Trust.TRUSTED else own)


async def test_a_repository_that_git_writes_into_with_every_object_is_refused(
    new_tree: Callable[..., Tree], git: Git, tmp_path: Path
) -> None:
    tree = new_tree("repo", "--object-format=sha256")
    tree.commit()
    tree.git("config", "extensions.compatObjectFormat", "sha1")
    found = await discover(git, tree.folder, Trust.TRUSTED)
    if not isinstance(found, Repository):
        pytest.skip(f"runs with a git that opens it: 2.45 or newer, the newest with Rust; {found}")
    refused = await open_store(git, found, tmp_path / "stores")
    assert isinstance(refused, GitFailed)
    assert "compatObjectFormat" in refused.stderr
    assert "clone" in refused.advice


async def test_only_one_holds_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    async with locked(path) as first, locked(path, seconds=0.05) as second:
        assert first == Held()
        assert second == Busy(0.05)
    async with locked(path, seconds=0.05) as third:
        assert third == Held()


async def test_waiting_for_the_lock_ends_with_its_release(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    waiting = anyio.Event()

    async def wait() -> None:
        waiting.set()
        async with locked(path) as got:
            assert got == Held()

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group, locked(path):
            group.start_soon(wait)
            await waiting.wait()
