"""Names that case alone tells apart, where the repository says that its disk folds them.

A repository that was copied from macOS or Windows says so for ever, and git then looks away from
such a name: it is neither tracked nor untracked nor ignored.
"""

from __future__ import annotations

import pytest

from sennit.core.objects import LeftOutReason
from tests.adapters.git.bench import Bench
from tests.adapters.git.snapshots import FILE, LINK, reasons

pytestmark = pytest.mark.anyio


@pytest.fixture
def copied(bench: Bench) -> Bench:
    """A repository that was copied from a disk that folds case."""
    bench.tree.git("config", "core.ignoreCase", "true")
    return bench


async def test_a_new_file_beside_a_tracked_one_of_another_case_is_in_the_base(
    copied: Bench,
) -> None:
    copied.tree.write("Readme", "another\n")
    copied.tree.write("Src/a.py", "a = 2\n")
    copied.tree.write("SRC/b.py", "b = 1\n")
    copied.tree.path("readme").symlink_to("README")
    snapshot = await copied.snapshot()
    files = await copied.files_of(snapshot.commit)
    assert files[b"README"] == (FILE, b"hello\n")
    assert files[b"Readme"] == (FILE, b"another\n")
    assert files[b"readme"] == (LINK, b"README")
    assert files[b"src/a.py"] == (FILE, b"a = 1\n")
    assert files[b"Src/a.py"] == (FILE, b"a = 2\n")
    assert files[b"SRC/b.py"] == (FILE, b"b = 1\n")
    named = {b"Readme", b"readme", b"Src/a.py", b"SRC/b.py"}
    assert set(snapshot.manifest.untracked) == named
    assert snapshot.manifest.modified == ()


async def test_a_file_that_the_user_gave_another_case_is_where_it_lies(copied: Bench) -> None:
    copied.tree.path("README").rename(copied.tree.path("readme"))
    copied.tree.path("src").rename(copied.tree.path("Src"))
    snapshot = await copied.snapshot()
    assert (await copied.files_of(snapshot.commit)).keys() == {b"readme", b"Src/a.py"}
    assert set(snapshot.manifest.deleted) == {b"README", b"src/a.py"}
    assert set(snapshot.manifest.untracked) == {b"readme", b"Src/a.py"}


async def test_what_stays_out_is_named_whatever_hides_it(copied: Bench) -> None:
    copied.tree.write("Deploy/x", "x\n")
    copied.tree.write("deploy/Readme", "x\n")
    copied.tree.commit()
    copied.tree.write("deploy/x", "y\n")
    copied.tree.write("Deploy/.env", "secret\n")
    copied.tree.write("DEPLOY/.env", "secret\n")
    copied.tree.git("init", "-q", "SRC")
    snapshot = await copied.snapshot()
    assert reasons(snapshot) == {
        b"Deploy/.env": LeftOutReason.LOOKS_LIKE_A_SECRET,
        b"DEPLOY/.env": LeftOutReason.LOOKS_LIKE_A_SECRET,
        b"SRC": LeftOutReason.NESTED_REPOSITORY,
    }
    # The commit took the one in "deploy" for one in "Deploy", as git does.
    assert set(snapshot.manifest.untracked) == {b"deploy/x", b"deploy/Readme"}


async def test_what_the_users_git_ignores_in_any_case_stays_out(copied: Bench) -> None:
    copied.tree.write(".gitignore", "*.LOG\nTmp/\n!KEPT.LOG\n")
    copied.tree.commit()
    for name in ("x.log", "tmp/x", "sub/tmp/x", "sub/Y.LOG", "kept.log"):
        copied.tree.write(name, "x\n")
    ignored = copied.tree.git("status", "--porcelain", "--ignored=matching", "-uall")
    assert ignored.count(b"!! ") == 4
    snapshot = await copied.snapshot()
    assert snapshot.manifest.untracked == (b"kept.log",)
    files = await copied.files_of(snapshot.commit)
    assert files.keys() == {b".gitignore", b"README", b"src/a.py", b"kept.log"}
    assert snapshot.manifest.left_out_ignored > 0


async def test_a_second_look_finds_what_was_written_since_the_first(copied: Bench) -> None:
    copied.tree.write("Readme", "one\n")
    first = await copied.snapshot()
    copied.tree.write("Readme", "two\n")
    second = await copied.snapshot()
    assert (await copied.files_of(first.commit))[b"Readme"] == (FILE, b"one\n")
    assert (await copied.files_of(second.commit))[b"Readme"] == (FILE, b"two\n")
    copied.tree.path("Readme").unlink()
    assert b"Readme" not in await copied.files_of((await copied.snapshot()).commit)


async def test_ignored_files_to_copy_are_found_beside_tracked_ones_of_another_case(
    copied: Bench,
) -> None:
    copied.tree.write(".gitignore", "*.Env\n/cache/\n")
    copied.tree.write("Settings", "tracked\n")
    copied.tree.commit()
    copied.tree.write("SRC/local.env", "1\n")
    copied.tree.write(".git/info/exclude", "/SETTINGS\n")
    copied.tree.write("SETTINGS", "the user's\n")
    copied.tree.write("cache/x", "x\n")
    workspace = await copied.workspace(include=("*.ENV", "SETTINGS", "Cache/"))
    assert (workspace.folder / "SRC/local.env").read_text() == "1\n"
    assert (workspace.folder / "SETTINGS").read_text() == "the user's\n"
    assert (workspace.folder / "Settings").read_text() == "tracked\n"
    assert (workspace.folder / "cache/x").read_text() == "x\n"


async def test_where_the_configuration_is_that_of_the_disk_git_ignores_as_ever(
    bench: Bench,
) -> None:
    bench.tree.write(".gitignore", "*.LOG\n")
    bench.tree.write("x.log", "x\n")
    snapshot = await bench.snapshot()
    assert set(snapshot.manifest.untracked) == {b".gitignore", b"x.log"}
