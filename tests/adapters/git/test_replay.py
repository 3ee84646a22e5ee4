"""A change cut at random and folded in any order, over trees made up here; see ``tests.replay``."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.adapters.git.made_trees import Executable, Files, Link, workbench
from tests.replay.folding import Figures, change_between, replay, replay_over_a_third_party

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
