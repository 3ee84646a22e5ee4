"""What nobody needs is collected, and nothing else."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from attrs import evolve

from sennit.adapters.git import collectable
from sennit.adapters.git.attributes import with_attributes
from sennit.adapters.git.capture import Captured, capture
from sennit.adapters.git.collectable import Collectable, Needed, look
from sennit.adapters.git.collecting import Collected, collect
from sennit.adapters.git.files import copy_with_times
from sennit.adapters.git.mirror import LINKING, Copying, Sharing
from sennit.adapters.git.records import index_file, read_record, write_inner_record
from sennit.adapters.git.scratch import scratch_name
from sennit.adapters.git.store import Store, keep_new
from sennit.adapters.git.trees import empty_tree, write_blobs, write_tree
from sennit.adapters.git.workspace import Workspace
from sennit.adapters.platform.lives import Owner
from sennit.core.objects import MODE_FILE, Entry
from tests.adapters.git.bench import Bench, in_a_container, this_process
from tests.adapters.git.made_trees import must
from tests.adapters.git.scenarios.scenario import LINES

pytestmark = pytest.mark.anyio

AT = 1_900_000_000
HOUR = 3_600
TICK = 0.05
"""Longer than the clock of files takes for a step, in seconds."""
GONE = Owner(2**22 - 1, 1)


async def work(bench: Bench, what: str) -> tuple[Workspace, Captured]:
    """Let an agent do something and commit some of it; its process is gone afterwards."""
    bench.tree.write(f"before {what}", what)
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.write(what, LINES)
    inside.commit(what)
    inside.write(f"{what} too", what)
    store = await bench.store()
    captured = await capture(bench.git, store, workspace, date=AT)
    assert isinstance(captured, Captured), captured
    record = read_record(store, workspace.name)
    assert record is not None
    write_inner_record(store, evolve(record, owner=GONE))
    return workspace, captured


def needs(*kept: Workspace, objects: tuple[str, ...] = ()) -> Needed:
    bases = frozenset(one.base for one in kept)
    return Needed(frozenset(one.name for one in kept), bases | frozenset(objects))


def in_an_hour() -> float:
    """The moment before which everything is older than an hour, an hour from now."""
    return time.time() + 1


async def found(bench: Bench, needed: Needed, before: float) -> Collectable:
    answer = await look(bench.git, await bench.store(), needed, before)
    assert isinstance(answer, tuple), answer
    return answer[0]


async def look_at(bench: Bench, before: float) -> tuple[Collectable, ...]:
    answer = await look(bench.git, await bench.store(), needs(), before)
    assert isinstance(answer, tuple), answer
    return answer


async def collected(bench: Bench, needed: Needed) -> Collected:
    before = in_an_hour()
    await age(await bench.store())
    done = await collect(
        bench.git, await found(bench, needed, before), needed, before, this_process()
    )
    assert isinstance(done, Collected), done
    return done


async def age(store: Store) -> None:
    """Make every record as old as it has to be."""
    for file in store.records.glob("*.json"):
        record = read_record(store, file.stem)
        assert record is not None
        write_inner_record(store, evolve(record, created=0.0))


async def has(bench: Bench, identity: str) -> bool:
    store = await bench.store()
    git_dir = f"--git-dir={store.git_dir}"
    return bench.tree.git(git_dir, "cat-file", "-t", identity, check=False) != b""


async def test_what_was_dropped_goes_and_what_is_kept_stays_whole(bench: Bench) -> None:
    dropped, lost = await work(bench, "dropped")
    kept, captured = await work(bench, "kept")
    before = await bench.files_of(captured.commit)
    seen = await found(bench, needs(kept), in_an_hour())
    assert seen.size > 0
    done = await collected(bench, needs(kept))
    assert done.kept == ()
    assert done.freed > 0
    assert not dropped.folder.exists()
    assert kept.folder.exists()
    assert not await has(bench, lost.commit)
    assert not await has(bench, lost.agent_commits[0].id)
    assert await has(bench, captured.agent_commits[0].id)
    assert await bench.files_of(captured.commit) == before
    store = await bench.store()
    sound = bench.tree.git(f"--git-dir={store.git_dir}", "fsck", "--strict", "--no-dangling")
    assert sound == b""
    assert bench.tree.git("fsck", "--strict", "--no-dangling") == b""


async def test_nothing_young_goes(bench: Bench) -> None:
    await work(bench, "young")
    seen = await found(bench, needs(), time.time() - HOUR)
    assert not seen.is_something


async def test_a_base_that_is_taken_again_is_as_young_as_that(bench: Bench) -> None:
    bench.tree.write("README", "edited\n")
    first = await bench.snapshot()
    [ref] = (await bench.store()).git_dir.glob("refs/sennit/base/*")
    while (before := time.time()) - ref.stat().st_ctime < TICK:
        pass
    assert [one.refs for one in await look_at(bench, before)] != [()]
    assert await bench.snapshot() == first
    assert [one.refs for one in await look_at(bench, before)] == [()]


async def test_a_ref_that_another_has_let_go_of_meanwhile_keeps_no_other_from_going(
    bench: Bench,
) -> None:
    _, first = await work(bench, "first")
    _, second = await work(bench, "second")
    store = await bench.store()
    await age(store)
    before = in_an_hour()
    seen = await found(bench, needs(), before)
    gone = [one.name for one in seen.refs if one.commit == first.commit]
    for name in gone:
        (store.git_dir / name).unlink()
    done = await collect(bench.git, seen, needs(), before, this_process())
    assert isinstance(done, Collected), done
    assert (gone != [], done.kept) == (True, ())
    assert not await has(bench, second.tree)


async def test_while_agents_are_at_work_no_object_goes(bench: Bench) -> None:
    _, lost = await work(bench, "dropped")
    done = await collected(bench, evolve(needs(), at_work=True))
    assert any("at work" in one for one in done.kept)
    assert await has(bench, lost.tree)


async def test_a_workspace_of_a_living_process_stays_with_all_that_it_borrows(
    bench: Bench,
) -> None:
    bench.tree.git("switch", "-q", "-c", "side")
    bench.tree.write("side", "side\n")
    side = bench.tree.commit("side")
    bench.tree.git("switch", "-q", "-")
    workspace = await bench.workspace()
    bench.tree.git("branch", "-q", "-D", "side")
    bench.tree.git("reflog", "expire", "--expire=now", "--all")
    bench.tree.git("gc", "-q", "--prune=now")
    await collected(bench, needs())
    inside = bench.inside(workspace)
    assert inside.git("show", f"{side}:side") == b"side\n"
    assert inside.git("fsck", "--strict", "--no-dangling") == b""


async def test_an_object_that_only_a_row_names_stays(bench: Bench) -> None:
    _, lost = await work(bench, "dropped")
    store = await bench.store()
    ids = await write_blobs(bench.git, store, [b"needed by a row\n", b"by nobody\n"])
    assert isinstance(ids, tuple), ids
    await collected(bench, needs(objects=(ids[0], lost.tree, "0" * 40)))
    assert await has(bench, ids[0])
    assert not await has(bench, ids[1])
    assert await has(bench, lost.tree)
    assert not await has(bench, lost.commit)


async def test_a_ref_of_a_kind_that_is_not_known_stays(bench: Bench) -> None:
    head = (await bench.snapshot()).commit
    store = await bench.store()
    assert await keep_new(store, "of-tomorrow/x", head) is None
    seen = await found(bench, needs(), in_an_hour())
    assert "refs/sennit/of-tomorrow/x" not in {one.name for one in seen.refs}


async def test_a_ref_that_is_being_written_keeps_nothing_from_being_found(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, _ = await work(bench, "one")
    store = await bench.store()
    begun = store.git_dir / "refs/sennit/runs/.n_other.0123abcd"
    listed = collectable._ref_files

    def written_meanwhile(store: Store) -> list[Path]:
        begun.parent.mkdir(exist_ok=True)
        begun.write_bytes(b"")
        files = listed(store)
        begun.rename(begun.with_name("n_other"))
        return files

    monkeypatch.setattr(collectable, "_ref_files", written_meanwhile)
    seen = await found(bench, needs(workspace), in_an_hour())
    assert begun not in seen.files


async def test_what_a_killed_process_left_behind_goes(bench: Bench) -> None:
    store = await bench.store()
    left = [store.scratch / "index.1", store.objects / "pack/tmp_pack_x"]
    for file in left:
        file.write_bytes(b"x")
    (store.scratch / "incoming.1/pack").mkdir(parents=True)
    (store.scratch / "incoming.1/pack/tmp").write_bytes(b"x")
    outside = bench.tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("keep")
    (store.scratch / "incoming.1/link").symlink_to(outside)
    await collected(bench, needs())
    assert list(store.scratch.iterdir()) == []
    assert not any(map(Path.exists, left))
    assert (outside / "precious").read_text() == "keep"


async def test_attribute_files_that_nothing_uses_any_more_go_and_are_made_again(
    bench: Bench,
) -> None:
    store = await bench.store()
    rules = b"*.bin -diff\n"
    (blob,) = must(await write_blobs(bench.git, store, (rules,)))
    empty = must(await empty_tree(bench.git, store))
    files = {b".gitattributes": Entry(MODE_FILE, blob)}
    tree = must(await write_tree(bench.git, store, empty, files))
    place = must(await with_attributes(bench.git, store, tree, [b"deep/a.bin"]))
    used = store.attributes / Path(place.cwd or "").name / ".gitattributes"
    assert used.read_bytes() == rules
    await collected(bench, needs(objects=(tree,)))
    assert not used.exists()
    assert must(await with_attributes(bench.git, store, tree, [b"b.bin"])) == place
    assert used.read_bytes() == rules


async def test_what_is_used_again_after_it_was_found_stays(bench: Bench) -> None:
    store = await bench.store()
    used = store.attributes / "one"
    used.mkdir(parents=True)
    before = time.time() + TICK
    seen = await found(bench, needs(), before)
    assert used in seen.files
    while used.stat().st_ctime < before:
        os.utime(used)
    done = await collect(bench.git, seen, needs(), before, this_process())
    assert isinstance(done, Collected), done
    assert used.exists()


async def test_the_index_of_a_call_that_is_running_stays_however_old_its_original_is(
    bench: Bench,
) -> None:
    workspace = await bench.workspace()
    store = await bench.store()
    running = store.scratch / "index.1"
    copy_with_times(index_file(store, workspace.name), running)
    os.utime(running, (1_000_000_000, 1_000_000_000))
    seen = await found(bench, needs(workspace), time.time() - HOUR)
    assert seen.files == ()


async def test_what_a_living_process_uses_stays_whatever_the_clock_says(bench: Bench) -> None:
    store = await bench.store()
    mine = store.scratch / scratch_name("index")
    beside = [mine, mine.with_name(f"{mine.name}.lock"), mine.with_name(f"{mine.name}.git")]
    dead = store.scratch / f"index.{GONE.pid}-{GONE.started}.{'0' * 12}"
    pack = store.objects / "pack/tmp_pack_x"
    for file in (*beside, dead):
        file.write_bytes(b"x")
    _, made = await work(bench, "x")
    with pack.open("wb") as open_file:
        open_file.write(b"x")
        await collected(bench, needs())
        assert sorted(store.scratch.iterdir()) == sorted(beside)
        assert pack.exists()
        # Nor what a call may have made that still runs.
        assert await bench.files_of(made.commit)
    for file in beside:
        file.unlink()
    await collected(bench, needs())
    assert not pack.exists()
    assert not [path for path in (store.git_dir / "refs/sennit").rglob("*") if path.is_file()]


async def test_what_a_process_of_a_container_uses_stays_while_that_lives(bench: Bench) -> None:
    workspace, made = await work(bench, "x")
    store = await bench.store()
    record = read_record(store, workspace.name)
    assert record is not None
    with in_a_container(store) as owner:
        theirs = f"index.{owner.pid}-{owner.started}-{owner.realm}.{'0' * 12}"
        (store.scratch / theirs).touch()
        write_inner_record(store, evolve(record, owner=owner))
        await collected(bench, needs())
        assert workspace.folder.is_dir()
        assert (store.scratch / theirs).exists()
        assert await bench.files_of(made.commit)
    await collected(bench, needs())
    assert not workspace.folder.exists()
    assert list(store.scratch.iterdir()) == []


async def test_a_repository_that_was_out_of_reach_meanwhile_is_copied_anew(bench: Bench) -> None:
    bench.sharing = Copying(1 << 30)
    bench.tree.git("branch", "side")
    side = bench.tree.commit("on no branch that a base knows")
    bench.tree.git("reset", "-q", "--hard", "side")
    for folder in bench.tree.path(".git/objects").iterdir():
        os.utime(folder, (1_000_000_000, 1_000_000_000))
    kept, captured = await work(bench, "kept")
    store = await bench.store()
    # As a disk that is not mounted just now.
    bench.tree.path(".git").rename(bench.tmp_path / "away")
    before = in_an_hour()
    await age(store)
    seen = await look(bench.git, store, needs(kept), before)
    assert isinstance(seen, tuple), seen
    done = await collect(bench.git, seen[0], needs(kept), before, this_process())
    assert isinstance(done, Collected)
    (bench.tmp_path / "away").rename(bench.tree.path(".git"))
    assert (await bench.files_of(captured.commit))[b"kept"][1] == LINES.encode()
    bench.tree.git("reset", "-q", "--hard", side)
    await bench.snapshot()
    assert await has(bench, side)


async def test_many_loose_objects_become_one_pack_and_few_stay_as_they_are(bench: Bench) -> None:
    kept, captured = await work(bench, "kept")
    store = await bench.store()
    few = [path for path in store.objects.glob("??/*") if path.lstat().st_nlink == 1]
    assert few
    assert (await found(bench, needs(kept), in_an_hour())).loose == 0
    contents = [b"%d\n" % number for number in range(collectable.MANY_LOOSE)]
    blobs = must(await write_blobs(bench.git, store, contents))
    entries = {b"%d" % number: Entry(MODE_FILE, blob) for number, blob in enumerate(blobs)}
    empty = must(await empty_tree(bench.git, store))
    tree = must(await write_tree(bench.git, store, empty, entries))
    needed = needs(kept, objects=(tree,))
    seen = await found(bench, needed, in_an_hour())
    assert seen.is_something
    assert seen.loose > collectable.MANY_LOOSE
    done = await collected(bench, needed)
    assert done.freed > 0
    assert len(list(store.objects.glob("pack/*.pack"))) == 1
    assert not [path for path in store.objects.glob("??/*") if path.lstat().st_nlink == 1]
    assert await has(bench, blobs[-1])
    assert not (await found(bench, needed, in_an_hour())).is_something
    assert (await bench.files_of(captured.commit))[b"kept"][1] == LINES.encode()
    await bench.snapshot()
    assert bench.tree.git(f"--git-dir={store.git_dir}", "fsck", "--strict", "--no-dangling") == b""


@pytest.mark.parametrize("sharing", [LINKING, Copying(1 << 30)], ids=["links", "copies"])
async def test_packs_that_the_user_has_no_more_go_once_what_is_needed_is_packed(
    bench: Bench, sharing: Sharing
) -> None:
    bench.sharing = sharing
    bench.tree.git("repack", "-q", "-a", "-d")
    [first] = bench.tree.path(".git/objects/pack").glob("*.pack")
    kept, captured = await work(bench, "kept")
    bench.tree.write("more", os.urandom(2_000).hex())
    bench.tree.commit()
    bench.tree.git("repack", "-q", "-a", "-d", "-f")
    dangling = bench.tree.git("hash-object", "-w", "--stdin", stdin=b"in no commit").decode()
    loose = Path(dangling[:2], dangling[2:].strip())
    store = await bench.store()
    theirs = {path.name for path in bench.tree.path(".git/objects/pack").glob("*.pack")}
    files = await bench.files_of(captured.commit)
    outlived = store.objects / "pack" / first.name
    seen = await found(bench, needs(kept), in_an_hour())
    assert (seen.is_something, seen.packs) == (True, (outlived,))
    await collected(bench, needs(kept))
    left = {path.name for path in (store.objects / "pack").glob("*.pack")}
    assert not outlived.exists()
    assert theirs <= left
    assert (store.objects / loose).exists()
    assert await bench.files_of(captured.commit) == files
    assert (await found(bench, needs(kept), in_an_hour())).packs == ()
    await bench.snapshot()
    assert bench.tree.git(f"--git-dir={store.git_dir}", "fsck", "--strict", "--no-dangling") == b""
