"""Owns one agent from its start until nothing of it is left, and writes down what happened."""

from __future__ import annotations

import os
import select
import time

from sennit.adapters.platform import kinship, processes, signals
from sennit.adapters.platform.realms import realm
from sennit.adapters.platform.spawning import Refused
from sennit.adapters.platform.sweeping import Quarry, sweep
from sennit.adapters.supervision import records
from sennit.adapters.supervision.grip import start
from sennit.adapters.supervision.ladder import Ladder
from sennit.adapters.supervision.order import marker, place
from sennit.adapters.supervision.spool import Spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sennit.adapters.platform.sweeping import Swept
    from sennit.adapters.supervision.grip import Grip
    from sennit.adapters.supervision.order import Order

_REQUESTS = (signals.TERMINATE, signals.INTERRUPT, signals.HANG_UP)
_STATUS, _LOG = 1, 2


def own(order: Order) -> None:
    """Run the agent of `order` to its end, whatever that is; the exit record is written last."""
    began = _milliseconds()
    arrivals = signals.arrivals((*_REQUESTS, signals.QUIT, signals.CHILD_ENDED))
    kinship.adopt_orphans()
    if not kinship.die_with_parent(signals.TERMINATE, order["owner_pid"]):
        _write_refusal(order, {"cause": "never_started", "started_ms": began})
        return
    try:
        records.reserve(_exit_record(order))
        spools = [_spool(order, b"stdout"), _spool(order, b"stderr")]
        started = _start(order, spools)
    except OSError as error:
        # A full disk or process table, no descriptors left: nothing was started.
        spools, started = [], Refused("prepare", error.errno or 0)
    if isinstance(started, Refused):
        for each in spools:
            # Bubblewrap may have said why there is no sandbox.
            each.drain()
        record: dict[str, records.Value] = {
            "cause": "spawn_failed",
            "stage": started.stage,
            "errno": started.number,
            "started_ms": began,
        }
        _write_refusal(order, record)
        _tell(f"F {started.stage} {started.number}\n")
        return
    grip, voice = started
    _write_started(order, grip, began)
    watch = Watch(order, grip, voice, spools, arrivals)
    watch.until_ended()
    swept = sweep(_quarry(order), order["sweep_ms"], watch.childless)
    _finish(order, watch, swept, began)


class Watch:
    """Waits for the agent's end while its output flows and requests to stop come in.

    `status`: wait status of the agent, None as long as it was not reaped. `cause`: why it ended.
    """

    def __init__(
        self, order: Order, grip: Grip, voice: int | None, spools: list[Spool], arrivals: int
    ) -> None:
        self._owner = order["owner_pid"]
        self._talks = order["talks"]
        self._run_folder: bytes = order.run_folder
        self._grip = grip
        self._arrivals = arrivals
        self._ladder = Ladder(order, grip, voice)
        self._poll = select.poll()
        self._poll.register(arrivals, select.POLLIN)
        self.spools = {each.reader: each for each in spools}
        self._spoken: int | None = spools[0].reader
        for reader in self.spools:
            self._poll.register(reader, select.POLLIN)
        self.status: int | None = None
        self.cause = "exited"

    def until_ended(self) -> None:
        """Return when the agent has ended, or when even KILL could not end it."""
        while self.status is None and not self._ladder.exhausted:
            for descriptor, _ in self._poll.poll(self._ladder.timeout_ms()):
                if descriptor == self._arrivals:
                    self._answer(os.read(self._arrivals, 512))
                else:
                    self._take(descriptor)
            if self.status is None:
                self._ladder.climb()

    def childless(self) -> bool:
        """Reap whatever ended; True when no child is left, which proves no descendant is."""
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return False
                if pid == self._grip.pid:
                    self.status = self._grip.ended_with(status)
        except ChildProcessError:
            return True

    def _take(self, reader: int) -> None:
        spool = self.spools[reader]
        flows = spool.pump()
        if not flows:
            # Closed output is no end: the agent may go on without it.
            self._poll.unregister(reader)
        if not self._talks:
            return
        if reader == self._spoken and (spool.is_cut or not flows):
            # Who waits for an answer would wait for ever.
            self._spoken = None
            _note_over(self._run_folder, b"cut" if spool.is_cut else b"closed")
        _poke()

    def _answer(self, arrived: bytes) -> None:
        if signals.CHILD_ENDED in arrived:
            self.childless()
        if self.status is not None:
            return
        if signals.QUIT in arrived:
            self._because("killed")
            self._ladder.jump()
        elif any(number in arrived for number in _REQUESTS):
            self._because("stopped")
            self._ladder.begin()

    def _because(self, request: str) -> None:
        owner_died = os.getppid() != self._owner
        if self.cause != "owner_died":
            self.cause = "owner_died" if owner_died else request


