"""A store that copies shares nothing with the user's repository, and is as quick and as whole."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve

from sennit.adapters.git.base import take_snapshot
from sennit.adapters.git.capture import Captured, capture
from sennit.adapters.git.file_copies import NoRoom
from sennit.adapters.git.mirror import LINKING, Copying, alternate_line, refresh_mirror
from sennit.adapters.git.mirror_memory import Mirroring
from sennit.adapters.git.store import Store, open_store
from sennit.core.objects import GitFailed, Snapshot
from tests.adapters.git.bench import Bench, Tree, Watch

pytestmark = pytest.mark.anyio

AT = 1_900_000_000
ENOUGH = Copying(1 << 30)


@pytest.fixture
def copying(bench: Bench) -> Bench:
    """A bench whose store copies; its repository has packs, loose objects and a file of LFS."""
    bench.tree.git("repack", "-q", "-a", "-d")
    bench.tree.write("loose", "loose\n")
    bench.tree.commit()
    bench.tree.write(".git/lfs/objects/ab/cd/abcd", "large")
    bench.sharing = ENOUGH
    return bench


def files_below(folder: Path) -> dict[str, Path]:
    return {
        str(path.relative_to(folder)): path
        for path in folder.rglob("*")
        if path.is_file() and path.parent.name != "info"
    }


def hashes(folder: Path) -> dict[str, str]:
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in files_below(folder).items()
    }


def shared_with(folder: Path, other: Path) -> list[str]:
    theirs = {path.stat().st_ino for path in files_below(other).values()}
    return [name for name, path in files_below(folder).items() if path.stat().st_ino in theirs]


def spoil(inside: Tree) -> int:
    """As an agent in no namespace may: write into every file that its repository leads to."""
    script = """
    spoil() { find "$1" -type f \\( -path '*/??/*' -o -path '*/pack/*' \\) -print0 |
      while IFS= read -r -d '' file; do chmod u+w "$file" && echo spoilt >> "$file" && echo; done; }
    follow() { [ ! -f "$1/info/alternates" ] || while IFS= read -r next; do
      follow "$next"; spoil "$next"; done < "$1/info/alternates"; }
    follow .git/objects
    spoil "$(git config lfs.storage)"
    """
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=inside.folder,
        env=inside.environment,
        capture_output=True,
        check=True,
    )
    return len(done.stdout)


async def test_an_agent_that_writes_into_the_mirror_leaves_the_users_objects_as_they_are(
    copying: Bench,
) -> None:
    tree = copying.tree
    git_dir = tree.path(".git")
    untouched = Watch()
    untouched.begin(git_dir)
    before = hashes(git_dir)
    workspace = await copying.workspace()
    assert spoil(copying.inside(workspace)) > 5
    assert hashes(git_dir) == before
    assert tree.git("fsck", "--strict", "--full") == b""
    untouched.check()
    tree.git("repack", "-q", "-a", "-d", "-f")
    tree.git("gc", "-q", "--prune=now")
    assert tree.git("fsck", "--strict", "--full") == b""
    # What is copied anew is whole; the spoilt files of the store's own are those of the agent.
    store = await copying.store()
    assert shared_with(store.git_dir, git_dir) == []
    ours = hashes(store.objects / "pack")
    theirs = hashes(git_dir / "objects" / "pack")
    assert any(name.endswith(".pack") for name in theirs)
    assert all(ours[name] == it for name, it in theirs.items() if name in ours)
    assert {name for name in theirs if name.endswith((".pack", ".idx"))} <= ours.keys()


async def test_work_goes_on_in_copies_whatever_the_user_tidies(copying: Bench) -> None:
    tree = copying.tree
    snapshot = await copying.snapshot()
    workspace = await copying.workspace(snapshot)
    inside = copying.inside(workspace)
    assert inside.git("fsck", "--strict") == b""
    tree.git("gc", "-q", "--prune=now")
    inside.write("made", "by an agent\n")
    inside.commit()
    store = await copying.store()
    captured = await capture(copying.git, store, workspace, date=AT)
    assert isinstance(captured, Captured), captured
    assert store.mirroring is Mirroring.COPIED
    with tree.by_hand():
        shutil.rmtree(tree.path(".git/objects"))
    assert (await take_out(store, tree, captured.commit))["made"] == "by an agent\n"


async def take_out(store: Store, tree: Tree, commit: str) -> dict[str, str]:
    git_dir = f"--git-dir={store.git_dir}"
    names = tree.git(git_dir, "ls-tree", "-r", "--name-only", commit).decode().splitlines()
    return {name: tree.git(git_dir, "show", f"{commit}:{name}").decode() for name in names}


async def test_a_store_of_links_becomes_one_of_copies_and_back(copying: Bench) -> None:
    git_dir = copying.tree.path(".git")
    copying.sharing = LINKING
    store = await copying.store()
    linked = shared_with(store.git_dir, git_dir)
    assert len(linked) > 5
    copying.sharing = ENOUGH
    store = await copying.store()
    assert shared_with(store.git_dir, git_dir) == []
    assert set(linked) <= set(files_below(store.git_dir))
    copies = {name: path.stat().st_ino for name, path in files_below(store.git_dir).items()}
    copying.tree.write("more", "more\n")
    copying.tree.commit()
    store = await copying.store()
    assert shared_with(store.git_dir, git_dir) == []
    assert all(files_below(store.git_dir)[name].stat().st_ino == it for name, it in copies.items())
    copying.tree.write("yet more", "yet more\n")
    copying.tree.commit()
    copying.sharing = LINKING
    store = await copying.store()
    assert store.mirroring is Mirroring.LINKED
    assert len(shared_with(store.git_dir, git_dir)) == 3
    copying.sharing = ENOUGH
    await copying.store()
    assert shared_with(store.git_dir, git_dir) == []


def test_folders_that_did_not_change_are_not_read_again(tree: Tree, tmp_path: Path) -> None:
    theirs, ours = tree.folder / ".git" / "objects", tmp_path / "objects"
    for folder in [theirs, *theirs.iterdir()]:
        os.utime(folder, (1_000_000_000, 1_000_000_000))
    memory = tmp_path / "memory"
    assert refresh_mirror(theirs, ours, memory, ENOUGH) is Mirroring.COPIED
    copied = set(files_below(ours))
    for path in files_below(ours).values():
        path.unlink()
    refresh_mirror(theirs, ours, memory, ENOUGH)
    assert set(files_below(ours)) == set()
    memory.write_text('{"mirroring": "copied"}')
    refresh_mirror(theirs, ours, memory, ENOUGH)
    assert set(files_below(ours)) == copied


async def test_what_the_users_repository_borrows_is_copied_too(
    new_tree: Callable[..., Tree], bench: Bench
) -> None:
    one, two = new_tree("one"), new_tree("two")
    for made in (one, two):
        made.write(made.folder.name, made.folder.name)
    commit, _ = one.commit(), two.commit()
    objects = {made.folder.name: made.path(".git/objects") for made in (one, two)}
    alternates = ".git/objects/info/alternates"
    two.write(alternates, alternate_line(objects["one"]) + b"/is/not/there\n")
    bench.tree.write(alternates, alternate_line(objects["two"]))
    store = (await evolve_store(bench)).objects
    assert (store / "info" / "alternates").read_bytes() == b""
    assert (store / commit[:2] / commit[2:]).exists()
    assert all(shared_with(store, folder) == [] for folder in objects.values())


async def evolve_store(bench: Bench) -> Store:
    await bench.store()
    bench.sharing = ENOUGH
    return await bench.store()


async def test_copies_that_have_no_room_are_refused_before_any_is_made(
    copying: Bench,
) -> None:
    repository = await copying.repository()
    opened = await open_store(copying.git, repository, copying.stores, Copying(100))
    assert isinstance(opened, GitFailed)
    assert "100 B may still be used" in opened.stderr
    assert "limits.storeBytes" in (opened.advice or "")
    folder = copying.stores / repository.key / "git"
    assert files_below(folder / "objects") == {}
    theirs = copying.tree.path(".git/objects")
    tight = refresh_mirror(theirs, copying.tmp_path / "ours", copying.tmp_path / "m", Copying(0))
    assert isinstance(tight, NoRoom)
    store = await copying.store()
    copying.tree.write("more", os.urandom(5_000).hex())
    copying.tree.commit()
    full = await take_snapshot(copying.git, evolve(store, sharing=Copying(100)), repository)
    assert isinstance(full, GitFailed)
    assert isinstance(await take_snapshot(copying.git, store, repository), Snapshot)
