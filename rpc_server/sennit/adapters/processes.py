"""Runs programs so that nothing of them escapes; each under a shim that outlives no server.

What a run is and where it is written down: `adapters.runs`. The shim: `adapters.supervision`.
"""

from collections.abc import AsyncIterator, Mapping
from functools import partial
from pathlib import Path
from typing import Protocol

import anyio
import anyio.to_thread
from attrs import field, frozen

from sennit.adapters.platform import signals
from sennit.adapters.platform.lives import Life
from sennit.adapters.platform.support import Unsupported, process_control
from sennit.adapters.runs.folder import RunFolder, run_folder
from sennit.adapters.runs.launch import Prepared, hear, launch, prepare
from sennit.adapters.runs.live import LiveRun
from sennit.adapters.runs.look import Seen, look
from sennit.adapters.runs.outcome import (
    SWEEP_MS,
    read_outcome,
    sweep_again,
    write_prepare_failure,
)
from sennit.adapters.runs.questions import answer_question, withdraw_question
from sennit.adapters.runs.record import read_record
from sennit.adapters.runs.recovery import recover_all
from sennit.adapters.runs.removing import remove_folder
from sennit.adapters.runs.spawn_errors import spawn_failed
from sennit.adapters.runs.values import (
    Cursor,
    Deaf,
    Delivered,
    EndCause,
    Ended,
    Exited,
    Left,
    NobodyAsks,
    OutputOver,
    RunEvent,
    RunRecord,
    RunSpec,
    Said,
    SpawnFailed,
    SpawnStage,
    Started,
    UnknownRunError,
)
from sennit.adapters.unconfined import note_unconfined
from sennit.core.sandbox import Confined

_GLANCE_S = 0.2
_PRESS_S = 1.0
_PARTING_S = 1.0
"""How long an agent may take to end after it has closed its output."""


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


@frozen
class LocalExecutor:
    """Runs agents on this machine; `runs_folder` is shared by all servers of the user.

    `environ` is what agents may be given of; see `runs.environment`. `lives` is the folder in which
    servers say by `life` that they live, that of the runs if none is told.
    """

    runs_folder: Path
    environ: Mapping[str, str]
    lives: Path | None = None
    life: Life | None = None
    _runs: dict[str, LiveRun] = field(factory=dict, init=False)

    async def start(self, run_id: str, workspace: Path, spec: RunSpec) -> Started | SpawnFailed:
        """Start an agent in `workspace`; returns when its program runs or cannot.

        Call it on the event loop's main thread. Each call with an id leaves a record.
        """
        folder = run_folder(self.runs_folder, run_id)
        control = process_control()
        if isinstance(control, Unsupported):
            return SpawnFailed(run_id, SpawnStage.PREPARE, "ENOSYS", control.why)
        try:
            if self.lives is not None and not isinstance(spec.sandbox, Confined):
                await anyio.to_thread.run_sync(note_unconfined, self.lives)
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
        await _gone(run)
        return await run.settle()

    async def stop(self, run_id: str, *, force: bool) -> None:
        """Ask for the end of a run by the stop ladder, or by force at once.

        Returns when asked; with `force` when the shim is gone. Without effect when it ended.
        """
        run = self._runs.get(run_id)
        if run is None or run.outcome is not None:
            return
        run.ask_to_end(signals.QUIT if force else signals.TERMINATE)
        if force:
            with anyio.move_on_after(2 * SWEEP_MS / 1000):
                await _gone(run)
                return
            run.signal(signals.KILL)

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
                # An agent that ends closes its output too; then its end says more.
                if not isinstance(event, OutputOver) or not await self._is_ending(run_id):
                    yield event
            if over and not glance.more:
                yield Ended(await self.wait(run_id))
                return
            if not over and not glance.more:
                await self._until_gone_or_later(run_id)

    async def say(self, run_id: str, data: bytes) -> Said | Deaf:
        """Write to the standard input of an agent that talks; see `LiveRun.say`."""
        run = self._runs.get(run_id)
        return Deaf("it has ended") if run is None else await run.say(data)

    async def hush(self, run_id: str) -> None:
        """Say no more to an agent that talks; see `LiveRun.hush`."""
        run = self._runs.get(run_id)
        if run is not None:
            run.hush()

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
        return await anyio.to_thread.run_sync(recover_all, self.runs_folder, self._lives())

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
            shim, reader = launch(folder, prepared, self._hold())
        except OSError as error:
            return await self._refused(folder, workspace, spec, error)
        run_id = folder.path.name
        run = LiveRun(folder, shim, spec.talks, reader, prepared.intention, _ladder_s(spec))
        self._runs[run_id] = run
        match await hear(reader, partial(run.signal, signals.CONTINUE)):
            case ("S", pid, start):
                run.agent = (int(pid), int(start))
                return Started(run_id, *run.agent)
            case word:
                if not word:
                    run.signal(signals.KILL)
                return await self._not_started(run)

    async def _not_started(self, run: LiveRun) -> Started | SpawnFailed:
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

    def _hold(self) -> int | None:
        return None if self.life is None else self.life.held(self._lives())

    def _lives(self) -> Path:
        return self.runs_folder if self.lives is None else self.lives

    def _known(self, run_id: str) -> RunFolder:
        return run_folder(self.runs_folder, run_id)

    async def _is_over(self, run_id: str) -> bool:
        run = self._runs.get(run_id)
        if run is None:
            await self.wait(run_id)
            return True
        return run.outcome is not None or not run.is_running()

    async def _is_ending(self, run_id: str) -> bool:
        run = self._runs.get(run_id)
        if run is not None:
            with anyio.move_on_after(_PARTING_S):
                await run.until_gone()
            if run.agent_has_ended():
                return True
        return await self._is_over(run_id)

    async def _until_gone_or_later(self, run_id: str) -> None:
        run = self._runs[run_id]
        run.press()
        with anyio.move_on_after(_GLANCE_S):
            await run.until_news()


async def _gone(run: LiveRun) -> None:
    """Return when the shim of a run has ended, which it is seen to."""
    while run.outcome is None and run.is_running():
        run.press()
        with anyio.move_on_after(_PRESS_S):
            await run.until_gone()


def _ladder_s(spec: RunSpec) -> float:
    """How long the shim may take from a request to its end: each rung, the sweep, and some more."""
    return (spec.cancel_ms + spec.close_ms + spec.term_ms + 3 * SWEEP_MS) / 1000


def _remove(folder: RunFolder) -> None:
    if not folder.released.exists():
        raise ValueError(f"{folder.path.name} was not released: its end may still be needed")
    remove_folder(folder.path)
