"""What an agent does as soon as it may has another time than what it found, on any disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sennit.adapters.git.capture import Captured, WorkspaceGone, capture
from sennit.adapters.git.completion import complete_since, was_complete
from sennit.adapters.git.delete import Deleted
from sennit.adapters.git.records import index_file, since_file
from sennit.adapters.git.workspace import Workspace, make_checkout
from sennit.adapters.workspaces.making import make_workspace
from sennit.adapters.workspaces.spares import Room, release_workspace
from sennit.core.objects import LeftOutReason
from sennit.core.workspace_kinds import Plan, WorkspaceKind
from tests.adapters.git.bench import Bench, this_process
from tests.folding_disk import folding_disk
from tests.made_disks import disk_of_seconds

pytestmark = pytest.mark.anyio

NAMES = tuple(f"f{number}" for number in range(20))


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with disk_of_seconds(tmp_path_factory.mktemp("disks") / "disk") as folder:
        yield folder


async def made(bench: Bench, folder: Path) -> Workspace:
    workspace = await make_checkout(
        bench.git,
        await bench.store(),
        await bench.repository(),
        await bench.snapshot(),
        folder,
        owner=this_process(),
    )
    assert isinstance(workspace, Workspace), workspace
    return workspace


async def test_edits_at_once_are_seen_where_times_are_of_whole_seconds(
    bench: Bench, disk: Path
) -> None:
    for name in NAMES:
        bench.tree.write(name, f"the content of {name}\n")
    bench.tree.write(".gitignore", "*.log\n")
    bench.tree.commit()
    workspace = await made(bench, disk / "of-seconds")
    (workspace.folder / "agents.log").write_text("ignored")
    for name in NAMES:
        _edit_without_a_trace(workspace.folder / name)
    taken = await capture(bench.git, await bench.store(), workspace, date=0)
    assert isinstance(taken, Captured), taken
    files = await bench.files_of(taken.commit)
    assert [files[name.encode()][1][:4] for name in NAMES] == [b"THE "] * len(NAMES)
    ignored = [one.path for one in taken.left_out if one.reason is LeftOutReason.IGNORED]
    assert ignored == [b"agents.log"]


@pytest.mark.timeout(120)
async def test_edits_are_seen_and_no_folder_is_used_again_where_changes_have_no_time(
    bench: Bench,
) -> None:
    for name in NAMES[:3]:
        bench.tree.write(name, f"the content of {name}\n")
    bench.tree.commit()
    with folding_disk(bench.tmp_path / "like-sshfs", tells_changes=False) as folder:
        store = await bench.store()
        workspace = await make_workspace(
            bench.git,
            store,
            await bench.repository(),
            await bench.snapshot(),
            folder / "task",
            owner=this_process(),
            plan=Plan(spare=True, new=WorkspaceKind.CHECKOUT),
        )
        assert isinstance(workspace, Workspace), workspace
        # As after a checkout that took a while.
        index = index_file(store, workspace.name)
        before = (workspace.folder / "f0").stat().st_mtime
        while int(before) == int(_now(bench.tmp_path)):
            pass
        assert index.stat().st_mtime < before
        _edit_without_a_trace(workspace.folder / "f0")
        taken = await capture(bench.git, store, workspace, date=0)
        assert isinstance(taken, Captured), taken
        assert (await bench.files_of(taken.commit))[b"f0"][1] == b"THE content of f0\n"
        released = await release_workspace(store, "task", this_process(), Room(4, 1 << 30))
        assert released == Deleted()


async def test_what_was_there_when_it_was_complete_is_no_work_of_an_agent(
    bench: Bench, disk: Path
) -> None:
    bench.tree.write(".gitignore", "*.log\n")
    bench.tree.commit()
    workspace, store = await made(bench, disk / "set-up"), await bench.store()
    (workspace.folder / "set-up.log").write_text("of the set-up")
    assert await was_complete(store, workspace.name) is None
    (workspace.folder / "new").write_text("agent's")
    taken = await capture(bench.git, store, workspace, date=0)
    assert isinstance(taken, Captured), taken
    assert [one.path for one in taken.left_out] == []


async def test_of_a_workspace_whose_moment_was_not_noted_its_index_tells(bench: Bench) -> None:
    workspace, store = await bench.workspace(), await bench.store()
    noted = complete_since(store, workspace.name).since_ns
    since_file(store, workspace.name).unlink()
    index = index_file(store, workspace.name)
    told = complete_since(store, workspace.name).since_ns
    assert told == index.stat().st_ctime_ns - 1
    assert told <= noted


async def test_one_that_is_gone_is_told_by_who_looks_at_it(bench: Bench) -> None:
    workspace, store = await bench.workspace(), await bench.store()
    workspace.folder.rename(bench.tmp_path / "moved")
    assert await was_complete(store, workspace.name) is None
    workspace.folder.symlink_to(bench.tmp_path / "moved")
    assert await was_complete(store, workspace.name) is None
    assert isinstance(await capture(bench.git, store, workspace, date=0), WorkspaceGone)


@pytest.mark.parametrize("does_without", ["core.trustctime=false", "core.checkStat=minimal"])
async def test_an_edit_shows_though_the_git_of_the_user_looks_at_less(
    bench: Bench, does_without: str
) -> None:
    bench.tree.git("config", "--global", *does_without.split("="))
    bench.tree.write("file", "the content\n")
    bench.tree.commit()
    workspace, store = await bench.workspace(), await bench.store()
    file = workspace.folder / "file"
    # As after a checkout that took a while: git does not read again what it wrote long before.
    later = file.stat().st_mtime_ns + 2_000_000_000
    os.utime(index_file(store, workspace.name), ns=(later, later))
    while int(file.stat().st_ctime) == int(_now(bench.tmp_path)):
        pass
    _edit_without_a_trace(file)
    taken = await capture(bench.git, store, workspace, date=0)
    assert isinstance(taken, Captured), taken
    assert (await bench.files_of(taken.commit))[b"file"][1] == b"THE content\n"


async def test_an_edit_shows_though_the_clock_of_the_store_is_ahead(bench: Bench) -> None:
    bench.tree.write("file", "the content\n")
    bench.tree.commit()
    for _ in range(20):
        workspace, store = await bench.workspace(), await bench.store()
        file = workspace.folder / "file"
        before = file.stat()
        os.utime(index_file(store, workspace.name), (before.st_mtime + 100,) * 2)
        assert await was_complete(store, workspace.name) is None
        _edit_without_a_trace(file)
        # Git compares whole seconds.
        in_one_second = int(file.stat().st_ctime) == int(before.st_ctime)
        taken = await capture(bench.git, store, workspace, date=0)
        assert isinstance(taken, Captured), taken
        if in_one_second:
            return
    pytest.fail("no edit came within the second of the checkout")


def _now(folder: Path) -> float:
    probe = folder / "clock"
    probe.write_text("")
    return probe.stat().st_ctime


def _edit_without_a_trace(file: Path) -> None:
    """Change bytes, and put size and times back."""
    before = file.stat()
    with file.open("r+b") as stream:
        stream.write(b"THE")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
