"""A spare folder that is used again holds its new base and nothing of what an agent left."""

from __future__ import annotations

import os
import shutil
import stat
import struct
from pathlib import Path

import pytest

from sennit.adapters.git import disk_abilities
from sennit.adapters.git.delete import Deleted, Deletion, Kept, NotDeleted
from sennit.adapters.git.records import read_record
from sennit.adapters.git.workspace import Workspace
from sennit.adapters.platform.lives import Owner, owner_of
from sennit.adapters.workspaces.making import make_workspace, prepare
from sennit.adapters.workspaces.spares import Room, Spared, release_workspace, spares_of
from sennit.core.objects import GitFailed, Snapshot
from sennit.core.workspace_kinds import Plan, WorkspaceKind
from tests.adapters.git.bench import Bench, this_process
from tests.adapters.workspaces.seeing import modes, seen

pytestmark = pytest.mark.anyio

POOL = Plan(spare=True, new=WorkspaceKind.CHECKOUT)
ROOM = Room(4, 1 << 30)


async def made(bench: Bench, name: str, base: Snapshot | None = None) -> Workspace:
    workspace = await make_workspace(
        bench.git,
        await bench.store(),
        await bench.repository(),
        base or await bench.snapshot(),
        bench.tmp_path / "work spaces" / name,
        owner=this_process(),
        plan=POOL,
    )
    assert isinstance(workspace, Workspace), workspace
    return workspace


async def released(bench: Bench, name: str, room: Room = ROOM) -> Spared | Deletion | GitFailed:
    return await release_workspace(await bench.store(), name, this_process(), room)


def inode(folder: Path) -> int:
    return folder.stat().st_ino


async def assert_as_new(bench: Bench, workspace: Workspace) -> None:
    assert seen(workspace.folder) == seen(bench.tree.folder)
    inside = bench.inside(workspace)
    assert inside.git("status", "--porcelain", "--ignored") == b""
    assert inside.git("rev-parse", "HEAD^{tree}").decode().strip() == workspace.tree
    assert inside.git("log", "--all", "--format=%s", "--grep=agent") == b""


async def test_a_released_folder_is_used_for_the_next_base(bench: Bench) -> None:
    first = await made(bench, "one")
    folder = inode(first.folder)
    (first.folder / "src/new.py").write_text("agent's")
    bench.inside(first).commit("agent's")
    assert isinstance(await released(bench, "one"), Spared)
    assert not first.folder.exists()
    assert read_record(await bench.store(), "one") is None
    bench.tree.write("src/later.py", "later")
    bench.tree.path("README").unlink()
    second = await made(bench, "two")
    assert inode(second.folder) == folder
    await assert_as_new(bench, second)
    assert spares_of(await bench.store()) == []


async def test_nothing_that_an_agent_broke_or_hid_survives(bench: Bench) -> None:
    tree = bench.tree
    for name in ("a/deep/x", "a/deep/y", "b/x", "c/x", "d/x", "hidden", "linked", "moded"):
        tree.write(name, f"the content of {name}\n")
    tree.path("to").symlink_to("hidden")
    tree.write(".gitignore", "*.log\n")
    tree.commit()
    outside = bench.tmp_path / "outside"
    outside.mkdir()
    (outside / "x").write_text("precious")
    top = (await made(bench, "one")).folder
    folder = inode(top)
    _break(top, outside)
    assert isinstance(await released(bench, "one"), Spared)
    second = await made(bench, "two")
    assert inode(second.folder) == folder
    await assert_as_new(bench, second)
    assert (outside / "x").read_text() == "precious"
    (outside / "linked").write_text("changed later")
    assert (second.folder / "linked").read_text() == "the content of linked\n"
    assert not (second.folder / "c/.git").exists()
    assert (second.folder / "c").stat().st_mode & 0o777 == (
        second.folder / "d"
    ).stat().st_mode & 0o777


