"""Finds and checks the result of an agent that has to fit a JSON Schema."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import anyio

from sennit.adapters.agents import fitting
from sennit.core.agent_report import LONGEST_TEXT, Report
from sennit.core.structured import Fitting, Unfitting, found_in

_PROGRAM = str(Path(fitting.__file__).resolve())
SECONDS = 10
"""Of the processor, for one check."""
_CUT = f"Of a longer message only the last {LONGEST_TEXT} characters are kept"
_PATIENCE = 6
"""How much longer it may take by the clock, on a machine that is busy."""


async def result_of(report: Report, schema: str, *, seconds: int = SECONDS) -> Fitting | Unfitting:
    """Give the result in an agent's last message, if there is one that fits; ends in any case."""
    found = found_in(report.text)
    if isinstance(found, Unfitting):
        return Unfitting(f"{found.why}. {_CUT}") if report.text_is_cut else found
    wrong = await _wrong(f"[{found.json},{schema}]", seconds)
    return found if wrong is None else Unfitting(wrong)


async def _wrong(given: str, seconds: int) -> str | None:
    too_long = (
        f"it could not be checked within {seconds} s; a `pattern` of the schema may take very long "
        "with it"
    )
    try:
        with anyio.fail_after(_PATIENCE * seconds):
            done = await anyio.run_process(
                [sys.executable, "-I", _PROGRAM, str(seconds)],
                input=given.encode(),
                stderr=subprocess.DEVNULL,
                check=False,
                env={},
                start_new_session=True,
            )
    except TimeoutError:
        return too_long
    except OSError as error:
        return f"it could not be checked: {error.strerror}"
    if done.returncode in {-signal.SIGXCPU, -signal.SIGKILL}:
        return too_long
    if done.returncode != 0:
        # Values and schemas that are nested too deeply, or too large for the memory of a check.
        return "it could not be checked: result or schema are too large, or nested too deeply"
    return "\n".join(json.loads(done.stdout)) or None
