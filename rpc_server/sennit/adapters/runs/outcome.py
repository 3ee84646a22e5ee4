"""The end of a run, read from its folder, or made when its shim could not write it."""

import errno
import json
import os
import time
from collections.abc import Mapping
from typing import Any

from attrs import evolve

from sennit.adapters.platform import processes, signals
from sennit.adapters.platform.realms import realm
from sennit.adapters.platform.sweeping import Quarry, belonging, sweep
from sennit.adapters.runs.folder import Intention, RunFolder, read_json, read_start, size
from sennit.adapters.runs.spawn_errors import spawn_failed
from sennit.adapters.runs.values import EndCause, Exited, SpawnFailed, SpawnStage
from sennit.adapters.supervision import records
from sennit.adapters.supervision.order import marker, place

SWEEP_MS = 5_000
"""How long a sweep goes on before it gives up and names survivors."""


_WORDS = 300
"""Bytes of what bubblewrap says that go into a message."""


def read_outcome(folder: RunFolder) -> Exited | None:
    """Tell what the exit record says; None when there is none yet, or none of ours."""
    record = read_json(folder.exit)
    if record is None:
        return None
    try:
        return _outcome(folder, record)
    except (KeyError, TypeError, ValueError):
        # An agent runs as the same user and may have written there.
        return None


def write_prepare_failure(folder: RunFolder, number: int) -> None:
    """Record that the run failed before its shim was started; `number` is the errno."""
    now = time.time_ns() // 1_000_000
    record = {"cause": "spawn_failed", "stage": "prepare", "errno": number}
    _write_exit(folder, {**record, "started_ms": now, "ended_ms": now})


def end_what_is_left(folder: RunFolder, intention: Intention | None) -> Exited:
    """Bring a run to its end whose shim is gone without an exit record, or is to go now.

    Blocks for up to `SWEEP_MS`. Calling it again is harmless. An exit record that is there all
    the same is believed only after the sweep. Where nothing is known of the intention any more,
    what carries the run's marks is swept.
    """
    started = read_json(folder.started) or {}
    survivors: tuple[int, ...] = ()
    killed: frozenset[int] = frozenset()
    if intention is None or intention.is_of_this_boot():
        swept = sweep(_quarry(folder, intention), SWEEP_MS, lambda: True)
        survivors, killed = swept.survivors, swept.killed
    known = read_outcome(folder)
    if known is not None:
        # The shim had come to its end after all, just before it was swept.
        return known
    out, err = size(folder.stdout), size(folder.stderr)
    record = {
        "cause": _cause(folder),
        "stdout_bytes": out,
        "stdout_kept": out,
        "stderr_bytes": err,
        "stderr_kept": err,
        "swept": len(killed),
        "survivors": list(survivors),
        "started_ms": _moment(started.get("started_ms")),
        "ended_ms": time.time_ns() // 1_000_000,
    }
    try:
        _write_exit(folder, record)
    except OSError as error:
        # A full disk keeps nobody from knowing the end; the next start finds it out again.
        record["disk_errno"] = error.errno
    return _outcome(folder, record)


def _moment(told: object) -> int:
    """Give the beginning that a record tells; 0 where it tells none that makes sense."""
    now = time.time_ns() // 1_000_000
    return told if isinstance(told, int) and 0 <= told <= now else 0


def _cause(folder: RunFolder) -> EndCause:
    # The shim makes the file for output before it starts anything. Of a run whose folder somebody
    # has removed nothing is known.
    begun = folder.stdout.exists() or not folder.path.exists()
    return EndCause.LOST if begun else EndCause.NEVER_STARTED


def sweep_again(folder: RunFolder) -> tuple[int, ...]:
    """Try once more to end the survivors of a run that ended; those that are left now."""
    intention = Intention.written(read_json(folder.spec))
    if intention is not None and not intention.is_of_this_boot():
        return ()
    swept = sweep(_quarry(folder, intention), SWEEP_MS, lambda: True)
    still = set(swept.survivors)
    record, outcome = read_json(folder.exit), read_outcome(folder)
    if record is not None and outcome is not None:
        # A survivor that wiped its environment and left the folder is known by its pid alone,
        # and a pid alone is not enough to kill: it counts for as long as it can be that process.
        since = 0 if intention is None else intention.since
        here = intention is None or intention.is_of_this_realm()
        for pid in outcome.survivors if here else ():
            found = processes.process(pid)
            if found is not None and not found.ended and found.start >= since:
                still.add(pid)
        _write_exit(folder, {**record, "survivors": sorted(still)})
    return tuple(sorted(still))


