"""Runs programs in workspaces that are layers, as agents are run: by the launcher, in the mount."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

from sennit.adapters.git.records import read_record, work_folder
from sennit.adapters.git.store import Store
from sennit.adapters.overlay import entering
from sennit.adapters.overlay.probing import probe
from sennit.adapters.supervision import inside
from sennit.adapters.workspaces.leases import lock_of_lower
from sennit.core.workspace_kinds import KindFound, KindRefused

PYTHON = (sys.executable, "-I", "-S", "-P")


def where_there_are_layers() -> None:
    """Skip a test whose workspaces are layers where this machine has none."""
    found = _layers()
    if isinstance(found, KindRefused):
        pytest.skip(f"runs where layers work, which `sennit doctor` tells: {found.why}")


@cache
def _layers() -> KindFound:
    with tempfile.TemporaryDirectory() as folder:
        return probe(Path(folder, "store"), Path(folder, "workspaces"))


def launcher(lower: Path, upper: Path, work: Path, lock: Path) -> tuple[str, ...]:
    """The command line that mounts and, without a sandbox, gives up what that allows."""
    paths = (str(each) for each in (lower, upper, work, lock))
    return (*PYTHON, str(Path(entering.__file__)), "0", *paths)


def launcher_of(store: Store, name: str) -> tuple[str, ...]:
    record = read_record(store, name)
    assert record is not None
    assert record.lower, "it is not a layer"
    return launcher(Path(record.lower), record.folder, work_folder(record), lock_of_lower(store))


def run_inside(
    prefix: tuple[str, ...],
    folder: Path,
    *argv: str,
    stdin: bytes = b"",
    environment: dict[str, str] | None = None,
) -> bytes:
    """Run a program to its end in a mounted workspace and give what it wrote."""
    asked, asks = os.pipe()
    words, worded = os.pipe()
    first = (*PYTHON, str(Path(inside.__file__)), "--layered", str(asked), str(worded))
    try:
        done = subprocess.run(
            [*prefix, *first, *argv],
            cwd=folder,
            env=environment,
            input=stdin,
            capture_output=True,
            pass_fds=(asked, worded),
            check=False,
        )
    finally:
        os.close(worded)
        os.close(asked)
        os.close(asks)
    told = os.read(words, 200)
    os.close(words)
    if told != b"B\nS\nE 0\n":
        pytest.fail(f"{argv!r}: {told!r} {done.stdout.decode()}{done.stderr.decode()}")
    return done.stdout
