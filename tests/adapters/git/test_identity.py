"""A folder that took the place and the inode of one of ours is not ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attrs import evolve

from sennit.adapters.git.capture import Captured, WorkspaceGone, capture
from sennit.adapters.git.delete import Deleted, Kept, NotDeleted, delete_workspace
from sennit.adapters.git.identity import Identity, identity_at
from sennit.adapters.git.records import read_record, record_file, write_inner_record
from sennit.adapters.git.taking_over import make_room
from sennit.adapters.workspaces.spares import Room, release_workspace
from sennit.adapters.workspaces.stripping import folders_in, strip
from sennit.core.objects import GitFailed
from tests.adapters.git.bench import Bench, this_process

pytestmark = pytest.mark.anyio

TRIES = 200


@pytest.mark.parametrize(
    ("kept", "found", "same"),
    [
        (Identity(1, 2, "born 3"), Identity(1, 2, "born 3"), True),
        (Identity(1, 2, "born 3"), Identity(1, 2, "born 4"), False),
        (Identity(1, 2, "born 3"), Identity(1, 2), False),
        (Identity(1, 2, "born 3"), Identity(1, 5, "born 3"), False),
        (Identity(1, 2, "born 3"), Identity(5, 2, "born 3"), True),
        (Identity(1, 2, "generation 3"), Identity(1, 2, "generation 3"), True),
        (Identity(1, 2, "generation 3"), Identity(5, 2, "generation 3"), False),
        (Identity(1, 2), Identity(1, 2, "born 3"), True),
        (Identity(1, 2), Identity(1, 2), True),
        (Identity(1, 2), Identity(1, 5), False),
        (Identity(1, 2), Identity(5, 2), False),
    ],
)
async def test_all_that_was_kept_must_be_found_again(
    kept: Identity, found: Identity, *, same: bool
) -> None:
    assert kept.is_that_of(found) is same


def made_with_the_inode(folder: Path, inode: int) -> bool:
    """Make a folder until it gets an inode that was given back."""
    for number in range(TRIES):
        folder.mkdir()
        if folder.stat().st_ino == inode:
            return True
        folder.rename(folder.with_name(f"other-{number}"))
    return False


async def test_nothing_is_done_to_a_folder_with_the_inode_of_a_removed_workspace(
    bench: Bench,
) -> None:
    workspace = await bench.workspace()
    store, folder, me = await bench.store(), workspace.folder, this_process()
    ours = identity_at(folder)
    removed = folder.with_name("removed")
    folder.rename(removed)
    for path in sorted(removed.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    removed.rmdir()
    if not made_with_the_inode(folder, ours.inode) or not ours.birth:
        pytest.skip("issue 5: needs a file system that uses inodes again and keeps births")
    (folder / "precious").write_text("keep")
    record = read_record(store, workspace.name)
    assert record is not None
    in_the_way = await make_room(store, workspace.name, me)
    assert isinstance(in_the_way, GitFailed)
    assert "replaced" in in_the_way.stderr
    for gone in (
        await delete_workspace(store, workspace.name, me),
        await release_workspace(store, workspace.name, me, Room(4, 1 << 30)),
    ):
        assert isinstance(gone, NotDeleted), gone
        assert gone.reason is Kept.REPLACED
    assert await capture(bench.git, store, workspace, date=0) == WorkspaceGone(folder)
    with pytest.raises(FileNotFoundError):
        strip(record, folders_in(b"DIRC\0\0\0\2\0\0\0\0" + b"\0" * 20, "sha1"))
    assert (folder / "precious").read_text() == "keep"
    assert read_record(store, workspace.name) == record


async def test_a_record_from_before_births_were_kept_is_read_and_counts(bench: Bench) -> None:
    workspace = await bench.workspace()
    store = await bench.store()
    file = record_file(store, workspace.name)
    old = {key: value for key, value in json.loads(file.read_bytes()).items() if key != "birth"}
    file.write_text(json.dumps(old))
    record = read_record(store, workspace.name)
    assert record is not None
    assert record.identity == evolve(identity_at(workspace.folder), birth="")
    assert await delete_workspace(store, workspace.name, this_process()) == Deleted()


async def test_a_workspace_is_known_again_under_another_number_of_its_device(bench: Bench) -> None:
    workspace = await bench.workspace()
    store = await bench.store()
    record = read_record(store, workspace.name)
    assert record is not None
    if not record.identity.birth.startswith("born"):
        pytest.skip("issue 5: needs a file system that keeps times of birth")
    moved = evolve(record.identity, device=record.identity.device + 1)
    write_inner_record(store, evolve(record, identity=moved))
    bench.inside(workspace).write("made", "by an agent\n")
    assert isinstance(await capture(bench.git, store, workspace, date=0), Captured)
    assert await delete_workspace(store, workspace.name, this_process()) == Deleted()
    assert not workspace.folder.exists()


async def test_a_record_of_another_birth_deletes_nothing(bench: Bench) -> None:
    workspace = await bench.workspace()
    store = await bench.store()
    record = read_record(store, workspace.name)
    assert record is not None
    write_inner_record(store, evolve(record, identity=evolve(record.identity, birth="born 1.0")))
    kept = await delete_workspace(store, workspace.name, this_process())
    assert isinstance(kept, NotDeleted)
    assert kept.reason is Kept.REPLACED
    assert workspace.folder.exists()
