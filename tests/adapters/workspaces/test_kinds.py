"""Every kind of workspace holds the same, and the same work in each is the same proposal."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from sennit.adapters.git.capture import Captured, capture
from sennit.adapters.git.records import Record, index_file
from sennit.adapters.git.workspace import Making, Workspace, make_checkout
from sennit.adapters.workspaces.copying import clone_checkout, clone_file
from sennit.adapters.workspaces.making import make_workspace
from sennit.adapters.workspaces.pristine import NAME, folder_of, prepare_pristine
from sennit.adapters.workspaces.probing import KindProbe
from sennit.adapters.workspaces.rules import rules_of
from sennit.adapters.workspaces.spares import Room, Spared, release_workspace
from sennit.core.objects import GitFailed, Snapshot
from sennit.core.workspace_kinds import KindRefused, KindWorks, Plan, WorkspaceKind
from tests.adapters.git.bench import Bench, Tree, this_process
from tests.adapters.workspaces.seeing import modes, seen
from tests.small_disks import small_disks

pytestmark = pytest.mark.anyio

DATE = 1_800_000_000
Maker = Callable[[Bench, Snapshot, str], Awaitable[Workspace]]


def copy_file(source: bytes, target: bytes, mode: int) -> os.stat_result:
    """Stands for sharing of blocks, which the disk of a test need not be able to do."""
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(handle, "wb") as new, Path(os.fsdecode(source)).open("rb") as old:
        shutil.copyfileobj(old, new)
    return Path(os.fsdecode(target)).stat()


async def checkout(bench: Bench, base: Snapshot, name: str) -> Workspace:
    return await planned(bench, base, name, Plan(spare=False, new=WorkspaceKind.CHECKOUT))


async def pool(bench: Bench, base: Snapshot, name: str) -> Workspace:
    earlier = await checkout(bench, base, f"{name}-before")
    work(bench.inside(earlier), random.Random(7))
    store = await bench.store()
    kept = await release_workspace(store, earlier.name, this_process(), Room(1, 1 << 30))
    assert isinstance(kept, Spared), kept
    made = await planned(bench, base, name, Plan(spare=True, new=WorkspaceKind.CHECKOUT))
    assert made.folder.stat().st_ino
    return made


async def copies(bench: Bench, base: Snapshot, name: str) -> Workspace:
    async def fill(making: Making) -> Record | GitFailed:
        rules = await rules_of(making.git, making.repository)
        assert isinstance(rules, str)
        assert await prepare_pristine(making.git, making.store, base, rules) is None
        index = clone_checkout(
            folder_of(making.store),
            index_file(making.store, NAME),
            making.record.folder,
            "sha1",
            copy_file,
        )
        making.index.write_bytes(index)
        return making.record

    made = await make_checkout(
        bench.git,
        await bench.store(),
        await bench.repository(),
        base,
        bench.tmp_path / "work spaces" / name,
        owner=this_process(),
        fill=fill,
    )
    assert isinstance(made, Workspace), made
    return made


async def planned(bench: Bench, base: Snapshot, name: str, plan: Plan) -> Workspace:
    made = await make_workspace(
        bench.git,
        await bench.store(),
        await bench.repository(),
        base,
        bench.tmp_path / "work spaces" / name,
        owner=this_process(),
        plan=plan,
    )
    assert isinstance(made, Workspace), made
    return made


MAKERS: dict[str, Maker] = {"checkout": checkout, "pool": pool, "copies": copies}


def grown(tree: Tree) -> None:
    for number in range(24):
        tree.write(f"area-{number % 4}/part-{number % 3}/file-{number}", f"{number}\n" * 9)
    tree.write(b"odd \n \xff", b"\r\n\x00")
    tree.write("run", "#!", mode=0o755)
    tree.path("link").symlink_to("run")
    tree.commit()


def work(inside: Tree, chance: random.Random) -> None:
    """Do things that agents do to files, chosen by chance."""
    top = inside.folder
    for number in range(16):
        below = sorted(one for one in top.rglob("*") if ".git" not in one.parts)
        files = [one for one in below if one.is_file() and not one.is_symlink()]
        folders = [one for one in below if one.is_dir() and not one.is_symlink()]
        chance.choice(THINGS)(chance.choice(files), chance.choice(folders), number)
        inside.write(f"always/{number}/file", "there is always one\n")


def move(_file: Path, folder: Path, number: int) -> None:
    folder.rename(folder.with_name(f"moved-{number}"))


def swap_for_a_link(file: Path, _folder: Path, _number: int) -> None:
    file.unlink()
    file.symlink_to("elsewhere")


def swap_for_a_file(_file: Path, folder: Path, _number: int) -> None:
    shutil.rmtree(folder)
    folder.write_text("a file now\n")


def add(_file: Path, folder: Path, number: int) -> None:
    (folder / f"inner-{number}").mkdir()
    (folder / f"inner-{number}" / "deep").write_text("deep\n")


THINGS: tuple[Callable[[Path, Path, int], object], ...] = (
    lambda file, _folder, number: file.write_bytes(b"rewritten %d\n" % number),
    lambda file, _folder, _number: file.unlink(),
    lambda file, _folder, _number: file.chmod(file.stat().st_mode ^ 0o100),
    move,
    swap_for_a_link,
    swap_for_a_file,
    add,
)


@pytest.mark.parametrize("seed", [1])
@pytest.mark.parametrize("file_mode", ["true", "false"])
async def test_the_same_work_in_every_kind_is_the_same_proposal(
    bench: Bench, seed: int, file_mode: str
) -> None:
    grown(bench.tree)
    bench.tree.git("config", "core.fileMode", file_mode)
    base, store = await bench.snapshot(), await bench.store()
    trees, begun, left = {}, {}, {}
    for kind, make in MAKERS.items():
        workspace = await make(bench, base, f"{kind}-{seed}")
        assert seen(workspace.folder) == seen(bench.tree.folder), kind
        assert bench.inside(workspace).git("status", "--porcelain") == b"", kind
        begun[kind] = modes(workspace.folder)
        work(bench.inside(workspace), random.Random(seed))
        taken = await capture(bench.git, store, workspace, date=DATE)
        assert isinstance(taken, Captured), taken
        trees[kind] = taken.tree
        left[kind] = modes(workspace.folder)
    assert len(set(trees.values())) == 1, trees
    assert all(found == begun["checkout"] for found in begun.values())
    assert all(found == left["checkout"] for found in left.values())


@pytest.mark.parametrize("kind", MAKERS)
async def test_files_that_are_moved_to_where_git_ignores_them_are_named_in_every_kind(
    bench: Bench, kind: str
) -> None:
    grown(bench.tree)
    bench.tree.write(".gitignore", "build/*\n")
    workspace = await MAKERS[kind](bench, await bench.snapshot(), "one")
    (workspace.folder / "area-1").rename(workspace.folder / "build")
    taken = await capture(bench.git, await bench.store(), workspace, date=DATE)
    assert isinstance(taken, Captured), taken
    assert {one.path for one in taken.left_out} == {b"build/part-%d" % one for one in range(3)}


async def test_an_edit_of_a_copy_shows_though_size_and_times_are_put_back(bench: Bench) -> None:
    base = await bench.snapshot()
    workspace = await copies(bench, base, "one")
    file = workspace.folder / "README"
    before = file.stat()
    file.write_bytes(b"HELLO\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_size == before.st_size
    taken = await capture(bench.git, await bench.store(), workspace, date=DATE)
    assert isinstance(taken, Captured)


def without_links(tree: Tree) -> None:
    """Have a link lie there as git writes it where a disk has none: its text in a file."""
    tree.path("link").symlink_to("README")
    tree.commit()
    tree.git("config", "core.symlinks", "false")
    tree.path("link").unlink()
    tree.write("link", "README")


def test_a_link_that_lies_there_as_a_file_is_one_in_a_copy_too(tree: Tree, tmp_path: Path) -> None:
    without_links(tree)
    copy = tmp_path / "copy"
    shutil.copytree(tree.path(".git"), copy / ".git")
    index = clone_checkout(tree.folder, tree.path(".git/index"), copy, "sha1", copy_file)
    assert not (copy / "link").is_symlink()
    assert seen(copy) == seen(tree.folder)
    (copy / ".git/index").write_bytes(index)
    assert Tree(copy, tree.environment).git("status", "--porcelain") == b""


@pytest.mark.parametrize("kind", [checkout, copies])
async def test_a_link_is_one_though_the_disk_of_the_user_has_none(
    bench: Bench, kind: Maker
) -> None:
    without_links(bench.tree)
    workspace = await kind(bench, await bench.snapshot(), "one")
    assert (workspace.folder / "link").readlink() == Path("README")
    assert bench.inside(workspace).git("status", "--porcelain") == b""


async def test_what_a_full_disk_hides_is_tried_again(tmp_path: Path) -> None:
    with small_disks() as put:
        disk, probe = put(tmp_path / "disk"), KindProbe()
        filler = disk / "filler"
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))
        refused = (await probe.look(disk / "store", disk / "workspaces"))[WorkspaceKind.REFLINK]
        assert isinstance(refused, KindRefused)
        assert "No space left" in refused.why
        assert str(disk) in refused.why
        assert "Make room" in refused.advice
        filler.unlink()
        found = await probe.look(disk / "store", disk / "workspaces")
        assert "No space left" not in str(found)
        assert await probe.look(disk / "store", disk / "workspaces") is found


async def test_the_probe_says_the_truth_about_sharing_blocks(tmp_path: Path) -> None:
    found = await KindProbe().look(tmp_path / "store", tmp_path / "workspaces")
    assert isinstance(found[WorkspaceKind.CHECKOUT], KindWorks)
    assert isinstance(found[WorkspaceKind.POOL], KindWorks)
    source = tmp_path / "source"
    source.write_text("x")
    try:
        clone_file(os.fsencode(source), os.fsencode(tmp_path / "target"), 0o600)
    except OSError:
        refused = found[WorkspaceKind.REFLINK]
        assert isinstance(refused, KindRefused)
        assert refused.advice
    else:
        assert isinstance(found[WorkspaceKind.REFLINK], KindWorks)
    assert list((tmp_path / "store").iterdir()) == list((tmp_path / "workspaces").iterdir()) == []
