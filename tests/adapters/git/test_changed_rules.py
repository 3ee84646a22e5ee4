"""Files are written under the rules that an edit brings, where it changes rules that are there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sennit.adapters.git.disk_write import commit
from sennit.core.disk_application import Staged, Trouble, Unstageable
from tests.adapters.git.disk_bench import lay_out, on_disk, staged
from tests.adapters.git.made_trees import Files, Link, Workbench, workbench

pytestmark = pytest.mark.anyio

OLD = b"*.c text\n"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:%d\nsize 1\n"


@pytest.fixture
async def bench(tmp_path: Path) -> Workbench:
    return await workbench(tmp_path)


async def applied(bench: Workbench, before: Files, after: Files) -> Files:
    lay_out(bench.repository.work_tree, before)
    work = await staged(bench, before, after)
    assert isinstance(work, Staged), work
    await commit(work)
    assert not list(bench.store.scratch.iterdir())
    return on_disk(bench.repository.work_tree)


@pytest.mark.parametrize("place", [b"", b"d/", b"d/deep/"])
async def test_a_rule_that_is_added_to_others_counts_for_new_files(
    bench: Workbench, place: bytes
) -> None:
    before: Files = {place + b".gitattributes": OLD, place + b"a.c": b"a\n"}
    rules = {place + b".gitattributes": OLD + b"*.bat text eol=crlf\n"}
    found = await applied(bench, before, {**before, **rules, place + b"run.bat": b"x\ny\n"})
    assert found == {**before, **rules, place + b"run.bat": b"x\r\ny\r\n"}


async def test_a_rule_that_is_taken_away_from_others_counts_no_more(bench: Workbench) -> None:
    before: Files = {b".gitattributes": OLD + b"*.bat text eol=crlf\n"}
    after: Files = {b".gitattributes": OLD, b"run.bat": b"x\n"}
    assert await applied(bench, before, after) == after


async def test_rules_that_go_as_a_whole_count_no_more(bench: Workbench) -> None:
    before: Files = {b"d/.gitattributes": b"* text eol=crlf\n", b"d/a": b"a"}
    after: Files = {b"d/a": b"a", b"d/b": b"x\n"}
    assert await applied(bench, before, after) == after


async def test_a_file_gets_the_encoding_that_a_changed_rule_gives_it(bench: Workbench) -> None:
    before: Files = {b".gitattributes": OLD}
    rules = {b".gitattributes": OLD + b"*.txt text working-tree-encoding=UTF-16LE-BOM\n"}
    found = await applied(bench, before, {**rules, b"a.txt": b"x\n"})
    assert found == {**rules, b"a.txt": b"\xff\xfex\0\n\0"}


async def test_rules_in_a_folder_that_was_a_link_or_a_file_count(
    bench: Workbench, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / ".gitattributes").write_bytes(b"* -text\n")
    before: Files = {b"link": Link(os.fsencode(outside)), b"file": b"f\n"}
    rules = b"* text eol=crlf\n"
    after: Files = {
        b"link/.gitattributes": rules,
        b"link/a": b"x\n",
        b"file/.gitattributes": rules,
        b"file/a": b"x\n",
    }
    found = await applied(bench, before, after)
    assert (found[b"link/a"], found[b"file/a"]) == (b"x\r\n", b"x\r\n")
    assert [one.name for one in outside.iterdir()] == [".gitattributes"]


@pytest.mark.parametrize("before", [{}, {b".gitattributes": OLD}], ids=["new", "changed"])
async def test_a_pointer_of_lfs_is_not_written_under_a_rule_that_the_edit_brings(
    bench: Workbench, before: Files
) -> None:
    lay_out(bench.repository.work_tree, before)
    rules = {b".gitattributes": OLD + b"*.bin filter=lfs\n"}
    work = await staged(bench, before, {**rules, b"new.bin": POINTER % 2})
    assert isinstance(work, Unstageable), work
    assert [(one.path, one.trouble) for one in work.troubles] == [(b"new.bin", Trouble.LFS)]


async def test_a_filter_finds_what_it_keeps_in_the_work_tree(
    bench: Workbench, tmp_path: Path
) -> None:
    (tmp_path / ".gitconfig").write_text('[filter "table"]\n\tsmudge = sed -f tools/table\n')
    before: Files = {b".gitattributes": OLD, b"tools/table": b"s/x/y/\n"}
    rules = {b".gitattributes": OLD + b"*.t filter=table\n"}
    found = await applied(bench, before, {**before, **rules, b"a.t": b"x\n"})
    assert found[b"a.t"] == b"y\n"
