"""Paths of layered workspaces, looked at from outside as whoever works inside sees them."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from sennit.adapters.agents.acp.places import place
from sennit.adapters.overlay.layers import Layers
from sennit.adapters.overlay.seeing import lies_at, real_path_in
from tests.adapters.workspaces.mounted import run_inside, where_there_are_layers

CHANGES = """
echo changed > kept/changed; rm gone removed/inner; rm -r anew; mkdir anew; echo new > anew/new
rm swapped; mkdir swapped; ln -s ../kept swapped/back; rm -r turned; ln -s kept turned
ln -s chain/inner more; mv renamed moved; ln -s kept/../out/x odd
"""
NAMES = (
    "", ".", "..", "kept", "kept/file", "kept/changed", "gone", "removed", "removed/inner", "anew",
    "anew/old", "anew/new", "anew/deep/old", "swapped/x", "swapped/back/file", "turned/file", "out",
    "out/x", "out/../x", "chain/file", "chain/../../x", "loop/x", "more", "more/../file", "moved",
    "moved/link", "moved/inner/file", "renamed/link", "odd", "kept/file/x", "nowhere/x", "up/y",
)  # fmt: skip
ASKING = (
    "import json, os, sys; names = json.load(sys.stdin); "
    "real = map(os.path.realpath, names); "
    "print(json.dumps([(r, open(r).read() if os.path.isfile(r) else None) for r in real]))"
)


@pytest.fixture
def layers(tmp_path: Path) -> Layers:
    where_there_are_layers()
    made = Layers(tmp_path / "lower", tmp_path / "upper", tmp_path / "work", tmp_path / "lock")
    for each in (made.lower, made.upper, made.work):
        each.mkdir()
    made.lock.touch()
    for file in ("kept/file", "kept/changed", "gone", "removed/inner", "anew/old", "swapped",
                 "anew/deep/old", "turned/file", "renamed/inner/file"):  # fmt: skip
        path = made.lower / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{file}\n")
    for link, target in (("out", tmp_path), ("chain", "kept"), ("loop", "loop"), ("up", ".."),
                         ("renamed/link", "../kept/file")):  # fmt: skip
        (made.lower / link).symlink_to(target)
    return made


def test_what_is_seen_from_outside_is_what_whoever_works_there_sees(layers: Layers) -> None:
    launcher = layers.launcher(sandboxed=False)
    run_inside(launcher, layers.upper, "sh", "-e", "-c", CHANGES)
    asked = json.dumps(NAMES).encode()
    argv = (sys.executable, "-c", ASKING)
    seen = json.loads(run_inside(launcher, layers.upper, *argv, stdin=asked))
    for name, (real, text) in zip(NAMES, seen, strict=True):
        found = real_path_in(layers, os.path.join(layers.upper, name))  # noqa: PTH118  texts
        assert found == real, name
        lies = lies_at(layers, real)
        there = lies is not None and os.path.isfile(lies)  # noqa: PTH113  texts
        assert (Path(lies or "").read_text() if there else None) == text, name


def test_a_link_below_that_leads_outside_is_not_inside_the_workspace(layers: Layers) -> None:
    def follow(path: str) -> str:
        return real_path_in(layers, path)

    assert not place(layers.upper, "out/x", follow=follow).inside
    assert place(layers.upper, "kept/file", follow=follow).inside
    assert place(layers.upper, "chain/.git/config", follow=follow).git
