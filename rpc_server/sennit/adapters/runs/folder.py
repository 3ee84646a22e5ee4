"""The folder of one run: everything known of it, readable after any crash.

spec.json      what was asked for, and which server asked     (written before anything starts)
order          the same for the shim, in its own format
prompt         the prompt, as the agent got it
stdin          a named pipe, where the server speaks with the agent
stdout stderr  output, up to the limit                        (made by the shim before the start)
stdout.closed  says that an agent that is spoken with closed its standard output
stdout.cut     says that the rest of it was not kept
started.json   pids, start times, boot id                     (shim)
exit.json      the end                                        (shim; else whoever found it dead)
exchange/      questions/ and answers/, the only part that an agent has to write to
released       the end was taken note of for good
"""

import errno
import json
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from attrs import frozen

from sennit.adapters.platform import processes
from sennit.adapters.platform.lives import Owner
from sennit.adapters.platform.realms import realm
from sennit.adapters.small_files import Content, read_small_file, regular_file
from sennit.adapters.supervision import records

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@frozen
class Intention:
    """What the end of a run needs to know of its beginning.

    `owner`: the server that started it, in the boot `boot_id`. `folder`: where it works. `since`:
    start time (ticks) before which nothing of it existed, which counts in the owner's realm alone.
    `sweep_folder`: whether whoever works inside the folder belongs to it.
    """

    owner: Owner
    boot_id: str
    folder: str
    since: int
    sweep_folder: bool

    @classmethod
    def written(cls, spec: Mapping[str, Any] | None) -> Self | None:
        """Read what `spec.json` says; None where it says nothing of the kind.

        An agent without a sandbox may have written there.
        """
        match spec:
            case {
                "owner_pid": int(pid),
                "owner_start": int(start),
                "boot_id": str(boot_id),
                "folder": str(folder),
                "since": int(since),
                "sweep_folder": bool(sweep_folder),
            }:
                owner = Owner(pid, start, str((spec or {}).get("realm", "")))
                return cls(owner, boot_id, folder, since, sweep_folder)
            case _:
                return None

    def is_of_this_boot(self) -> bool:
        """Whether any process of the run can be left."""
        return self.boot_id == processes.boot_id()

    def is_of_this_realm(self) -> bool:
        """Whether its pids and start times mean here what they meant to who wrote them down."""
        return self.is_of_this_boot() and self.owner.realm in {"", realm()}


@frozen
class RunFolder:
    """Paths of one run."""

    path: Path

    @property
    def spec(self) -> Path:
        """What was asked for."""
        return self.path / "spec.json"

    @property
    def order(self) -> Path:
        """What the shim reads."""
        return self.path / "order"

    @property
    def prompt(self) -> Path:
        """The prompt."""
        return self.path / "prompt"

    @property
    def stdin(self) -> Path:
        """Standard input of an agent that is spoken with: a named pipe."""
        return self.path / "stdin"

    @property
    def stdout(self) -> Path:
        """Standard output; its existence says that the shim was about to start the agent."""
        return self.path / "stdout"

    @property
    def stdout_closed(self) -> Path:
        """Exists when an agent that is spoken with has closed its standard output."""
        return self.path / "stdout.closed"

    @property
    def stdout_cut(self) -> Path:
        """Exists when the rest of such an agent's standard output was not kept."""
        return self.path / "stdout.cut"

    @property
    def stderr(self) -> Path:
        """Error output."""
        return self.path / "stderr"

    @property
    def started(self) -> Path:
        """Who runs."""
        return self.path / "started.json"

    @property
    def exit(self) -> Path:
        """How it ended."""
        return self.path / "exit.json"

    @property
    def exchange(self) -> Path:
        """Where programs of the run ask questions; $SENNIT_RUN_DIR."""
        return self.path / "exchange"

    @property
    def released(self) -> Path:
        """Exists when the end was taken note of for good."""
        return self.path / "released"


def run_folder(runs: Path, run_id: str) -> RunFolder:
    """Return the folder of a run; a name that could leave `runs` is a bug in the caller."""
    if not _RUN_ID.fullmatch(run_id):
        raise ValueError(f"{run_id!r} is no run id: letters, digits, dot, dash, underscore only")
    return RunFolder(runs / run_id)


def create(folder: RunFolder, spec: dict[str, Any], prompt: str) -> None:
    """Make the folder with what is known before the start; FileExistsError if it is there."""
    if not folder.path.parent.is_dir():
        try:
            folder.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except FileExistsError as error:
            # Not the run is there already, but something where all runs should be.
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from error
    folder.path.mkdir(mode=0o700)
    for each in (folder.exchange, folder.exchange / "questions", folder.exchange / "answers"):
        each.mkdir(mode=0o700)
    write_private(folder.prompt, prompt.encode("utf-8", "surrogateescape"))
    if spec["talks"]:
        os.mkfifo(folder.stdin, 0o600)
    record = {**spec, "created_ms": time.time_ns() // 1_000_000}
    # The intention has to survive a power loss, or nobody would know of the run.
    records.write_durably(os.fsencode(folder.spec), json.dumps(record, indent=1).encode("ascii"))


def write_private(path: Path, data: bytes) -> None:
    """Put a file in place atomically that only this user may read."""
    records.write_whole(os.fsencode(path), data)


def read_json(path: Path) -> dict[str, Any] | None:
    """Return the object in a JSON file; None if there is none, or half of one (power loss)."""
    found = read_small_file(os.fsencode(path))
    if not isinstance(found, Content):
        return None
    try:
        value = json.loads(found.content)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_start(path: Path, most: int) -> bytes:
    """Return the first bytes of a file; none if there is none."""
    with regular_file(path) as file:
        return b"" if file is None else file.read(most)


def size(path: Path) -> int:
    """Size of a file in bytes; 0 if there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
