"""Disks that keep no modes or no links, as git is told by ``core.fileMode`` and ``core.symlinks``.

There every file may look like a program, and a link is a file that holds its target.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest
from attrs import evolve

from sennit.adapters.git.disk_write import commit, settle
from sennit.core.disk_application import (
    Moment,
    Staged,
    TakenBack,
    Trouble,
    Unstageable,
    Written,
    intention_from,
    intention_text,
)
from tests.adapters.git.disk_bench import lay_out, on_disk, staged
from tests.adapters.git.made_trees import Executable, Files, Link, Workbench, workbench

pytestmark = pytest.mark.anyio

PROGRAM = 0o777
BEFORE: Files = {b"a": b"1\n", b"gone": b"x\n", b"stays": b"y\n"}
AFTER: Files = {b"a": b"2\n", b"new": b"n\n", b"stays": b"y\n"}


@pytest.fixture
async def bench(tmp_path: Path) -> Workbench:
    return await workbench(tmp_path)


@pytest.fixture
def without_modes(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    """The disk of the work tree takes every file for a program, and no mode for any."""

    def refuse(_handle: int, _mode: int) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "fchmod", refuse)
    store = evolve(bench.store, users_disk=(("core.filemode", "False"),))
    return evolve(bench, store=store)


def as_programs(work_tree: Path, files: Files) -> None:
    lay_out(work_tree, files)
    for path in work_tree.iterdir():
        if path.is_file():
            path.chmod(PROGRAM)


async def ready(bench: Workbench) -> Staged:
    as_programs(bench.repository.work_tree, BEFORE)
    work = await staged(bench, BEFORE, AFTER)
    assert isinstance(work, Staged), work
    return work


async def test_files_are_written_where_every_file_looks_like_a_program(
    without_modes: Workbench,
) -> None:
    work = await ready(without_modes)
    outcome = await commit(work)
    assert isinstance(outcome, Written), outcome
    top = without_modes.repository.work_tree
    assert {path.name: path.read_bytes() for path in top.iterdir() if path.is_file()} == {
        "a": b"2\n",
        "new": b"n\n",
        "stays": b"y\n",
    }


async def test_a_file_keeps_the_executable_bit_at_which_git_does_not_look(
    bench: Workbench,
) -> None:
    store = evolve(bench.store, users_disk=(("core.filemode", "false"),))
    work = await ready(evolve(bench, store=store))
    assert isinstance(await commit(work), Written)
    mode = stat.S_IMODE((bench.repository.work_tree / "a").stat().st_mode)
    assert mode == PROGRAM


async def test_what_was_cut_off_there_is_recognised_and_taken_back(
    without_modes: Workbench,
) -> None:
    work = await ready(without_modes)
    top = without_modes.repository.work_tree

    def spoil(path: bytes, moment: Moment) -> None:
        if moment is Moment.IN_PLACE:
            (top / os.fsdecode(path)).chmod(PROGRAM)
        if (path, moment) == (b"new", Moment.IN_PLACE):
            (top / "gone").write_bytes(b"typed meanwhile\n")

    outcome = await commit(work, spoil)
    assert isinstance(outcome, TakenBack), outcome
    assert set(outcome.restored) == {b"a", b"new"}
    assert (top / "a").read_bytes() == b"1\n"
    assert not (top / "new").exists()


async def test_what_was_done_there_counts_as_done_after_a_crash(without_modes: Workbench) -> None:
    work = await ready(without_modes)
    await commit(work)
    (without_modes.repository.work_tree / "new").chmod(PROGRAM)
    read = intention_from(intention_text(work.intention))
    assert read == work.intention
    assert await settle(read) == Written(tuple(step.path for step in read.steps))


async def test_a_disk_that_keeps_modes_and_refuses_one_is_not_taken_for_another(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(bench.repository.work_tree, {b"a": b"1\n"})
    work = await staged(bench, {b"a": b"1\n"}, {b"a": Executable(b"1\n")})
    assert isinstance(work, Staged)

    def refuse(_handle: int, _mode: int) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "fchmod", refuse)
    outcome = await commit(work)
    assert isinstance(outcome, TakenBack)
    assert outcome.cause is not None
    assert outcome.cause.trouble is Trouble.NOT_WRITABLE


@pytest.mark.parametrize("after", [Link(b"other"), b"a file\n"], ids=["link", "file"])
async def test_where_links_are_files_a_link_is_written_as_one(
    bench: Workbench, after: Link | bytes
) -> None:
    store = evolve(bench.store, users_disk=(("core.symlinks", "false"),))
    lay_out(bench.repository.work_tree, {b"link": b"target"})
    work = await staged(evolve(bench, store=store), {b"link": Link(b"target")}, {b"link": after})
    assert isinstance(work, Staged), work
    assert isinstance(await commit(work), Written)
    content = after.target if isinstance(after, Link) else after
    assert on_disk(bench.repository.work_tree) == {b"link": content}


async def test_where_links_are_kept_a_file_is_no_link(bench: Workbench) -> None:
    lay_out(bench.repository.work_tree, {b"link": b"target"})
    work = await staged(bench, {b"link": Link(b"target")}, {b"link": Link(b"other")})
    assert isinstance(work, Unstageable)
