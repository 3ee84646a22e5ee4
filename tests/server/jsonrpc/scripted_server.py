"""A server process for tests: the real wire with handlers that do what a test asks of them."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

import anyio
from attrs import frozen
from lsprotocol import types

from sennit.server.capabilities import initialize_result
from sennit.server.handshake import begin
from sennit.server.jsonrpc import (
    ClientError,
    ClientGone,
    ClientNonsense,
    ClientTimeout,
    CommandHandler,
    Connection,
    Context,
    Handlers,
    NotificationHandler,
    RequestHandler,
    open_connection,
)
from sennit_protocol.errors import Problem, ProblemsData, RpcError
from sennit_protocol.methods import Method, Sender

TASK_ERROR = 77


@frozen
class Inner:
    jsonrpc: str
    id: int = 0


@frozen
class Params:
    prompt: str
    dry_run: bool = False
    agents: tuple[str, ...] = ()
    inner: Inner | None = None
    anything: object = None


@frozen
class Name:
    name: str = ""


@frozen
class Asked:
    outcome: str
    answer: object = None


@frozen
class Facts:
    tasks: int
    waiting: int
    tokens: int
    futures: int
    position_encoding: str
    trusted: bool
    folders: tuple[str, ...]
    texts: dict[str, str | None]
    unknown: tuple[str, ...]
    closed: int


@frozen
class State:
    """What the handlers share; the events are named by the tests."""

    seen: list[str]
    closings: list[str]


def methods() -> Mapping[str, Method]:
    table = (
        Method("sennit/echo", Params, Params, ""),
        Method("sennit/raise", Name, Name, ""),
        Method("sennit/refuse", Name, Name, ""),
        Method("sennit/block", Name, Name, ""),
        Method("sennit/ask-client", Name, Asked, ""),
        Method("sennit/facts", Name, Facts, ""),
        Method("sennit/print", Name, Name, ""),
        Method("sennit/progress", Name, Name, ""),
        Method("sennit/bad-result", Name, Name, ""),
        Method("sennit/large", Name, Params, ""),
        Method("sennit/doctor", Name, Name, ""),
        Method("sennit/later", Name, Name, "", available=False),
        Method("sennit/note", Name, None, ""),
        Method("sennit/seen", Name, Params, ""),
        Method("sennit/ask", Name, Name, "", Sender.SERVER),
        Method("sennit/told", Name, None, "", Sender.SERVER),
    )
    return {method.name: method for method in table}


async def echo(_: Context, params: Params) -> Params:
    return params


async def name_back(_: Context, params: Name) -> Name:
    return params


async def fail(_: Context, params: Name) -> Name:
    raise ValueError(f"secret {params.name}")


async def refuse(_: Context, params: Name) -> RpcError:
    data = ProblemsData((Problem("name", "is not nice", ("nice",)),))
    return RpcError(TASK_ERROR, params.name, data)


async def bad_result(_: Context, _params: Name) -> object:
    return Name(b"bytes")  # type: ignore[arg-type]  # the mistake is the point


async def large(_: Context, _params: Name) -> Params:
    return Params("x" * 20_000_000)


async def print_to_stdout(_: Context, _params: Name) -> Name:
    print("printed")  # noqa: T201  what must not reach the stream
    sys.stdout.flush()
    os.write(1, b"written\n")
    subprocess.run(["/bin/sh", "-c", "echo child; cat"], check=True, timeout=10)  # noqa: ASYNC221
    return Name("printed")


def block(state: State) -> RequestHandler:
    async def handler(context: Context, params: Name) -> Name:
        return await _blocked(state, context.connection, params.name)

    return handler


def block_command(state: State) -> CommandHandler:
    async def handler(context: Context, arguments: tuple[object, ...]) -> object:
        await _blocked(state, context.connection, str(arguments[0]))
        return "done"

    return handler


async def _blocked(state: State, connection: Connection, name: str) -> Name:
    connection.notify("sennit/told", Name(f"{name} started"))
    try:
        await anyio.sleep_forever()
    finally:
        state.seen.append(f"{name} cancelled")
        if name.startswith("stubborn"):
            with anyio.CancelScope(shield=True):
                await anyio.sleep(60)
    return Name()


async def ask_client(context: Context, params: Name) -> Asked:
    outcome = await context.connection.request("sennit/ask", params, 0.3)
    match outcome:
        case Name():
            return Asked("answer", outcome.name)
        case ClientError():
            return Asked("error", outcome.message)
        case ClientNonsense():
            return Asked("nonsense", outcome.message)
        case ClientTimeout():
            return Asked("timeout")
        case ClientGone():
            return Asked("gone")
        case _:
            return Asked("unread", repr(outcome))


def note(state: State) -> NotificationHandler:
    async def handler(_: Context, params: Name) -> None:
        await anyio.lowlevel.checkpoint()
        if params.name == "raise":
            raise ValueError(params.name)
        state.seen.append(params.name)

    return handler


def seen(state: State) -> RequestHandler:
    async def handler(_: Context, _params: Name) -> Params:
        return Params("", agents=tuple(state.seen))

    return handler


async def progress(context: Context, params: Name) -> Name:
    stopped = anyio.Event()

    async def on_cancel() -> None:
        stopped.set()

    connection = context.connection
    async with connection.progress(
        "Working", token=context.work_done_token, on_cancel=on_cancel
    ) as shown:
        shown.report("half", 50)
        if params.name == "until cancelled":
            await stopped.wait()
    return Name(f"{len(connection.tokens)} tokens")


async def progress_command(context: Context, _: tuple[object, ...]) -> object:
    return await progress(context, Name())


def facts(state: State) -> RequestHandler:
    async def handler(context: Context, _: Name) -> Facts:
        connection = context.connection
        documents = connection.documents
        gc.collect()
        return Facts(
            tasks=len(anyio.get_running_tasks()),
            waiting=connection.outgoing.waiting,
            tokens=len(connection.tokens),
            futures=sum(
                type(o).__name__ in {"Future", "_GatheringFuture"} for o in gc.get_objects()
            ),
            position_encoding=connection.client.position_encoding.value,
            trusted=connection.client.trusted,
            folders=tuple(folder.uri for folder in connection.client.folders),
            texts={uri: document.text for uri, document in documents.all().items()},
            unknown=tuple(uri for uri in documents.all() if documents.is_unknown(uri)),
            closed=len(state.closings),
        )

    return handler


async def lenses(_: Context, params: types.CodeLensParams) -> list[types.CodeLens]:
    where = types.Range(types.Position(0, 0), types.Position(0, 1))
    return [types.CodeLens(where, types.Command(params.text_document.uri, "sennit.server.open"))]


def handlers(state: State, broken_settings: bool) -> Handlers:  # noqa: FBT001  one caller
    def problems() -> tuple[Problem, ...]:
        wrong = broken_settings and "mended" not in state.seen
        return (Problem("limits.tasks", "must be an integer"),) if wrong else ()

    async def closing() -> None:
        state.closings.append("closed")
        print("closing", file=sys.stderr)  # noqa: T201  for the test to see

    return Handlers(
        requests={
            "sennit/echo": echo,
            "sennit/raise": fail,
            "sennit/refuse": refuse,
            "sennit/block": block(state),
            "sennit/ask-client": ask_client,
            "sennit/facts": facts(state),
            "sennit/print": print_to_stdout,
            "sennit/progress": progress,
            "sennit/bad-result": bad_result,
            "sennit/large": large,
            "sennit/doctor": name_back,
            "sennit/seen": seen(state),
            "textDocument/codeLens": lenses,
        },
        notifications={
            "sennit/note": note(state),
        },
        commands={
            "sennit.server.block": block_command(state),
            "sennit.server.progress": progress_command,
        },
        settings_problems=problems,
        closing=closing,
    )


async def serve(limit: int, *, broken_settings: bool) -> int:
    start = begin()
    assert start is not None
    served = open_connection(
        start,
        version="test",
        methods=methods(),
        initialize_result=initialize_result,
        message_limit=limit,
    )
    return await served.serve(handlers(State([], []), broken_settings))


def run(options: Sequence[str]) -> int:
    """Serve one client; the options are a message limit in bytes and ``broken-settings``."""
    message_limit = int(options[0]) if options else 64 * 1024 * 1024
    broken = "broken-settings" in options
    return anyio.run(lambda: serve(message_limit, broken_settings=broken))


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
