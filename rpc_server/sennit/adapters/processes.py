"""Runs programs so that nothing of them escapes; each under a shim that outlives no server.

What a run is and where it is written down: `adapters.runs`. The shim: `adapters.supervision`.
"""

import os
import shutil
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Protocol

import anyio
import anyio.to_thread
from attrs import define, field, frozen

from sennit.adapters.platform import processes, signals
from sennit.adapters.platform.support import Unsupported, process_control
from sennit.adapters.runs.folder import RunFolder, run_folder
from sennit.adapters.runs.launch import Prepared, Shim, hear, launch, prepare
from sennit.adapters.runs.look import Seen, look
from sennit.adapters.runs.outcome import (
    SWEEP_MS,
    end_what_is_left,
    read_outcome,
    sweep_again,
    write_prepare_failure,
)
from sennit.adapters.runs.questions import answer_question, withdraw_question
from sennit.adapters.runs.record import read_record
from sennit.adapters.runs.recovery import recover_all
from sennit.adapters.runs.spawn_errors import spawn_failed
from sennit.adapters.runs.values import (
    Cursor,
    Delivered,
    EndCause,
    Ended,
    Exited,
    Left,
    NobodyAsks,
    RunEvent,
    RunRecord,
    RunSpec,
    SpawnFailed,
    SpawnStage,
    Started,
    UnknownRunError,
)

_GLANCE_S = 0.2


class Executor(Protocol):
    """Runs agents somewhere; nothing but the workspace reference says where."""

    async def start(self, run_id: str, workspace: Path, spec: RunSpec) -> Started | SpawnFailed:
        """Start an agent, once: a second start under the same id fails."""
        ...

    def events(self, run_id: str, since: Cursor) -> AsyncIterator[RunEvent]:
        """Tell what happens from a cursor on; `Ended` comes last."""
        ...

    async def wait(self, run_id: str) -> Exited:
        """Return the end of a run, however it came about."""
        ...

    async def stop(self, run_id: str, *, force: bool) -> None:
        """Ask for the end of a run."""
        ...


@define(eq=False)
class _Run:
    """A run whose shim this process started."""

    folder: RunFolder
    shim: Shim
    settling: anyio.Lock = field(factory=anyio.Lock)
    outcome: Exited | None = None


