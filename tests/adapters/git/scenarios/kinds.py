"""The kinds of workspace that the scenarios are run with."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import pytest

from sennit.adapters.git.records import read_record, work_folder
from sennit.adapters.git.store import Store
from sennit.adapters.git.workspace import Workspace
from sennit.adapters.platform.namespaces import mount_overlay
from sennit.adapters.workspaces.making import make_workspace
from sennit.adapters.workspaces.probing import KindProbe
from sennit.adapters.workspaces.spares import Room, Spared, release_workspace
from sennit.core.objects import Snapshot
from sennit.core.workspace_kinds import KindRefused, Plan, WorkspaceKind
from tests.adapters.git.bench import Bench, this_process
from tests.adapters.git.scenarios.scenario import agent_works

Maker = Callable[[Bench, Snapshot], Awaitable[Workspace]]


async def checkout(bench: Bench, snapshot: Snapshot) -> Workspace:
    """A plain checkout."""
    return await bench.workspace(snapshot)


async def pool(bench: Bench, snapshot: Snapshot) -> Workspace:
    """The folder of an earlier task, whose agent left it as it pleased."""
    plan = Plan(spare=True, new=WorkspaceKind.CHECKOUT)
    earlier = await planned(bench, snapshot, "earlier", plan)
    inside = bench.inside(earlier)
    agent_works(inside)
    inside.commit("of the earlier agent")
    inside.write("left behind/untracked", "x")
    room = Room(count=2, size=1 << 30)
    store = await bench.store()
    spared = await release_workspace(store, earlier.name, this_process(), room)
    assert isinstance(spared, Spared), spared
    return await planned(bench, snapshot, "task", plan)


async def reflink(bench: Bench, snapshot: Snapshot) -> Workspace:
    """A copy of a kept checkout that shares its blocks."""
    found = await KindProbe().look((await bench.store()).root, bench.tmp_path / "work spaces")
    refused = found[WorkspaceKind.REFLINK]
    if isinstance(refused, KindRefused):
        pytest.skip(f"runs where TMPDIR is on XFS or btrfs: {refused.why}")
    plan = Plan(spare=False, new=WorkspaceKind.REFLINK)
    return await planned(bench, snapshot, "task", plan)


async def overlay(bench: Bench, snapshot: Snapshot) -> Workspace:
    """A layer over a kept checkout."""
    if os.getuid() != 0:
        pytest.skip("runs as root only, who can show a layer to the processes of a test")
    made = await planned(bench, snapshot, "task", Plan(spare=False, new=WorkspaceKind.OVERLAY))
    record = read_record(await bench.store(), made.name)
    assert record is not None
    assert record.lower, "it is no layer"
    return made


@contextmanager
def seen_by_agents(store: Store, workspace: Workspace) -> Iterator[None]:
    """Have the folder of a workspace be what its agent sees, for this process too."""
    record = read_record(store, workspace.name)
    if record is None or not record.lower:
        yield
        return
    upper, work = os.fsencode(record.folder), os.fsencode(work_folder(record))
    user = os.geteuid()
    os.seteuid(0)
    try:
        mount_overlay(os.fsencode(record.lower), upper, work, upper)
        os.seteuid(user)
        yield
    finally:
        os.seteuid(0)
        subprocess.run(["umount", record.folder], check=True)
        os.seteuid(user)


async def planned(bench: Bench, snapshot: Snapshot, name: str, plan: Plan) -> Workspace:
    made = await make_workspace(
        bench.git,
        await bench.store(),
        await bench.repository(),
        snapshot,
        bench.tmp_path / "work spaces" / name,
        owner=this_process(),
        plan=plan,
    )
    assert isinstance(made, Workspace), made
    return made


KINDS: dict[str, Maker] = {
    "checkout": checkout,
    "overlay": overlay,
    "pool": pool,
    "reflink": reflink,
}


IN_TURN = ("checkout", "overlay", "pool")


def kinds_of(number: int) -> tuple[str, ...]:
    """Those that ``SENNIT_KINDS`` names, with commas, else one: each scenario has the next."""
    asked = tuple(filter(None, os.environ.get("SENNIT_KINDS", "").split(",")))
    return asked or (IN_TURN[number % len(IN_TURN)],)
