"""The server as a child process: started apart from the terminal, ended in order."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from subprocess import PIPE

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, Process

from sennit.cli.failures import ServerGoneError
from sennit.cli.safe_text import safe_line

_LAST_WORDS_BYTES = 4000
_LAST_WORDS_LINES = 15
_EXIT_LIMIT_S = 5.0
_TERM_LIMIT_S = 20.0


class ServerProcess:
    """A running server and the end of what it has said on standard error."""

    def __init__(self, process: Process, on_stderr: Callable[[str], None] | None) -> None:
        """Take over ``process``; ``on_stderr`` hears its standard error as it comes."""
        self._process = process
        self._on_stderr = on_stderr
        self._last_words = b""
        self._stderr_ended = anyio.Event()

    @property
    def pid(self) -> int:
        """Id of the process."""
        return self._process.pid

    @property
    def output(self) -> ByteReceiveStream:
        """What the server writes."""
        if self._process.stdout is None:
            raise RuntimeError("the server was started without a pipe for its output")
        return self._process.stdout

    @property
    def input(self) -> ByteSendStream:
        """What the server reads."""
        if self._process.stdin is None:
            raise RuntimeError("the server was started without a pipe for its input")
        return self._process.stdin

    async def drain_stderr(self) -> None:
        """Read standard error until its end, so that the server never waits for a reader."""
        stream = self._process.stderr
        if stream is None:
            raise RuntimeError("the server was started without a pipe for its errors")
        async for data in stream:
            self._last_words = (self._last_words + data)[-_LAST_WORDS_BYTES:]
            if self._on_stderr is not None:
                self._on_stderr(data.decode(errors="replace"))
        self._stderr_ended.set()

    async def ended(self) -> ServerGoneError:
        """Say that the server ended by itself, with its exit code and last words."""
        with anyio.move_on_after(_EXIT_LIMIT_S):
            await self._process.wait()
            await self._stderr_ended.wait()
        return self.gone(f"The server ended unexpectedly ({_ending(self._process.returncode)}).")

    def gone(self, what: str) -> ServerGoneError:
        """Make the error that says ``what`` went wrong, with the server's last words."""
        lines = self._last_words.decode(errors="replace").splitlines()
        return ServerGoneError(what, "\n".join(map(safe_line, lines[-_LAST_WORDS_LINES:])))

    async def end(self) -> None:
        """Close its input and wait; then SIGTERM, which captures running work; then SIGKILL."""
        await self.input.aclose()
        for limit_s, next_step in (
            (_EXIT_LIMIT_S, self._process.terminate),
            (_TERM_LIMIT_S, self._process.kill),
        ):
            with anyio.move_on_after(limit_s):
                await self._process.wait()
                break
            next_step()
        await self._process.aclose()


async def started(
    command: tuple[str, ...],
    environment: Mapping[str, str] | None,
    on_stderr: Callable[[str], None] | None,
) -> ServerProcess:
    """Start the server; raises `ServerGoneError` when it cannot be started.

    It gets a session of its own, so that Ctrl-C reaches this command alone, which then ends the
    server's work in order.
    """
    try:
        # asyncio forgets the pipes of a process whose start is cancelled half-way.
        with anyio.CancelScope(shield=True):
            process = await anyio.open_process(
                command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                env=environment,
                start_new_session=True,
            )
    except OSError as error:
        raise ServerGoneError(
            f"The server cannot be started with `{shlex.join(command)}`: {error.strerror}.", ""
        ) from error
    return ServerProcess(process, on_stderr)


def _ending(code: int | None) -> str:
    if code is None:
        return "it closed its output, but still runs"
    return f"signal {-code}" if code < 0 else f"exit code {code}"
