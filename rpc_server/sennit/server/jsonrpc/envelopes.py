"""From the bytes of a message to what it is: a request, a notification, a reply, or a mistake.

Only the envelope is looked at; parameters stay plain data. Every mistake has its one right answer
by JSON-RPC 2.0: the answer carries the id of the request where there is a valid one, else null.
"""

from __future__ import annotations

import json
from typing import NoReturn

from attrs import frozen

from sennit_protocol.errors import ErrorCode, RpcError

Id = str | int
VERSION = "2.0"


class Absent:
    """The type of ``ABSENT``: the message has no parameters."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()


@frozen
class Request:
    """A message that wants an answer."""

    id: Id
    method: str
    params: object


@frozen
class Notification:
    """A message that wants none."""

    method: str
    params: object


@frozen
class Reply:
    """The other side's answer to a request of ours; ``error`` is ``None`` where it went well."""

    id: object
    result: object
    error: object


@frozen
class Mistake:
    """A message that is none of them, with the answer that it gets."""

    id: Id | None
    error: RpcError


Message = Request | Notification | Reply | Mistake


def read_message(body: bytes) -> Message:
    """Tell what the body of a message is. Never raises."""
    try:
        value = _DECODER.decode(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        return _mistake(ErrorCode.PARSE_ERROR, f"not UTF-8 at byte {error.start}")
    except (ValueError, RecursionError) as error:
        return _mistake(ErrorCode.PARSE_ERROR, f"not JSON: {error}")
    if isinstance(value, list):
        return _mistake(ErrorCode.INVALID_REQUEST, "batches are not part of LSP; send one by one")
    if not isinstance(value, dict):
        return _mistake(ErrorCode.INVALID_REQUEST, "a message must be an object")
    return _envelope(value)


def valid_id(value: object) -> Id | None:
    """Give ``value`` where it is an id that JSON-RPC and LSP allow for a request."""
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None


def _envelope(value: dict[str, object]) -> Message:
    if "method" not in value and ("result" in value or "error" in value):
        return Reply(value.get("id"), value.get("result"), value.get("error"))
    id_ = valid_id(value.get("id"))
    if value.get("jsonrpc") != VERSION:
        return _mistake(ErrorCode.INVALID_REQUEST, '"jsonrpc" must be "2.0"', id_)
    if "id" in value and id_ is None:
        return _mistake(ErrorCode.INVALID_REQUEST, '"id" must be a string or an integer')
    method = value.get("method")
    if not isinstance(method, str):
        return _mistake(ErrorCode.INVALID_REQUEST, '"method" must be a string', id_)
    params = value.get("params")
    params = ABSENT if params is None else params
    return Notification(method, params) if id_ is None else Request(id_, method, params)


def _mistake(code: ErrorCode, message: str, id_: Id | None = None) -> Mistake:
    return Mistake(id_, RpcError(code, message))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


# What is sent. The envelopes are made by hand, so that no default can be left out of them.


def request(id_: Id, method: str, params: object) -> dict[str, object]:
    """Make the envelope of a request of ours."""
    return {"jsonrpc": VERSION, "id": id_, "method": method} | _with_params(params)


def notification(method: str, params: object) -> dict[str, object]:
    """Make the envelope of a notification of ours."""
    return {"jsonrpc": VERSION, "method": method} | _with_params(params)


def answer(id_: Id, result: object) -> dict[str, object]:
    """Make the envelope of a result; null is a result too."""
    return {"jsonrpc": VERSION, "id": id_, "result": result}


def error_answer(id_: Id | None, error: RpcError, data: object) -> dict[str, object]:
    """Make the envelope of an error, with ``data`` as JSON value where it is not ``None``."""
    told: dict[str, object] = {"code": int(error.code), "message": error.message}
    if data is not None:
        told["data"] = data
    return {"jsonrpc": VERSION, "id": id_, "error": told}


def _with_params(params: object) -> dict[str, object]:
    return {} if params is None else {"params": params}


def framed(envelope: dict[str, object]) -> bytes:
    """Encode a message with its header. The body is ASCII, so that its length is its bytes."""
    body = _ENCODER.encode(envelope).encode("ascii")
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
