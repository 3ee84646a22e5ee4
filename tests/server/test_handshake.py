from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sennit.server.capabilities import initialize_result
from sennit.server.handshake import initialize_answer, shake_hands
from sennit.server.initialize import chosen_encoding, initialize_problems
from tests.wire_client import framed, framed_bytes

Message = dict[str, Any]
PLAIN: Message = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"processId": None, "capabilities": {}},
}


def shaken(*parts: bytes) -> tuple[bytes, bytes, bool]:
    """Give what was answered, what was read, and whether it counts as answered."""
    source, client_out = os.pipe()
    client_in, sink = os.pipe()

    def send() -> None:
        for part in parts:
            os.write(client_out, part)
        os.close(client_out)

    sender = threading.Thread(target=send)
    sender.start()
    first, answered = shake_hands(source, sink)
    sender.join()
    os.close(sink)
    os.close(source)
    with os.fdopen(client_in, "rb") as stream:
        return stream.read(), first, answered


def test_a_plain_initialize_is_answered_however_it_is_cut() -> None:
    data = framed(PLAIN)
    for parts in ([data], [data[:10], data[10:]], [bytes([byte]) for byte in data]):
        answer, first, answered = shaken(*parts)
        assert answered
        assert first == data
        body = json.loads(answer.partition(b"\r\n\r\n")[2])
        assert body["id"] == 1
        assert body["result"]["serverInfo"]["name"] == "sennit"


def test_what_follows_the_first_message_is_kept() -> None:
    data = framed(PLAIN) + framed({"more": 1})
    assert shaken(data)[1:] == (data, True)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"Content-Length: 5",
        b"Content-Length: x\r\n\r\n",
        b"Content-Length: 99999999999999\r\n\r\n",
        b"Content-Length: " + b"9" * 10_000 + b"\r\n\r\n",
        b"nonsense" * 9000,
        framed_bytes(b"{"),
        framed_bytes(b"[" * 100_000),
        framed_bytes(b"\xff"),
        framed([PLAIN]),
        framed(PLAIN | {"id": None}),
        framed(PLAIN | {"id": 1.5}),
        framed(PLAIN | {"jsonrpc": "1.0"}),
        framed(PLAIN | {"method": "shutdown"}),
        framed(PLAIN | {"params": {}}),
        framed(PLAIN | {"params": []}),
        framed(PLAIN)[:-1],
    ],
)
def test_all_else_is_left_to_the_server(data: bytes) -> None:
    answer, first, answered = shaken(data)
    assert (answer, answered) == (b"", False)
    assert first == data[: len(first)]


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "utf-16"),
        ([], "utf-16"),
        (["utf-16"], "utf-16"),
        (["utf-7"], "utf-16"),
        (["utf-16", "utf-8"], "utf-8"),
        (["utf-16", "utf-32"], "utf-32"),
        (["utf-32", "utf-16", "utf-8"], "utf-8"),
    ],
)
def test_the_fast_answer_is_that_of_the_full_server(offered: list[str] | None, chosen: str) -> None:
    general = {} if offered is None else {"general": {"positionEncodings": offered}}
    params: Message = {"capabilities": general}
    assert chosen_encoding(params) == chosen
    answer = initialize_answer(PLAIN | {"params": params})
    assert answer is not None
    assert answer["result"] == initialize_result(chosen)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
param_keys = st.sampled_from(
    ["processId", "capabilities", "rootUri", "workspaceFolders", "initializationOptions", "x"]
)


@given(st.dictionaries(param_keys, json_values))
def test_any_parameters_are_either_without_problems_or_answered_with_them(
    params: dict[str, object],
) -> None:
    answer = initialize_answer(PLAIN | {"params": params})
    assert (answer is None) == bool(initialize_problems(params))


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({"capabilities": {}, "processId": True}, "processId"),
        ({"capabilities": {}, "rootUri": 5}, "rootUri"),
        ({"capabilities": {}, "workspaceFolders": {}}, "workspaceFolders"),
        ({"capabilities": {}, "workspaceFolders": [1]}, "workspaceFolders[0].uri"),
        ({"capabilities": {}, "workspaceFolders": [{"uri": "a"}]}, "workspaceFolders[0].name"),
        (
            {"capabilities": {"general": {"positionEncodings": "utf-8"}}},
            "capabilities.general.positionEncodings",
        ),
        (
            {"capabilities": {"experimental": {"sennit": {"ask": 1}}}},
            "capabilities.experimental.sennit.ask",
        ),
        (
            {"capabilities": {"experimental": {"sennit": {"clientId": 1}}}},
            "capabilities.experimental.sennit.clientId",
        ),
        ({"capabilities": {"experimental": {"sennit": 1}}}, "capabilities.experimental.sennit"),
    ],
)
def test_a_problem_of_initialize_has_its_path(params: object, path: str) -> None:
    assert path in [problem[0] for problem in initialize_problems(params)]


@pytest.mark.parametrize(
    "names",
    [
        "{name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names - {'sennit'}",
        "{'pathlib', 'typing', 'logging', 'asyncio', 'subprocess'} & set(sys.modules)",
    ],
)
def test_the_handshake_imports_nothing_foreign_and_nothing_slow(names: str) -> None:
    run = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys, sennit.server.handshake; print(*{names})"],
        env={"PYTHONPATH": str(Path(__file__).parents[2] / "rpc_server")},
        capture_output=True, check=True, text=True,
    )  # fmt: skip
    assert set(run.stdout.split()) <= {"__main__"}