def shim_of(folder: RunFolder) -> tuple[int, int] | None:
    """Pid and start time of the shim of a run of this realm, if it lives."""
    started = read_json(folder.started)
    match started:
        case {"boot_id": str(boot_id), "shim_pid": int(pid), "shim_start": int(start)}:
            is_here = boot_id == processes.boot_id() and _is_of_this_realm(started)
            return (pid, start) if is_here and processes.is_alive(pid, start) else None
        case _:
            return None


def hurry(folder: RunFolder) -> None:
    """Have the shim of a run kill its agent at once, and wait until it has; blocks."""
    shim = shim_of(folder)
    if shim is None:
        return
    processes.signal_process(*shim, signals.QUIT)
    # It may have been stopped by its agent.
    processes.signal_process(*shim, signals.CONTINUE)
    deadline = time.monotonic() + SWEEP_MS / 1000
    while processes.is_alive(*shim) and time.monotonic() < deadline:
        time.sleep(0.01)


def living(folder: RunFolder) -> tuple[int, ...]:
    """Pids that belong to a run at this instant."""
    intention = Intention.written(read_json(folder.spec))
    if intention is not None and not intention.is_of_this_boot():
        return ()
    return tuple(sorted(belonging(_quarry(folder, intention))))


def _outcome(folder: RunFolder, record: dict[str, Any]) -> Exited:
    kept = record.get("stdout_kept", 0) + record.get("stderr_kept", 0)
    output = record.get("stdout_bytes", 0) + record.get("stderr_bytes", 0)
    disk_errno = record.get("disk_errno", 0)
    return Exited(
        code=record.get("code"),
        signal=record.get("signal"),
        output_bytes=output,
        truncated=kept < output,
        started_at=record["started_ms"],
        ended_at=record["ended_ms"],
        survivors=tuple(map(int, record.get("survivors", ()))),
        cause=EndCause(record["cause"]),
        swept=record.get("swept", 0),
        disk_error=errno.errorcode.get(disk_errno, str(disk_errno)) if disk_errno else "",
        failure=_failure(folder, record),
    )


def _quarry(folder: RunFolder, intention: Intention | None) -> Quarry:
    marks = (marker(folder.path.name), place(os.fsencode(folder.path)))
    if intention is None:
        return Quarry(marks, None, 0, None)
    swept = intention.sweep_folder
    workspace = os.path.realpath(os.fsencode(intention.folder)) if swept else None
    # Elsewhere time may have begun at another moment; the marks are of this run alone.
    since = intention.since if intention.is_of_this_realm() else 0
    return Quarry(marks, workspace, since, None, _reaper(folder))


def _reaper(folder: RunFolder) -> tuple[int, int] | None:
    started = read_json(folder.started)
    match started:
        case {"reaper_pid": int(pid), "reaper_start": int(start)} if _is_of_this_realm(started):
            return (pid, start)
        case _:
            # The disk was full when it started, or it is the pid of somebody else here.
            return None


def _is_of_this_realm(started: Mapping[str, Any] | None) -> bool:
    return (started or {}).get("realm", "") in {"", realm()}


def _failure(folder: RunFolder, record: dict[str, Any]) -> SpawnFailed | None:
    if record["cause"] != EndCause.SPAWN_FAILED:
        return None
    spec = read_json(folder.spec) or {"argv": ["?"], "folder": "?"}
    stage = SpawnStage(record["stage"])
    program = spec["argv"][0] if spec["argv"] else ""
    failed = spawn_failed(folder.path.name, stage, record["errno"], program, spec["folder"])
    if stage is not SpawnStage.SANDBOX:
        return failed
    said = read_start(folder.stderr, _WORDS).decode(errors="replace").strip()
    return evolve(failed, message=f"{failed.message} It said: {said}" if said else failed.message)


def _write_exit(folder: RunFolder, record: dict[str, Any]) -> None:
    data = json.dumps(record).encode("ascii") + b"\n"
    records.write_durably(os.fsencode(folder.exit), data)
