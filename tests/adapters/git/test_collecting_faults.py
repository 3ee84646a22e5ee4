"""Whatever goes wrong while a store is collected: what is needed stays, the rest goes next time."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from attrs import evolve, frozen

from sennit.adapters.git.collectable import Needed, look
from sennit.adapters.git.collecting import Collected, collect
from sennit.adapters.git.git import Git
from sennit.adapters.git.mirror import Copying
from sennit.adapters.git.store import Store, open_store
from sennit.adapters.git.trees import write_blobs
from sennit.core.objects import GitFailed
from tests.adapters.git.bench import Bench, this_process, untouched_view
from tests.adapters.git.faulty_git import Fault, FaultyGit
from tests.adapters.git.test_collecting import age, in_an_hour, needs, work
from tests.adapters.git.test_faults import ALL, children, faults_at, left_behind
from tests.adapters.git.test_meddling import SIZES, no_file_longer_than

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.timeout(600)]


@frozen
class Heap:
    """A store in which something is needed and something is not; each fault gets a copy of it."""

    bench: Bench
    store: Store
    needed: Needed
    kept: tuple[str, ...]
    gone: tuple[str, ...]
    faulty: FaultyGit

    def copy(self, name: str) -> Store:
        root = self.store.root.with_name(name)
        shutil.copytree(self.store.root, root, symlinks=True)
        return evolve(self.store, root=root)

    async def collected(self, git: Git, store: Store) -> Collected | GitFailed:
        """Look and collect, as `sennit gc` does."""
        before = in_an_hour()
        found = await look(git, store, self.needed, before)
        if isinstance(found, GitFailed):
            return found
        return await collect(git, found[0], self.needed, before, this_process())

    def objects_of(self, store: Store, identities: tuple[str, ...]) -> list[str]:
        """Give the kinds of objects, empty for those that are not there."""
        names = "".join(f"{each}\n" for each in identities).encode()
        asked = ("cat-file", "--batch-check=%(objecttype)")
        answer = self.bench.tree.git(f"--git-dir={store.git_dir}", *asked, stdin=names).decode()
        return ["" if line.endswith(" missing") else line for line in answer.splitlines()]

    def assert_whole(self, store: Store, where: str) -> None:
        git_dir = f"--git-dir={store.git_dir}"
        assert self.objects_of(store, self.kept) == ["commit", "commit", "blob"], where
        assert self.bench.tree.git(git_dir, "fsck", "--strict", "--no-dangling") == b"", where
        self.bench.tree.git(git_dir, "rev-list", "--objects", *self.kept)

    async def assert_the_next_time_works(self, store: Store, where: str) -> None:
        done = await self.collected(self.bench.git, store)
        assert isinstance(done, Collected), where
        assert done.kept == (), where
        assert not any(self.objects_of(store, self.gone)), where
        assert left_behind(store) == [], where
        assert not (store.git_dir / "refs/sennit/collecting/roots").exists(), where
        self.assert_whole(store, where)


@pytest.fixture
async def heap(bench: Bench, tmp_path: Path, environment: dict[str, str]) -> Heap:
    # Copies can be copied; a link in a copy of a store would be one more link.
    bench.sharing = Copying(1 << 30)
    bench.tree.git("repack", "-q", "-a", "-d")
    _, lost = await work(bench, "dropped")
    kept, captured = await work(bench, "kept")
    bench.tree.commit("more")
    bench.tree.git("repack", "-q", "-a", "-d", "-f")
    store = await bench.store()
    rows = await write_blobs(bench.git, store, [b"needed by a row\n", b"by nobody\n"])
    assert isinstance(rows, tuple), rows
    await age(store)
    return Heap(
        bench,
        store,
        needs(kept, objects=rows[:1]),
        (captured.commit, captured.agent_commits[0].id, rows[0]),
        (lost.commit, lost.agent_commits[0].id, rows[1]),
        FaultyGit(tmp_path / "faulty", environment, shutil.which("git") or "git"),
    )


async def test_every_call_of_git_may_go_wrong(heap: Heap) -> None:
    git_dir, running = heap.bench.tree.path(".git"), children()
    assert all(heap.objects_of(heap.store, heap.kept + heap.gone))
    store = heap.copy("right")
    right = await heap.collected(heap.faulty.counting(), store)
    assert isinstance(right, Collected)
    await heap.assert_the_next_time_works(store, "without a fault")
    calls = heap.faulty.calls()
    assert {"rev-list", "update-ref", "cat-file", "mktree", "repack", "prune"} <= set(calls)
    before = untouched_view(git_dir)
    for number, command in enumerate(calls, start=1):
        for fault in faults_at(number) if ALL else [list(Fault)[number % len(Fault)]]:
            where = f"call {number}, {command}, {fault}"
            store = heap.copy(f"{number}-{fault}")
            answer = await heap.collected(heap.faulty.at(number, fault), store)
            heap.assert_whole(store, where)
            told = isinstance(answer, GitFailed) or answer.kept != ()
            assert told or not any(heap.objects_of(store, heap.gone)), where
            await heap.assert_the_next_time_works(store, where)
            assert untouched_view(git_dir) == before, where
            shutil.rmtree(store.root)
    assert children() <= running


async def test_a_disk_without_room_loses_nothing(heap: Heap) -> None:
    told = 0
    for size in SIZES[::3]:
        store = heap.copy(f"full-{size}")
        with no_file_longer_than(size):
            answer = await heap.collected(heap.bench.git, store)
        told += isinstance(answer, GitFailed) or answer.kept != ()
        heap.assert_whole(store, str(size))
        await heap.assert_the_next_time_works(store, str(size))
    assert told


async def test_what_a_killed_git_left_in_the_way_is_removed(heap: Heap) -> None:
    refs = heap.store.git_dir / "refs/sennit"
    left = [
        heap.store.git_dir / "packed-refs.lock",
        refs / "runs/x.lock",
        refs / "runs/empty",
        refs / "capture/.y.0123abcd",
        heap.store.records / "spare-0123.index",
        heap.store.records / ".spare-0123.json.89ab",
        heap.store.objects / "pack/.tmp-1-pack-x.pack",
        heap.store.objects / "info/commit-graph.lock",
    ]
    for file in left:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"")
    await heap.assert_the_next_time_works(heap.store, "locks")
    assert not any(map(Path.exists, left))


async def test_copies_that_find_no_room_are_made_the_next_time(bench: Bench) -> None:
    bench.tree.git("repack", "-q", "-a", "-d")
    bench.tree.write("loose", "loose\n" * 40)
    bench.tree.commit()
    bench.tree.write(".git/lfs/objects/ab/cd/abcd", "large" * 40)
    repository, sharing = await bench.repository(), Copying(1 << 30)
    told = 0
    for size in SIZES:
        with no_file_longer_than(size):
            opened = await open_store(bench.git, repository, bench.stores, sharing)
        told += isinstance(opened, GitFailed)
        assert list(bench.stores.glob("*/**/tmp_obj_*")) == []
    assert told > 1
    bench.sharing = sharing
    snapshot = await bench.snapshot()
    assert (await bench.files_of(snapshot.commit))[b"loose"][1] == b"loose\n" * 40
    store = await bench.store()
    assert bench.tree.git(f"--git-dir={store.git_dir}", "fsck", "--strict") == b""
