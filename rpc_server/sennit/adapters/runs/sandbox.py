"""The sandbox of a run, and the mount of its workspace: what its shim starts, what is recorded."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, assert_never

import cattrs

from sennit.adapters.overlay.layers import Layers
from sennit.adapters.supervision import inside
from sennit.core.sandbox import (
    NOT_RECORDED,
    TEMPORARY,
    Confined,
    Sandbox,
    SandboxRecord,
    Unconfined,
    recorded,
    sandbox_arguments,
)
from sennit.core.workspace_kinds import How

_INSIDE = str(Path(inside.__file__).resolve())


def box_of(
    sandbox: Sandbox, folder: Path, exchange: Path, layers: Layers | None = None
) -> tuple[str, ...]:
    """Return the command line that the agent's own is appended to; empty where there is no need.

    `folder` is where the agent begins, `exchange` where its programs ask. `layers` are mounted
    first, so that the sandbox is made of what is seen then.
    """
    first: tuple[str, ...] = (sys.executable, "-I", "-S", "-P", _INSIDE)
    if layers is not None:
        first = (*first, inside.LAYERED)
    match sandbox:
        case Unconfined():
            return () if layers is None else (*layers.launcher(sandboxed=False), *first)
        case Confined(confinement=made):
            # Mounting on a link would have to follow it inside, where it may lead elsewhere.
            places = os.path.realpath(folder), os.path.realpath(exchange)
            mounting = () if layers is None else layers.launcher(sandboxed=True)
            return (*mounting, *sandbox_arguments(made, *places), *first)
        case _:
            assert_never(sandbox)


def variables_inside(sandbox: Sandbox) -> Mapping[str, str]:
    """Return what the environment has to say inside: where temporary files go."""
    return {"TMPDIR": TEMPORARY} if isinstance(sandbox, Confined) else {}


def written_sandbox(sandbox: Sandbox) -> dict[str, Any]:
    """Return what the record keeps, as JSON holds it."""
    written: dict[str, Any] = _CONVERTER.unstructure(recorded(sandbox))
    return written


def read_sandbox(written: object) -> SandboxRecord:
    """Read it back; a record from before there were sandboxes has none."""
    if written is None:
        return NOT_RECORDED
    return _CONVERTER.structure(written, SandboxRecord)


def written_how(how: How | None) -> object:
    """Return how a workspace was made, as JSON holds it."""
    return _CONVERTER.unstructure(how)


def read_how(written: object) -> How | None:
    """Read it back; there are records that do not tell."""
    return None if written is None else _CONVERTER.structure(written, How)


_CONVERTER = cattrs.Converter()
