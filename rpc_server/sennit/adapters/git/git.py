"""The one place that starts git: a clean environment, limits, and failures as values.

The system's and the user's own configuration files are read on purpose: they hold
``safe.directory``, the user's ``core.autocrlf`` and drivers such as git-lfs. Without them the bytes
of a snapshot would differ from what the user's own ``git add`` stores. What a repository's
configuration could run is switched off here or, for repositories that are not trusted, by
``Repository.neutral``.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import TYPE_CHECKING

import anyio
from attrs import evolve, field, frozen

from sennit.adapters.git.answers import is_cut_off
from sennit.adapters.git.full_disk import told_of_the_disk
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anyio.abc import ByteReceiveStream, ByteSendStream, Process

Argument = str | bytes | Path
Config = tuple[tuple[str, str], ...]

SAFE_CONFIG: Config = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    # Hooks that configuration names; of all events, those that calls of ours are.
    ("hook.post-index-change.enabled", "false"),
    ("hook.reference-transaction.enabled", "false"),
    ("core.splitIndex", "false"),
    ("core.safecrlf", "false"),
    ("core.untrackedCache", "false"),
    ("core.lockfilePid", "false"),
    ("protocol.allow", "never"),
    ("protocol.ext.allow", "never"),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("advice.detachedHead", "false"),
)
"""Put before every call: nothing that a repository configured is run, nothing is tidied up."""

DISPOSABLE: Config = (("core.fsync", "none"),)
"""For indexes and checkouts that can be made again: not forced to the disk."""

IDENTITY = ("Sennit", "sennit@localhost")
"""Author and committer of the commits that we make; they never leave the store."""

STDERR_KEPT = 16_384
"""Bytes that are kept of what a call complained about, if nobody asks for more."""
_CHUNK = 262_144
_FIXED = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": ":",
    "GIT_ASKPASS": "",
    # Paths that we pass are names, never patterns.
    "GIT_LITERAL_PATHSPECS": "1",
    # An object id names that object and no replacement, which the store would not have.
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    # None is allowed, whatever configuration says of a single one: it would win over "all".
    "GIT_ALLOW_PROTOCOL": "",
    # A file that git-lfs has not got stays the pointer that it is in the tree.
    "GIT_LFS_SKIP_DOWNLOAD_ERRORS": "1",
    "GIT_AUTHOR_NAME": IDENTITY[0],
    "GIT_AUTHOR_EMAIL": IDENTITY[1],
    "GIT_COMMITTER_NAME": IDENTITY[0],
    "GIT_COMMITTER_EMAIL": IDENTITY[1],
}
_KEPT = frozenset({"GIT_LFS_SKIP_SMUDGE"})
_DROPPED = frozenset({"SSH_ASKPASS", "LANGUAGE", "LANG"})


@frozen
class Done:
    """A call of git that ended with an accepted exit code."""

    stdout: bytes
    code: int
    stderr: str = ""


@frozen
class Place:
    """Where a call of git works; each field that is set becomes the variable git knows it by.

    With ``git_dir`` unset git discovers the repository from ``cwd`` and checks its owner.
    ``config`` is what holds there alone, such as what its disk can do. ``objects`` is the folder
    of objects of a store, which calls write into.
    """

    cwd: Path | None = None
    git_dir: Path | None = None
    work_tree: Path | None = None
    index_file: Path | None = None
    object_directory: Path | None = None
    alternates: tuple[Path, ...] = ()
    config: Config = ()
    objects: Path | None = None

    def environment(self) -> dict[str, str]:
        """Give the variables that tell git about this place."""
        named = {
            "GIT_DIR": self.git_dir,
            "GIT_WORK_TREE": self.work_tree,
            "GIT_INDEX_FILE": self.index_file,
            "GIT_OBJECT_DIRECTORY": self.object_directory,
        }
        variables = {name: str(path) for name, path in named.items() if path is not None}
        if self.alternates:
            quoted = (_quoted_alternate(path) for path in self.alternates)
            variables["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = os.pathsep.join(quoted)
        return variables


@frozen
class Limits:
    """How long a call may take, in seconds, and how much it may print, in bytes.

    Of ``complaints`` what comes after is dropped; more than ``output`` makes the call fail.
    """

    seconds: float = 300.0
    output: int = 1 << 30
    complaints: int = STDERR_KEPT


@frozen
class Git:
    """The git program and the environment its calls get; made once and passed to who needs it."""

    program: str
    environment: Mapping[str, str]
    limits: Limits = field(factory=Limits)
    config: Config = ()

    async def run(
        self,
        args: Sequence[Argument],
        at: Place,
        *,
        stdin: bytes = b"",
        accept: Sequence[int] = (0,),
        config: Config = (),
        env: Mapping[str, str] | None = None,
    ) -> Done | GitFailed:
        """Run ``git ARGS`` at a place and wait for its end.

        ``accept`` lists the exit codes that mean an answer; every other one, a signal, the time
        limit and too much output are a ``GitFailed``. ``config`` comes after ``SAFE_CONFIG``, that
        of this ``Git`` and that of the place, and wins over all. When the caller is cancelled, git
        and what it started are killed and reaped.
        """
        variables = {
            **self.environment,
            **at.environment(),
            **_config_variables(self.config + at.config + config),
        }
        variables.update(env or {})
        call = _Call(
            [self.program, *(os.fspath(argument) for argument in args)],
            at.cwd,
            variables,
            stdin,
            self.limits,
        )
        ended = await _run(call)
        if isinstance(ended, Done) and ended.code not in accept:
            return await told_of_the_disk(_failed(call, ended.code, ended.stderr), at)
        if isinstance(ended, Done) and is_cut_off(args, ended.stdout):
            advice = "Look whether the program that is called git is a wrapper that lost a part."
            return _failed(call, ended.code, "its answer ends in the middle", advice)
        return ended

    def configured(self, config: Config) -> Git:
        """Give the same git with more configuration for each of its calls."""
        return evolve(self, config=self.config + config)

    def limited(
        self,
        *,
        seconds: float | None = None,
        output: int | None = None,
        complaints: int | None = None,
    ) -> Git:
        """Give the same git with other limits."""
        limits = Limits(
            seconds=self.limits.seconds if seconds is None else seconds,
            output=self.limits.output if output is None else output,
            complaints=self.limits.complaints if complaints is None else complaints,
        )
        return evolve(self, limits=limits)


def git_for(program: str, environ: Mapping[str, str], limits: Limits | None = None) -> Git:
    """Make a ``Git`` from a program (a name or a path) and the environment of this process.

    Everything called ``GIT_*`` is dropped: a server that was started from a hook or an alias would
    otherwise work on the repository of that hook.
    """
    kept = {
        name: value
        for name, value in environ.items()
        if name in _KEPT or not (name.startswith(("GIT_", "LC_")) or name in _DROPPED)
    }
    return Git(program, {**kept, **_FIXED}, limits or Limits())


def at_date(seconds: int) -> dict[str, str]:
    """Give the variables that date a commit: seconds since 1970, in UTC."""
    return {"GIT_AUTHOR_DATE": f"@{seconds} +0000", "GIT_COMMITTER_DATE": f"@{seconds} +0000"}


@frozen
class _Call:
    argv: list[str | bytes]
    cwd: Path | None
    environment: dict[str, str]
    stdin: bytes
    limits: Limits


async def _run(call: _Call) -> Done | GitFailed:
    try:
        # asyncio forgets the pipes of a process whose start is cancelled half-way. A start is short
        # and always finished; a cancellation is then seen at the next wait.
        with anyio.CancelScope(shield=True):
            process = await anyio.open_process(
                call.argv,
                stdin=PIPE if call.stdin else DEVNULL,
                stdout=PIPE,
                stderr=PIPE,
                cwd=call.cwd,
                env=call.environment,
                # A group of its own: filters and helpers that git started end with it.
                start_new_session=True,
            )
    except OSError as error:
        return await _not_started(call, error)
    try:
        return await _talk(process, call)
    finally:
        await _end(process)


async def _talk(process: Process, call: _Call) -> Done | GitFailed:
    """Feed and read git until it ends, within the limits of the call."""
    answer = _Output(call.limits.output)
    complaint = _Output(call.limits.complaints)
    with anyio.move_on_after(call.limits.seconds) as deadline:
        async with anyio.create_task_group() as group:
            if process.stdin is not None:
                group.start_soon(_feed, process.stdin, call.stdin)
            if process.stderr is not None:
                group.start_soon(_drain, process.stderr, complaint)
            if process.stdout is not None and not await _read(process.stdout, answer):
                group.cancel_scope.cancel()
        if not answer.too_much:
            code = await process.wait()
            return Done(answer.bytes(), code, complaint.text())
    if deadline.cancelled_caught:
        said = f"it did not end within {call.limits.seconds:g} seconds and was stopped"
        return _failed(call, None, said, "Raise the time limit of git, or look for a hung disk.")
    said = f"it printed more than {call.limits.output} bytes and was stopped"
    return _failed(call, None, said, "Raise the output limit of git.")


class _Output:
    """Chunks up to a limit in bytes; what comes after the limit is counted as too much."""

    def __init__(self, limit: int) -> None:
        self._chunks: list[bytes] = []
        self._room = limit
        self.too_much = False

    def take(self, chunk: bytes) -> bool:
        """Keep a chunk as far as there is room; False says that there was not enough."""
        if len(chunk) > self._room:
            self.too_much = True
        self._chunks.append(chunk[: self._room])
        self._room -= len(self._chunks[-1])
        return not self.too_much

    def bytes(self) -> bytes:
        """Give all that was kept."""
        return b"".join(self._chunks)

    def text(self) -> str:
        """Give all that was kept as text; git's complaints may name paths of any bytes."""
        return self.bytes().decode("utf-8", "replace").strip()


