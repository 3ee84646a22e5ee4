"""Second opinions on clean merges."""

from __future__ import annotations

from pathlib import Path

import pytest

from sennit.adapters.git.line_endings import ThreeWay
from sennit.adapters.git.second_opinion import doubtful, opinions_on
from sennit.adapters.git.trees import write_blobs
from sennit.core.objects import MODE_FILE, Entry
from tests.adapters.git.made_trees import Workbench, must, workbench

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["sha1", "sha256"])
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Workbench:
    return await workbench(tmp_path, request.param)


BASE = b"".join(b"line %d\n" % n for n in range(12))
UP = BASE.replace(b"line 1\n", b"first\n")
DOWN = BASE.replace(b"line 9\n", b"ninth\n")
BOTH = UP.replace(b"line 9\n", b"ninth\n")
OTHERWISE = b"something else\n" + BOTH


async def opinion(
    bench: Workbench, *merges: tuple[bytes, bytes, bytes, bytes, bytes]
) -> list[bytes]:
    files, merged = {}, {}
    for path, *texts in merges:
        entries = [
            Entry(MODE_FILE, one) for one in must(await write_blobs(bench.git, bench.store, texts))
        ]
        files[path] = ThreeWay(entries[0], entries[1], entries[2])
        merged[path] = entries[3]
    return list(doubtful(must(await opinions_on(bench.git, bench.store, files)), merged))


async def test_a_merge_that_comes_out_the_same_is_not_doubtful(bench: Workbench) -> None:
    assert await opinion(bench, (b"f", BASE, UP, DOWN, BOTH)) == []


async def test_only_the_merge_that_comes_out_otherwise_is_doubtful(bench: Workbench) -> None:
    found = await opinion(
        bench,
        (b"same", BASE, UP, DOWN, BOTH),
        (b"other\n\xff", BASE, UP, DOWN, OTHERWISE),
        (b"again", BASE, DOWN, UP, BOTH),
    )
    assert found == [b"other\n\xff"]


async def test_a_conflict_of_the_other_algorithm_is_no_doubt(bench: Workbench) -> None:
    clash = BASE.replace(b"line 1\n", b"1st\n")
    assert await opinion(bench, (b"f", BASE, UP, clash, OTHERWISE)) == []


async def test_nothing_to_ask_is_nothing_doubtful(bench: Workbench) -> None:
    assert await opinion(bench) == []
