from __future__ import annotations

from pathlib import Path

import pytest

from sennit.adapters.git.sizes import sizes_of
from sennit.adapters.git.trees import tree_entries
from tests.adapters.git.made_trees import Workbench, must, workbench

pytestmark = pytest.mark.anyio

MISSING = {"sha1": "1" * 40, "sha256": "1" * 64}


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
async def test_sizes_are_told_of_what_is_there(tmp_path: Path, object_format: str) -> None:
    bench: Workbench = await workbench(tmp_path, object_format)
    tree = await bench.tree({b"empty": b"", b"more": b"x\0" * 1000})
    entries = must(await tree_entries(bench.git, bench.store, tree))
    ids = {name: entry.id for name, entry in entries.items()}
    wanted = {ids[b"empty"]: 0, ids[b"more"]: 2000}
    assert must(await sizes_of(bench.git, bench.store, tuple(wanted))) == wanted
    with_one_missing = (*wanted, MISSING[object_format])
    assert must(await sizes_of(bench.git, bench.store, with_one_missing)) == wanted
    assert must(await sizes_of(bench.git, bench.store, ())) == {}
