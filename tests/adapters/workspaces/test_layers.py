"""Workspaces that are layers: programs in them leave what they would leave in a checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from sennit.adapters.git.capture import Captured, Unchanged, capture, peek
from sennit.adapters.git.delete import Deleted, delete_workspace
from sennit.adapters.git.workspace import Workspace
from sennit.adapters.platform.lives import Owner
from sennit.adapters.workspaces import leases
from sennit.adapters.workspaces.making import make_workspace
from sennit.adapters.workspaces.probing import KindProbe
from sennit.adapters.workspaces.spares import Room, Spared, release_workspace
from sennit.core.objects import LeftOutReason, Snapshot
from sennit.core.workspace_kinds import (
    LEAST_FILES,
    Circumstances,
    How,
    Plan,
    WorkspaceKind,
    plan_of,
)
from tests.adapters.git.bench import Bench, Tree, this_process
from tests.adapters.workspaces import operations
from tests.adapters.workspaces.mounted import PYTHON, launcher_of, run_inside

pytestmark = pytest.mark.anyio

SEEDS = range(int(os.environ.get("SENNIT_LAYER_SEEDS", "3")))
_SCRIPT = (*PYTHON, str(Path(operations.__file__)))


async def made(
    bench: Bench, snapshot: Snapshot, name: str, wish: WorkspaceKind | Plan
) -> Workspace:
    workspace = await make_workspace(
        bench.git,
        await bench.store(),
        await bench.repository(),
        snapshot,
        bench.tmp_path / "work spaces" / name,
        owner=this_process(),
        plan=wish if isinstance(wish, Plan) else Plan(spare=False, new=wish),
    )
    assert isinstance(workspace, Workspace), workspace
    return workspace


async def layer(bench: Bench, snapshot: Snapshot, name: str = "layer") -> Workspace:
    return await made(bench, snapshot, name, WorkspaceKind.OVERLAY)


async def in_it(bench: Bench, workspace: Workspace, *argv: str) -> bytes:
    prefix = launcher_of(await bench.store(), workspace.name)
    return run_inside(prefix, workspace.folder, *argv, environment=bench.tree.environment)


def outside(bench: Bench, workspace: Workspace, *argv: str) -> bytes:
    return subprocess.run(
        argv, cwd=workspace.folder, env=bench.tree.environment, capture_output=True, check=True
    ).stdout


async def left_in(bench: Bench, workspace: Workspace) -> tuple[str, frozenset[tuple[bytes, str]]]:
    """The tree of a capture, and what it left out."""
    taken = await capture(bench.git, await bench.store(), workspace, date=1)
    assert isinstance(taken, Captured | Unchanged), taken
    tree = taken.tree if isinstance(taken, Captured) else workspace.tree
    return tree, frozenset((one.path, one.reason.value) for one in taken.left_out)


async def differences(bench: Bench, seed: int, one: str, other: str) -> str:
    store = await bench.store()
    told = bench.tree.git(f"--git-dir={store.git_dir}", "diff-tree", "-r", "-p", one, other)
    return f"seed {seed}: {told.decode()}"


def fill(bench: Bench) -> None:
    bench.tree.write(".gitignore", "log\n*.log\n!keep.log\n")
    bench.tree.write(".gitattributes", "*.crlf -text\n*.txt text=auto\n")
    bench.tree.write("d.crlf", "one\ntwo\n")
    bench.tree.write("keep.log", "kept\n")
    bench.tree.write("run", "#!/bin/sh\n", mode=0o755)
    bench.tree.path("to-sub").symlink_to("sub")
    for folder in ("sub", "sub/deep", "deep", "deep/sub/sub", "x"):
        for name in ("a", "c.txt", "d.crlf"):
            bench.tree.write(f"{folder}/{name}", f"{folder} {name}\n")
    bench.tree.write("deep/.gitignore", "!log\nb\n")
    bench.tree.write("x/.gitattributes", "* -text\n")
    bench.tree.commit()


async def automatic(bench: Bench, snapshot: Snapshot, name: str) -> Workspace:
    """What is made by itself in a repository that is large enough, with what it is made by."""
    store, folder = await bench.store(), bench.tmp_path / "work spaces"
    found = await KindProbe().look_at_all(store.root, folder)
    plan = plan_of(WorkspaceKind.AUTO, found, Circumstances(LEAST_FILES, confined=True))
    assert isinstance(plan, Plan)
    workspace = await made(bench, snapshot, name, plan)
    assert workspace.how == How(WorkspaceKind.OVERLAY)
    return workspace


async def pooled(bench: Bench, snapshot: Snapshot, name: str) -> Workspace:
    """A folder that was used for something else before."""
    used = await made(bench, snapshot, f"{name}-before", WorkspaceKind.CHECKOUT)
    outside(bench, used, *_SCRIPT, "before", "9")
    store = await bench.store()
    kept = await release_workspace(store, used.name, this_process(), Room(1, 1 << 30))
    assert isinstance(kept, Spared), kept
    workspace = await made(bench, snapshot, name, Plan(spare=True, new=WorkspaceKind.CHECKOUT))
    assert workspace.how == How(WorkspaceKind.POOL)
    return workspace


@pytest.mark.timeout(180 + 10 * len(SEEDS))
async def test_random_things_leave_the_same_in_every_kind_of_workspace(bench: Bench) -> None:
    fill(bench)
    for seed in SEEDS:
        # From the second on, the base has other things than the layer below.
        bench.tree.write("x/a", f"{seed}\n")
        bench.tree.write(f"sub/new{seed}", f"{seed}\n")
        bench.tree.path(f"sub/new{seed - 1}").unlink(missing_ok=True)
        for number in range(6):
            bench.tree.write(f"later{seed}/{number}/c.txt", f"{number}\n")
        if seed == 2:
            bench.tree.git("rm", "-q", "-r", "deep/sub")
        snapshot = await bench.snapshot()
        layered = await automatic(bench, snapshot, f"layer-{seed}")
        plain = await made(bench, snapshot, f"plain-{seed}", WorkspaceKind.CHECKOUT)
        script = (*_SCRIPT, str(seed), "25")
        seen = await in_it(bench, layered, *script)
        expected = outside(bench, plain, *script)
        assert seen.decode() == expected.decode(), seed
        if seed % len(SEEDS) == 0:
            used = await pooled(bench, snapshot, f"pool-{seed}")
            assert outside(bench, used, *script).decode() == expected.decode(), seed
            assert await left_in(bench, used) == await left_in(bench, plain)
        in_layer, in_plain = await left_in(bench, layered), await left_in(bench, plain)
        assert in_layer == in_plain, await differences(bench, seed, in_layer[0], in_plain[0])


@pytest.mark.parametrize(
    "done", ["rm new", "mv deep/new deep/moved", "rm -r later", "rm -r later; echo 1 > later"]
)
async def test_what_only_the_layer_itself_has_is_missed_when_it_goes(
    bench: Bench, done: str
) -> None:
    fill(bench)
    await layer(bench, await bench.snapshot(), "first")
    for name in ("new", "deep/new", "later/new", "later/deep/new"):
        bench.tree.write(name, f"{name}\n")
    bench.tree.commit()
    snapshot = await bench.snapshot()
    layered = await layer(bench, snapshot, "second")
    plain = await made(bench, snapshot, "plain", WorkspaceKind.CHECKOUT)
    await in_it(bench, layered, "sh", "-e", "-c", done)
    outside(bench, plain, "sh", "-e", "-c", done)
    expected = await left_in(bench, plain)
    assert expected[0] != snapshot.tree
    assert await left_in(bench, layered) == expected


async def test_what_an_agent_has_its_git_keep_out_of_view_is_not_deleted(bench: Bench) -> None:
    fill(bench)
    layered = await layer(bench, await bench.snapshot())
    hidden = "git sparse-checkout set --no-cone '/*' '!/deep/a' '!/x/'"
    await in_it(bench, layered, "sh", "-e", "-c", hidden)
    tree, left_out = await left_in(bench, layered)
    assert tree == layered.tree
    assert {reason for _, reason in left_out} == {LeftOutReason.OUT_OF_VIEW.value}


@pytest.mark.parametrize(
    "done",
    [
        "git init -q made; cd made; mkdir sub; echo 1 > x.log; echo 1 > sub/log; echo 1 > kept",
        "echo 1 > linked/pattern; echo 1 > linked/other",
    ],
    ids=["a repository inside", "rules that are a link"],
)
async def test_rules_of_the_layer_below_ignore_what_they_do_in_a_checkout(
    bench: Bench, done: str
) -> None:
    fill(bench)
    bench.tree.path("linked").mkdir()
    bench.tree.path("linked/.gitignore").symlink_to("pattern")
    bench.tree.commit()
    snapshot = await bench.snapshot()
    layered = await layer(bench, snapshot)
    plain = await made(bench, snapshot, "plain", WorkspaceKind.CHECKOUT)
    await in_it(bench, layered, "sh", "-e", "-c", done)
    outside(bench, plain, "sh", "-e", "-c", done)
    expected = await left_in(bench, plain)
    assert expected[0] != snapshot.tree
    assert await left_in(bench, layered) == expected


@pytest.mark.parametrize("done", ["rm deep/a", "git rm -q deep/a; git commit -q -m gone"])
async def test_what_an_agent_takes_into_view_and_removes_is_deleted(
    bench: Bench, done: str
) -> None:
    fill(bench)
    bench.tree.git("sparse-checkout", "set", "--no-cone", "/*", "!/deep/")
    snapshot = await bench.snapshot()
    layered = await layer(bench, snapshot)
    plain = await made(bench, snapshot, "plain", WorkspaceKind.CHECKOUT)
    script = ("sh", "-e", "-c", f"git sparse-checkout disable; {done}")
    await in_it(bench, layered, *script)
    outside(bench, plain, *script)
    tree, left_out = await left_in(bench, plain)
    store = f"--git-dir={(await bench.store()).git_dir}"
    told = bench.tree.git(store, "diff-tree", "-r", "--name-status", snapshot.tree, tree)
    assert told == b"D\tdeep/a\n"
    assert await left_in(bench, layered) == (tree, left_out)


async def test_a_layer_leaves_nothing_behind(bench: Bench) -> None:
    workspace = await layer(bench, await bench.snapshot())
    store = await bench.store()
    await in_it(bench, workspace, "sh", "-c", "mkdir -m 0 locked; rm -r src; mkdir src")
    assert leases.is_held(store)
    assert await delete_workspace(store, workspace.name, this_process()) == Deleted()
    assert not leases.is_held(store)
    assert not workspace.folder.exists()
    assert list((workspace.folder.parent / ".layers").iterdir()) == []
    assert [each for each in store.records.iterdir() if each.name.startswith("layer")] == []


IN_SUBMODULES = """
export GIT_AUTHOR_DATE="2026-01-01T00:00:00Z" GIT_COMMITTER_DATE="2026-01-01T00:00:00Z"
git -C one log --format=%s; git -C deep/two status --short; git submodule status | cut -c 2-
cat one/kept deep/two/kept was/kept; ls was
echo more >> one/kept; rm one/gone; mkdir one/made; echo new > one/made/new; rm -r one/folder
cd deep/two; git rm -q gone; git -c user.name=a -c user.email=a@b commit -q -m moved; cd ../..
rm -r was; echo text >> README
"""


def with_submodules(bench: Bench) -> None:
    inner = Tree(bench.tmp_path / "inner", bench.tree.environment)
    inner.folder.mkdir()
    inner.git("init", "-q")
    for name in ("kept", "gone", "folder/file"):
        inner.write(name, f"inner {name}\n")
    inner.commit("inner")
    bench.tree.write("was/a-folder", "in the base before\n")
    bench.tree.commit()
    for name in ("one", "deep/two", "away"):
        bench.tree.git(*LOCALLY, "submodule", "--quiet", "add", str(inner.folder), name)
    bench.tree.commit("submodules")


LOCALLY = ("-c", "protocol.file.allow=always")


async def test_submodules_are_there_as_in_a_checkout(bench: Bench) -> None:
    with_submodules(bench)
    below = await layer(bench, await bench.snapshot(), "below")
    assert b"inner" in await in_it(bench, below, "git", "-C", "one", "log", "--oneline")
    # The layer below has a folder where this base has a submodule, and one that is not here.
    bench.tree.git("rm", "-q", "-r", "was")
    bench.tree.git(*LOCALLY, "submodule", "--quiet", "add", str(bench.tmp_path / "inner"), "was")
    bench.tree.git("submodule", "--quiet", "deinit", "-f", "away")
    with bench.tree.by_hand():
        shutil.rmtree(bench.tree.path(".git/modules/away"))
    bench.tree.commit()
    base = await bench.snapshot()
    works = [
        await layer(bench, base, "in-layer"),
        await made(bench, base, "plain", WorkspaceKind.CHECKOUT),
    ]
    said = [
        await in_it(bench, works[0], "sh", "-e", "-c", IN_SUBMODULES),
        outside(bench, works[1], "sh", "-e", "-c", IN_SUBMODULES),
    ]
    assert said[0].decode() == said[1].decode()
    assert [each.absent_submodules for each in works] == [(b"away",)] * 2
    store = await bench.store()
    taken = [await capture(bench.git, store, each, date=1) for each in works]
    layered, plain = taken
    assert isinstance(layered, Captured), layered
    assert isinstance(plain, Captured), plain
    # What was done in submodules is kept as commits of their own stores, which are named.
    assert {one.path: one.detail for one in layered.left_out} == {
        one.path: one.detail for one in plain.left_out
    }
    assert layered.tree == plain.tree, await differences(bench, 0, layered.tree, plain.tree)
    assert b"one" in {one.path for one in layered.left_out}


async def test_a_gitlink_that_is_declared_nowhere_is_as_in_a_checkout(bench: Bench) -> None:
    commit = bench.tree.git("rev-parse", "HEAD").decode().strip()
    bench.tree.git("update-index", "--add", "--cacheinfo", f"160000,{commit},away")
    bench.tree.path("away").mkdir()
    bench.tree.commit()
    base = await bench.snapshot()
    layered = await layer(bench, base, "in-layer")
    plain = await made(bench, base, "plain", WorkspaceKind.CHECKOUT)
    write = ("sh", "-c", "echo made > away/made; ls -A away")
    assert await in_it(bench, layered, *write) == outside(bench, plain, *write) == b"made\n"
    store = await bench.store()
    for each in (layered, plain):
        assert each.absent_submodules == (b"away",)
        taken = await capture(bench.git, store, each, date=1)
        assert isinstance(taken, Unchanged), taken
        [told] = taken.left_out
        assert (told.path, told.reason) == (b"away", LeftOutReason.ABSENT_SUBMODULE)


async def test_what_is_below_stays_while_somebody_relies_on_it(bench: Bench) -> None:
    first = await layer(bench, await bench.snapshot(), "first")
    # Under other rules every file may have other bytes, so the kept checkout is of no use.
    bench.tree.write(".gitattributes", "*.txt eol=crlf\n")
    bench.tree.write("new.txt", "new\n")
    base = await bench.snapshot()
    meanwhile = await layer(bench, base, "meanwhile")
    store = await bench.store()
    assert meanwhile.folder.joinpath("README").is_file()
    assert await in_it(bench, first, "sh", "-c", "ls -A | tr '\\n' ' '") == b".git README src "
    leases.let_go(store, first.name)
    later = await layer(bench, base, "later")
    assert not later.folder.joinpath("README").exists()
    assert await in_it(bench, later, "cat", "new.txt") == b"new\r\n"


async def test_a_clock_that_was_set_back_brings_no_older_base_into_a_proposal(bench: Bench) -> None:
    first = await layer(bench, await bench.snapshot(), "first")
    store = await bench.store()
    assert await delete_workspace(store, first.name, this_process()) == Deleted()
    ahead = 4_000_000_000
    for file in store.records.iterdir():
        if file.is_file():
            os.utime(file, (ahead, ahead))
    bench.tree.write("README", "what the user wrote\n")
    # Under other rules the kept checkout is made anew.
    bench.tree.write(".gitattributes", "*.txt eol=crlf\n")
    workspace = await layer(bench, await bench.snapshot(), "second")
    workspace.folder.joinpath("new").write_text("new\n")
    taken = await capture(bench.git, store, workspace, date=1)
    assert isinstance(taken, Captured), taken
    assert (await bench.files_of(taken.commit))[b"README"] == ("100644", b"what the user wrote\n")


async def test_who_works_in_a_layer_keeps_what_is_below(bench: Bench) -> None:
    workspace = await layer(bench, await bench.snapshot())
    store = await bench.store()
    # Its server is gone, so that its lease does not count.
    leases.hold(store, workspace.name, Owner(1, 1))
    assert not leases.is_held(store)
    asking = (
        "import sys; sys.path[:0] = sys.argv[1].split(chr(1)); from pathlib import Path; "
        "from sennit.adapters.workspaces import leases; "
        "from sennit.adapters.git.store import Mirroring, Store; "
        "print(leases.is_held(Store(Path(sys.argv[2]), 'sha1', Mirroring.LINKED)))"
    )
    argv = (sys.executable, "-c", asking, "\1".join(sys.path), str(store.root))
    assert await in_it(bench, workspace, *argv) == b"True\n"
    assert not leases.is_held(store)


async def test_work_that_is_under_way_in_a_layer_can_be_looked_at(bench: Bench) -> None:
    workspace = await layer(bench, await bench.snapshot())
    store = await bench.store()
    gate = bench.tmp_path / "gate"
    os.mkfifo(gate)
    script = f"rm -r src; echo new > new; read _ < '{gate}'; cat new; rm new"
    prefix, said = launcher_of(store, workspace.name), []

    def run() -> None:
        argv = ("sh", "-c", script)
        said.append(run_inside(prefix, workspace.folder, *argv, environment=bench.tree.environment))

    async with anyio.create_task_group() as group:
        group.start_soon(anyio.to_thread.run_sync, run)
        # Opening it waits for whoever reads.
        held = await anyio.to_thread.run_sync(os.open, gate, os.O_WRONLY)
        seen = await peek(bench.git, store, workspace)
        os.close(held)
    assert isinstance(seen, str), seen
    assert set(await bench.files_of(seen)) == {b"README", b"new"}
    assert said == [b"new\n"]