@frozen
class LocalExecutor:
    """Runs agents on this machine; `runs_folder` is shared by all servers of the user.

    `environ` is what agents may be given of; see `runs.environment`.
    """

    runs_folder: Path
    environ: Mapping[str, str]
    _runs: dict[str, _Run] = field(factory=dict, init=False)

    async def start(self, run_id: str, workspace: Path, spec: RunSpec) -> Started | SpawnFailed:
        """Start an agent in `workspace`; returns when its program runs or cannot.

        Call it on the event loop's main thread. Each call with an id leaves a record.
        """
        folder = run_folder(self.runs_folder, run_id)
        control = process_control()
        if isinstance(control, Unsupported):
            return SpawnFailed(run_id, SpawnStage.PREPARE, "ENOSYS", control.why)
        try:
            prepared = await anyio.to_thread.run_sync(
                prepare, folder, workspace, spec, self.environ
            )
        except FileExistsError:
            text = f"The run {run_id} was started before: start it again under a new id."
            return SpawnFailed(run_id, SpawnStage.PREPARE, "EEXIST", text)
        except OSError as error:
            return await self._refused(folder, workspace, spec, error)
        return await self._launched(folder, workspace, spec, prepared)

    async def wait(self, run_id: str) -> Exited:
        """Return the end of a run: after it no process of the run is left but the survivors named.

        For a run of an earlier server, what its record says; `recover` comes first.
        """
        run = self._runs.get(run_id)
        if run is None:
            outcome = await anyio.to_thread.run_sync(read_outcome, self._known(run_id))
            if outcome is None:
                raise UnknownRunError(f"{run_id} runs under another server, or was never started")
            return outcome
        await _until_gone(run)
        return await _settled(run)

    async def stop(self, run_id: str, *, force: bool) -> None:
        """Ask for the end of a run by the stop ladder, or by force at once.

        Returns when asked; with `force` when the shim is gone. Without effect when it ended.
        """
        run = self._runs.get(run_id)
        if run is None or run.outcome is not None:
            return
        _signal(run, signals.QUIT if force else signals.TERMINATE)
        # Its agent may have stopped the shim; a stopped process does not see a signal.
        _signal(run, signals.CONTINUE)
        if force:
            with anyio.move_on_after(2 * SWEEP_MS / 1000):
                await _until_gone(run)
                return
            _signal(run, signals.KILL)

    async def events(self, run_id: str, since: Cursor) -> AsyncIterator[RunEvent]:
        """Output from `since` on, open questions, progress; then `Ended`.

        Output is read from files, so a reader may come late, come back, or be one of several.
        Questions that are open are told again to each new reader.
        """
        folder = self._known(run_id)
        seen = Seen(since)
        while True:
            # Asked first: what was written before the end is then in the last look.
            over = await self._is_over(run_id)
            glance = await anyio.to_thread.run_sync(look, folder, seen)
            seen = glance.seen
            for event in glance.events:
                yield event
            if over and not glance.more:
                yield Ended(await self.wait(run_id))
                return
            if not over and not glance.more:
                await self._until_gone_or_later(run_id)

    async def answer(self, run_id: str, question_id: str, text: str) -> Delivered | NobodyAsks:
        """Give an answer to the program that asked."""
        folder = self._known(run_id)
        return await anyio.to_thread.run_sync(answer_question, folder, question_id, text)

    async def withdraw(self, run_id: str, question_id: str) -> Delivered | NobodyAsks:
        """Tell the program that asked that no answer will come."""
        folder = self._known(run_id)
        return await anyio.to_thread.run_sync(withdraw_question, folder, question_id)

    async def recover(self) -> tuple[Left, ...]:
        """Bring to their end all runs of servers that are gone; call it once at start.

        A run is told again at each start until it is released.
        """
        return await anyio.to_thread.run_sync(recover_all, self.runs_folder)

    async def record(self, run_id: str) -> RunRecord | None:
        """Tell what is known of a run, of whichever server; None if it never existed."""
        folder = run_folder(self.runs_folder, run_id)
        return await anyio.to_thread.run_sync(read_record, folder)

    async def sweep(self, run_id: str) -> tuple[int, ...]:
        """Try again to end the survivors of a run that ended; those that are left."""
        return await anyio.to_thread.run_sync(sweep_again, self._known(run_id))

    async def release(self, run_id: str) -> None:
        """Note that the end was taken note of for good: `recover` will not tell it again."""
        await self.wait(run_id)
        await anyio.to_thread.run_sync(self._known(run_id).released.touch, 0o600)
        self._runs.pop(run_id, None)

    async def delete(self, run_id: str) -> None:
        """Remove record and output of a run that was released."""
        folder = self._known(run_id)
        await anyio.to_thread.run_sync(_remove, folder)

    def running(self) -> tuple[str, ...]:
        """Ids of the runs of this server whose end is not known yet."""
        return tuple(run_id for run_id, run in self._runs.items() if run.outcome is None)

    async def close(self) -> tuple[Exited, ...]:
        """End everything at once and wait for it; the ladder, if wanted, comes before."""
        ended: list[Exited] = []
        for run_id in self.running():
            await self.stop(run_id, force=True)
            ended.append(await self.wait(run_id))
        return tuple(ended)

    async def _refused(
        self, folder: RunFolder, workspace: Path, spec: RunSpec, error: OSError
    ) -> SpawnFailed:
        number = error.errno or 0
        try:
            await anyio.to_thread.run_sync(write_prepare_failure, folder, number)
        except OSError as second:
            # A disk that takes no record is most likely the failure being told already.
            error.add_note(f"and it could not be recorded: {second}")
        program = spec.argv[0] if spec.argv else ""
        return spawn_failed(folder.path.name, SpawnStage.PREPARE, number, program, str(workspace))

    async def _launched(
        self, folder: RunFolder, workspace: Path, spec: RunSpec, prepared: Prepared
    ) -> Started | SpawnFailed:
        try:
            shim, reader = launch(folder, prepared)
        except OSError as error:
            return await self._refused(folder, workspace, spec, error)
        run_id = folder.path.name
        run = _Run(folder, shim)
        self._runs[run_id] = run
        match await hear(reader):
            case ("S", pid, start):
                return Started(run_id, int(pid), int(start))
            case word:
                if not word:
                    _signal(run, signals.KILL)
                return await self._not_started(run)

    async def _not_started(self, run: _Run) -> Started | SpawnFailed:
        run_id = run.folder.path.name
        outcome = await self.wait(run_id)
        if outcome.failure is not None:
            return outcome.failure
        if outcome.cause is not EndCause.NEVER_STARTED:
            # Only the word was lost, with the shim: the agent may have worked already.
            return Started(run_id, 0, 0)
        text = (
            f"The process that supervises {run_id} broke before it could report. "
            f"Its words are in {run.folder.path / 'shim.log'}."
        )
        return SpawnFailed(run_id, SpawnStage.PREPARE, "", text)

    def _known(self, run_id: str) -> RunFolder:
        return run_folder(self.runs_folder, run_id)

    async def _is_over(self, run_id: str) -> bool:
        run = self._runs.get(run_id)
        if run is None:
            await self.wait(run_id)
            return True
        return run.outcome is not None or not _is_running(run)

    async def _until_gone_or_later(self, run_id: str) -> None:
        with anyio.move_on_after(_GLANCE_S):
            await _until_gone(self._runs[run_id])


async def _until_gone(run: _Run) -> None:
    if run.outcome is not None:
        return
    # Several may wait at once, and the loop takes one waiter a descriptor.
    handle = os.dup(run.shim.handle)
    try:
        await anyio.wait_readable(handle)
    finally:
        os.close(handle)


async def _settled(run: _Run) -> Exited:
    async with run.settling:
        if run.outcome is None:
            settle = _recorded if _ended_well(run) else end_what_is_left
            run.outcome = await anyio.to_thread.run_sync(settle, run.folder)
            os.close(run.shim.handle)
        return run.outcome


def _recorded(folder: RunFolder) -> Exited:
    outcome = read_outcome(folder)
    return end_what_is_left(folder) if outcome is None else outcome


def _ended_well(run: _Run) -> bool:
    """Reap the shim; only one that came to its own end has proved that nothing is left."""
    try:
        _, status = os.waitpid(run.shim.pid, os.WNOHANG)
    except ChildProcessError:
        # Somebody waits for all children of this process, so nobody knows.
        return False
    return status == 0


def _is_running(run: _Run) -> bool:
    found = processes.process(run.shim.pid)
    return found is not None and not found.ended


def _signal(run: _Run, number: int) -> None:
    if run.outcome is not None:
        # The handle is closed, and its number may be somebody else's by now.
        return
    try:
        signals.send(run.shim.handle, number)
    except ProcessLookupError:
        # It ended by itself in this very moment.
        return


def _remove(folder: RunFolder) -> None:
    if not folder.released.exists():
        raise ValueError(f"{folder.path.name} was not released: its end may still be needed")
    shutil.rmtree(folder.path)
