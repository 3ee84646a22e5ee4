"""Runs the command that makes a workspace ready as agents are run; keeps all that it prints."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from attrs import evolve, frozen

from sennit.adapters.runs.folder import RunFolder, run_folder
from sennit.adapters.runs.values import SpawnFailed, UnknownRunError
from sennit.core.agents import Polite

if TYPE_CHECKING:
    from pathlib import Path

    from sennit.adapters.processes import LocalExecutor
    from sennit.adapters.runs.values import Exited, RunSpec

_ONE_STREAM = ("/bin/sh", "-c", 'unset SENNIT_RUN_DIR; exec "$0" "$@" 2>&1')
"""People read both streams as one, in the order in which they were written; nobody hears `ask`."""
_LAST = 2_000
"""How much of the end of an output is told with a failure, in bytes; the file holds all."""


@frozen
class SetUp:
    """It ended well."""


@frozen
class SetupFailed:
    """It did not: why, in a sentence, and the end of what it printed."""

    why: str
    last_words: str = ""


async def run_setup(
    executor: LocalExecutor, name: str, workspace: Path, spec: RunSpec, *, seconds: float
) -> SetUp | SetupFailed:
    """Run a program in a workspace; what it leaves running is ended with it.

    Its output is kept in `log_of`, however it ends. ``spec`` says what it is and where it runs.
    """
    spec = evolve(spec, argv=(*_ONE_STREAM, *spec.argv), polite=Polite.NOTHING)
    ended: Exited | None = None
    try:
        started = await executor.start(name, workspace, spec)
        if isinstance(started, SpawnFailed):
            return SetupFailed(started.message.rstrip("."))
        with anyio.move_on_after(seconds):
            ended = await executor.wait(name)
    finally:
        with anyio.CancelScope(shield=True):
            await executor.stop(name, force=True)
            await put_away(executor, name)
    if ended is not None and ended.code == 0 and not ended.survivors:
        return SetUp()
    said = await anyio.to_thread.run_sync(_end_of, log_of(executor, name))
    return SetupFailed(_how_it_ended(ended, seconds), said)


async def put_away(executor: LocalExecutor, name: str) -> None:
    """Keep the output of a set-up that is over, and nothing else of it."""
    folder = run_folder(executor.runs_folder, name)
    with suppress(UnknownRunError, FileNotFoundError):
        # Neither of which is one that never came to a record.
        await executor.release(name)
        await anyio.to_thread.run_sync(_keep, folder, log_of(executor, name))
        await executor.delete(name)


def log_of(executor: LocalExecutor, name: str) -> Path:
    """Where all that the set-up of a workspace printed is kept."""
    return executor.runs_folder / f"{name}.log"


def _keep(folder: RunFolder, log: Path) -> None:
    try:
        folder.stdout.replace(log)
    except FileNotFoundError:
        # It was not started, and the reason is told.
        return
    # What makes the sandbox, or mounts the workspace, says there why it could not.
    words = folder.stderr.read_bytes()
    if words:
        with log.open("ab") as file:
            file.write(words)


def _how_it_ended(ended: Exited | None, seconds: float) -> str:
    if ended is None:
        return f"it did not end within {seconds:g} seconds and was stopped"
    if ended.survivors:
        pids = ", ".join(map(str, ended.survivors))
        return f"it left processes behind that could not be ended: {pids}"
    if ended.signal is not None:
        return f"it was ended by signal {ended.signal}"
    if ended.code is None:
        return f"how it ended is not known ({ended.cause.value})"
    return f"it ended with exit code {ended.code}"


def _end_of(log: Path) -> str:
    try:
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _LAST))
            return file.read().decode("utf-8", "replace").strip()
    except FileNotFoundError:
        return ""
