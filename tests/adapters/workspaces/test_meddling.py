"""What somebody else has done to the kept checkout is found, wherever such a one may have been."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sennit.adapters.git.records import index_file, read_record
from sennit.adapters.git.store import Store
from sennit.adapters.unconfined import note_unconfined, were_unconfined
from sennit.adapters.workspaces.meddling import meddled_with
from sennit.adapters.workspaces.pristine import NAME, brought
from sennit.adapters.workspaces.rules import rules_of
from sennit.adapters.workspaces.stripping import differing, folders_in
from tests.adapters.git.bench import Bench

pytestmark = pytest.mark.anyio


async def kept_checkout(bench: Bench) -> tuple[Store, Path, Callable[[], list[bytes]]]:
    """The kept checkout, and how to bring it to the base; that gives what was told."""
    bench.tree.write("src/deep/file", "deep\n")
    store, base = await bench.store(), await bench.snapshot()
    rules = await rules_of(bench.git, await bench.repository())
    assert isinstance(rules, str)
    assert await brought(bench.git, store, base.commit, base.tree, rules) is None
    record = read_record(store, NAME)
    assert record is not None
    index = index_file(store, NAME).read_bytes()
    folders = folders_in(index, store.object_format)
    return store, record.folder, lambda: differing(os.fsencode(record.folder), folders, 3)


async def test_what_is_as_it_was_written_differs_in_nothing(bench: Bench) -> None:
    _, _, look = await kept_checkout(bench)
    assert look() == []


@pytest.mark.parametrize(
    ("meddle", "expected"),
    [
        (lambda top: (top / "src/deep/file").write_text("DEEP\n"), [b"src/deep/file"]),
        (lambda top: (top / "src/new").mkdir(), [b"src/new"]),
        (lambda top: (top / "src/deep/file").chmod(0o755), [b"src/deep/file"]),
        (lambda top: os.link(top / "src/deep/file", top.parent / "else"), [b"src/deep/file"]),
        (lambda top: (top / "src/deep").rename(top / "src/other"), [b"src/deep", b"src/other"]),
        (lambda top: [(top / name).touch() for name in "pqrst"], [b"p", b"q", b"r"]),
    ],
    ids=["an edit", "a folder", "a mode", "another name", "a rename", "more than are named"],
)
async def test_whatever_somebody_does_there_is_named(
    bench: Bench, meddle: Callable[[Path], object], expected: list[bytes]
) -> None:
    _, top, look = await kept_checkout(bench)
    meddle(top)
    assert look() == expected


async def test_it_is_looked_at_only_where_somebody_could_write_there(bench: Bench) -> None:
    store, top, _ = await kept_checkout(bench)
    record = read_record(store, NAME)
    assert record is not None
    (top / "new").touch()
    assert store.lives is not None
    assert not were_unconfined(store.lives)
    assert meddled_with(store, record) == ()
    note_unconfined(store.lives)
    assert meddled_with(store, record) == (b"new",)


async def test_bringing_it_to_a_base_mends_it_and_tells(bench: Bench) -> None:
    store, top, _ = await kept_checkout(bench)
    assert store.lives is not None
    note_unconfined(store.lives)
    (top / "src/deep/file").write_text("DEEP\n")
    base = await bench.snapshot()
    rules = await rules_of(bench.git, await bench.repository())
    assert isinstance(rules, str)
    told: list[tuple[bytes, ...]] = []
    assert await brought(bench.git, store, base.commit, base.tree, rules, told.append) is None
    assert told == [(b"src/deep/file",)]
    assert (top / "src/deep/file").read_text() == "deep\n"
