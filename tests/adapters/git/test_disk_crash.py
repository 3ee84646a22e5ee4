"""Whatever ends or stops a write to the disk, nothing is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sennit.adapters.git.disk_write import commit, settle
from sennit.core.disk_application import (
    Intention,
    TakenBack,
    Trouble,
    Written,
    intention_text,
)
from tests.adapters.git.disk_bench import CHILD, ROOT, on_disk, ready
from tests.adapters.git.made_trees import (
    Files,
    Link,
    Workbench,
    workbench,
)
from tests.adapters.git.test_meddling import no_file_longer_than

pytestmark = pytest.mark.anyio


@pytest.fixture
async def bench(tmp_path: Path) -> Workbench:
    return await workbench(tmp_path)


# Root may write into any folder; without this capability it may not.
_AS_ANYBODY = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"]


def child(intention: Intention, barrier: Path, moment: int) -> subprocess.Popen[str]:
    text = barrier.with_suffix(".intention")
    text.write_text(intention_text(intention))
    program = [sys.executable, str(CHILD), str(text), str(barrier), str(moment)]
    return subprocess.Popen(
        [*(_AS_ANYBODY if os.geteuid() == 0 else []), *program],
        env={**os.environ, "PYTHONPATH": f"{ROOT}/rpc_server:{ROOT}/protocol"},
        stdout=subprocess.PIPE,
        text=True,
    )


def wait_for(barrier: Path, process: subprocess.Popen[str]) -> bool:
    """Wait until the child stands still; False when it came to its end before."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if barrier.exists():
            return True
        if process.poll() is not None:
            return False
        time.sleep(0.002)
    pytest.fail("the child neither stood still nor ended")


SMALL_BEFORE: Files = {b"a": b"1\n", b"d/gone": b"g\n", b"was": b"w\n"}
SMALL_AFTER: Files = {b"a": b"2\n", b"n/new": b"n\n", b"was/in": Link(b"x")}


# A deletion of two moments that makes way; three writes: all started, all beside, all in place;
# then the other deletion.
FIRST_IN_PLACE = 8


@pytest.mark.parametrize("moment", range(14))
async def test_a_kill_between_any_two_steps_is_settled_without_loss(
    bench: Workbench, tmp_path: Path, moment: int
) -> None:
    work = await ready(bench, SMALL_BEFORE, SMALL_AFTER)
    barrier = tmp_path / "barrier"
    process = child(work.intention, barrier, moment)
    try:
        stood = wait_for(barrier, process)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    outcome = await settle(work.intention)
    expected = SMALL_BEFORE if isinstance(outcome, TakenBack) else SMALL_AFTER
    assert on_disk(bench.repository.work_tree) == expected
    last = 12
    assert stood == (moment <= last)
    assert isinstance(outcome, Written) == (moment >= last)


async def test_settling_leaves_and_names_what_somebody_wrote_since(
    bench: Workbench, tmp_path: Path
) -> None:
    work = await ready(bench, SMALL_BEFORE, SMALL_AFTER)
    barrier = tmp_path / "barrier"
    process = child(work.intention, barrier, FIRST_IN_PLACE)
    assert wait_for(barrier, process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert (bench.repository.work_tree / "a").read_bytes() == b"2\n"
    (bench.repository.work_tree / "a").write_bytes(b"later work\n")
    outcome = await settle(work.intention)
    assert isinstance(outcome, TakenBack)
    assert outcome.later == (b"a",)
    assert on_disk(bench.repository.work_tree) == {**SMALL_BEFORE, b"a": b"later work\n"}


async def test_settling_a_complete_application_keeps_it_and_names_later_work(
    bench: Workbench,
) -> None:
    work = await ready(bench, SMALL_BEFORE, SMALL_AFTER)
    await commit(work)
    (bench.repository.work_tree / "a").write_bytes(b"later work\n")
    outcome = await settle(work.intention)
    assert isinstance(outcome, Written)
    assert outcome.later == (b"a",)
    assert on_disk(bench.repository.work_tree) == {**SMALL_AFTER, b"a": b"later work\n"}


async def test_settling_what_never_began_changes_nothing(bench: Workbench) -> None:
    work = await ready(bench, SMALL_BEFORE, SMALL_AFTER)
    assert await settle(work.intention) == TakenBack(None)
    assert on_disk(bench.repository.work_tree) == SMALL_BEFORE


LOCKED_BEFORE: Files = {b"a": b"1\n", b"m/locked": b"1\n", b"z": b"1\n"}
LOCKED_AFTER: Files = {b"a": b"2\n", b"m/locked": b"2\n", b"z": b"2\n"}


async def test_a_read_only_folder_is_met_before_any_file_is_replaced(
    bench: Workbench, tmp_path: Path
) -> None:
    work = await ready(bench, LOCKED_BEFORE, LOCKED_AFTER)
    tree = bench.repository.work_tree
    (tree / "m").chmod(0o555)
    process = child(work.intention, tmp_path / "barrier", -1)
    said, _ = process.communicate(timeout=30)
    (tree / "m").chmod(0o755)
    assert said.split() == [Trouble.NOT_WRITABLE, "0", "0"]
    assert on_disk(tree) == LOCKED_BEFORE


async def test_a_folder_that_becomes_read_only_in_the_middle_takes_everything_back(
    bench: Workbench, tmp_path: Path
) -> None:
    work = await ready(bench, LOCKED_BEFORE, LOCKED_AFTER)
    tree = bench.repository.work_tree
    barrier = tmp_path / "barrier"
    # Three writes: started, beside, in place; the first one is in place.
    process = child(work.intention, barrier, 6)
    assert wait_for(barrier, process)
    assert (tree / "a").read_bytes() == b"2\n"
    (tree / "m").chmod(0o555)
    barrier.unlink()
    said, _ = process.communicate(timeout=30)
    (tree / "m").chmod(0o755)
    assert said.split() == [Trouble.NOT_WRITABLE, "1", "0"]
    # What was written beside cannot be removed from a folder that nobody may write.
    left = {path for path in on_disk(tree) if path.startswith(b"m/.sennit-")}
    assert {path: on_disk(tree)[path] for path in on_disk(tree).keys() - left} == LOCKED_BEFORE


async def test_a_file_that_cannot_be_put_back_is_kept_and_named(bench: Workbench) -> None:
    work = await ready(bench, {b"was": b"the text\n"}, {b"was/in": b"more text\n"})
    with no_file_longer_than(2):
        outcome = await commit(work)
    assert isinstance(outcome, TakenBack)
    [stuck] = outcome.stuck
    kept = Path(stuck.detail.rpartition(" ")[2])
    assert on_disk(kept.parent)[os.fsencode(kept.name)] == b"the text\n"
