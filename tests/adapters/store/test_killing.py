from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def killer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.fail("No C compiler: install one (cc, gcc or clang); durability cannot be shown.")
    library = tmp_path_factory.mktemp("killer") / "killer.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", library, HERE / "killer.c", "-ldl"], check=True
    )
    return library


# One durable call in six; SENNIT_KILLS=all takes every one.
STRIDE = 1 if os.environ.get("SENNIT_KILLS") == "all" else 6


def kill_everywhere(killer: Path, scenario: str, folder: Path, stride: int = 1) -> Any:
    run = subprocess.run(
        [sys.executable, "-m", "tests.adapters.store.killing", scenario, folder, str(stride)],
        cwd=ROOT,
        env={**os.environ, "LD_PRELOAD": str(killer)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout)


def test_killed_at_any_durable_call_nothing_acknowledged_is_lost(
    killer: Path, tmp_path: Path
) -> None:
    found = kill_everywhere(killer, "steps", tmp_path, STRIDE)
    assert found["wrong"] == []
    assert found["points"] > 80 // STRIDE


def test_killed_at_any_durable_call_of_a_new_version_all_rows_are_there(
    killer: Path, tmp_path: Path
) -> None:
    found = kill_everywhere(killer, "lead forward", tmp_path, STRIDE)
    assert found["wrong"] == []
    assert found["points"] > 20 // STRIDE


def test_killed_while_a_damaged_database_is_put_aside_it_is_still_kept(
    killer: Path, tmp_path: Path
) -> None:
    found = kill_everywhere(killer, "put aside", tmp_path, STRIDE)
    assert found["wrong"] == []
    assert found["points"] > 10 // STRIDE


@pytest.mark.parametrize("scenario", ["acknowledge first", "act first", "write in place"])
def test_what_is_done_in_the_wrong_order_is_caught(
    killer: Path, tmp_path: Path, scenario: str
) -> None:
    assert kill_everywhere(killer, scenario, tmp_path)["wrong"] != []
