"""What an agent has its own git keep out of view is no deletion in its proposal."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from sennit.adapters.git.capture import Captured, Unchanged, capture
from sennit.adapters.git.workspace import Workspace
from sennit.core.objects import LeftOutReason
from tests.adapters.git.bench import Bench

pytestmark = pytest.mark.anyio


async def taken(bench: Bench, workspace: Workspace) -> Captured | Unchanged:
    found = await capture(bench.git, await bench.store(), workspace, date=1)
    assert isinstance(found, Captured | Unchanged), found
    return found


async def sparse(bench: Bench, *options: str) -> Workspace:
    for name in ("in/a", "out/b", "out/deep/c"):
        bench.tree.write(name, f"{name}\n")
    bench.tree.commit()
    workspace = await bench.workspace()
    bench.inside(workspace).git("sparse-checkout", "set", *options, "in")
    assert not (workspace.folder / "out").exists()
    return workspace


@pytest.mark.parametrize(
    "options", [(), ("--no-cone",), ("--cone", "--sparse-index")], ids=["cone", "no cone", "index"]
)
async def test_a_sparse_checkout_deletes_nothing(bench: Bench, options: tuple[str, ...]) -> None:
    workspace = await sparse(bench, *options)
    unchanged = await taken(bench, workspace)
    assert isinstance(unchanged, Unchanged)
    assert {one.reason for one in unchanged.left_out} == {LeftOutReason.OUT_OF_VIEW}
    bench.inside(workspace).write("in/a", "changed\n")
    bench.inside(workspace).write("out/new", "new\n")
    files = await bench.files_of((await changed(bench, workspace)).commit)
    assert files[b"in/a"][1] == b"changed\n"
    assert files[b"out/b"][1] == b"out/b\n"
    assert files[b"out/deep/c"][1] == b"out/deep/c\n"
    assert files[b"out/new"][1] == b"new\n"


async def changed(bench: Bench, workspace: Workspace) -> Captured:
    found = await taken(bench, workspace)
    assert isinstance(found, Captured), found
    return found


async def test_what_is_deleted_beside_a_sparse_checkout_is_deleted(bench: Bench) -> None:
    workspace = await sparse(bench)
    inside = bench.inside(workspace)
    inside.path("in/a").unlink()
    inside.git("rm", "-q", "--cached", "--sparse", "out/b")
    files = await bench.files_of((await changed(bench, workspace)).commit)
    assert b"in/a" not in files
    assert b"out/b" not in files
    assert b"out/deep/c" in files


async def test_a_split_index_is_read_whole(bench: Bench) -> None:
    workspace = await sparse(bench)
    inside = bench.inside(workspace)
    inside.git("sparse-checkout", "disable")
    # In the new part git repeats what it knows of files that are as young as the index.
    await next_second(bench, inside.path(".git/index"))
    inside.git("sparse-checkout", "set", "in")
    inside.git("update-index", "--split-index")
    assert inside.path(".git/index").read_bytes().startswith(b"DIRC\0\0\0\2")
    assert isinstance(await taken(bench, workspace), Unchanged)


async def next_second(bench: Bench, file: Path) -> None:
    """Wait until the clock of files is in a later second than the one in which it was written."""
    probe = anyio.Path(bench.tmp_path / "clock")
    written = (await anyio.Path(file).stat()).st_mtime
    await probe.touch()
    while int((await probe.stat()).st_mtime) <= int(written):
        await anyio.sleep(0.02)
        await probe.touch()


async def test_marks_without_a_sparse_checkout_count_where_nothing_lies(bench: Bench) -> None:
    bench.tree.write("b", "b\n")
    bench.tree.commit()
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.git("update-index", "--skip-worktree", "README", "b")
    inside.path("README").unlink()
    inside.write("b", "changed\n")
    files = await bench.files_of((await changed(bench, workspace)).commit)
    assert b"README" in files
    assert files[b"b"][1] == b"changed\n"


async def test_a_file_that_is_assumed_to_be_unchanged_can_be_deleted(bench: Bench) -> None:
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.git("update-index", "--assume-unchanged", "README")
    inside.path("README").unlink()
    assert b"README" not in await bench.files_of((await changed(bench, workspace)).commit)


@pytest.mark.parametrize("content", [b"", b"DIRC\0\0\0\3rubbish", None], ids=["empty", "bad", "no"])
async def test_an_index_that_cannot_be_read_marks_nothing(
    bench: Bench, content: bytes | None
) -> None:
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.path(".git/index").unlink()
    if content is not None:
        inside.path(".git/index").write_bytes(content)
    inside.path("README").unlink()
    assert b"README" not in await bench.files_of((await changed(bench, workspace)).commit)