@pytest.mark.parametrize("late", ["new", "in place", "replaced", "gone"])
async def test_what_comes_into_a_folder_while_it_waits_does_not_stay(
    bench: Bench, late: str
) -> None:
    for name in ("a/deep/x", "b/x", "hidden"):
        bench.tree.write(name, f"the content of {name}\n")
    bench.tree.commit()
    shutil.rmtree((await made(bench, "one")).folder / "b")
    assert isinstance(await released(bench, "one"), Spared)
    [spare] = spares_of(await bench.store())
    top = spare.folder
    # The clock of files has to tick before what is told by it.
    while (top / "a/deep/x").stat().st_ctime_ns >= _now(bench.tmp_path):
        pass
    match late:
        case "new":
            (top / "a/deep/late").write_text("late")
            (top / "b").mkdir()
        case "in place":
            _edit_without_a_trace(top / "hidden")
        case "replaced":
            (top / "a/deep").rename(bench.tmp_path / "deep")
            (top / "a/deep").symlink_to(bench.tmp_path / "deep")
        case _:
            shutil.rmtree(top / "a")
    second = await made(bench, "two")
    assert second.how is not None
    assert second.how.kind is WorkspaceKind.POOL
    await assert_as_new(bench, second)


OF_THE_DISK: dict[str, bool] = {
    "a disk with modes": True,
    "a disk that is said to have none": False,
}
MODES: dict[str, dict[str, int]] = {
    "files": {"README": 0o755, "a/program": 0o644, "b/text": 0o4711, "c/d/text": 0o666},
    "folders": {"a": 0o700, "c": 0o1777, "c/d": 0o2755, "c/d/text": 0o600, ".": 0o2775},
}


@pytest.mark.parametrize("has_modes", OF_THE_DISK.values(), ids=OF_THE_DISK)
@pytest.mark.parametrize("late", [False, True], ids=["by the agent", "while it waits"])
@pytest.mark.parametrize("of", MODES)
@pytest.mark.parametrize("inherited", [0, stat.S_ISGID], ids=["no group", "a group"])
async def test_a_folder_that_is_used_again_has_the_modes_of_a_new_one(
    bench: Bench,
    monkeypatch: pytest.MonkeyPatch,
    of: str,
    inherited: int,
    *,
    has_modes: bool,
    late: bool,
) -> None:
    if not has_modes:
        monkeypatch.setattr(disk_abilities, "_keeps_modes", lambda _: False)
    _fill(bench)
    workspaces = bench.tmp_path / "work spaces"
    workspaces.mkdir(mode=0o755)
    workspaces.chmod(0o755 | inherited)
    first = await made(bench, "one")
    folder, new = inode(first.folder), modes(first.folder)
    if not late:
        _set_modes(first.folder, MODES[of])
    assert isinstance(await released(bench, "one"), Spared)
    if late:
        [spare] = spares_of(await bench.store())
        while (spare.folder / "README").stat().st_ctime_ns >= _now(bench.tmp_path):
            pass
        _set_modes(spare.folder, MODES[of])
    second = await made(bench, "two")
    assert inode(second.folder) == folder
    assert modes(second.folder) == new


@pytest.mark.parametrize("where", [".", "c", "c/d"])
async def test_modes_that_a_folder_gives_to_what_comes_into_it_do_not_stay(
    bench: Bench, where: str
) -> None:
    _fill(bench)
    first = await made(bench, "one")
    new = modes(first.folder)
    if not _gives_all(first.folder / where):
        pytest.skip("runs where the disk of TMPDIR has lists of access")
    _set_modes(first.folder, MODES["files"])
    await released(bench, "one")
    assert modes((await made(bench, "two")).folder) == new


def _fill(bench: Bench) -> None:
    for name in ("a/program", "b/text", "c/d/text"):
        bench.tree.write(name, f"the content of {name}\n", mode=0o755 if "pro" in name else 0o644)
    bench.tree.path("link").symlink_to("a/program")
    bench.tree.commit()


def _set_modes(top: Path, wanted: dict[str, int]) -> None:
    for name, mode in wanted.items():
        (top / name).chmod(mode)


def _gives_all(folder: Path) -> bool:
    """Have whatever is made in a folder be there for everybody, by a list of access."""
    nobody = 0xFFFFFFFF
    parts = ((0x01, 7, nobody), (0x04, 7, nobody), (0x20, 7, nobody))
    access = struct.pack("<L", 2) + b"".join(struct.pack("<HHL", *one) for one in parts)
    try:
        os.setxattr(folder, "system.posix_acl_default", access)
    except OSError:
        return False
    (folder / "probe").touch(0o666)
    return bool((folder / "probe").stat().st_mode & stat.S_IWOTH)


