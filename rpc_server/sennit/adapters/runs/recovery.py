"""At start: brings the runs of servers that are gone to their end."""

import os
from pathlib import Path

from sennit.adapters.platform.lives import may_live
from sennit.adapters.platform.locks import lock_if_free
from sennit.adapters.runs.folder import Intention, RunFolder, read_json
from sennit.adapters.runs.outcome import end_what_is_left, hurry, read_outcome, shim_of
from sennit.adapters.runs.values import Left


def recover_all(runs: Path, lives: Path) -> tuple[Left, ...]:
    """End and report every run in `runs` whose server is gone and that was not released; blocks.

    Two servers that start at once share the work: a run that the other one has in hand is
    left to it. `lives` is the folder in which servers say that they live.
    """
    if not runs.is_dir():
        return ()
    found = (_recovered(RunFolder(each), lives) for each in sorted(runs.iterdir()) if each.is_dir())
    return tuple(each for each in found if each is not None)


def _recovered(folder: RunFolder, lives: Path) -> Left | None:
    if folder.released.exists():
        return None
    intention = Intention.written(read_json(folder.spec))
    if intention is None and not (folder.stdout.exists() or folder.started.exists()):
        # Made, but nothing was written yet, so nothing was started, and nobody was told of it.
        return None
    if _is_in_hands(folder, intention, lives):
        return None
    descriptor = os.open(folder.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if not lock_if_free(descriptor):
            return None
        outcome = read_outcome(folder)
        if outcome is None:
            hurry(folder)
            outcome = end_what_is_left(folder, intention)
        where = "" if intention is None else intention.folder
        return Left(folder.path.name, Path(where), outcome)
    finally:
        os.close(descriptor)


def _is_in_hands(folder: RunFolder, intention: Intention | None, lives: Path) -> bool:
    """Whether somebody alive sees to the end of a run.

    Who that is was forgotten where an agent has destroyed what was written; its shim is then.
    """
    if intention is None:
        return shim_of(folder) is not None
    return intention.is_of_this_boot() and may_live(intention.owner, lives)
