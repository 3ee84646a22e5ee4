"""Folders that are kept to be used again go by age and room, and never from under anybody."""

from __future__ import annotations

import os
import time

import pytest
from attrs import evolve

from sennit.adapters.git.delete import Deleted
from sennit.adapters.git.records import read_record, record_file, write_record
from sennit.adapters.git.workspace import Workspace
from sennit.adapters.workspaces import leases
from sennit.adapters.workspaces.kept import IN_USE, Keeping, KeptFolder, look_at_kept, remove_kept
from sennit.adapters.workspaces.making import make_workspace, prepare
from sennit.adapters.workspaces.pristine import NAME, prepare_pristine
from sennit.adapters.workspaces.rules import rules_of
from sennit.adapters.workspaces.spares import Room, Spared, release_workspace, spares_of
from sennit.core.objects import GitFailed
from tests.adapters.git.bench import Bench, in_a_container, this_process
from tests.adapters.git.test_meddling import no_file_longer_than
from tests.adapters.workspaces.test_spares import POOL, assert_as_new, made, released

pytestmark = pytest.mark.anyio

DAY = 24 * 3_600
PLENTY = Room(4, 1 << 30)


async def used(bench: Bench, name: str, days: float) -> None:
    """Let the kept folder of a name be one that was used that long ago."""
    at = time.time() - days * DAY
    os.utime(record_file(await bench.store(), name), (at, at))


async def spared(bench: Bench, *days: float) -> list[str]:
    """Leave spares behind that were used that long ago."""
    for number, _ in enumerate(days):
        await made(bench, f"task-{number}")
    names = []
    for number, age in enumerate(days):
        spare = await released(bench, f"task-{number}")
        assert isinstance(spare, Spared)
        await used(bench, spare.name, age)
        names.append(spare.name)
    return names


def keeping(room: Room = PLENTY, *, days: float = 7) -> Keeping:
    now = time.time()
    return Keeping(now - 3_600, now - days * DAY, "not used", room)


async def due(bench: Bench, which: Keeping) -> dict[str, KeptFolder]:
    return {one.record.name: one for one in look_at_kept(await bench.store(), which)}


async def test_what_nobody_used_for_long_goes_and_the_rest_stays(bench: Bench) -> None:
    old, recent = await spared(bench, 8, 6)
    found = await due(bench, keeping())
    assert set(found) == {old}
    assert found[old].size > 0
    assert found[old].record.folder.exists()
    assert await remove_kept(found[old], this_process()) is None
    assert not found[old].record.folder.exists()
    assert [one.name for one in spares_of(await bench.store())] == [recent]


async def test_what_there_is_no_room_for_goes_unless_it_is_young(bench: Bench) -> None:
    names = await spared(bench, 1, 2, 0)
    newest = spares_of(await bench.store())[0].name
    young = names[2]
    by_count = await due(bench, keeping(Room(1, 1 << 30)))
    assert set(by_count) == set(names) - {newest, young}
    assert set(await due(bench, keeping(Room(4, 0)))) == set(names) - {young}
    assert set(await due(bench, keeping(days=0))) == set(names) - {young}


async def test_one_that_is_taken_after_the_look_stays(bench: Bench) -> None:
    (name,) = await spared(bench, 8)
    found = await due(bench, keeping())
    workspace = await made(bench, "taken")
    assert await remove_kept(found[name], this_process()) == IN_USE
    assert (workspace.folder / "README").exists()


async def test_one_that_a_server_in_a_container_takes_stays_while_that_lives(bench: Bench) -> None:
    (name,) = await spared(bench, 8)
    store = await bench.store()
    spare = read_record(store, name)
    assert spare is not None
    with in_a_container(store) as owner:
        write_record(store, evolve(spare, owner=owner))
        await used(bench, name, 8)
        assert await due(bench, keeping()) == {}
        workspace = await made(bench, "plain")
        assert workspace.folder.stat().st_ino != spare.folder.stat().st_ino
        leases.hold(store, "layer", owner)
        assert leases.is_held(store)
    assert set(await due(bench, keeping())) == {name}
    assert not leases.is_held(store)


async def test_a_folder_in_its_place_stays(bench: Bench) -> None:
    (name,) = await spared(bench, 8)
    found = await due(bench, keeping())
    folder = found[name].record.folder
    folder.rename(folder.with_name("elsewhere"))
    folder.mkdir()
    (folder / "precious").write_text("keep")
    assert await remove_kept(found[name], this_process()) == "replaced"
    assert (folder / "precious").exists()


async def test_the_checkout_to_copy_from_goes_too_unless_somebody_relies_on_it(
    bench: Bench,
) -> None:
    store, base = await bench.store(), await bench.snapshot()
    rules = await rules_of(bench.git, await bench.repository())
    assert isinstance(rules, str)
    assert await prepare_pristine(bench.git, store, base, rules) is None
    assert await due(bench, keeping()) == {}
    await used(bench, NAME, 8)
    found = await due(bench, keeping())
    leases.hold(store, "layer", this_process())
    assert await due(bench, keeping()) == {}
    assert await remove_kept(found[NAME], this_process()) == IN_USE
    leases.let_go(store, "layer")
    # A layer that was made a moment ago may have left the record as it was.
    assert await due(bench, keeping()) == {}
    assert await remove_kept(found[NAME], this_process()) is None
    assert read_record(store, NAME) is None
    assert not found[NAME].record.folder.exists()


async def test_what_was_made_ahead_goes_like_the_rest(bench: Bench) -> None:
    store, repository, base = await bench.store(), await bench.repository(), await bench.snapshot()
    workspaces = bench.tmp_path / "work spaces"
    failed = await prepare(
        bench.git, store, repository, base, workspaces, owner=this_process(), plan=POOL
    )
    assert failed is None
    (spare,) = spares_of(store)
    await used(bench, spare.name, 8)
    assert set(await due(bench, keeping())) == {spare.name}


async def test_a_disk_without_room_leaves_whole_spares_or_none(bench: Bench) -> None:
    store, repository, base = await bench.store(), await bench.repository(), await bench.snapshot()
    failed = 0
    for size in (0, 100, 250, 400):
        await made(bench, f"first-{size}")
        with no_file_longer_than(size):
            gone = await release_workspace(store, f"first-{size}", this_process(), PLENTY)
        assert isinstance(gone, Spared | Deleted), gone
        with no_file_longer_than(size):
            workspace = await make_workspace(
                bench.git, store, repository, base, bench.tmp_path / "work spaces" / "full",
                owner=this_process(), plan=POOL,
            )  # fmt: skip
        failed += isinstance(workspace, GitFailed)
        if isinstance(workspace, Workspace):
            await assert_as_new(bench, workspace)
            assert isinstance(await released(bench, "full"), Spared | Deleted)
        await assert_as_new(bench, await made(bench, f"second-{size}"))
        assert isinstance(await released(bench, f"second-{size}"), Spared | Deleted)
        assert [one.folder for one in spares_of(store) if not one.folder.exists()] == []
    assert failed
