"""Files that git does not look for on the disk: found, written whole, taken away again."""

from __future__ import annotations

from pathlib import Path

import pytest

from sennit.adapters.git.disk_stage import Job, stage
from sennit.adapters.git.disk_write import commit, discard
from sennit.adapters.git.unwritten import flagged_among, unwritten_among
from sennit.core.disk_application import Staged, Trouble, Unstageable, Written
from tests.adapters.git.bench import Bench
from tests.adapters.git.disk_bench import lay_out, on_disk
from tests.adapters.git.made_trees import Executable, Files, Workbench, workbench

pytestmark = pytest.mark.anyio

NAMES = (b"assumed", b"skipped", b"plain", b"there", b"out/side")


@pytest.fixture
async def desk(tmp_path: Path) -> Workbench:
    return await workbench(tmp_path)


async def test_only_what_git_is_told_not_to_look_for_counts_as_unwritten(bench: Bench) -> None:
    tree = bench.tree
    for name in NAMES:
        tree.write(name, name)
    tree.commit()
    head = tree.git("rev-parse", "HEAD^{tree}").decode().strip()
    tree.git("sparse-checkout", "set", "--no-cone", "/*", "!/out/")
    tree.git("update-index", "--assume-unchanged", "assumed", "there")
    tree.git("update-index", "--skip-worktree", "skipped")
    for gone in ("assumed", "skipped", "plain"):
        tree.path(gone).unlink()
    repository = await bench.repository()
    given = (bench.git, await bench.store(), repository)
    found = await unwritten_among(*given, head, (*NAMES, b"unknown"))
    assert isinstance(found, dict), found
    assert found.keys() == {b"assumed", b"skipped", b"out/side"}
    # Git itself forgets the flag of such a file as soon as it is there.
    tree.write("out/side", b"there all the same")
    flagged = await flagged_among(bench.git, repository, NAMES)
    assert isinstance(flagged, frozenset), flagged
    assert flagged == {b"assumed", b"skipped", b"there", b"out/side"}


BEFORE: Files = {b"out/edit": b"one\n", b"out/run": b"#!\n", b"here": b"h\n"}
AFTER: Files = {b"out/edit": b"two\n", b"out/run": Executable(b"#!\n"), b"here": b"i\n"}
OUT = frozenset({b"out/edit", b"out/run"})


async def test_what_is_not_there_is_written_whole_and_taken_away_again(desk: Workbench) -> None:
    before, after = await desk.tree(BEFORE), await desk.tree(AFTER)
    lay_out(desk.repository.work_tree, {b"here": b"h\n"})
    forth = Job("a_1", before, after, unwritten=OUT)
    back = Job("a_2", after, before, taken_away=OUT)
    for job, becomes in ((forth, AFTER), (back, {b"here": b"h\n"})):
        ready = await stage(desk.git, desk.store, desk.repository, job)
        assert isinstance(ready, Staged), ready
        assert isinstance(await commit(ready), Written)
        await discard(ready.intention)
        assert on_disk(desk.repository.work_tree) == becomes


@pytest.mark.parametrize(
    ("lies", "after", "trouble"),
    [
        ({}, {b"here": b"h\n"}, Trouble.UNWRITTEN),
        ({b"out/edit": b"one\n"}, AFTER, Trouble.IN_THE_WAY),
        ({b"out/edit/mine": b"x"}, AFTER, Trouble.FOLDER_NOT_EMPTY),
    ],
    ids=["to be deleted", "come meanwhile", "a folder"],
)
async def test_what_cannot_be_written_so_is_told(
    desk: Workbench, lies: Files, after: Files, trouble: Trouble
) -> None:
    laid = {b"here": b"h\n", **lies}
    lay_out(desk.repository.work_tree, laid)
    job = Job("a_1", await desk.tree(BEFORE), await desk.tree(after), unwritten=OUT)
    answer = await stage(desk.git, desk.store, desk.repository, job)
    assert isinstance(answer, Unstageable), answer
    assert (b"out/edit", trouble) in {(one.path, one.trouble) for one in answer.troubles}
    assert on_disk(desk.repository.work_tree) == laid


async def test_what_was_changed_is_not_taken_away(desk: Workbench) -> None:
    lay_out(desk.repository.work_tree, {**AFTER, b"out/edit": b"two\nmine\n"})
    job = Job("a_1", await desk.tree(AFTER), await desk.tree(BEFORE), taken_away=OUT)
    answer = await stage(desk.git, desk.store, desk.repository, job)
    assert isinstance(answer, Unstageable), answer
    assert [(one.path, one.trouble) for one in answer.troubles] == [(b"out/edit", Trouble.CHANGED)]
