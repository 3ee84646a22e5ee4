"""Applications to a work tree: all or nothing, also when killed, obstructed or tricked."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from sennit.adapters.git.disk_write import commit, discard
from sennit.core.disk_application import (
    Moment,
    Staged,
    TakenBack,
    Trouble,
    Watcher,
    Written,
    intention_from,
    intention_text,
)
from tests.adapters.git.disk_bench import AFTER, BEFORE, lay_out, on_disk, ready, staged
from tests.adapters.git.made_trees import (
    Executable,
    Files,
    Workbench,
    run_git,
    workbench,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
async def bench(tmp_path: Path) -> Workbench:
    return await workbench(tmp_path)


async def test_every_kind_of_change_is_written(bench: Workbench) -> None:
    work = await ready(bench)
    assert on_disk(bench.repository.work_tree) == BEFORE
    outcome = await commit(work)
    assert isinstance(outcome, Written), outcome
    assert on_disk(bench.repository.work_tree) == AFTER
    await discard(work.intention)
    assert not list(bench.store.root.glob("applications/*"))


async def test_applying_back_gives_every_byte_back(bench: Workbench) -> None:
    work = await ready(bench)
    await commit(work)
    await discard(work.intention)
    back = await staged(bench, AFTER, BEFORE)
    assert isinstance(back, Staged), back
    assert isinstance(await commit(back), Written)
    assert on_disk(bench.repository.work_tree) == BEFORE


async def test_an_intention_survives_its_journal(bench: Workbench) -> None:
    work = await ready(bench)
    assert intention_from(intention_text(work.intention)) == work.intention


async def test_a_file_keeps_its_permissions_but_for_the_executable_bit(bench: Workbench) -> None:
    lay_out(bench.repository.work_tree, {b"secret": b"1", b"run": b"2"})
    (bench.repository.work_tree / "secret").chmod(0o600)
    (bench.repository.work_tree / "run").chmod(0o640)
    work = await staged(
        bench, {b"secret": b"1", b"run": b"2"}, {b"secret": b"x", b"run": Executable(b"2")}
    )
    assert isinstance(work, Staged)
    await commit(work)
    modes = [
        stat.S_IMODE((bench.repository.work_tree / name).stat().st_mode)
        for name in ("secret", "run")
    ]
    assert modes == [0o600, 0o750]


async def test_line_endings_on_disk_are_those_that_git_would_check_out(bench: Workbench) -> None:
    rules = {b".gitattributes": b"*.txt text eol=crlf\n"}
    lay_out(bench.repository.work_tree, {**rules, b"a.txt": b"one\r\ntwo\r\n"})
    work = await staged(
        bench,
        {**rules, b"a.txt": b"one\ntwo\n"},
        {**rules, b"a.txt": b"one\n2\n", b"b.txt": b"n\n"},
    )
    assert isinstance(work, Staged), work
    await commit(work)
    assert on_disk(bench.repository.work_tree) == {
        **rules,
        b"a.txt": b"one\r\n2\r\n",
        b"b.txt": b"n\r\n",
    }


@pytest.mark.parametrize(
    ("content", "becomes"),
    [
        (b"one\r\ntwo\r\nthree\r\n", b"one\r\n2\r\nthree\r\n"),
        (b"one\r\ntwo\nthree\r\n", b"one\r\n2\nthree\r\n"),
        (b"one\ntwo\nthree\n", b"one\n2\nthree\n"),
        (b"one\r\ntwo\r\nthree", b"one\r\n2\r\nthree"),
    ],
)
async def test_lines_that_do_not_change_keep_the_endings_that_git_would_not_write(
    bench: Workbench, content: bytes, becomes: bytes
) -> None:
    rules = {b".gitattributes": b"* text=auto\n"}
    lay_out(bench.repository.work_tree, {**rules, b"a.txt": content})
    clean = content.replace(b"\r\n", b"\n")
    after = clean.replace(b"two", b"2")
    work = await staged(bench, {**rules, b"a.txt": clean}, {**rules, b"a.txt": after})
    assert isinstance(work, Staged), work
    await commit(work)
    assert on_disk(bench.repository.work_tree) == {**rules, b"a.txt": becomes}


async def test_attributes_that_the_edit_brings_count_for_its_files(bench: Workbench) -> None:
    lay_out(bench.repository.work_tree, {b"a": b"x\n"})
    after: Files = {b"a": b"x\n", b"d/.gitattributes": b"*.txt text eol=crlf\n", b"d/n.txt": b"n\n"}
    work = await staged(bench, {b"a": b"x\n"}, after)
    assert isinstance(work, Staged)
    await commit(work)
    assert (bench.repository.work_tree / "d/n.txt").read_bytes() == b"n\r\n"


@pytest.mark.parametrize("place", [b".gitattributes", b"d/.gitattributes"])
async def test_attributes_that_the_edit_brings_change_no_line_that_nobody_edited(
    bench: Workbench, place: bytes
) -> None:
    lay_out(bench.repository.work_tree, {b"d/a.txt": b"one\ntwo\n"})
    rules = {place: b"*.txt text eol=crlf\n"}
    before: Files = {b"d/a.txt": b"one\ntwo\n"}
    work = await staged(bench, before, {**rules, b"d/a.txt": b"one\n2\n"})
    assert isinstance(work, Staged)
    await commit(work)
    assert on_disk(bench.repository.work_tree) == {**rules, b"d/a.txt": b"one\n2\n"}


async def test_attributes_that_the_edit_takes_away_change_no_line_that_nobody_edited(
    bench: Workbench,
) -> None:
    rules = {b"d/.gitattributes": b"*.txt text eol=crlf\n"}
    lay_out(bench.repository.work_tree, {**rules, b"d/a.txt": b"one\r\ntwo\r\n"})
    work = await staged(bench, {**rules, b"d/a.txt": b"one\ntwo\n"}, {b"d/a.txt": b"one\n2\n"})
    assert isinstance(work, Staged)
    await commit(work)
    assert on_disk(bench.repository.work_tree) == {b"d/a.txt": b"one\r\n2\r\n"}


def at(place: bytes, when: Moment, act: Callable[[], object]) -> Watcher:
    """Do something to the work tree at one moment of an application."""

    def watcher(path: bytes, moment: Moment) -> None:
        if (path, moment) == (place, when):
            act()

    return watcher


async def test_a_file_that_changes_meanwhile_stops_and_keeps_its_new_text(
    bench: Workbench,
) -> None:
    work = await ready(bench)
    edited = bench.repository.work_tree / "edit"
    act = at(b"edit", Moment.BESIDE, lambda: edited.write_bytes(b"the user's\n"))
    outcome = await commit(work, act)
    assert isinstance(outcome, TakenBack)
    assert outcome.cause is not None
    assert (outcome.cause.path, outcome.cause.trouble) == (b"edit", Trouble.CHANGED)
    assert outcome.later == (b"edit",)
    assert not outcome.stuck
    assert on_disk(bench.repository.work_tree) == {**BEFORE, b"edit": b"the user's\n"}


async def test_a_file_that_appears_meanwhile_is_not_overwritten(bench: Workbench) -> None:
    work = await ready(bench)
    new = bench.repository.work_tree / "new/run"
    act = at(b"new/run", Moment.BESIDE, lambda: new.write_bytes(b"the user's\n"))
    outcome = await commit(work, act)
    assert isinstance(outcome, TakenBack)
    assert outcome.later == (b"new/run",)
    assert on_disk(bench.repository.work_tree) == {**BEFORE, b"new/run": b"the user's\n"}


async def test_what_another_server_has_written_meanwhile_is_not_taken_back(
    bench: Workbench,
) -> None:
    first = await ready(bench)
    second = await staged(bench, BEFORE, AFTER, "a_2")
    assert isinstance(second, Staged)
    assert isinstance(await commit(first), Written)
    outcome = await commit(second)
    assert isinstance(outcome, TakenBack)
    assert (outcome.restored, outcome.stuck) == ((), ())
    assert on_disk(bench.repository.work_tree) == AFTER


async def test_only_what_was_written_is_taken_back_where_another_made_the_same_change(
    bench: Workbench,
) -> None:
    work = await ready(bench, {b"a": b"1", b"b": b"1", b"c": b"1"}, {b"a": b"2", b"b": b"2"})
    tree = bench.repository.work_tree

    def other() -> None:
        (tree / "b").write_bytes(b"2")
        (tree / "c").unlink()

    outcome = await commit(work, at(b"a", Moment.IN_PLACE, other))
    assert isinstance(outcome, TakenBack)
    assert outcome.restored == (b"a",)
    assert on_disk(tree) == {b"a": b"1", b"b": b"2"}


async def test_a_work_tree_that_is_gone_is_told(bench: Workbench) -> None:
    work = await ready(bench)
    away = bench.repository.work_tree.rename(bench.repository.work_tree.with_name("away"))
    outcome = await commit(work)
    away.rename(bench.repository.work_tree)
    assert isinstance(outcome, TakenBack)
    assert outcome.cause is not None
    assert str(bench.repository.work_tree) in outcome.cause.detail
    assert on_disk(bench.repository.work_tree) == BEFORE


async def test_a_store_that_fails_at_the_end_does_not_undo_what_is_written(
    bench: Workbench,
) -> None:
    work = await ready(bench, {}, {b"a": b"1"})
    folder = Path(os.fsdecode(work.intention.folder))
    outcome = await commit(work, at(b"a", Moment.IN_PLACE, lambda: shutil.rmtree(folder)))
    assert outcome == Written((b"a",))
    assert on_disk(bench.repository.work_tree) == {b"a": b"1"}


async def test_an_empty_folder_gives_way_to_a_file(bench: Workbench) -> None:
    (bench.repository.work_tree / "a").mkdir()
    work = await staged(bench, {}, {b"a": b"1\n"})
    assert isinstance(work, Staged)
    assert isinstance(await commit(work), Written)
    assert on_disk(bench.repository.work_tree) == {b"a": b"1\n"}


async def test_a_folder_that_is_filled_meanwhile_does_not_give_way(bench: Workbench) -> None:
    (bench.repository.work_tree / "a").mkdir()
    work = await staged(bench, {}, {b"a": b"1\n"})
    assert isinstance(work, Staged)
    (bench.repository.work_tree / "a" / "mine").write_bytes(b"x")
    outcome = await commit(work)
    assert isinstance(outcome, TakenBack)
    assert on_disk(bench.repository.work_tree) == {b"a/mine": b"x"}


async def test_a_folder_replaced_by_a_link_meanwhile_leads_nowhere(
    bench: Workbench, tmp_path: Path
) -> None:
    before: Files = {b"d/f": b"1\n", b"a": b"1\n"}
    work = await ready(bench, before, {b"d/f": b"2\n", b"a": b"2\n"})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_bytes(b"1\n")
    folder = bench.repository.work_tree / "d"

    def replace() -> None:
        folder.rename(tmp_path / "moved")
        folder.symlink_to(outside)

    last = work.intention.steps[-1].path
    outcome = await commit(work, at(last, Moment.STARTED, replace))
    assert isinstance(outcome, TakenBack)
    assert outcome.cause is not None
    assert outcome.cause.trouble is Trouble.THROUGH_LINK
    assert [one.name for one in outside.iterdir()] == ["f"]
    assert (outside / "f").read_bytes() == b"1\n"
    assert (bench.repository.work_tree / "a").read_bytes() == b"1\n"


async def test_a_user_with_autocrlf_gets_crlf_and_unchanged_files_are_recognised(
    bench: Workbench, tmp_path: Path
) -> None:
    (tmp_path / ".gitconfig").write_text("[core]\n\tautocrlf = true\n")
    lay_out(bench.repository.work_tree, {b"a": b"one\r\n"})
    work = await staged(bench, {b"a": b"one\n"}, {b"a": b"two\n"})
    assert isinstance(work, Staged), work
    await commit(work)
    assert on_disk(bench.repository.work_tree) == {b"a": b"two\r\n"}


async def test_the_users_git_directory_is_not_touched(bench: Workbench) -> None:
    git_dir = bench.repository.git_dir
    listed = {path: path.lstat().st_mtime_ns for path in git_dir.rglob("*")}
    work = await ready(bench)
    await commit(work)
    assert {path: path.lstat().st_mtime_ns for path in git_dir.rglob("*")} == listed
    assert run_git(bench.repository.work_tree, "stash", "list") == ""
