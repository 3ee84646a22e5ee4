"""What agents leave beside their work is ignored, and what the user has is not."""

from __future__ import annotations

import pytest

from sennit.adapters.git.capture import Captured, capture
from sennit.adapters.git.litter import ignore_litter
from tests.adapters.git.bench import Bench

pytestmark = pytest.mark.anyio

LITTER = (".cache.v*/", ".history")


async def test_litter_is_no_part_of_what_is_captured_unless_it_was_there_before(
    bench: Bench,
) -> None:
    bench.tree.write("src/.history", "the user's\n")
    workspace = await bench.workspace()
    assert await ignore_litter(workspace.folder, LITTER) is None
    assert await ignore_litter(workspace.folder, LITTER) is None
    inside = bench.inside(workspace)
    for name in (".cache.v4/db", "src/.cache.v4/db", ".history", "src/.history", "new"):
        inside.write(name, "written\n")
    assert inside.git("status", "--porcelain", "--untracked-files=all").decode().split() == [
        "M", "src/.history", "??", "new",
    ]  # fmt: skip
    taken = await capture(bench.git, await bench.store(), workspace, date=1, litter=LITTER)
    assert isinstance(taken, Captured)
    files = await bench.files_of(taken.commit)
    assert {b"new", b"src/.history"} <= files.keys()
    assert not {b".history", b".cache.v4/db", b"src/.cache.v4/db"} & files.keys()
    assert files[b"src/.history"] == ("100644", b"written\n")
    assert taken.left_out == ()
    exclude = (workspace.folder / ".git" / "info" / "exclude").read_text()
    assert exclude.count(".history\n") == 1
