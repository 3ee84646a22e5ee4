from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sennit.server.jsonrpc.framing import BadHeader, Body, Frame, Framer, OverLimit
from sennit.server.jsonrpc.scanner import Glimpse, Scanner
from tests.wire_client import framed_bytes

bodies = st.lists(st.binary(max_size=40), max_size=5)


def frames(parts: list[bytes], limit: int = 1000) -> list[Frame]:
    framer = Framer(limit)
    return [frame for part in parts for frame in framer.feed(part)]


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[a:b] for a, b in pairwise(edges)]


@given(bodies, st.lists(st.integers(0, 1000)))
def test_messages_are_found_however_the_stream_is_cut(
    contents: list[bytes], places: list[int]
) -> None:
    stream = b"".join(framed_bytes(content) for content in contents)
    assert frames(cut(stream, places)) == [Body(content) for content in contents]


def test_messages_are_found_at_every_cut_and_byte_by_byte() -> None:
    contents = [b'{"a": "\xc3\xa9"}', b"", b"Content-Length: 5\r\n\r\n", b"x" * 30]
    stream = b"".join(framed_bytes(content) for content in contents)
    expected = [Body(content) for content in contents]
    assert frames([stream[i : i + 1] for i in range(len(stream))]) == expected
    for place in range(len(stream) + 1):
        assert frames([stream[:place], stream[place:]]) == expected


@given(st.lists(st.integers(0, 1000)))
def test_a_message_over_the_limit_is_drained_however_the_stream_is_cut(places: list[int]) -> None:
    long = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "m", "params": {"x": "y" * 100}})
    stream = framed_bytes(long.encode()) + framed_bytes(b"next")
    assert frames(cut(stream, places), limit=50) == [
        OverLimit(len(long), 50, Glimpse(7, "m", None)),
        Body(b"next"),
    ]


def test_a_message_of_exactly_the_limit_is_taken() -> None:
    assert frames([framed_bytes(b"x" * 50)], limit=50) == [Body(b"x" * 50)]


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: -1\r\n\r\n{}",
        b"Content-Length: 1.5\r\n\r\n{}",
        b"Content-Length:\r\n\r\n{}",
        b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n{}",
        b"Content-Type: x\r\n\r\n{}",
        b"\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"x" * 20_000,
        b"Content-Length: 2\n\n{}",
        b"Content-Length: 2\r\n\n{}",
        b'{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}\n',
    ],
)
def test_a_bad_header_is_one_complaint_and_the_next_message_is_found(header: bytes) -> None:
    stream = header + framed_bytes(b"next")
    for parts in ([stream], [stream[i : i + 1] for i in range(len(stream))]):
        complaint, *rest = frames(parts)
        assert isinstance(complaint, BadHeader)
        assert rest == [Body(b"next")]


@pytest.mark.parametrize("header", [b"Content-Length: 2\n", b'{"method": "exit"}\n', b"\n"])
def test_a_bare_line_end_is_complained_of_before_more_comes(header: bytes) -> None:
    (complaint,) = frames([header])
    assert isinstance(complaint, BadHeader)


def test_it_is_known_whether_a_part_is_held() -> None:
    framer = Framer(1000)
    held = [framer.holds_a_part]
    for data in (b"Content-Length: 1\r\n", b"\r\n", b"x"):
        list(framer.feed(data))
        held.append(framer.holds_a_part)
    assert held == [False, True, True, False]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(
    st.text() | st.integers(),
    st.text(),
    st.text(),
    json_values,
    st.permutations(["id", "method", "params"]),
    st.lists(st.integers(0, 10_000)),
    st.booleans(),
)
def test_id_method_and_uri_are_seen_wherever_they_stand(
    id_: object, method: str, uri: str, other: object, order: list[str], places: list[int],
    ascii_only: bool,  # noqa: FBT001  drawn by hypothesis
) -> None:  # fmt: skip
    params = {"id": other, "x": other, "textDocument": {"y": other, "uri": uri, "z": other}}
    whole = {"id": id_, "method": method, "params": params}
    value = {"first": other} | {key: whole[key] for key in order} | {"uri": other}
    text = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    scanner = Scanner()
    for part in cut(text, places):
        scanner.feed(part)
    assert scanner.glimpse() == Glimpse(id_, method, uri)  # type: ignore[arg-type]


@given(st.binary())
def test_any_bytes_can_be_looked_through(data: bytes) -> None:
    scanner = Scanner()
    scanner.feed(data)
    scanner.glimpse()


def test_ids_of_the_wrong_type_stay_unknown() -> None:
    scanner = Scanner()
    scanner.feed(b'{"id": true, "method": 5, "params": {"textDocument": {"uri": null}}}')
    assert scanner.glimpse() == Glimpse()