def _spool(order: Order, name: bytes) -> Spool:
    return Spool(order.run_folder + b"/" + name, order["output_limit"])


def _start(order: Order, spools: list[Spool]) -> tuple[Grip, int | None] | Refused:
    """Start the agent; also gives our end of its standard input where the server speaks."""
    source, voice = _input(order)
    streams = (source, spools[0].writer, spools[1].writer)
    started = start(order, streams)
    os.close(source)
    for each in spools:
        each.hand_over()
    return started if isinstance(started, Refused) else (started, voice)


def _input(order: Order) -> tuple[int, int | None]:
    """Open what the agent reads, and an end to write that keeps it open until it is to end."""
    if not order["talks"]:
        return os.open(order.input_file, os.O_RDONLY | os.O_CLOEXEC), None
    # Opened for both first, since each end of a named pipe waits for the other.
    both = os.open(order.input_file, os.O_RDWR | os.O_CLOEXEC)
    source = os.open(order.input_file, os.O_RDONLY | os.O_CLOEXEC)
    voice = os.open(order.input_file, os.O_WRONLY | os.O_CLOEXEC)
    os.close(both)
    return source, voice


def _write_started(order: Order, grip: Grip, began: int) -> None:
    me, pid = os.getpid(), grip.pid
    # Not reaped yet, so the process table still has it even if it ended at once.
    start = processes.start_time(pid) or 0
    record: dict[str, records.Value] = {
        "pid": pid,
        "start": start,
        "shim_pid": me,
        "shim_start": processes.start_time(me) or 0,
        "reaper_pid": grip.reaper,
        "reaper_start": processes.start_time(grip.reaper) or 0,
        "boot_id": processes.boot_id(),
        "realm": realm(),
        "started_ms": began,
    }
    try:
        records.write_whole(order.run_folder + b"/started.json", records.to_json(record))
    except OSError:
        # The disk is full. The marker finds all that this record names.
        os.write(_LOG, b"started.json could not be written: is the disk full?\n")
    _tell(f"S {pid} {start}\n")


def _quarry(order: Order) -> Quarry:
    folder = os.path.realpath(order.folder) if order["sweep_folder"] else None
    marks = (marker(order.run_id), place(order.run_folder))
    return Quarry(marks, folder, order["since"], os.getpid())


def _finish(order: Order, watch: Watch, swept: Swept, began: int) -> None:
    out, err = watch.spools.values()
    for each in (out, err):
        each.drain()
    ended = None if watch.status is None else os.waitstatus_to_exitcode(watch.status)
    record: dict[str, records.Value] = {
        "cause": watch.cause,
        "code": ended if ended is not None and ended >= 0 else None,
        "signal": -ended if ended is not None and ended < 0 else None,
        "stdout_bytes": out.total,
        "stdout_kept": out.kept,
        "stderr_bytes": err.total,
        "stderr_kept": err.kept,
        "disk_errno": out.failure or err.failure,
        "swept": len(swept.killed),
        "survivors": swept.survivors,
        "started_ms": began,
    }
    data = records.to_json({**record, "ended_ms": _milliseconds()})
    records.write_reserved(_exit_record(order), data)


def _note_over(run_folder: bytes, how: bytes) -> None:
    """Note that no more is seen of what the agent says; an empty file, for the disk may be full."""
    path = run_folder + b"/stdout." + how
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, records.PRIVATE))
    except OSError:
        os.write(_LOG, b"that the output is over could not be noted: is the disk full?\n")


def _write_refusal(order: Order, record: dict[str, records.Value]) -> None:
    data = records.to_json({**record, "ended_ms": _milliseconds()})
    records.write_durably(_exit_record(order), data)


def _exit_record(order: Order) -> bytes:
    return order.run_folder + b"/exit.json"


def _tell(line: str) -> None:
    """Tell the server, if it is still there; the files tell everybody else."""
    try:
        os.write(_STATUS, line.encode("ascii"))
    except BrokenPipeError:
        return


def _poke() -> None:
    """Tell the server that there is something to read; it looks by itself too, but later."""
    try:
        os.write(_STATUS, b".")
    except (BlockingIOError, BrokenPipeError):
        # It has not read the last ones yet, or is gone.
        return


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000
