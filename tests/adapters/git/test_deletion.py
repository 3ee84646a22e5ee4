"""Nothing is deleted but a workspace of ours, whatever lies in it or is mounted there."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import anyio
import pytest
from attrs import evolve

from sennit.adapters.git.delete import Deleted, Kept, NotDeleted, delete_workspace
from sennit.adapters.git.identity import UNBORN, identity_at
from sennit.adapters.git.records import (
    MARKER,
    Record,
    announce,
    read_record,
    record_file,
    write_inner_record,
)
from sennit.adapters.git.store import Store
from sennit.adapters.git.workspace import Workspace
from sennit.adapters.platform.lives import Owner
from tests.adapters.git.bench import Bench, in_a_container, this_process

pytestmark = pytest.mark.anyio

DEPTH = 10_000
CHILD = """
import sys
from pathlib import Path
import anyio
from sennit.adapters.git.delete import delete_workspace
from sennit.adapters.git.mirror_memory import Mirroring
from sennit.adapters.git.records import read_record
from sennit.adapters.git.store import Store
store = Store(Path(sys.argv[1]), "sha1", Mirroring.LINKED)
owner = read_record(store, sys.argv[2]).owner
print(anyio.run(delete_workspace, store, sys.argv[2], owner).reason.value)
"""


async def deleted(bench: Bench, workspace: Workspace) -> object:
    return await delete_workspace(await bench.store(), workspace.name, this_process())


def make_deep(folder: Path, name: str, depth: int) -> None:
    """Make folders in each other beyond the longest path that the system takes."""
    here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("bottom", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


@pytest.mark.usefixtures("cleared")
async def test_a_tree_of_any_depth_goes(bench: Bench) -> None:
    workspace = await bench.workspace()
    make_deep(workspace.folder, "d", DEPTH)
    make_deep(workspace.folder / "src", "other", 250)
    assert await deleted(bench, workspace) == Deleted()
    assert not workspace.folder.exists()


async def test_links_and_other_names_of_files_outside_are_unlinked_and_nothing_more(
    bench: Bench,
) -> None:
    outside = bench.tmp_path / "outside"
    outside.mkdir()
    precious = outside / "precious"
    precious.write_text("keep")
    workspace = await bench.workspace()
    (workspace.folder / "absolute").symlink_to(outside)
    (workspace.folder / "src/relative").symlink_to("../../../outside")
    (workspace.folder / "round").symlink_to(".")
    os.link(precious, workspace.folder / "hard")
    os.mkfifo(workspace.folder / "pipe")
    precious.chmod(0o400)
    assert await deleted(bench, workspace) == Deleted()
    assert precious.read_text() == "keep"
    assert precious.stat().st_mode & 0o777 == 0o400
    assert precious.stat().st_nlink == 1


@pytest.mark.parametrize("deep", [False, True], ids=["near the top", "deep down"])
async def test_what_is_mounted_in_a_workspace_is_left_and_named(
    bench: Bench, tmp_path: Path, *, deep: bool
) -> None:
    workspace = await bench.workspace()
    make_deep(workspace.folder, "d", 150 if deep else 2)
    point = workspace.folder.joinpath(*["d"] * (150 if deep else 2), "point")
    point.mkdir()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("keep")
    outside.chmod(0o500)
    store = await bench.store()
    # Of the same file system: its device number says nothing.
    script = 'mount --bind "$1" "$2" && exec "$3" -c "$4" "$5" "$6"'
    words = (outside, point, sys.executable, CHILD, store.root, workspace.name)
    done = await anyio.run_process(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", *words],
        check=False,
    )
    said = done.stderr.decode()
    if said.startswith(("unshare", "mount")):
        pytest.skip(f"runs where user namespaces may mount: {said}")
    assert done.stdout == b"otherFileSystem\n", said
    assert (outside / "precious").read_text() == "keep"
    assert outside.stat().st_mode & 0o777 == 0o500
    assert await deleted(bench, workspace) == Deleted()


async def test_a_forged_record_is_refused(bench: Bench) -> None:
    workspace = await bench.workspace()
    store = await bench.store()
    theirs = bench.tmp_path / "project"
    theirs.mkdir()
    (theirs / "precious").write_text("keep")
    record = read_record(store, workspace.name)
    assert record is not None
    forged = evolve(record, name="forged", folder=theirs, identity=identity_at(theirs))
    write_inner_record(store, forged)
    outcome = await delete_workspace(store, "forged", this_process())
    assert outcome == NotDeleted(Kept.NOT_OURS, os.fsencode(theirs))
    (bench.tmp_path / os.fsdecode(MARKER)).symlink_to(workspace.folder.parent / os.fsdecode(MARKER))
    outcome = await delete_workspace(store, "forged", this_process())
    assert outcome == NotDeleted(Kept.NOT_OURS, os.fsencode(theirs))
    assert (theirs / "precious").read_text() == "keep"


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"format": 1}', b'{"format": 99}', b"\xff"]
)
async def test_a_record_that_cannot_be_read_deletes_nothing(bench: Bench, content: bytes) -> None:
    workspace = await bench.workspace()
    record_file(await bench.store(), workspace.name).write_bytes(content)
    assert await deleted(bench, workspace) == NotDeleted(Kept.NOT_OURS, os.fsencode(workspace.name))
    assert (workspace.folder / "README").exists()


async def test_a_folder_that_was_put_in_place_of_a_workspace_stays(bench: Bench) -> None:
    workspace = await bench.workspace()
    moved = workspace.folder.with_name("moved")
    workspace.folder.rename(moved)
    shutil.copytree(moved, workspace.folder, symlinks=True)
    outcome = await deleted(bench, workspace)
    assert outcome == NotDeleted(Kept.REPLACED, os.fsencode(workspace.folder))
    assert (workspace.folder / "README").exists()
    assert (moved / "README").exists()


def lent_to(store: Store, workspace: Workspace, owner: Owner) -> None:
    record = read_record(store, workspace.name)
    assert record is not None
    write_inner_record(store, evolve(record, owner=owner))


@pytest.mark.parametrize("holds", [None, "", "something"])
async def test_of_a_folder_that_was_only_announced_an_empty_one_goes(
    bench: Bench, holds: str | None
) -> None:
    store, workspaces = await bench.store(), bench.tmp_path / "work spaces"
    workspaces.mkdir()
    folder = workspaces / "announced"
    announce(store, Record("announced", folder, UNBORN, "", "", Owner(1, 1)))
    if holds is not None:
        folder.mkdir()
        if holds:
            (folder / holds).touch()
    outcome = await delete_workspace(store, "announced", this_process())
    if holds:
        assert outcome == NotDeleted(Kept.REPLACED, os.fsencode(folder))
        assert (folder / holds).exists()
    else:
        assert outcome == Deleted()
        assert not folder.exists()
        assert not list(store.records.iterdir())


async def test_a_workspace_is_lent_to_a_process_and_not_to_a_number(bench: Bench) -> None:
    workspace = await bench.workspace()
    store = await bench.store()
    mine = this_process()
    somebody = Owner(os.getppid(), 1)
    lent_to(store, workspace, mine)
    kept = await delete_workspace(store, workspace.name, somebody)
    assert kept == NotDeleted(Kept.IN_USE, os.fsencode(workspace.folder))
    lent_to(store, workspace, Owner(mine.pid, mine.started - 1))
    assert await delete_workspace(store, workspace.name, somebody) == Deleted()


async def test_a_workspace_is_deleted_under_nobody_who_lives_in_a_container(bench: Bench) -> None:
    workspace = await bench.workspace()
    store = await bench.store()
    with in_a_container(store) as owner:
        lent_to(store, workspace, owner)
        kept = await delete_workspace(store, workspace.name, this_process())
        assert kept == NotDeleted(Kept.IN_USE, os.fsencode(workspace.folder))
    assert await delete_workspace(store, workspace.name, this_process()) == Deleted()
