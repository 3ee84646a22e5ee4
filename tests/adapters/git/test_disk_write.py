"""Applications to a work tree: all or nothing, also when killed, obstructed or tricked."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sennit.adapters.git.disk_stage import Job, stage
from sennit.adapters.git.disk_write import commit, discard, settle
from sennit.core.disk_application import (
    Intention,
    Moment,
    Staged,
    TakenBack,
    Trouble,
    Unstageable,
    Watcher,
    Written,
    intention_from,
    intention_text,
)
from sennit.core.objects import GitFailed
from tests.adapters.git.made_trees import (
    Content,
    Executable,
    Files,
    Link,
    Pointer,
    Workbench,
    run_git,
    workbench,
)

pytestmark = pytest.mark.anyio

CHILD = Path(__file__).with_name("disk_child.py")
ROOT = Path(__file__).parents[3]


@pytest.fixture
async def bench(tmp_path: Path) -> Workbench:
    return await workbench(tmp_path)


def lay_out(work_tree: Path, files: Files) -> None:
    for path, content in files.items():
        where = work_tree / os.fsdecode(path)
        where.parent.mkdir(parents=True, exist_ok=True)
        match content:
            case Link(target):
                where.symlink_to(os.fsdecode(target))
            case Executable(inner):
                where.write_bytes(inner)
                where.chmod(0o755)
            case bytes():
                where.write_bytes(content)
            case Pointer():
                where.mkdir()


def on_disk(work_tree: Path) -> dict[bytes, Content]:
    """Read everything below a work tree but its git directory, folders that are empty too."""
    found: dict[bytes, Content] = {}
    for folder, folders, names in os.walk(os.fsencode(work_tree)):
        if b".git" in folders:
            folders.remove(b".git")
        for name in [*names, *folders]:
            path = Path(os.fsdecode(folder + b"/" + name))
            key = os.fsencode(path.relative_to(work_tree))
            status = path.lstat()
            if stat.S_ISLNK(status.st_mode):
                found[key] = Link(os.fsencode(path.readlink()))
            elif stat.S_ISREG(status.st_mode):
                content = path.read_bytes()
                found[key] = Executable(content) if status.st_mode & 0o100 else content
        if not folders and not names:
            found[os.path.relpath(folder, os.fsencode(work_tree)) + b"/"] = b""
    return found


BEFORE: Files = {
    b"edit": b"one\ntwo\n",
    b"gone/deep/file": b"x\n",
    b"mode": b"#!\n",
    b"link": Link(b"old"),
    b"was-file": b"f\n",
    b"was-folder/a": b"a\n",
    b"was-folder/b/c": b"c\n",
    b"binary": b"\0\1",
    b'name\nwith "odd" \xff': b"x",
    b"keep": b"untouched\r\n",
    b"type": b"text\n",
}
AFTER: Files = {
    b"edit": b"one\n2",
    b"mode": Executable(b"#!\n"),
    b"link": Link(b"new"),
    b"was-file/inside": b"i\n",
    b"was-folder": b"now a file\n",
    b"binary": b"\0\2",
    b'name\nwith "odd" \xff': b"y",
    b"keep": b"untouched\r\n",
    b"type": Link(b"text"),
    b"new/a/b": b"",
    b"new/run": Executable(b"#!/bin/sh\n"),
}


async def staged(bench: Workbench, before: Files, after: Files) -> Staged | Unstageable:
    job = Job("a_1", await bench.tree(before), await bench.tree(after))
    answer = await stage(bench.git, bench.store, bench.repository, job)
    assert not isinstance(answer, GitFailed), answer
    return answer


async def ready(bench: Workbench, before: Files = BEFORE, after: Files = AFTER) -> Staged:
    lay_out(bench.repository.work_tree, before)
    answer = await staged(bench, before, after)
    assert isinstance(answer, Staged), answer
    return answer


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


async def troubles(bench: Workbench, before: Files, after: Files) -> dict[bytes, Trouble]:
    seen = on_disk(bench.repository.work_tree)
    answer = await staged(bench, before, after)
    assert isinstance(answer, Unstageable), answer
    assert on_disk(bench.repository.work_tree) == seen
    assert all(one.detail for one in answer.troubles)
    return {one.path: one.trouble for one in answer.troubles}


async def test_everything_in_the_way_is_told_at_once_and_nothing_is_written(
    bench: Workbench, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    tree = bench.repository.work_tree
    lay_out(
        tree,
        {
            b"changed": b"by the user\n",
            b"new": b"the user's own\n",
            b"mode": Executable(b"m\n"),
            b"folder/ignored.o": b"o",
            b"folder/known": b"k",
        },
    )
    (tree / "linked").symlink_to(outside)
    os.mkfifo(tree / "pipe")
    before: Files = {
        b"changed": b"c\n",
        b"gone": b"g\n",
        b"mode": b"m\n",
        b"folder/known": b"k",
        b"pipe": b"p",
    }
    after: Files = {
        b"changed": b"d\n",
        b"gone": b"h\n",
        b"mode": b"n\n",
        b"new": b"n\n",
        b"linked/in": b"i\n",
        b"folder": b"f\n",
        b"pipe": b"q",
    }
    answer = await staged(bench, before, after)
    assert isinstance(answer, Unstageable), answer
    assert {one.path: one.trouble for one in answer.troubles} == {
        b"changed": Trouble.CHANGED,
        b"gone": Trouble.CHANGED,
        b"mode": Trouble.CHANGED,
        b"new": Trouble.IN_THE_WAY,
        b"linked/in": Trouble.THROUGH_LINK,
        b"folder": Trouble.FOLDER_NOT_EMPTY,
        b"pipe": Trouble.IN_THE_WAY,
    }
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    "path",
    [
        b".git/hooks/x",
        b".GIT/x",
        b"a/.git",
        b"git~1/x",
        b".git./x",
        ".g\u200cit/x".encode(),
        b".git::$INDEX_ALLOCATION/x",
        b"a\\.git\\x",
    ],
)
async def test_git_in_any_spelling_is_refused(bench: Workbench, path: bytes) -> None:
    assert await troubles(bench, {}, {path: b"x"}) == {path: Trouble.REFUSED_NAME}


async def test_a_submodule_is_not_written(bench: Workbench) -> None:
    assert await troubles(bench, {}, {b"s": Pointer("1" * 40)}) == {b"s": Trouble.SUBMODULE}


async def test_a_pointer_of_lfs_is_never_written_over_content(bench: Workbench) -> None:
    rules = {b".gitattributes": b"*.bin filter=lfs\n"}
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:%d\nsize 1\n"
    lay_out(bench.repository.work_tree, {**rules, b"new.bin": b"real content"})
    (bench.repository.work_tree / "new.bin").unlink()
    assert await troubles(bench, rules, {**rules, b"new.bin": pointer % 2}) == {
        b"new.bin": Trouble.LFS
    }


async def test_names_that_differ_by_case_are_named(bench: Workbench) -> None:
    lay_out(bench.repository.work_tree, {b"Readme": b"1"})
    work = await staged(bench, {b"Readme": b"1"}, {b"Readme": b"1", b"README": b"2"})
    assert isinstance(work, Staged)
    assert work.collisions == ((b"README", b"Readme"),)


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


# Two deletions of two moments each, then three writes: all started, all beside, all in place.
FIRST_IN_PLACE = 10


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
