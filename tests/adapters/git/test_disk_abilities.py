"""What a disk can do is what git finds out about it, and is asked where the files lie."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import evolve

from sennit.adapters.git.capture import Captured, capture
from sennit.adapters.git.checkout import Source, check_out
from sennit.adapters.git.disk_abilities import (
    abilities_of,
    abilities_said,
    folds_case,
    folds_names,
    tells_case_apart,
)
from tests.adapters.git.bench import Bench, Tree

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["/dev/shm", "/var/tmp", None])  # noqa: S108  disks of several kinds
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    place = request.param or tmp_path
    if not os.access(place, os.W_OK):
        pytest.skip(f"this machine has no {place} to write into")
    with tempfile.TemporaryDirectory(dir=place) as made:
        yield Path(made)


def test_the_abilities_of_a_disk_are_those_that_git_notes(
    folder: Path, environment: dict[str, str]
) -> None:
    found = dict(abilities_of(folder))
    assert list(folder.iterdir()) == []
    tree = Tree(folder, environment)
    tree.git("init", "-q", "--template=")
    listed = tree.git("config", "--local", "--list").decode().split()
    noted = dict(abilities_said(dict(line.split("=", 1) for line in listed)))
    assert found == {name: value for name, value in noted.items() if name in found}
    assert len(found) == 3


def test_a_full_disk_tells_nothing_of_what_it_can_do(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, _target: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "symlink_to", full)
        with pytest.raises(OSError, match="No space left"):
            abilities_of(folder)
    assert list(folder.iterdir()) == []
    assert dict(abilities_of(folder))["core.symlinks"] == "true"


def test_a_disk_is_tried_once(folder: Path) -> None:
    first = abilities_of(folder)
    folder.chmod(0o500)
    before = folder.stat().st_mtime_ns
    assert abilities_of(folder) == first
    assert folder.stat().st_mtime_ns == before


def test_a_disk_that_takes_no_file_is_no_answer(folder: Path) -> None:
    with pytest.raises(FileNotFoundError):
        abilities_of(folder / "not there")


@pytest.mark.parametrize("value", ["true", "True", "yes", "on", "1"])
def test_either_way_of_folding_names_counts(value: str) -> None:
    for name in ("core.ignorecase", "core.precomposeunicode"):
        assert folds_names(abilities_said({name: value}))
    assert not folds_names(abilities_said({"core.ignorecase": "false", "core.symlinks": value}))


@pytest.mark.parametrize("value", ["true", "Yes", "1"])
def test_folding_of_case_is_told_from_that_of_unicode(value: str) -> None:
    assert folds_case(abilities_said({"core.ignorecase": value}))
    assert not folds_case(abilities_said({"core.precomposeunicode": value}))


def test_whether_case_is_told_apart_is_found_out_without_writing(folder: Path) -> None:
    assert not tells_case_apart(os.fsencode(folder)), "nothing lies there that could tell"
    (folder / "1").touch()
    assert not tells_case_apart(os.fsencode(folder))
    (folder / "Name").touch()
    folds = folds_case(abilities_of(folder))
    folder.chmod(0o500)
    before = folder.stat().st_mtime_ns
    assert tells_case_apart(os.fsencode(folder)) is not folds
    assert folder.stat().st_mtime_ns == before


def test_one_file_of_two_names_is_no_name_that_is_folded(folder: Path) -> None:
    (folder / "Name").touch()
    (folder / "nAME").hardlink_to(folder / "Name")
    assert tells_case_apart(os.fsencode(folder))


async def test_a_name_that_differs_by_case_alone_is_captured_beside_the_other(
    bench: Bench,
) -> None:
    bench.tree.git("config", "core.ignoreCase", "true")
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.write("readme", "another\n")
    inside.write("SRC/b.py", "b = 1\n")
    taken = await capture(bench.git, await bench.store(), workspace, date=1_900_000_000)
    assert isinstance(taken, Captured), taken
    files = await bench.files_of(taken.commit)
    assert files.keys() == {b"README", b"readme", b"src/a.py", b"SRC/b.py"}


async def test_files_for_the_users_disk_are_written_as_it_can_hold_them(bench: Bench) -> None:
    bench.tree.path("link").symlink_to("README")
    commit = bench.tree.commit()
    bench.tree.git("config", "core.symlinks", "false")
    bench.tree.path("link").unlink()
    bench.tree.write("link", "README")
    workspace = await bench.workspace()
    assert (workspace.folder / "link").is_symlink()
    store, repository = await bench.store(), await bench.repository()
    there, source = bench.tmp_path / "there", Source(commit)
    assert await check_out(bench.git, store, repository, source, there, [b"link"]) is None
    assert not (there / "link").is_symlink()
    assert (there / "link").read_bytes() == b"README"
    elsewhere = evolve(store, work_tree=bench.tmp_path)
    assert await check_out(bench.git, elsewhere, repository, source, there, [b"link"]) is None
    assert (there / "link").is_symlink()
