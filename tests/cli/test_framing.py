from __future__ import annotations

import pytest

from sennit.cli.framing import Frames, RubbishError, framed


def test_messages_are_cut_wherever_the_bytes_are_parted() -> None:
    messages = [{"id": 1}, {"text": "ä\n😀"}, {"list": [1, 2, 3]}]
    data = b"".join(map(framed, messages))
    for size in (1, 2, 7, len(data)):
        frames = Frames()
        parts = [data[start : start + size] for start in range(0, len(data), size)]
        assert [message for part in parts for message in frames.feed(part)] == messages


def test_header_names_are_read_in_any_case() -> None:
    assert list(Frames().feed(b"content-length: 2\r\nX: y\r\n\r\n{}")) == [{}]


@pytest.mark.parametrize(
    "data",
    [
        b"Traceback (most recent call last):\n",
        b"Content-Length: x\r\n\r\n{}",
        b"Content-Length: 2\r\n\r\n[]",
        b"Content-Length: 3\r\n\r\n{]}",
        b"x" * 10_000,
    ],
)
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(RubbishError):
        list(Frames().feed(data))
