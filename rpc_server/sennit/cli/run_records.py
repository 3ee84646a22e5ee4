"""How a run was started, as people read it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from sennit.cli.tables import cells, filled, table
from sennit_protocol.texts import RunResult, RunSandbox


def record_table(result: RunResult) -> RenderableType:
    """Show the record of a run; its prompt, which may be long, is not part of it."""
    return filled(table("what", "how"), _rows(result))


def _rows(result: RunResult) -> Iterator[Sequence[Text]]:
    run = result.run
    yield cells("run", f"{run.id}, {run.state.value}")
    yield cells("agent", result.agent)
    yield cells("command line", shlex.join(result.argv))
    yield cells("folder", result.folder)
    if result.workspace is not None:
        yield cells("workspace", result.workspace.kind)
        for why in result.workspace.refused:
            yield cells("not by", why)
    if result.sandbox is not None:
        yield from _sandbox(result.sandbox)
    yield cells("variables", " ".join(result.variables))
    if result.exit_code is not None:
        yield cells("exit code", str(result.exit_code))
    if result.signal is not None:
        yield cells("ended by signal", str(result.signal))
    if result.survivors:
        yield cells("could not be ended", ", ".join(map(str, result.survivors)))


def _sandbox(sandbox: RunSandbox) -> Iterator[Sequence[Text]]:
    in_force = "confined" if sandbox.confined else f"not confined: {sandbox.why_not}"
    yield cells("sandbox", f"{sandbox.wanted}, {in_force}")
    for folder in sandbox.writable:
        yield cells("may write to", folder)
    for folder in sandbox.left_out:
        yield cells("may not write to", folder)
