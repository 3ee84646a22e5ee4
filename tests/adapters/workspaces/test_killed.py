"""A server that is killed in the midst of its work with workspaces leaves nothing half-made in use.

What it leaves behind is found by the next one, all of it. `SENNIT_KILLS=all` kills it at each call
that changes files.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from itertools import count
from pathlib import Path

import anyio
import pytest
from attrs import evolve

from sennit.adapters.git.collectable import Needed, look
from sennit.adapters.git.collecting import Collected, collect
from sennit.adapters.git.delete import Deleted, delete_workspace
from sennit.adapters.git.records import MARKER, read_record, write_record
from sennit.adapters.platform.lives import Owner
from sennit.adapters.workspaces.kept import Keeping, look_at_kept, remove_kept
from sennit.adapters.workspaces.spares import FOLDER, Room, Spared
from tests.adapters.git.bench import Bench, this_process
from tests.adapters.workspaces.killed import ANY
from tests.adapters.workspaces.test_spares import assert_as_new, made, released

pytestmark = pytest.mark.anyio

DEAD = Owner(1, 1)
ALL = os.environ.get("SENNIT_KILLS") == "all"
MOMENTS = (
    ("make", "os.mkdir", "/two'", 1),
    ("make", "os.rename", "two.json'", 1),
    ("make", "os.rename", "two.json'", 2),
    ("make", "os.rename", "two.json'", 3),
    ("make", "os.rename", ".spare/spare-", 1),
    ("make", "os.remove", "spare-", 1),
    ("make", "os.remove", ".json'", 1),
    ("prepare", "os.mkdir", "spare-", 1),
    ("prepare", "os.rename", "json'", 1),
    ("prepare", "os.rename", "json'", 2),
    ("release", "open", ".spare/.", 1),
    ("release", "os.rename", "spare-", 1),
    ("release", "os.rename", "/one'", 1),
    ("release", "os.remove", "one.json", 1),
)


@pytest.mark.parametrize(("doing", "event", "text", "number"), MOMENTS)
async def test_nothing_half_made_is_used_and_nothing_stays(
    bench: Bench, doing: str, event: str, text: str, number: int
) -> None:
    assert await _is_killed(bench, doing, event, text, number), "there is no such moment"
    await _go_on(bench)


@pytest.mark.skipif(not ALL, reason="takes minutes; SENNIT_KILLS=all runs it")
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("doing", ["make", "prepare", "release"])
async def test_at_every_call(bench: Bench, doing: str) -> None:
    for number in count(1):
        if not await _is_killed(bench, doing, ANY, "", number):
            return
        await _go_on(bench)


async def _is_killed(bench: Bench, doing: str, event: str, text: str, number: int) -> bool:
    store = await bench.store()
    if doing != "prepare":
        first = await made(bench, "one")
        (first.folder / "src/a.py").write_text("agent's")
        (first.folder / "secret").write_text("of the earlier task")
    if doing == "make":
        assert isinstance(await released(bench, "one"), Spared)
        bench.tree.write("src/a.py", f"a = {number}\n")
    elif doing == "release":
        record = read_record(store, "one")
        assert record is not None
        write_record(store, evolve(record, owner=DEAD))
    program = str(Path(__file__).with_name("killed.py"))
    moment = (event, text, str(number))
    done = await anyio.run_process(
        [sys.executable, program, doing, str(bench.tmp_path), *moment],
        cwd=Path(__file__).parents[3],
        env={**bench.tree.environment, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert done.returncode in {0, -signal.SIGKILL}, done.stderr.decode()
    return done.returncode != 0


async def _go_on(bench: Bench) -> None:
    """Work on as the next server does, and then clear up."""
    store, workspaces = await bench.store(), bench.tmp_path / "work spaces"
    workspace = await made(bench, "next")
    await assert_as_new(bench, workspace)
    assert await delete_workspace(store, "next", this_process()) == Deleted()
    later, needed = time.time() + 10, Needed(frozenset(), frozenset())
    found = await look(bench.git, store, needed, later)
    assert isinstance(found, tuple), found
    for one in found:
        collected = await collect(bench.git, one, needed, later, this_process())
        assert isinstance(collected, Collected), collected
        assert collected.kept == ()
    for kept in look_at_kept(store, Keeping(later, later, "unused", Room(0, 0))):
        assert await remove_kept(kept, this_process()) is None
    of_ours = {os.fsdecode(MARKER), FOLDER}
    assert {path.name for path in workspaces.rglob("*")} <= of_ours
    assert list(store.records.iterdir()) == []
