"""Many new objects come into a store as packs, which git finds sound."""

from __future__ import annotations

from pathlib import Path

import pytest

from sennit.adapters.git.new_objects import ENOUGH
from tests.adapters.git.bench import Bench

pytestmark = pytest.mark.anyio


async def packs(bench: Bench) -> set[Path]:
    return set(((await bench.store()).objects / "pack").glob("*.pack"))


async def sound(bench: Bench) -> bool:
    store = await bench.store()
    said = bench.tree.git(f"--git-dir={store.git_dir}", "fsck", "--strict", "--no-dangling")
    return said == b""


async def test_many_files_and_folders_come_in_two_packs(bench: Bench) -> None:
    for number in range(ENOUGH + 1):
        bench.tree.write(f"{number}/{'x' * number}/file", f"{number}\n")
    for number in range(2_000):
        bench.tree.write(f"large/{'name' * 10}{number}", "")
    snapshot = await bench.snapshot()
    assert len(await packs(bench)) == 2
    assert len(await bench.files_of(snapshot.commit)) == ENOUGH + 1 + 2_000 + 2
    assert await sound(bench)
    bench.tree.write("0/file", "one more\n")
    again = await bench.snapshot()
    assert (await bench.files_of(again.commit))[b"0/file"][1] == b"one more\n"
    assert await sound(bench)


async def test_few_objects_are_files_of_their_own(bench: Bench) -> None:
    for number in range(ENOUGH // 2):
        bench.tree.write(f"{number}/file", f"{number}\n")
    snapshot = await bench.snapshot()
    assert await packs(bench) == set()
    assert len(await bench.files_of(snapshot.commit)) == ENOUGH // 2 + 2


async def test_a_store_with_many_packs_gets_no_more_of_them(bench: Bench) -> None:
    store = await bench.store()
    for number in range(60):
        (store.objects / "pack" / f"pack-{number:040}.pack").touch()
    before = await packs(bench)
    for number in range(ENOUGH + 1):
        bench.tree.write(f"{number}/file", f"{number}\n")
    snapshot = await bench.snapshot()
    assert await packs(bench) == before
    assert len(await bench.files_of(snapshot.commit)) == ENOUGH + 1 + 2
