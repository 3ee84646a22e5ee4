"""The layers of a workspace that is mounted for its agent, and what starts a program in it."""

from __future__ import annotations

import sys
from pathlib import Path

from attrs import frozen

from sennit.adapters.overlay import entering

_ENTERING = str(Path(entering.__file__).resolve())
_PYTHON = (sys.executable, "-I", "-S", "-P", _ENTERING)


@frozen
class Layers:
    """What is mounted at ``upper``: itself over ``lower``, which is held by ``lock`` meanwhile.

    ``work``: an empty folder for the kernel, on the file system of ``upper``.
    """

    lower: Path
    upper: Path
    work: Path
    lock: Path

    def launcher(self, *, sandboxed: bool) -> tuple[str, ...]:
        """The command line to which that of a program, or of its sandbox, is appended.

        ``sandboxed``: what follows makes a sandbox, for which it needs what a namespace allows.
        """
        paths = (self.lower, self.upper, self.work, self.lock)
        return (*_PYTHON, str(int(sandboxed)), *map(str, paths))
