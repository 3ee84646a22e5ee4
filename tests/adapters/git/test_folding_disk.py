"""On a disk that takes names for one which only case tells apart nothing is lost or taken twice."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from sennit.adapters.git.disk_abilities import abilities_of, tells_case_apart
from sennit.adapters.git.disk_write import commit, settle
from sennit.core.disk_application import (
    Moment,
    Staged,
    TakenBack,
    Trouble,
    Unstageable,
    Written,
)
from tests.adapters.git.begun import begin
from tests.adapters.git.bench import Bench, Guard, Tree
from tests.adapters.git.disk_bench import lay_out, on_disk, staged
from tests.adapters.git.made_trees import Executable, Files, Link, Workbench, workbench
from tests.folding_disk import folding_disk

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with folding_disk(tmp_path_factory.mktemp("disks") / "folding") as made:
        yield made


@pytest.fixture
def room(disk: Path, request: pytest.FixtureRequest) -> Path:
    made = disk / f"{abs(hash(request.node.nodeid)):x}"
    made.mkdir()
    return made


@pytest.fixture
async def bench(room: Path) -> Workbench:
    return await workbench(room)


def test_what_such_a_disk_can_do_is_found_out(room: Path) -> None:
    (room / "Name").touch()
    assert ("core.ignorecase", "true") in abilities_of(room)
    assert not tells_case_apart(os.fsencode(room))


async def test_a_file_that_the_disk_spells_otherwise_is_in_a_base_once(
    room: Path, environment: dict[str, str], bench: Workbench, guard: Guard
) -> None:
    tree = guard(Tree(room / "repo", environment))
    begin(tree, {"README": "hello\n", "src/a.py": "a = 1\n"})
    tree.git("config", "core.ignoreCase", "true")
    tree.path("README").unlink()
    tree.write("Readme", "hello\n")
    tree.write("SRC/b.py", "b = 1\n")
    user = Bench(tree, room / "bench", bench.git)
    snapshot = await user.snapshot()
    assert (await user.files_of(snapshot.commit)).keys() == {b"README", b"src/a.py", b"src/b.py"}


Change = tuple[Files, Files]
CHANGES: Mapping[str, Change] = {
    "a file": ({b"readme": b"r\n"}, {b"README": b"r\n"}),
    "a file that is edited": ({b"readme": b"r\n", b"b": b"b\n"}, {b"README": b"R\n", b"b": b"b\n"}),
    "a file that becomes a program": ({b"run": b"r\n"}, {b"RUN": Executable(b"r\n")}),
    "a file that becomes a link": ({b"readme": b"r\n"}, {b"README": Link(b"r")}),
    "a folder": ({b"src/a": b"a\n", b"src/d/b": b"b\n"}, {b"Src/a": b"a\n", b"Src/d/b": b"B\n"}),
    "a folder deep down": ({b"x/src/a": b"a\n"}, {b"x/Src/A": b"a\n"}),
    "a file that becomes a folder": ({b"readme": b"r\n"}, {b"README/all": b"r\n"}),
    "a folder that becomes a file": ({b"src/a": b"a\n", b"src/b": b"b\n"}, {b"SRC": b"s\n"}),
    "names that change places": (
        {b"a": b"first\n", b"B": b"second\n"},
        {b"A": b"second\n", b"b": b"first\n"},
    ),
}


@pytest.mark.parametrize("name", CHANGES)
async def test_a_name_that_changes_its_case_is_applied_and_taken_back(
    bench: Workbench, name: str
) -> None:
    before, after = CHANGES[name]
    top = bench.repository.work_tree
    lay_out(top, before)
    for there, here in ((before, after), (after, before)):
        work = await staged(bench, there, here)
        assert isinstance(work, Staged), work
        outcome = await commit(work)
        assert isinstance(outcome, Written), outcome
        assert outcome.later == ()
        assert on_disk(top) == here
        assert await settle(work.intention) == Written(outcome.paths, ())


@pytest.mark.parametrize("name", CHANGES)
async def test_a_change_of_case_that_is_stopped_anywhere_is_taken_back(
    bench: Workbench, name: str
) -> None:
    before, after = CHANGES[name]
    top = bench.repository.work_tree
    lay_out(top, before)
    work = await staged(bench, before, after)
    assert isinstance(work, Staged), work
    number = 0
    while not await _ended_at(work, number):
        outcome = await settle(work.intention)
        if isinstance(outcome, Written):
            # All was in place.
            assert outcome.later == ()
            break
        assert isinstance(outcome, TakenBack), outcome
        assert (outcome.later, outcome.stuck) == ((), ())
        assert on_disk(top) == before, number
        number += 1
    assert number > 2
    assert on_disk(top) == after


class _EndedError(Exception):
    pass


async def _ended_at(work: Staged, number: int) -> bool:
    """Stop at a moment, as a process does that is killed; True where it was through before."""
    moments: list[tuple[bytes, Moment]] = []

    def watcher(path: bytes, moment: Moment) -> None:
        moments.append((path, moment))
        if len(moments) > number:
            raise _EndedError

    try:
        await commit(work, watcher)
    except _EndedError:
        return False
    return True


IN_THE_WAY: Mapping[str, tuple[Files, Files, Files, set[Trouble]]] = {
    "a file that stays": (
        {b"readme": b"r\n"},
        {b"readme": b"r\n", b"README": b"new\n"},
        {},
        {Trouble.IN_THE_WAY, Trouble.NAME_COLLISION},
    ),
    "a file that nobody knows of": (
        {b"a": b"a\n"},
        {b"a": b"a\n", b"README": b"new\n"},
        {b"readme": b"the user's\n"},
        {Trouble.IN_THE_WAY},
    ),
    "a folder of which something stays": (
        {b"src/a": b"a\n", b"src/b": b"b\n"},
        {b"Src/a": b"a\n", b"src/b": b"b\n"},
        {},
        {Trouble.NAME_COLLISION},
    ),
    "a folder of which something untracked stays": (
        {b"src/a": b"a\n"},
        {b"Src/a": b"A\n"},
        {b"src/notes": b"the user's\n"},
        {Trouble.NAME_COLLISION},
    ),
    "a file that was edited": (
        {b"readme": b"r\n"},
        {b"README": b"r\n"},
        {b"readme": b"the user's\n"},
        {Trouble.CHANGED},
    ),
    "two names for one": (
        {b"a": b"a\n"},
        {b"a": b"a\n", b"New": b"1\n", b"NEW": b"2\n"},
        {},
        {Trouble.NAME_COLLISION},
    ),
}


@pytest.mark.parametrize("name", IN_THE_WAY)
async def test_what_such_a_disk_cannot_hold_is_refused_and_nothing_is_written(
    bench: Workbench, name: str
) -> None:
    before, after, users, wanted = IN_THE_WAY[name]
    top = bench.repository.work_tree
    lay_out(top, before)
    lay_out(top, users)
    was = on_disk(top)
    refused = await staged(bench, before, after)
    assert isinstance(refused, Unstageable), refused
    assert {one.trouble for one in refused.troubles} & wanted
    assert on_disk(top) == was