def _now(folder: Path) -> int:
    probe = folder / "clock"
    probe.write_text("")
    return probe.stat().st_ctime_ns


def _break(top: Path, outside: Path) -> None:
    _edit_without_a_trace(top / "hidden")
    os.link(top / "linked", outside / "linked")
    (top / "moded").chmod(0o600)
    shutil.rmtree(top / "b")
    (top / "b").symlink_to(outside)
    (top / "a/deep").rename(top / "moved")
    (top / "a/deep").symlink_to("../moved")
    (top / "c/.git").mkdir()
    (top / "c/.git/HEAD").write_text("agent's")
    (top / "c/build.log").write_text("ignored")
    (top / "d/x").unlink()
    (top / "d/x").mkdir()
    (top / "to").unlink()
    os.mkfifo(top / "to")
    shutil.rmtree(top / ".git")
    (top / ".git").symlink_to(outside)
    (top / "c").chmod(0o000)
    top.chmod(0o500)


def _edit_without_a_trace(file: Path) -> None:
    """Change bytes, and put size and times back."""
    before = file.stat()
    with file.open("r+b") as stream:
        stream.write(b"THE")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = file.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)


async def test_files_that_were_written_under_other_rules_are_not_used(bench: Bench) -> None:
    bench.tree.write("a.txt", "1\n2\n")
    bench.tree.commit()
    first = inode((await made(bench, "one")).folder)
    await released(bench, "one")
    bench.tree.git("config", "core.autocrlf", "true")
    second = await made(bench, "two")
    assert (second.folder / "a.txt").read_bytes() == b"1\r\n2\r\n"
    assert inode(second.folder) != first
    bench.tree.git("config", "--unset", "core.autocrlf")
    bench.tree.write(".gitattributes", "*.txt eol=crlf\n")
    third = await made(bench, "three")
    assert (third.folder / "a.txt").read_bytes() == b"1\r\n2\r\n"


async def test_files_that_were_made_under_another_mask_are_not_used(bench: Bench) -> None:
    _fill(bench)
    first = inode((await made(bench, "one")).folder)
    await released(bench, "one")
    before = os.umask(0o027)
    try:
        second = await made(bench, "two")
    finally:
        os.umask(before)
    assert inode(second.folder) != first
    assert (second.folder / "a/program").stat().st_mode & 0o777 == 0o750


async def test_as_many_are_kept_as_there_is_room_for(bench: Bench) -> None:
    for name in ("one", "two", "three"):
        await made(bench, name)
    assert await released(bench, "one", Room(0, 1 << 30)) == Deleted()
    assert await released(bench, "two", Room(2, 1)) == Deleted()
    assert isinstance(await released(bench, "three"), Spared)
    assert len(spares_of(await bench.store())) == 1
    await made(bench, "four")
    await made(bench, "five")
    await released(bench, "four")
    assert await released(bench, "five", Room(0, 0)) == Deleted()
    assert spares_of(await bench.store()) == []


async def test_a_folder_that_is_not_ours_to_keep_is_judged_as_for_deletion(bench: Bench) -> None:
    parent = owner_of(os.getppid())
    assert parent is not None
    workspace = await made(bench, "one")
    kept = await release_workspace(await bench.store(), "one", Owner(1, 1), ROOM)
    assert isinstance(kept, NotDeleted)
    assert kept.reason is Kept.IN_USE
    workspace.folder.rename(workspace.folder.with_name("moved"))
    workspace.folder.mkdir()
    kept = await released(bench, "one")
    assert isinstance(kept, NotDeleted)
    assert kept.reason is Kept.REPLACED
    assert workspace.folder.exists()


async def test_a_spare_is_made_ahead_of_need(bench: Bench) -> None:
    store, repository, base = await bench.store(), await bench.repository(), await bench.snapshot()
    workspaces = bench.tmp_path / "work spaces"
    for _ in range(2):
        failed = await prepare(
            bench.git, store, repository, base, workspaces, owner=this_process(), plan=POOL
        )
        assert failed is None
    (spare,) = spares_of(store)
    bench.tree.write("README", "changed\n")
    workspace = await made(bench, "one")
    assert inode(workspace.folder) == spare.identity.inode
    await assert_as_new(bench, workspace)
