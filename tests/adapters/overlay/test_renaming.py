"""Folders of the layer below are renamed by programs that know nothing of layers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from sennit.adapters.overlay.layers import Layers
from tests.adapters.overlay import renames
from tests.adapters.workspaces.mounted import PYTHON, run_inside, where_there_are_layers


@pytest.fixture
def layers(tmp_path: Path) -> Layers:
    where_there_are_layers()
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


SMALL_DISK = """
mount -t tmpfs -o size=2m none "$1" && cd "$1" && shift || exit 1
mkdir -p lower/below/inner upper work && touch lock
for each in 1 2 inner/3; do head -c 400k /dev/zero > lower/below/$each; done
cd upper && exec "$@"
"""
ON_IT = """
mv below above && echo moved
find . -type f -size 400k | sort
head -c 4m /dev/zero > big || rm big
mv below/1 one && ls one below
"""


def test_a_folder_that_the_disk_has_no_room_for_stays_as_it_was(layers: Layers) -> None:
    disk = layers.lower.parent / "disk"
    disk.mkdir()
    as_root = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", SMALL_DISK, "sh")
    if subprocess.run((*as_root, str(disk), "true"), check=False).returncode:
        pytest.skip("runs where user namespaces may mount a small disk (tmpfs)")
    small = Layers(disk / "lower", disk / "upper", disk / "work", disk / "lock")
    prefix = (*as_root, str(disk), *small.launcher(sandboxed=False))
    said = run_inside(prefix, disk, "sh", "-c", f"exec 2>&1; {ON_IT}").decode()
    # What found room on the way has gone back.
    kept = ["./below/1", "./below/2", "./below/inner/3"]
    assert [line for line in said.splitlines() if line.startswith("./")] == kept, said
    assert "moved" not in said
    assert said.count("No space left on device") == 2
    assert said.split()[-3:] == ["below:", "2", "inner"]


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
