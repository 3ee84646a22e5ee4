"""The way from a run to this installation's own program, for ``sennit ask`` in agents."""

from __future__ import annotations

import os
import shutil
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "sennit"
_FOLDER = "programs"


def own_program() -> Path | None:
    """Give the program that was installed with this package; None where none was."""
    program = Path(sysconfig.get_path("scripts"), NAME)
    return program if os.access(program, os.X_OK) else None


def with_own_program(
    variables: Mapping[str, str], exchange: Path, program: Path | None
) -> Mapping[str, str]:
    """Give variables of a run by whose ``PATH`` the program is found; blocks. Raises OSError.

    Where it leads to none yet (Sennit in an environment of its own, an editor that was started
    from a menu), it ends with a folder below ``exchange`` that holds a link to the program and
    nothing else: beside the program itself may lie another Python.
    """
    path = variables["PATH"]
    folder = exchange / _FOLDER
    if program is None or os.pathsep in str(folder) or shutil.which(NAME, path=path):
        return variables
    folder.mkdir(mode=0o700)
    (folder / NAME).symlink_to(program)
    return {**variables, "PATH": os.pathsep.join(filter(None, (path, str(folder))))}
