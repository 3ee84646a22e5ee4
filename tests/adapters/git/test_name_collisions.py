"""Names that some systems cannot keep apart, brought together by two sides of a merge."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from sennit.adapters.git.merges import merge_trees
from sennit.adapters.git.name_collisions import colliding
from sennit.adapters.git.resolving import Three, merge_resolved, side_held
from sennit.adapters.git.store import refresh
from sennit.core.objects import Conflicted, ConflictKind, Merged
from sennit.core.resolutions import Resolution
from sennit_protocol.conflicts import Side, Take
from tests.adapters.git.made_trees import AT, Files, Workbench, must, run_git, workbench

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["sha1", "sha256"])
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Workbench:
    return await workbench(tmp_path, request.param)


BASE: Files = {b"src/a": b"1\n"}
PAIRS: dict[bytes, bytes] = {
    b"readme": b"README",
    b"Docs/a": b"docs/b",
    "é".encode(): "e\u0301".encode(),
}


async def test_such_names_go_together_and_are_named(bench: Workbench) -> None:
    for theirs, ours in PAIRS.items():
        sides: list[Files] = [BASE, {**BASE, ours: b"o\n"}, {**BASE, theirs: b"t\n"}]
        b, o, t = [await bench.tree(files) for files in sides]
        result = await merge_trees(bench.git, bench.store, b, o, t, AT)
        assert isinstance(result, Merged), theirs
        assert await bench.files(result.tree) == {**sides[1], **sides[2]}
        assert result.colliding == (theirs,)


async def test_a_new_spelling_of_what_is_gone_collides_with_nothing(bench: Workbench) -> None:
    tree = await bench.tree({b"readme": b"1\n", b"docs/x": b"1\n"})
    paths = (b"readme", b"docs/x", b"docs/absent")
    assert await colliding(bench.git, bench.store, tree, paths) == {}


async def test_where_the_users_system_takes_them_for_one_they_are_a_conflict_that_can_be_settled(
    tmp_path: Path,
) -> None:
    bench = await workbench(tmp_path)
    run_git(bench.repository.work_tree, "config", "core.ignoreCase", "true")
    bench = evolve(bench, store=must(await refresh(bench.git, bench.store, bench.repository)))
    sides: list[Files] = [BASE, {**BASE, b"README": b"o\n"}, {**BASE, b"readme": b"t\n"}]
    trees = Three(*[await bench.tree(files) for files in sides])
    result = await merge_trees(bench.git, bench.store, trees.base, trees.ours, trees.theirs, AT)
    assert isinstance(result, Conflicted)
    [conflict] = result.conflicts
    assert conflict.kind is ConflictKind.NAME_COLLISION
    assert conflict.paths == (b"readme", b"README")
    for side, expected in ((Side.OURS, sides[1]), (Side.THEIRS, sides[2])):
        held = must(await side_held(bench.git, bench.store, trees, conflict, side))
        known = Resolution(conflict, Take(side.value), held)
        settled = await merge_resolved(bench.git, bench.store, trees, AT, (known,))
        assert isinstance(settled, Merged)
        assert await bench.files(settled.tree) == dict(expected)
    # What one side alone holds was there before; nobody can say which of the two to keep.
    lone = await bench.tree({**BASE, b"X": b"1\n"})
    grown = await bench.tree({**BASE, b"X": b"1\n", b"n": b"1\n"})
    both = await bench.tree({**BASE, b"X": b"1\n", b"x": b"1\n"})
    result = await merge_trees(bench.git, bench.store, lone, grown, both, AT)
    assert isinstance(result, Merged)
    assert result.colliding == (b"x",)
