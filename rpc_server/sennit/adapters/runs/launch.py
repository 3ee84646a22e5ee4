"""Starts the shim of a run and hears from it whether the agent runs."""

import errno
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import anyio
from attrs import frozen

from sennit.adapters import shim
from sennit.adapters.platform import processes, signals
from sennit.adapters.platform.lives import this_process
from sennit.adapters.platform.spawning import start_in_own_session
from sennit.adapters.runs.arguments import Invocation, invocation
from sennit.adapters.runs.environment import agent_environment
from sennit.adapters.runs.folder import (
    Intention,
    RunFolder,
    create,
    write_private,
)
from sennit.adapters.runs.outcome import SWEEP_MS
from sennit.adapters.runs.own_program import own_program, with_own_program
from sennit.adapters.runs.sandbox import box_of, variables_inside, written_how, written_sandbox
from sennit.adapters.runs.values import RunSpec
from sennit.adapters.supervision.order import Order, encode
from sennit.core.agents import Polite

_WORD_S = 30
_WAKE_S = 0.5
_SHIM = os.fsencode(Path(shim.__file__).resolve())


@frozen
class Prepared:
    """All that the shim needs lies in the run's folder; these are its variables.

    `intention` is kept by the server too: an agent may destroy what is written of it.
    """

    environment: Mapping[bytes, bytes]
    intention: Intention


@frozen
class Shim:
    """A running shim, by pid and by a handle that stays its own."""

    pid: int
    handle: int


def prepare(
    folder: RunFolder, workspace: Path, spec: RunSpec, ambient: Mapping[str, str]
) -> Prepared:
    """Write everything down before anything starts; blocks. Raises OSError."""
    call = invocation(spec, folder)
    variables = {
        **agent_environment(ambient, spec.env_allow, spec.env_set),
        **variables_inside(spec.sandbox),
    }
    variables["SENNIT_RUN"] = folder.path.name
    variables["SENNIT_RUN_DIR"] = str(folder.exchange)
    owner, boot_id = this_process(), processes.boot_id()
    since = processes.ticks_now() - 1
    create(
        folder,
        {
            "argv": call.argv,
            "folder": str(workspace),
            "variables": sorted(variables),
            "prompt_as": spec.prompt_as,
            "talks": spec.talks,
            "owner_pid": owner.pid,
            "owner_start": owner.started,
            "boot_id": boot_id,
            "realm": owner.realm,
            "since": since,
            "sweep_folder": spec.sweep_folder,
            "sandbox": written_sandbox(spec.sandbox),
            "workspace": written_how(spec.workspace),
        },
        spec.prompt,
    )
    if not any(call.argv[:1]) or any("\0" in text for text in (*call.argv, str(workspace))):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    write_private(folder.order, encode(_order(folder, workspace, spec, call, since)))
    found = with_own_program(variables, folder.exchange, own_program())
    return Prepared(
        {os.fsencode(name): os.fsencode(value) for name, value in found.items()},
        Intention(owner, boot_id, str(workspace), since, spec.sweep_folder),
    )


def launch(folder: RunFolder, prepared: Prepared, life: int | None) -> tuple[Shim, int]:
    """Start the shim; the descriptor returned will say what became of the start, see `hear`.

    `life`: what says that this server lives, see `platform.lives`; the shim holds it too.

    Call it on the loop's own thread, because the kernel tells the shim of the death of the
    *thread* that started it. Raises OSError.
    """
    reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        pid = _spawn(folder, prepared, writer, life)
    except OSError:
        os.close(reader)
        raise
    finally:
        os.close(writer)
    try:
        return Shim(pid, os.pidfd_open(pid)), reader
    except OSError:
        # No descriptor left. The child is not reaped yet, so the pid is its own.
        os.kill(pid, signals.KILL)
        os.waitpid(pid, 0)
        os.close(reader)
        raise


async def hear(reader: int, wake: Callable[[], None]) -> tuple[str, ...]:
    """Return the shim's word: ("S", pid, start), ("F", stage, errno), or () if it broke or hangs.

    Not to be interrupted, so that no agent runs of which nobody knows; ends within `_WORD_S`.
    Meanwhile the shim is woken now and then: its agent, which runs already, may have stopped it.
    What follows on `reader` are pokes: one byte whenever a spoken-with agent has written.
    """
    with anyio.move_on_after(_WORD_S, shield=True):
        while True:
            with anyio.move_on_after(_WAKE_S):
                await anyio.wait_readable(reader)
                word, _, _ = os.read(reader, 256).decode("ascii").partition("\n")
                return tuple(word.split())
            wake()
    return ()


def _spawn(folder: RunFolder, prepared: Prepared, status: int, life: int | None) -> int:
    python = os.fsencode(sys.executable)
    argv = (python, b"-I", b"-S", b"-P", _SHIM, os.fsencode(folder.order))
    nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    log = os.open(
        folder.path / "shim.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600
    )
    try:
        # Whoever cannot see the shim is not to take the server for dead before the shim has ended.
        streams = (nothing if life is None else life, status, log)
        return start_in_own_session(argv, prepared.environment, streams)
    finally:
        os.close(nothing)
        os.close(log)


def _order(
    folder: RunFolder, workspace: Path, spec: RunSpec, call: Invocation, since: int
) -> Order:
    source = os.devnull if call.input_file is None else call.input_file
    box = box_of(spec.sandbox, workspace, folder.exchange, spec.layers)
    return Order(
        folder.path.name,
        (os.fsencode(folder.path), os.fsencode(workspace), os.fsencode(source)),
        [os.fsencode(each) for each in (*box, *call.argv)],
        {
            "owner_pid": os.getpid(),
            "polite_signal": _polite_signal(spec.polite),
            "cancel_ms": spec.cancel_ms,
            "close_ms": spec.close_ms,
            "term_ms": spec.term_ms,
            "sweep_ms": SWEEP_MS,
            "output_limit": spec.output_limit,
            "since": since,
            "sweep_folder": int(spec.sweep_folder),
            "talks": int(spec.talks),
            "sandbox": len(box),
        },
    )


def _polite_signal(polite: Polite) -> int:
    match polite:
        case Polite.NOTHING:
            return 0
        case Polite.INTERRUPT:
            return signals.INTERRUPT
