"""A change cut at random and folded in any order, over trees made up here; see ``tests.replay``."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from attrs import evolve

from sennit.adapters.git.merges import merge_trees
from sennit.core.objects import Conflict, Conflicted, ConflictKind, GitFailed, Merged, MergeResult
from sennit.core.reconciliation import MergeWanted
from tests.adapters.git.made_trees import AT, Executable, Files, Link, Workbench, workbench
from tests.replay.folding import (
    Figures,
    change_between,
    compare,
    replay,
    replay_over_a_third_party,
)

pytestmark = pytest.mark.anyio


def lines(name: str, *changed: int) -> bytes:
    return b"".join(
        f"{name} {number}{' changed' if number in changed else ''}\n".encode()
        for number in range(80)
    )


BEFORE: Files = {
    **{b"src/%d.py" % n: lines(str(n)) for n in range(6)},
    b"gone": b"gone\n",
    b"program": b"#!/bin/sh\n",
    b"link": Link(b"a"),
    b"image": b"\0one",
    b"old": lines("moved"),
    b"file": b"becomes a folder\n",
}
AFTER: Files = {
    **{b"src/%d.py" % n: lines(str(n), *range(n, 80, 9 + n)) for n in range(6)},
    b"new/file": b"new\n",
    b"program": Executable(b"#!/bin/sh\n"),
    b"link": Link(b"b"),
    b"image": b"\0two",
    b"moved": lines("moved", 3, 40),
    b"file/inside": b"a folder now\n",
}


async def test_a_change_that_was_cut_up_is_exactly_itself_again_in_any_order(
    tmp_path: Path,
) -> None:
    bench = await workbench(tmp_path)
    change = await change_between(bench, BEFORE, AFTER)
    figures, random = Figures(), Random(4)
    await replay(bench, change, random, figures)
    assert (figures.exact, figures.wrong, figures.differing) == (3, [], [])


async def test_over_somebody_elses_edits_no_merge_differs_from_gits(tmp_path: Path) -> None:
    bench = await workbench(tmp_path)
    change = await change_between(bench, BEFORE, AFTER)
    figures = Figures()
    await replay_over_a_third_party(bench, change, Random(4), figures)
    assert figures.merges
    assert not figures.differing


async def differing(bench: Workbench, wanted: MergeWanted, result: MergeResult) -> int:
    figures = Figures()
    compare(bench, wanted, result, figures)
    return len(figures.differing)


async def test_a_conflict_that_git_has_not_or_has_otherwise_is_told(tmp_path: Path) -> None:
    bench = await workbench(tmp_path)
    base, ours, theirs, beside = [
        await bench.tree(files)
        for files in (
            {b"a": lines("a"), b"b": b"b\n"},
            {b"a": lines("a", 3), b"b": b"ours\n"},
            {b"a": lines("a", 40), b"b": b"theirs\n"},
            {b"a": lines("a", 40), b"b": b"b\n"},
        )
    ]
    clean, clash = MergeWanted(base, ours, beside), MergeWanted(base, ours, theirs)
    merged = await merge_trees(bench.git, bench.store, base, ours, beside, AT)
    conflicted = await merge_trees(bench.git, bench.store, base, ours, theirs, AT)
    assert isinstance(merged, Merged)
    assert isinstance(conflicted, Conflicted)
    [conflict] = conflicted.conflicts
    assert await differing(bench, clean, merged) == 0
    assert await differing(bench, clash, conflicted) == 0
    made_up = Conflict(ConflictKind.CONTENT, b"a", None, None, None)
    assert await differing(bench, clean, Conflicted(merged.tree, (made_up,))) == 1
    for other in (
        (conflict, made_up),
        (evolve(conflict, path=b"c", paths=()),),
        (evolve(conflict, base=conflict.ours),),
    ):
        assert await differing(bench, clash, evolve(conflicted, conflicts=other)) == 1
    assert await differing(bench, clash, merged) == 1
    assert await differing(bench, clean, evolve(merged, tree=ours)) == 1
    assert await differing(bench, clean, GitFailed("merge", 1, "")) == 1
