"""Asks programs for their version, for people; a program that does not answer has none."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import anyio
from anyio.abc import Process
from attrs import frozen

SECONDS = 5.0
"""For one program; several of them start in their own time only on a slow machine."""
_AT_ONCE = 2
_MOST_BYTES = 64 * 1024
_VERSION = re.compile(r"(?<![\w.])v?(\d+\.\d+[\w.+-]*)")


@frozen
class Asked:
    """A program that is asked, with the environment that it is run with as an agent."""

    program: Path
    environment: Mapping[str, str]


async def versions(asked: Iterable[Asked], *, seconds: float = SECONDS) -> Mapping[Path, str]:
    """Start each program once with `--version`; those that tell none in time are left out."""
    found: dict[Path, str] = {}
    slots = anyio.Semaphore(_AT_ONCE)

    async def ask(one: Asked) -> None:
        async with slots:
            told = await _told(one, seconds)
        if told is not None:
            found[one.program] = told

    async with anyio.create_task_group() as group:
        for one in {each.program: each for each in asked}.values():
            group.start_soon(ask, one)
    return found


async def _told(one: Asked, seconds: float) -> str | None:
    try:
        process = await anyio.open_process(
            [one.program, "--version"],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            env=one.environment,
            cwd="/",
            start_new_session=True,
        )
    except OSError:
        return None  # It cannot be started; a run says why.
    output = bytearray()
    try:
        with anyio.move_on_after(seconds):
            await _read(process, output)
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)
    version = _VERSION.search(output.decode(errors="replace"))
    return None if version is None else version[1].rstrip(".-")


async def _read(process: Process, output: bytearray) -> None:
    if process.stdout is None:
        raise TypeError("the output of the program is no pipe")
    async for chunk in process.stdout:
        output += chunk
        if len(output) > _MOST_BYTES:
            return


async def _end(process: Process) -> None:
    """End the program and all that it started in its group, which is the one of its pid."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.aclose()
