"""Bringing a folder down to its base leaves alone what is not of it, however it is laid out."""

from __future__ import annotations

import inspect
import os
import sys
from pathlib import Path

import anyio
import pytest
from attrs import evolve

from sennit.adapters.git.delete import Deleted
from sennit.adapters.git.records import write_record
from sennit.adapters.platform.lives import Owner
from sennit.adapters.workspaces import copying
from sennit.adapters.workspaces.spares import Spared, spares_of
from sennit.core.workspace_kinds import WorkspaceKind
from tests.adapters.git.bench import Bench
from tests.adapters.workspaces.test_spares import assert_as_new, made, released

pytestmark = pytest.mark.anyio

RELEASE = """
import os, sys
from pathlib import Path
import anyio
from sennit.adapters.git.mirror_memory import Mirroring
from sennit.adapters.git.records import read_record
from sennit.adapters.git.store import Store
from sennit.adapters.workspaces.spares import Room, release_workspace
store = Store(Path(sys.argv[1]), "sha1", Mirroring.LINKED)
owner = read_record(store, sys.argv[2]).owner
done = anyio.run(release_workspace, store, sys.argv[2], owner, Room(4, 1 << 30))
print(done.reason.value, os.path.basename(os.fsdecode(done.where)))
"""
DEEP = 150


@pytest.mark.parametrize("mode", [0o755, 0o500])
async def test_what_is_mounted_on_a_folder_of_the_base_is_left_and_named(
    bench: Bench, mode: int
) -> None:
    workspace, store = await made(bench, "one"), await bench.store()
    outside = bench.tmp_path / "outside"
    (outside / "below").mkdir(parents=True)
    (outside / "below/precious").write_text("keep")
    outside.chmod(mode)
    # Of the same file system: its device number says nothing.
    script = 'mount --bind "$1" "$2" && exec "$3" -c "$4" "$5" "$6"'
    words = (outside, workspace.folder / "src", sys.executable, RELEASE, store.root, "one")
    done = await anyio.run_process(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", *words],
        check=False,
    )
    said = done.stderr.decode()
    if said.startswith(("unshare", "mount")):
        pytest.skip(f"runs where user namespaces may mount: {said}")
    assert (outside / "below/precious").read_text() == "keep"
    assert outside.stat().st_mode & 0o777 == mode
    # Neither can it be moved nor deleted with that in it.
    assert done.stdout == b"otherFileSystem src\n", said


async def test_a_base_that_is_too_deep_is_not_kept(bench: Bench) -> None:
    deep = "/".join("d" * DEEP)
    bench.tree.write(f"{deep}/file", "deep down\n")
    bench.tree.commit()
    await made(bench, "one")
    assert await released(bench, "one") == Deleted()
    await assert_as_new(bench, await made(bench, "two"))


def test_a_copy_is_as_deep_as_what_it_is_of(bench: Bench) -> None:
    deep = "/".join("d" * DEEP)
    bench.tree.write(f"{deep}/file", "deep down\n")
    bench.tree.commit()
    target = bench.tmp_path / "copy"
    target.mkdir()
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + DEEP)
    try:
        index = bench.tree.path(".git/index")
        copying.clone_checkout(bench.tree.folder, index, target, "sha1", _copied)
    finally:
        sys.setrecursionlimit(limit)
    assert (target / deep / "file").read_text() == "deep down\n"


def _copied(source: bytes, target: bytes, _mode: int) -> os.stat_result:
    Path(os.fsdecode(target)).write_bytes(Path(os.fsdecode(source)).read_bytes())
    return os.stat(target)  # noqa: PTH116  bytes


@pytest.mark.parametrize("by", ["folder", "file", "folder that is open"])
@pytest.mark.parametrize("killed", [False, True], ids=["of the task", "of a killed server"])
async def test_a_folder_in_which_a_process_still_works_is_not_used(
    bench: Bench, by: str, *, killed: bool
) -> None:
    first, store = await made(bench, "one"), await bench.store()
    top = first.folder
    if killed:
        assert isinstance(await released(bench, "one"), Spared)
        [spare] = spares_of(store)
        write_record(store, evolve(spare, owner=Owner(1, 1)))
        top = spare.folder
    opened = os.open(top / "src/a.py" if by == "file" else top / "src", os.O_RDONLY)
    async with await anyio.open_process(
        ["cat"],
        cwd=top if by == "folder" else bench.tmp_path,
        pass_fds=() if by == "folder" else (opened,),
    ) as left:
        os.close(opened)
        if not killed:
            assert await released(bench, "one") == Deleted()
        second = await made(bench, "two")
        assert second.how is not None
        assert second.how.kind is WorkspaceKind.CHECKOUT
        await assert_as_new(bench, second)
        assert left.stdin is not None
        await left.stdin.aclose()
        await left.wait()
    assert spares_of(store) == []
    assert not list((bench.tmp_path / "work spaces").glob(".spare/spare-*"))
