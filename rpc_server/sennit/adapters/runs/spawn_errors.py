"""Says to a person why a program did not start, and what to do."""

import errno
import os
from typing import assert_never

from sennit.adapters.runs.values import SpawnFailed, SpawnStage


def spawn_failed(
    run_id: str, stage: SpawnStage, number: int, program: str, folder: str
) -> SpawnFailed:
    """Return the failure for a system error `number` (errno; 0 for none) at `stage`."""
    name = errno.errorcode.get(number, str(number)) if number else ""
    reason = f"{os.strerror(number)} ({name})"
    match stage:
        case SpawnStage.PREPARE:
            text = f"The run could not be prepared: {reason}. {_advice(number)}"
        case SpawnStage.FOLDER:
            text = (
                f"The workspace {folder!r} cannot be entered: {reason}. "
                "It was removed or its permissions changed: dispatch the task again."
            )
        case SpawnStage.SANDBOX:
            why = f": {reason}" if number else ""
            text = (
                f"The sandbox could not be made, so nothing was started{why}. Mend what keeps "
                'bubblewrap from it, or set `sandbox = "off"` for the agent. Where '
                "`workspace.kind` is `overlay`, set another one if it is the mount that fails."
            )
        case SpawnStage.PROGRAM:
            text = (
                f"The program {program!r} cannot be started in {folder!r}: {reason}. "
                f"{_advice(number)}"
            )
        case _:
            assert_never(stage)
    return SpawnFailed(run_id, stage, name, text)


def _advice(number: int) -> str:
    return {
        errno.ENOENT: "Install it, correct its name, which an agent has in `argv`, or give its "
        "full path. If the file exists, the interpreter in its first line does not.",
        errno.EACCES: "Make it executable (`chmod +x`) and see whether its disk is mounted noexec.",
        errno.ENOEXEC: "It is neither a binary for this machine nor a script with a `#!` line.",
        errno.E2BIG: "Prompt, arguments and environment are too long together: set the agent's "
        '`prompt_as` to "stdin" or "file".',
        errno.EINVAL: "The program's name is empty, or an argument or a path contains a NUL: "
        "correct the command line, or the agent's `argv` and the prompt.",
        errno.ENOSPC: "The disk is full: make room and try again.",
        errno.EAGAIN: "The system refuses more processes: end some or raise `ulimit -u`.",
        errno.ENOMEM: "There is not enough memory: end something and try again.",
    }.get(number, "See the system's documentation of this error.")