async def _read(stream: ByteReceiveStream, into: _Output) -> bool:
    """Read to the end; False as soon as there is more than the limit."""
    while True:
        try:
            chunk = await stream.receive(_CHUNK)
        except anyio.EndOfStream:
            return True
        if not into.take(chunk):
            return False


async def _drain(stream: ByteReceiveStream, into: _Output) -> None:
    """Read to the end, so that git never waits for us, and keep what there is room for."""
    with suppress(anyio.EndOfStream):
        while True:
            into.take(await stream.receive(_CHUNK))


async def _feed(stream: ByteSendStream, data: bytes) -> None:
    # Git may end before it has read everything; its exit code tells what that meant.
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        await stream.send(data)
    await stream.aclose()


async def _end(process: Process) -> None:
    """Leave nothing running and no zombie, also when the caller was cancelled."""
    with anyio.CancelScope(shield=True):
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        await process.aclose()


def _config_variables(config: Config) -> dict[str, str]:
    """Give configuration as variables: unlike ``-c`` they take any key, also one with ``=``."""
    pairs = SAFE_CONFIG + config
    variables = {"GIT_CONFIG_COUNT": str(len(pairs))}
    for index, (key, value) in enumerate(pairs):
        variables[f"GIT_CONFIG_KEY_{index}"] = key
        variables[f"GIT_CONFIG_VALUE_{index}"] = value
    return variables


def _quoted_alternate(path: Path) -> str:
    """Quote a path for ``GIT_ALTERNATE_OBJECT_DIRECTORIES`` where the separator is in its name."""
    text = str(path)
    if os.pathsep not in text and not text.startswith('"'):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _failed(call: _Call, code: int | None, said: str, advice: str = "") -> GitFailed:
    ended = code
    if code is not None and code < 0:
        said = f"it was ended by {_signal_name(-code)}. {said}".strip()
    return GitFailed(_doing(call), ended, said, advice)


async def _not_started(call: _Call, error: OSError) -> GitFailed:
    if call.cwd is not None and not await anyio.Path(call.cwd).is_dir():
        return GitFailed(
            _doing(call), None, f"the folder {call.cwd} is not there", "Open an existing folder."
        )
    return GitFailed(
        _doing(call),
        None,
        f"{os.fsdecode(call.argv[0])} could not be started: {error.strerror}",
        "Install git 2.38 or newer, or name its path in the settings.",
    )


def _doing(call: _Call) -> str:
    words = [os.fsdecode(word).encode("utf-8", "replace").decode() for word in call.argv[1:]]
    return "git " + " ".join(words)[:500]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
