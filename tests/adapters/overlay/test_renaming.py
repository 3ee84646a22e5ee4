"""Folders of the layer below are renamed by programs that know nothing of layers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sennit.adapters.overlay.layers import Layers
from sennit.adapters.overlay.probing import probe
from sennit.core.workspace_kinds import KindRefused
from tests.adapters.overlay import renames
from tests.adapters.workspaces.mounted import PYTHON, run_inside


@pytest.fixture
def layers(tmp_path: Path) -> Layers:
    found = probe(tmp_path / "store", tmp_path / "workspaces")
    if isinstance(found, KindRefused):
        pytest.skip(f"there are no layers on this machine: {found.why}")
    made = Layers(tmp_path / "lower", tmp_path / "upper, a:b", tmp_path / "work", tmp_path / "lock")
    for each in (made.lower, made.upper, made.work):
        each.mkdir()
    made.lock.touch()
    return made


def fill(folder: Path) -> None:
    (folder / "inner").mkdir(parents=True)
    for file in (folder / "file", folder / "inner" / "file"):
        file.write_text("text")
    (folder / "link").symlink_to("file")
    (folder / "inner").chmod(0o555)
    os.utime(folder, (10**9, 10**9))


def fill_for(case: str, lower: Path) -> None:
    match case:
        case "threads":
            for number in range(8):
                fill(lower / "threads" / str(number))
        case "signals" | "killed":
            (lower / case).mkdir()
            for number in range(300):
                (lower / case / str(number)).write_text("text")
        case "flags" | "places":
            for more in ("", "2", "3"):
                fill(lower / f"{case}{more}")
        case _:
            fill(lower / case)
    if case == "not_ours":
        # Root without its powers is nobody in particular.
        os.chown(lower / case / "inner", 1, 1)
        (lower / case / "inner").chmod(0o755)
        (lower / case).chmod(0o500)


def test_folders_of_the_lower_layer_are_renamed_as_everywhere(layers: Layers) -> None:
    cases = [case.__name__ for case in renames.CASES]
    if os.geteuid() != 0:
        # Only root can make a folder that belongs to somebody else.
        cases.remove("not_ours")
    for case in cases:
        fill_for(case, layers.lower)
    before = sorted(str(each) for each in layers.lower.rglob("*"))
    argv = (*PYTHON, str(Path(renames.__file__)), *cases)
    run_inside(layers.launcher(sandboxed=False), layers.upper, *argv)
    assert sorted(str(each) for each in layers.lower.rglob("*")) == before
