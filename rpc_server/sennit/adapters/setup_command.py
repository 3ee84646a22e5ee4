"""Runs the command that makes a workspace ready, and keeps all that it prints."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from subprocess import DEVNULL, STDOUT
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from attrs import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from anyio.abc import Process

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
    argv: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    log: Path,
    *,
    seconds: float,
) -> SetUp | SetupFailed:
    """Run a program in a folder, its output in ``log``; what it leaves running is ended with it."""
    try:
        log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    except OSError as error:
        return SetupFailed(f"its output could not be kept in {log}: {error.strerror}")
    try:
        return await _run(argv, folder, environment, output, log, seconds=seconds)
    finally:
        os.close(output)


async def _run(
    argv: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    output: int,
    log: Path,
    *,
    seconds: float,
) -> SetUp | SetupFailed:
    try:
        # A start that is cancelled half-way would leave a process that nobody knows.
        with anyio.CancelScope(shield=True):
            process = await anyio.open_process(
                list(argv),
                cwd=folder,
                env=environment,
                stdin=DEVNULL,
                stdout=output,
                stderr=STDOUT,
                start_new_session=True,
            )
    except OSError as error:
        return SetupFailed(f"{argv[0]} could not be started: {error.strerror}")
    code: int | None = None
    try:
        with anyio.move_on_after(seconds):
            code = await process.wait()
    finally:
        await _end(process)
    if code == 0:
        return SetUp()
    said = await anyio.to_thread.run_sync(_end_of, log)
    return SetupFailed(_how_it_ended(code, seconds), said)


def _how_it_ended(code: int | None, seconds: float) -> str:
    if code is None:
        return f"it did not end within {seconds:g} seconds and was stopped"
    if code < 0:
        return f"it was ended by signal {-code}"
    return f"it ended with exit code {code}"


async def _end(process: Process) -> None:
    """End the whole session of the program, also what it left in the background."""
    with anyio.CancelScope(shield=True):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.aclose()


def _end_of(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _LAST))
        return file.read().decode("utf-8", "replace").strip()
